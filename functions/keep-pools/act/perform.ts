import type { Action } from '../../core/holds/plan.ts';
import type { PerformPorts } from './perform-ports.ts';
import { type RefreshedApplication, refreshApplication } from './refresh-application.ts';
import { type RetriedSync, retrySync } from './retry-sync.ts';
import { type WrittenHealthCheck, writeHealthCheck } from './write-health-check.ts';
import { type PerformedPool, writePool } from './write-pool.ts';
import { type WrittenProject, writeProject } from './write-project.ts';

/** What became of an action. */
export type Performed = PerformedPool | RetriedSync | WrittenProject | RefreshedApplication | WrittenHealthCheck;

/** Performs one action. Everything that Poolkeeper writes to a cluster is written here. */
export function perform(action: Action, ports: PerformPorts): Promise<Performed> {
  switch (action.kind) {
    case 'pool':
      return writePool(action.plan, ports);
    case 'sync':
      return retrySync(action.application, ports);
    case 'project':
      return writeProject(action.plan, action.facts, ports);
    case 'refresh':
      return refreshApplication(action.application, ports);
    case 'health-check':
      return writeHealthCheck(action.plan, ports);
    default:
      return action satisfies never;
  }
}

import type { Node } from '../api-server/cluster-objects.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes } from '../api-server/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { createDelayQueue } from './delay-queue.ts';
import { attemptDrain } from './drain-attempt.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { annotate, annotationOf } from './node-annotations.ts';
import type { ReportProgress, Step } from './node-progress.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
  readonly report: ReportProgress;
}

const manager = 'machine-config-controller';

/** Grants the drain and uncordon requests that the nodes' daemons make by annotation. It never looks at whether a
 *  pool is paused. */
export function startDrainController({ registry, pace, timings, report }: Parts): void {
  const record = createEventRecorder({
    registry,
    pace,
    component: 'machineconfigcontroller-nodecontroller',
    namespace: mcoNamespace,
  });
  const queue = createDelayQueue({ pace, workers: 5, sync });
  /** When the drain of a node began. In memory only: a restart of the real controller forgets it too. */
  const ongoing = new Map<string, Date>();
  registry.subscribe(({ type, kind, object, previous }) => {
    if (type !== nodes || kind === 'DELETED') return;
    const asks = annotationOf(object as Node, 'desiredDrain');
    if (!previous || asks !== annotationOf(previous as Node, 'desiredDrain'))
      queue.addAfter(object.metadata.name, timings.drainDelayMs);
  });

  async function sync(name: string): Promise<void> {
    const node = registry.get(nodes, name);
    if (!node) return;
    const asked = annotationOf(node, 'desiredDrain');
    if (asked === annotationOf(node, 'lastAppliedDrain')) return;
    if (asked.startsWith('uncordon-')) uncordon(node);
    else if (!(await drain(node))) return;
    if (registry.get(nodes, name))
      registry.modify(nodes, keyOf(node), (draft) => annotate(draft, { lastAppliedDrain: asked }), { manager });
  }

  function uncordon(node: Node): void {
    ongoing.delete(node.metadata.name);
    const free = registry.modify(nodes, keyOf(node), ({ spec }) => void delete spec.unschedulable, { manager });
    report(
      free,
      phase('UpdateComplete', {
        status: 'True',
        reason: 'Uncordoned',
        message: 'Uncordoned Node as part of completing upgrade phase',
      }),
      phase('Uncordoned', {
        status: 'True',
        reason: 'UpdateCompleteUncordoned',
        message: `UnCordoned node. The node is reporting Unschedulable = ${free.spec.unschedulable ?? false}`,
      }),
    );
  }

  async function drain(node: Node): Promise<boolean> {
    const { name } = node.metadata;
    const begun = ongoing.get(name);
    const failingMs = begun ? pace.elapsedMs(begun) : 0;
    if (failingMs > timings.drainTimeoutMs) {
      const message = `node ${name}: drain exceeded timeout: 1h0m0s. Will continue to retry.`;
      record({ object: node, type: 'Warning', reason: 'DrainFailed', message });
    }
    if (!begun || !node.spec.unschedulable) cordon(node);
    tell(node, 'Unknown', 'Draining Node as part of update executed phase', `Draining node. ${untilApplied(node)}`);
    const error = await attemptDrain(name, { registry, pace, timings });
    if (error === undefined) {
      ongoing.delete(name);
      const message = `Drained node. The drain is complete as the desired drainer matches current drainer: ${annotationOf(node, 'desiredDrain')}`;
      tell(node, 'True', 'Drained Node as part of update executed phase', message);
      return true;
    }
    tryAgain(node, { error, failingMs });
    tell(
      node,
      'Unknown',
      'Node Drain has not succeeded',
      `Error: Node Drain has not succeeded. Error is: ${error} ${untilApplied(node)}`,
    );
    return false;
  }

  function tryAgain(node: Node, { error, failingMs }: { readonly error: string; readonly failingMs: number }): void {
    // on a real cluster every attempt begins a little late, so the one due at the limit is over it
    if (failingMs < timings.drainFailingAfterMs) {
      queue.addAfter(node.metadata.name, timings.drainRetryMs);
      return;
    }
    const minutes = (ms: number) => ms / 60_000;
    const message = `Drain failed. Drain has been failing for more than ${minutes(timings.drainFailingAfterMs)} minutes. Waiting ${minutes(timings.drainFailingRetryMs)} minutes then retrying. Error message from drain: ${error}`;
    record({ object: node, type: 'Warning', reason: 'DrainThresholdExceeded', message });
    queue.addAfter(node.metadata.name, timings.drainFailingRetryMs);
  }

  function cordon(node: Node): void {
    const cordoned = registry.modify(nodes, keyOf(node), ({ spec }) => Object.assign(spec, { unschedulable: true }), {
      manager,
    });
    ongoing.set(node.metadata.name, pace.now());
    report(
      cordoned,
      phase('UpdateExecuted', {
        status: 'Unknown',
        reason: 'Cordoned',
        message: 'Cordoned Node as part of update executed phase',
      }),
      phase('Cordoned', {
        status: 'True',
        reason: 'UpdateExecutedCordoned',
        message: 'Cordoned node. The node is reporting Unschedulable = true',
      }),
    );
  }

  function tell(node: Node, status: Step['status'], phaseMessage: string, message: string): void {
    report(
      node,
      phase('UpdateExecuted', { status: 'Unknown', reason: 'Drained', message: phaseMessage }),
      phase('Drained', { status, reason: 'UpdateExecutedDrained', message }),
    );
  }
}

function phase(type: string, rest: Omit<Step, 'type'>): Step {
  return { type, ...rest };
}

function untilApplied(node: Node): string {
  return `The drain will not be complete until desired drainer ${annotationOf(node, 'desiredDrain')} matches current drainer ${annotationOf(node, 'lastAppliedDrain')}`;
}

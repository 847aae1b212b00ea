import type { ObservedApplication } from '../../../functions/core/argocd/application.ts';
import type { GuardView } from '../../../functions/core/gates/guard-waits.ts';
import { guardViewsOf } from '../../../functions/core/gates/guard-waits.ts';
import { applicationOfGuard } from '../../../functions/core/guard/guard-record.ts';
import { guardSubject } from '../../../functions/core/guard/guard-subject.ts';
import { idOfCluster } from '../../../functions/core/guard/guarded-cluster.ts';
import { guardsOfCluster } from '../../../functions/core/guard/open-guards.ts';
import { planProject } from '../../../functions/core/guard/plan-project.ts';
import type { Snapshot } from '../../../functions/core/holds/snapshot.ts';
import { readApplications } from '../../../functions/keep-pools/read/read-applications.ts';
import { type ObservedProjects, readProjects, usesGuards } from '../../../functions/keep-pools/read/read-projects.ts';
import type { EvidencePorts } from '../../../functions/keep-pools/resume/evidence-reader.ts';
import { readApplicationTurns } from '../../../functions/keep-pools/sequences/read-application-turns.ts';
import { guardsUnread } from './why-pool.ts';

interface GuardsFound {
  readonly guards: readonly GuardView[];
  /** What was not read of them, one sentence each. */
  readonly unread: readonly string[];
}

/** The guards that a sync waits for, and why, by what the next pass would decide. */
export async function lookAtGuards(snapshot: Snapshot, ports: EvidencePorts): Promise<GuardsFound> {
  const { settings } = snapshot;
  if (!usesGuards(settings, {})) return { guards: [], unread: [] };
  const observed = await readProjects(settings.name, ports);
  const { projects } = observed;
  const id = idOfCluster(snapshot);
  const of = { cluster: settings.name, ids: id === undefined ? undefined : [id] };
  const refs = guardsOfCluster(projects, of).map(({ argocd, guard }) => ({
    argocd,
    ...applicationOfGuard(guard),
  }));
  const [read, notTheirTurn] = await Promise.all([readApplications(refs, [], ports), readApplicationTurns(ports)]);
  const facts = {
    ...of,
    subjects: read.flatMap((each) => (each.kind === 'seen' ? [guardSubject(each.application, snapshot)] : [])),
    gone: new Set<string>(),
    pools: snapshot.pools,
    notTheirTurn,
    expectSyncWithinSeconds: settings.policy.expectSyncWithinSeconds,
    now: ports.clock(),
  };
  const waiting = projects.flatMap((project) => planProject(project, facts).waiting);
  const unread = [...unreadProjects(observed), ...read.flatMap(unreadApplication)];
  return {
    guards: guardViewsOf(waiting, () => undefined),
    unread: unread.map(({ about, why }) => guardsUnread(settings.name, about, why)),
  };
}

interface UnreadGuards {
  readonly about: string;
  readonly why: string;
}

function unreadProjects({ projects, unreadable, failure }: ObservedProjects): readonly UnreadGuards[] {
  return [
    ...(failure === undefined ? [] : [{ about: 'AppProjects', why: failure }]),
    ...unreadable.map(({ name, why }) => ({ about: `AppProject ${name}`, why })),
    ...projects.flatMap(({ name, record }) =>
      record.kind === 'unreadable' ? [{ about: `AppProject ${name}`, why: record.why }] : [],
    ),
  ];
}

function unreadApplication(observed: ObservedApplication): readonly UnreadGuards[] {
  if (observed.kind !== 'unreadable') return [];
  const { namespace, name } = observed.ref;
  return [{ about: `Application ${namespace}/${name}`, why: observed.why }];
}

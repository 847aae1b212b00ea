import { projectOf } from '../../core/argocd/application.ts';
import { guardViewsOf } from '../../core/gates/guard-waits.ts';
import { type AppProject, ownProject } from '../../core/guard/app-project.ts';
import type { GuardProblem, GuardsLook, LostGuards, ToldApplication } from '../../core/guard/guard-problem.ts';
import { holdOfGuard } from '../../core/guard/guard-record.ts';
import { isOfCluster } from '../../core/guard/guarded-cluster.ts';
import { forgetByHand } from '../../core/guard/open-by-hand.ts';
import { guardsOf, guardsOfCluster } from '../../core/guard/open-guards.ts';
import type { GuardFacts, GuardSubject } from '../../core/guard/plan-project.ts';
import { isOthers } from '../../core/guard/whose-guard.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import type { Transient } from '../../core/text/errors.ts';
import { unique } from '../../core/text/unique.ts';
import type { ObservedProjects } from '../read/read-projects.ts';
import type { WrittenProject } from './write-project.ts';

/** What a pass that wrote guards knows of them. */
export interface WrittenGuards {
  readonly read: ObservedProjects;
  readonly facts: GuardFacts;
  /** Every write. */
  readonly all: readonly WrittenProject[];
  /** The last one of each project. */
  readonly last: readonly WrittenProject[];
}

/** What is wrong with the guards of a cluster now. Only where every guarded Application was to be read.
 *  @param isComplete all Applications were listed */
export function lookAtGuards(written: WrittenGuards, isComplete: boolean): GuardsLook {
  const { read, last, facts } = written;
  const { all: unread, first } = unreadGuards(read, facts);
  return {
    problems: [
      ...unkept(written),
      ...last.flatMap(({ plan: { project, leftOut } }): readonly GuardProblem[] =>
        leftOut.length === 0
          ? []
          : [{ kind: 'no-room', project: project.name, applications: leftOut.map((name) => toldIn(project, name)) }],
      ),
      ...withoutProject(read, facts),
      ...last.flatMap(({ plan: { exposed, project } }) =>
        exposed.map((each) => ({ kind: 'exposed', ...each, ...ownProject(each, project) }) as const),
      ),
      ...last.flatMap(({ plan: { unanswered, project } }) =>
        unanswered.map((each) => ({ kind: 'unanswered', ...each, ...ownProject(each, project) }) as const),
      ),
      ...last.flatMap(heldToo),
      ...last.flatMap(ofNamesakes),
      ...last.flatMap(closed),
      ...last.flatMap((each) => open(each, facts)),
    ],
    unseen: read.failure ?? (first && `${first} was not read`),
    unread: read.failure === undefined ? unread : undefined,
    lost: lost(written),
    isComplete,
  };
}

/** What could not be put back is away since the first time, and is planned once more by each pass. */
function lost({ all }: WrittenGuards): readonly LostGuards[] {
  const projects = all
    .filter(({ failure, plan: { changes } }) => failure === undefined && changes.some(({ did }) => did === 'dropped'))
    .map(({ plan: { project } }) => project);
  const byName = new Map(projects.map((project) => [`${project.argocd}/${project.name}`, project]));
  return [...byName.values()].map(({ namespace, name, windowsBy = 'somebody', isTracked = false }) => ({
    namespace,
    project: name,
    by: windowsBy,
    isTracked,
  }));
}

/** Of these, waiting may help. Another writer that was faster five times in a row, and again a minute later, does not
 *  go away. */
const mayPass: readonly Transient['kind'][] = ['unreachable', 'busy', 'unknown'];

function unkept({ read, all }: WrittenGuards): readonly GuardProblem[] {
  const { projects, unreadable, failure, isForbidden = false } = read;
  return [
    ...(failure === undefined ? [] : [{ ...ofNone, why: failure, mayPass: !isForbidden }]),
    ...unreadable.map(({ namespace, name, why }) => ({ ...ofNone, namespace, project: name || 'without a name', why })),
    ...projects.flatMap((project) => {
      const { namespace, name, record } = project;
      if (record.kind !== 'unreadable') return [];
      return [{ ...ofNone, namespace, project: name, why: record.why, how: forgetByHand(project, []) }];
    }),
    ...all.flatMap(({ plan: { project }, failure: failed }) =>
      failed === undefined
        ? []
        : [
            {
              ...ofNone,
              namespace: project.namespace,
              project: project.name,
              why: failed.message,
              mayPass: mayPass.includes(failed.kind),
            },
          ],
    ),
  ];
}

const ofNone = { kind: 'unkept', namespace: '', project: '', mayPass: false } as const;

/** Somebody waits for their sync, which nothing holds back and Argo CD refuses. */
function withoutProject(read: ObservedProjects, { subjects, pools }: GuardFacts): readonly GuardProblem[] {
  if (read.failure !== undefined) return [];
  const held = new Set(pools.flatMap(holdsOf).map(({ id }) => id));
  const isThere = ({ application: { argocd, project = 'default' } }: GuardSubject) =>
    read.unreadable.some(({ name }) => name === project) ||
    read.projects.some((each) => each.argocd === argocd && each.name === project);
  const lost = subjects
    .filter((subject) => subject.isGuarded && held.has(syncHoldId(subject.application)) && !isThere(subject))
    .map(({ application }) => application);
  const byProject = Map.groupBy(lost, ({ project = 'default' }) => project);
  return [...byProject].map(([project, applications]) => ({
    kind: 'no-project',
    project,
    applications: applications.map((each) => ({
      application: `${each.namespace}/${each.name}`,
      project: projectOf(each),
    })),
  }));
}

function toldIn(project: AppProject, application: string): ToldApplication {
  return { application, ...ownProject({ application }, project) };
}

/** Those of Argo CD's own namespace first: others can be made up. */
function heldToo({ plan: { project, heldToo: all } }: WrittenProject): readonly GuardProblem[] {
  if (all.length === 0) return [];
  const names = all.map(({ application }) => application);
  const isAtHome = (name: string) => name.startsWith(`${project.namespace}/`);
  const applications = [...names.filter(isAtHome), ...names.filter((name) => !isAtHome(name))];
  const by = applications.flatMap((name) => all.find(({ application }) => application === name)?.by ?? []);
  const told = applications.map((name) => toldIn(project, name));
  return [{ kind: 'held-too', project: project.name, applications: told, by: unique(by) }];
}

function closed({ plan: { waiting, project } }: WrittenProject): readonly GuardProblem[] {
  return guardViewsOf(waiting, () => undefined).flatMap(
    ({ about: application, pools = [], isTurn, until, ...view }): readonly GuardProblem[] => {
      const { why, how, elsewhere, isTurnUnread } = view;
      // Its sequence tells that, and its pools are paused only then. What was tried has its time.
      if (isTurn === true || until !== undefined) return [];
      const of = ownProject({ application }, project);
      return [{ kind: 'closed', application, ...of, pools, why, how, elsewhere, isTurnUnread }];
    },
  );
}

function ofNamesakes({ plan: { ofNamesakes: applications }, stored }: WrittenProject): readonly GuardProblem[] {
  if (applications.length === 0) return [];
  const { namespace, name } = stored;
  return [{ kind: 'same-name', namespace, project: name, applications, how: forgetByHand(stored, applications) }];
}

function open({ plan, stored }: WrittenProject, facts: GuardFacts): readonly GuardProblem[] {
  return guardsOf([stored]).flatMap((guard): readonly GuardProblem[] => {
    const { application, pools, open: opened } = guard;
    if (opened === undefined || !isOfCluster(guard, facts) || isOthers(stored.argocd, guard, facts)) return [];
    if (plan.syncing.includes(application)) return [];
    return [{ kind: 'open', application, ...ownProject(guard, stored), pools, why: opened.why, since: opened.since }];
  });
}

/** Guarded Applications that were not read, and the first whose absence leaves something unseen. One that cannot be
 *  parsed has an incident of its own: whoever may write one would keep that of all guards from ending. */
function unreadGuards(
  { projects }: ObservedProjects,
  facts: GuardFacts,
): { readonly all: readonly string[]; readonly first: string | undefined } {
  const { subjects, gone, leaving, invalid } = facts;
  const known = new Set([
    ...gone,
    ...(leaving?.keys() ?? []),
    ...subjects.map(({ application }) => syncHoldId(application)),
  ]);
  const missing = guardsWithHolds(projects, facts).filter(({ hold }) => !known.has(hold));
  return {
    all: missing.map(({ guard }) => guard.application),
    first: missing.find(({ hold }) => invalid?.has(hold) !== true)?.guard.application,
  };
}

function guardsWithHolds(projects: ObservedProjects['projects'], facts: GuardFacts) {
  return guardsOfCluster(projects, facts)
    .filter(({ argocd, guard }) => !isOthers(argocd, guard, facts))
    .map(({ argocd, guard }) => ({ guard, hold: holdOfGuard(argocd, guard) }));
}

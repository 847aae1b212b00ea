import type { Application } from '../argocd/application.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import type { AppProject } from './app-project.ts';
import { accepts } from './app-project.ts';
import { decideGuard, type GuardDecision } from './decide-guard.ts';
import type { AlsoAffected, GuardedPush } from './guard-question.ts';
import { applicationOfGuard, type Guard, guardsThatFit, holdOfGuard, isSameGuard, sameGuards } from './guard-record.ts';
import { openByHand } from './open-by-hand.ts';
import { guardsOf } from './open-guards.ts';
import { namesHeldBack, type SyncWindow, windowsAfter } from './sync-windows.ts';

/** An Application as one pass sees it. */
export interface GuardSubject {
  readonly application: Application;
  readonly affected: readonly string[];
  readonly isGuarded: boolean;
  readonly push: GuardedPush | undefined;
}

export interface GuardFacts {
  readonly cluster: string;
  /** Applications of this cluster that this pass has read. */
  readonly subjects: readonly GuardSubject[];
  /** Applications that do not exist any more, or deploy to no cluster with guards: ids of their sync holds. */
  readonly gone: ReadonlySet<string>;
  readonly pools: readonly Pool[];
  readonly expectSyncWithinSeconds: number;
  readonly now: Date;
}

/** What to do with one AppProject: at most one patch. */
export interface ProjectPlan {
  readonly project: AppProject;
  /** Null: nothing changes. */
  readonly write: { readonly windows: readonly SyncWindow[]; readonly guards: readonly Guard[] } | undefined;
  readonly changes: readonly GuardChange[];
  /** Guards that a sync waits for, and why they stay closed. */
  readonly waiting: readonly WaitingGuard[];
  /** Applications whose guard is open, and whose sync has not begun. */
  readonly awaiting: readonly Application[];
  /** `<namespace>/<name>` of Applications for whose guards the record has no room. */
  readonly leftOut: readonly string[];
}

export interface GuardChange {
  /** `dropped`: somebody else took our window away, and it stands again. */
  readonly did: 'guarded' | 'opened' | 'closed' | 'dropped' | 'freed';
  readonly guard: Guard;
  readonly why: string;
}

export interface WaitingGuard {
  /** `<namespace>/<name>`. */
  readonly application: string;
  readonly why: string;
  /** The command that opens it without Poolkeeper. */
  readonly how?: string | undefined;
}

/** Plans one project. Guards of other clusters, and of Applications that were not read, stay as they are. */
export function planProject(project: AppProject, facts: GuardFacts): ProjectPlan {
  const nothing: ProjectPlan = { project, write: undefined, changes: [], waiting: [], awaiting: [], leftOut: [] };
  const { record } = project;
  if (record.kind === 'unreadable') return nothing;
  const all = decisions(project, record.guards, facts);
  const { standing, added } = guardsAfter(project, all, facts);
  const { fit, leftOut } = guardsThatFit(standing, added, project.namespace);
  const guards = [...standing, ...fit];
  const without = new Set(leftOut);
  const decided = all.filter(({ decision: { guard } }) => guard === undefined || !without.has(guard));
  const windows = windowsAfter(project.windows, windowChange(project, guards, decided, record.guards));
  const isSame = sameGuards(record.guards, guards) && JSON.stringify(windows) === JSON.stringify(project.windows);
  return {
    project,
    write: isSame ? undefined : { windows, guards },
    changes: changesOf(project, decided, windows, facts),
    waiting: decided.flatMap(({ subject, decision }) =>
      decision.waitsFor.map((why) => ({
        application: nameOf(subject.application),
        why,
        how: openByHand({ ...project, windows }, subject.application.name),
      })),
    ),
    awaiting: decided.flatMap(({ subject, decision }) => (decision.awaitsSync ? [subject.application] : [])),
    leftOut: leftOut.map(({ application }) => application),
  };
}

interface Decided {
  readonly subject: GuardSubject;
  readonly before: Guard | undefined;
  readonly decision: GuardDecision;
}

function decisions(project: AppProject, guards: readonly Guard[], facts: GuardFacts): readonly Decided[] {
  const pools = new Map(facts.pools.map((pool) => [pool.name, pool]));
  const { cluster, expectSyncWithinSeconds, now } = facts;
  return facts.subjects.filter(isIn(project)).map((subject) => {
    const before = guardOf(subject.application, guards, cluster);
    const alsoAffected = namesakes(subject, guards, facts);
    const question = { ...subject, cluster, guard: before, pools, alsoAffected, expectSyncWithinSeconds, now };
    return { subject, before, decision: decideGuard(question) };
  });
}

function isIn(project: AppProject): (subject: GuardSubject) => boolean {
  return ({ application }) =>
    application.argocd === project.argocd &&
    (application.project ?? 'default') === project.name &&
    accepts(project, application.namespace);
}

function guardOf(application: Application, guards: readonly Guard[], cluster: string): Guard | undefined {
  return guards.find((guard) => isSameGuard(guard, { application: nameOf(application), cluster }));
}

function nameOf({ namespace, name }: Application): string {
  return `${namespace}/${name}`;
}

/** Other Applications of the same name, in other namespaces: guarded already, or seen in this pass. */
function namesakes(
  { application }: GuardSubject,
  guards: readonly Guard[],
  { gone }: Pick<GuardFacts, 'gone'>,
): readonly AlsoAffected[] {
  return guards.filter(
    (guard) =>
      applicationOfGuard(guard).name === application.name &&
      guard.application !== nameOf(application) &&
      !gone.has(holdOfGuard(application.argocd, guard)),
  );
}

/** Why the guard of an Application that this project no longer has goes; undefined: it has it, or was not read. */
function whyFreed(
  { argocd }: Pick<AppProject, 'argocd'>,
  guard: Guard,
  { decided, facts }: { readonly decided: readonly Decided[]; readonly facts: GuardFacts },
): string | undefined {
  if (guard.cluster !== facts.cluster || decided.some((each) => each.before === guard)) return undefined;
  const hold = holdOfGuard(argocd, guard);
  if (facts.gone.has(hold)) return 'the Application is gone';
  // Its window there is written first.
  return facts.subjects.some(({ application }) => syncHoldId(application) === hold)
    ? 'the Application is in another project now'
    : undefined;
}

/** Those that stay where they are keep their place, so that a record without a change is the same text. */
function guardsAfter(
  project: AppProject,
  decided: readonly Decided[],
  facts: GuardFacts,
): { readonly standing: readonly Guard[]; readonly added: readonly Guard[] } {
  const standing = guardsOf([project]).flatMap((guard) => {
    const found = decided.find((each) => each.before === guard);
    if (found !== undefined) return found.decision.guard ?? [];
    return whyFreed(project, guard, { decided, facts }) === undefined ? [guard] : [];
  });
  const added = decided.flatMap(({ before: known, decision }) =>
    known === undefined && decision.guard !== undefined ? [decision.guard] : [],
  );
  return { standing, added };
}

/** One window is for every guard of its name: the one that is open has asked for the pools of the others. One that
 *  is missing while a sync of one of them runs is not put back before that has ended. A window of ours without a record
 *  is taken away only where its Application is known to need none. */
function windowChange(
  project: AppProject,
  guards: readonly Guard[],
  decided: readonly Decided[],
  before: readonly Guard[],
) {
  const held = namesHeldBack(project.windows);
  const running = new Set(
    decided
      .filter(({ decision }) => decision.isMidSync && decision.guard !== undefined)
      .map(({ subject }) => subject.application.name),
  );
  const names = new Set(guards.map((guard) => applicationOfGuard(guard).name));
  const opened = new Set(
    guards.filter((guard) => guard.open !== undefined).map((guard) => applicationOfGuard(guard).name),
  );
  const closed = [...names].filter((name) => !opened.has(name));
  const unneeded = decided.flatMap(({ subject, decision }) => (decision.isFree ? [subject.application.name] : []));
  const freed = before.map((guard) => applicationOfGuard(guard).name).filter((name) => !names.has(name));
  return {
    closed: new Set(closed.filter((name) => held.has(name) || !running.has(name))),
    open: new Set([...opened, ...freed, ...unneeded.filter((name) => !names.has(name))]),
  };
}

function changesOf(
  project: AppProject,
  decided: readonly Decided[],
  windows: readonly SyncWindow[],
  facts: GuardFacts,
): readonly GuardChange[] {
  const [heldBefore, heldAfter] = [namesHeldBack(project.windows), namesHeldBack(windows)];
  const made = decided.flatMap((each): readonly GuardChange[] => {
    const { name } = each.subject.application;
    const isPutBack = !heldBefore.has(name) && heldAfter.has(name);
    const change = changeOf(each);
    if (change !== undefined) return [change];
    const guard = each.decision.guard;
    return isPutBack && guard !== undefined ? [{ did: 'dropped', guard, why: droppedBy(project) }] : [];
  });
  const away = guardsOf([project]).flatMap((guard): readonly GuardChange[] => {
    const why = whyFreed(project, guard, { decided, facts });
    return why === undefined ? [] : [{ did: 'freed', guard, why }];
  });
  return [...made, ...away];
}

function changeOf({ before, decision: { guard, why } }: Decided): GuardChange | undefined {
  if (guard === undefined) return before && { did: 'freed', guard: before, why };
  if (before === undefined) return { did: 'guarded', guard, why };
  if (before.open === undefined && guard.open !== undefined) return { did: 'opened', guard, why };
  return before.open !== undefined && guard.open === undefined ? { did: 'closed', guard, why } : undefined;
}

function droppedBy({ windowsBy, isTracked }: AppProject): string {
  const by = windowsBy === undefined ? 'somebody' : windowsBy;
  const git =
    isTracked === true ? '; the AppProject is applied from Git, so ignore differences in /spec/syncWindows' : '';
  return `${by} had taken its window away, and Poolkeeper has put it back${git}`;
}

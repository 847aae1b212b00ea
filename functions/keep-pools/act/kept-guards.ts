import { ownProject } from '../../core/guard/app-project.ts';
import type { GuardsLook } from '../../core/guard/guard-problem.ts';
import { type Guard, holdOfGuard } from '../../core/guard/guard-record.ts';
import { guardsOf, unreadableRecord } from '../../core/guard/open-guards.ts';
import type { GuardChange, GuardFacts, WaitingGuard } from '../../core/guard/plan-project.ts';
import { isOurs } from '../../core/guard/whose-guard.ts';
import { latest } from '../../core/text/instant.ts';
import { notAsked, type Observed, seen } from '../../core/text/observed.ts';
import { counted, listed } from '../../core/text/phrases.ts';
import { lookAtGuards, type WrittenGuards } from './look-at-guards.ts';

/** What a pass did with the guards of its cluster. */
export interface KeptGuards {
  readonly changes: readonly (GuardChange & { readonly project: string; readonly version: string })[];
  readonly waiting: readonly WaitingGuard[];
  /** When the last guard was opened whose sync has not begun, or the last push came that is to be compared before;
   *  undefined: there is none. */
  readonly awaitedSince: string | undefined;
  /** AppProjects that could not be read or written, and why. */
  readonly failures: readonly { readonly project: string; readonly why: string }[];
  /** What is wrong with them; undefined: the cluster has none. */
  readonly look: Observed<GuardsLook> | undefined;
  /** Some Application of the cluster is guarded; undefined: not known. */
  readonly exist: boolean | undefined;
  /** Ids that they may carry, the newest first. */
  readonly ids: readonly string[];
  /** All of them were seen, and carry the first. */
  readonly areTakenOver: boolean;
}

/** What a pass with guards did.
 *  @param saw which Applications it was to read, besides those that it concerns */
export function keptOf(written: WrittenGuards, saw: 'all' | 'guarded' | 'none'): KeptGuards {
  const { all, last, read } = written;
  const { projects, unreadable, failure } = read;
  const done = all.filter((each) => each.failure === undefined);
  const guards = last.flatMap(({ plan, failure: failed }) =>
    failed === undefined && plan.write !== undefined ? plan.write.guards : guardsOf([plan.project]),
  );
  return {
    changes: done.flatMap(({ plan }) =>
      plan.changes.map((change) => ({ ...change, project: plan.project.name, version: plan.project.resourceVersion })),
    ),
    waiting: last.flatMap(({ plan: { project, waiting } }) =>
      waiting.map((each) => ({ ...each, ...ownProject(each, project) })),
    ),
    awaitedSince: latest(
      last.flatMap(({ plan, failure: failed }) =>
        failed === undefined ? plan.awaiting.map(({ since }) => since) : [],
      ),
    ),
    failures: [
      ...(failure === undefined ? [] : [{ project: '', why: failure }]),
      ...unreadable.map(({ name, why }) => ({ project: name, why })),
      ...projects.flatMap(({ name, record }) =>
        record.kind === 'unreadable' ? [{ project: name, why: record.why }] : [],
      ),
      ...last.flatMap(({ plan: { project, leftOut } }) =>
        leftOut.length === 0 ? [] : [{ project: project.name, why: noRoomFor(leftOut) }],
      ),
      ...all.flatMap(({ plan, failure: failed }) =>
        failed === undefined ? [] : [{ project: plan.project.name, why: failed.message }],
      ),
    ],
    look: saw === 'none' ? notAsked : seen(lookAtGuards(written, saw === 'all')),
    exist: failure === undefined ? guards.length > 0 || unreadableRecord(projects) !== undefined : undefined,
    ids: written.facts.ids ?? [],
    areTakenOver: saw !== 'none' && areTakenOver(written),
  };
}

/** Guards of before that this pass could not see or write are taken over by the next one. */
function areTakenOver({ read, facts, last }: WrittenGuards): boolean {
  const { failure, unreadable, projects } = read;
  if (failure !== undefined || unreadable.length > 0 || unreadableRecord(projects) !== undefined) return false;
  return !last.some(({ stored }) => guardsOf([stored]).some((guard) => isOfBefore(stored.argocd, guard, facts)));
}

/** It carries another id, and is a guard of this cluster, or may be: its Application was not read. */
function isOfBefore(argocd: string, guard: Guard, { looked, ...facts }: GuardFacts): boolean {
  if (guard.cluster !== facts.cluster || guard.clusterId === undefined) return false;
  if (guard.clusterId === facts.ids?.[0]) return false;
  return isOurs(argocd, guard, facts) || looked?.has(holdOfGuard(argocd, guard)) === false;
}

function noRoomFor(leftOut: readonly string[]): string {
  return `its record has no room for the guards of ${counted(leftOut.length, 'Application')}, whose syncs are not held back: ${listed(leftOut, 3)}`;
}

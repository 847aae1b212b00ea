import type { GuardsLook } from '../../core/guard/guard-problem.ts';
import { holdOfGuard } from '../../core/guard/guard-record.ts';
import { isOfNamesake } from '../../core/guard/guarded-cluster.ts';
import { guardsOf, unreadableRecord } from '../../core/guard/open-guards.ts';
import type { GuardChange, WaitingGuard } from '../../core/guard/plan-project.ts';
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
  /** What they carry, once all that were its own under another id carry it too; undefined: not known, or not yet. */
  readonly clusterId: string | undefined;
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
    waiting: last.flatMap(({ plan }) => plan.waiting),
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
    clusterId: saw === 'none' || inheritsMore(written) ? undefined : written.facts.ids?.[0],
  };
}

/** Guards of before that this pass could not take over: the next one tries again. */
function inheritsMore({ facts: { inherited, ...of }, last }: WrittenGuards): boolean {
  return last.some(
    ({ stored, failure }) =>
      failure !== undefined &&
      guardsOf([stored]).some(
        (guard) => isOfNamesake(guard, of) && inherited?.has(holdOfGuard(stored.argocd, guard)) === true,
      ),
  );
}

function noRoomFor(leftOut: readonly string[]): string {
  return `its record has no room for the guards of ${counted(leftOut.length, 'Application')}, whose syncs are not held back: ${listed(leftOut, 3)}`;
}

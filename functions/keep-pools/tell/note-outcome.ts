import type { PushSeen } from '../../../events/index.ts';
import type { Application } from '../../core/argocd/application.ts';
import { protectionOf } from '../../core/configuration/protection.ts';
import { affectedInSnapshot } from '../../core/holds/affected-in-snapshot.ts';
import { argocdsOfPush, pushesIn } from '../../core/holds/argocds-of-push.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { renderedResources } from '../../core/impact/affected-pools.ts';
import { argocdOf, collectiveFor } from '../../core/openshift/collective-hold-id.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import { isRequiredForUpgrade, type Pool } from '../../core/openshift/pool.ts';
import { standingHoldsOf } from '../../core/openshift/pool-record.ts';
import { isRendered } from '../../core/openshift/rendered-kinds.ts';
import type { PausedForPush, PushOutcome } from '../../core/relay/push-outcome.ts';
import { unique } from '../../core/text/unique.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { PassReport } from '../pass.ts';
import type { Scope } from '../route/scope.ts';

/** One pass over a cluster that the push concerns. */
export interface PassOfPush {
  readonly scope: Scope;
  /** Undefined: it failed, or could not read its cluster. */
  readonly report: PassReport | undefined;
}

/** Stores what the push led to, for the relay that waits for it; without a relay, nothing. Throws Transient: the queue
 *  then redelivers the push, and its passes find everything done.
 *  @param unasked Argo CD instances that could not be asked which Applications the push concerns */
export async function noteOutcome(
  event: PushSeen,
  unasked: PushOutcome['unasked'],
  passes: readonly PassOfPush[],
  { outcomes, clock }: Pick<KeepPorts, 'outcomes' | 'clock'>,
): Promise<void> {
  if (outcomes === undefined) return;
  await outcomes.save({
    delivery: event.data.delivery,
    receivedAt: event.data.receivedAt,
    decidedAt: clock().toISOString(),
    unasked: unique(unasked),
    unseen: passes.filter(({ report }) => report === undefined).map(({ scope }) => scope.cluster.name),
    paused: passes.flatMap(pausedIn),
    ...(passes.length + unasked.length === 0 ? { isUnfollowed: true as const } : {}),
    ...named('unpausable', passes.flatMap(unpausableIn)),
    ...named('unparsed', passes.flatMap(unreadIn('isInvalid'))),
    ...named('forbidden', passes.flatMap(unreadIn('isForbidden'))),
  } satisfies PushOutcome);
}

/** Of what cannot be parsed or may not be read, so many are named. */
const namedAtMost = 20;

function named<Key extends 'unpausable' | 'unparsed' | 'forbidden'>(key: Key, all: NonNullable<PushOutcome[Key]>) {
  return all.length === 0 ? {} : { [key]: all.slice(0, namedAtMost) };
}

/** Pools that the push may change and that Poolkeeper cannot pause. */
function unpausableIn({ scope, report }: PassOfPush): NonNullable<PushOutcome['unpausable']> {
  if (report === undefined) return [];
  const { snapshot, performed } = report;
  const { settings, unreadablePools = [] } = snapshot;
  const pauses = (pool: string) => protectionOf(settingsOf(settings, pool)).pauses;
  const mayPause = (pool: Pool) => settingsOf(settings, pool.name).manageRequired || !isRequiredForUpgrade(pool);
  const withoutRecord = performed
    .filter(({ pool }) => pool.record.kind === 'unreadable' && mayPause(pool))
    .map(({ pool }) => pool.name);
  if (withoutRecord.length === 0 && unreadablePools.length === 0) return [];
  const pushed = snapshot.applications.flatMap((observed) =>
    observed.kind === 'seen' && snapshot.pushes.has(syncHoldId(observed.application)) ? [observed.application] : [],
  );
  const reached = new Set(pushed.flatMap((each) => affectedInSnapshot(each, snapshot).affected.pools));
  // Which one a push reaches of those that cannot be parsed is not known.
  const unknown = pushed.some((each) => mayRender(each, snapshot)) ? unreadablePools : [];
  return [...withoutRecord.filter((pool) => reached.has(pool)), ...unknown]
    .filter(pauses)
    .map((pool) => ({ cluster: scope.cluster.name, pool }));
}

function mayRender(application: Application, snapshot: Snapshot): boolean {
  const { affected } = affectedInSnapshot(application, snapshot);
  const change = snapshot.changes.get(syncHoldId(application));
  if (!affected.isExact || change === undefined) return renderedResources(application).length > 0;
  return change.manifests.some(({ before, after }) => [before, after].some((side) => side && isRendered(side)));
}

/** Applications that the push concerns and that reading again would not help with. */
function unreadIn(why: 'isInvalid' | 'isForbidden') {
  return ({ scope: { push, seen } }: PassOfPush): readonly { argocd: string; application: string }[] => {
    const concerned = new Set(push?.concerned.map(({ route }) => syncHoldId(route.ref)));
    return seen.flatMap((each) =>
      each.kind === 'unreadable' && each[why] === true && concerned.has(syncHoldId(each.ref))
        ? [{ argocd: each.ref.argocd, application: `${each.ref.namespace}/${each.ref.name}` }]
        : [],
    );
  };
}

/** Pools that are paused and held for the push. One that a person has resumed in spite of it is not waited for. */
function pausedIn({ scope, report }: PassOfPush): readonly PausedForPush[] {
  if (report === undefined) return [];
  const { snapshot, performed } = report;
  const argocds = argocdsOfPush(pushesIn(snapshot));
  return performed.flatMap(({ pool, plan }) => {
    if (!pool.paused) return [];
    const standing = standingHoldsOf(pool);
    const heldBy = Map.groupBy(
      [...standing.map(({ id }) => id), ...(plan.noRoom ?? [])].filter((id) => argocds.has(id)),
      (id) => standing.find((hold) => hold.id === id) ?? collectiveFor(id, standing),
    );
    return [...heldBy].flatMap(([hold, ids]) => {
      if (hold === undefined) return [];
      const all = unique(ids.flatMap((id) => [...(argocds.get(id) ?? [])]));
      const writtenIn = all.filter((argocd) => argocd !== argocdOf(hold.id));
      const { id, since } = hold;
      const paused = { cluster: scope.cluster.name, pool: pool.name, hold: id, since };
      return [writtenIn.length === 0 ? paused : { ...paused, writtenIn }];
    });
  });
}

import type { ClusterSettings, PoolSettings } from '../../core/configuration/cluster.ts';
import type { Policy } from '../../core/configuration/policy.ts';
import { type Evidence, noEvidence } from '../../core/gates/evidence.ts';
import { decidePool } from '../../core/holds/decide.ts';
import { holdsThatCount } from '../../core/holds/emergency.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { runOfHold } from '../../core/openshift/hold.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { listed } from '../../core/text/phrases.ts';
import type { Decided } from '../resume/evidence-reader.ts';
import { type NodeGates, nothingAsked } from './node-gates.ts';

export interface AsOneNode {
  /** Whose hold does not count. */
  readonly run: string;
  readonly snapshot: Snapshot;
  /** Whether there is a place of the budget: to gather that is to take it. */
  readonly place: Evidence['place'];
  readonly now: Date;
}

/** What a resume of the pool would come to if it had one node, and nothing held it but what others want.
 *  @param gather reads what the gates need */
export async function askAsOneNode(
  pool: Pool,
  { run, snapshot, place, now }: AsOneNode,
  gather: (decided: Decided) => Promise<Decided>,
): Promise<NodeGates> {
  const nothing = nothingAsked(run);
  if (pool.record.kind !== 'record') return { ...nothing, why: 'its record cannot be read' };
  const asked = asOneNode(pool, pool.record.record);
  const alone: Snapshot = {
    ...snapshot,
    settings: asSettings(snapshot.settings, pool.name),
    rollouts: undefined,
    canaries: undefined,
    pools: snapshot.pools.map((each) => (each.name === pool.name ? asked : each)),
    evidence: new Map([
      ...snapshot.evidence,
      [pool.name, { ...noEvidence, ...snapshot.evidence.get(pool.name), place }],
    ]),
  };
  const gathered = await gather({ plans: [decidePool(asked, alone, now)], snapshot: alone });
  const [decided] = gathered.plans;
  if (decided === undefined) return { ...nothing, why: 'it was not judged' };
  const { action, gates: closed, skipped = [] } = decided;
  const evidence = gathered.snapshot.evidence.get(pool.name) ?? noEvidence;
  const gates = { run, closed, skipped, evidence };
  if (action.kind === 'resume') return { ...gates, why: undefined };
  if (closed.length > 0) {
    const known = closed.filter(({ unread }) => unread !== true);
    const words = (known.length > 0 ? known : closed).map(({ gate, why }) => `${gate}: ${why}`);
    return { ...gates, why: `gate ${listed(words, 2)}` };
  }
  const held = action.kind === 'none' ? asked.record : { kind: 'record' as const, record: action.record };
  const holds = held.kind === 'record' ? holdsThatCount(held.record, now) : [];
  const words = holds.map(({ why }) => why);
  return { ...gates, why: holds.length === 0 ? 'it is not paused by Poolkeeper' : listed(words, 2) };
}

/** Without the hold of the run. */
function asOneNode(pool: Pool, record: Extract<Pool['record'], { readonly kind: 'record' }>['record']): Pool {
  const holds = record.holds.filter(({ id }) => runOfHold(id) === undefined);
  return {
    ...pool,
    maxUnavailable: '1',
    counts: { ...pool.counts, machines: 1, updated: 0, ready: 1, unavailable: 0 },
    record: { kind: 'record', record: { ...record, holds } },
  };
}

/** Its drains are not forecast: this is asked before the Jobs, one of which may be what makes way for them, and they
 *  wait for the answer. */
function asSettings(settings: ClusterSettings, pool: string): ClusterSettings {
  const own: PoolSettings = { ...settingsOf(settings, pool), drainable: 'off' };
  return { ...settings, policy: withoutDrops(settings.policy), pools: { ...settings.pools, [pool]: own } };
}

/** A pool of a run is not given up: the MCO would take its nodes without Jobs as soon as somebody resumes it. People
 *  are told instead. */
function withoutDrops({ gates, ...policy }: Policy): Policy {
  const kept = Object.entries(gates).map(([gate, timeout]) => [
    gate,
    timeout?.action === 'drop' ? { ...timeout, action: 'alert' as const } : timeout,
  ]);
  return { ...policy, gates: { ...gates, ...Object.fromEntries(kept) } };
}

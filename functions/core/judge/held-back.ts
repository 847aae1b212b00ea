import { rootOf } from '../findings/chain.ts';
import { refText, type Trouble } from '../findings/trouble.ts';
import { isDegradedSinceResume } from '../gates/health.ts';
import { counted, listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import type { BlindSpot } from './blind-spot.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';
import type { PoolState } from './pool-state.ts';

/** A message shows at most six facts; this one replaces the last if needed. */
const factsBeside = 5;

/** Adds the pools that wait (gate `health`) to the trouble of the unhealthy pool, where people will see it. */
export function sayingWhoWaits(troubles: readonly Trouble[], states: readonly PoolState[]): readonly Trouble[] {
  const waiting = states.filter(({ waitsForHealth }) => waitsForHealth).map(({ pool }) => pool.name);
  if (waiting.length === 0) return troubles;
  const sick = new Set(states.filter(({ pool }) => isDegradedSinceResume(pool)).map(({ pool }) => pool.name));
  const value = `${waiting.length === 1 ? 'pool' : 'pools'} ${listed(waiting)} stay${waiting.length === 1 ? 's' : ''} paused until this one is healthy`;
  return troubles.map((trouble) =>
    sick.has(trouble.key.pool)
      ? { ...trouble, facts: [...trouble.facts.slice(0, factsBeside), { label: 'Held back', value }] }
      : trouble,
  );
}

/** A pool whose syncs are done but which is not resumed, because its drains would be blocked (gate `drainable`, mode
 *  `block`). */
export function undrainablePool({ pool, undrainable }: PoolState, { cluster, now }: JudgeInput): readonly Trouble[] {
  const obstacles = undrainable?.kind === 'seen' ? undrainable.value : [];
  if (obstacles.length === 0) return [];
  const findings = obstacles.map(({ finding }) => finding);
  const record = pool.record.kind === 'record' ? pool.record.record : undefined;
  const nodes = unique(obstacles.flatMap((each) => each.nodes)).toSorted();
  return [
    makeTrouble({
      key: { cluster, pool: pool.name, kind: 'no-progress' },
      severity: 'warning',
      headline: `not resumed, ${nodes.length === 0 ? 'its rollout' : counted(nodes.length, 'drain')} would be blocked by ${listed(unique(findings.map((each) => refText(rootOf(each).subject))), 2)}`,
      since: record?.release?.since ?? now.toISOString(),
      findings,
      facts: [
        ...(nodes.length === 0 ? [] : [{ label: nodes.length === 1 ? 'Node' : 'Nodes', value: listed(nodes, 3) }]),
        { label: 'Config', value: `stays on ${pool.current.name}; ${pool.target.name} pending` },
        { label: 'Gate', value: 'drainable (block); opens by itself when nothing blocks the drains' },
      ],
    }),
  ];
}

/** The drains are examined last: while another gate is closed it is unknown whether they would be blocked. */
export function drainsUnseen({ pool, undrainable }: PoolState, cluster: string): readonly BlindSpot[] {
  if (undrainable === undefined || undrainable.kind === 'seen') return [];
  return [
    {
      cluster,
      pool: pool.name,
      kinds: ['no-progress'],
      why: 'another gate is closed, so its drains were not examined',
    },
  ];
}

import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { ownerOfHold } from '../openshift/hold.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { earliest, latest } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { byTurns, roundsOf } from '../text/rounds.ts';
import { unique } from '../text/unique.ts';
import type { JudgeInput, ObservedPool } from './input.ts';
import { makeTrouble } from './make-trouble.ts';
import { heldRef, toldHold } from './told-application.ts';

/** Who wants more pools than one Application may hold, and on which pools its sync is therefore not protected: one
 *  incident, however many pools there are. */
export function overLimitTroubles(input: JudgeInput): readonly Trouble[] {
  const { cluster, now, pools } = input;
  if (pools.kind !== 'seen') return [];
  const holders = holdersOf(pools.value, now);
  if (holders.length === 0) return [];
  const names = holders.map(({ id }) => toldHold(id, input, nameOf(id)));
  const unprotected = unique(roundsOf(holders.map(({ left }) => left)).flat());
  return [
    makeTrouble({
      key: { cluster, pool: '*', kind: 'late-pause' },
      severity: 'high',
      headline: `${listed(names, 2)} may hold no more pools: ${listed(unprotected, 3)} unprotected`,
      since: earliest(holders.map(({ since }) => since)) ?? now.toISOString(),
      findings: holders.map((holder) => overLimitFinding(holder, input)),
      facts: [
        { label: names.length === 1 ? 'Application' : 'Applications', value: listed(names, 3) },
        { label: 'Not paused for it', value: listed(unprotected, 10) },
        { label: 'Limit', value: counted(input.policy.poolsPerApplication, 'pool') },
      ],
    }),
  ];
}

interface Holder {
  readonly id: string;
  /** As of the hold. */
  readonly project: string | undefined;
  /** Pools that it does not get. */
  readonly left: readonly string[];
  /** Pools that it holds, since when it holds the first, and the last of them. */
  readonly held: readonly string[];
  readonly since: string | undefined;
  readonly newestAt: string;
}

/** In the order in which people are told of them, as with syncs that failed: of each owner the newest first, by what
 *  it holds, and then the next of each. Whoever has many hides none of others. */
function holdersOf(pools: readonly ObservedPool[], now: Date): readonly Holder[] {
  const left = pools.flatMap(({ pool, overLimit = [] }) => overLimit.map((id) => ({ id, pool: pool.name })));
  const wanting = Map.groupBy(left, ({ id }) => id);
  if (wanting.size === 0) return [];
  const holds = pools.flatMap(({ pool }) =>
    holdsOf(pool).flatMap(({ id, project, since }) =>
      wanting.has(id) ? [{ id, project, since, pool: pool.name }] : [],
    ),
  );
  const held = Map.groupBy(holds, ({ id }) => id);
  const holders = [...wanting].map(([id, each]) => {
    const own = held.get(id) ?? [];
    const times = own.map(({ since }) => since);
    return {
      id,
      project: own.findLast(({ project }) => project !== undefined)?.project,
      left: each.map(({ pool }) => pool),
      held: unique(own.map(({ pool }) => pool)),
      since: earliest(times),
      newestAt: latest(times) ?? now.toISOString(),
    };
  });
  const newestFirst = holders.toSorted((a, b) => Date.parse(b.newestAt) - Date.parse(a.newestAt));
  return byTurns(newestFirst, ownerOfHold);
}

function overLimitFinding({ id, project, left, held }: Holder, input: JudgeInput): Finding {
  const { now, policy } = input;
  const [namespace = '', name = id] = nameOf(id).split('/');
  const of = heldRef({ id, project }, input) ?? ref('ApplicationSet', name, namespace);
  return finding({
    code: 'A8',
    subject: of,
    sentence: `${of.kind} ${toldHold(id, input, `${namespace}/${name}`)} holds ${counted(held.length, 'pool')} (${listed(held, 5)}), as many as it may. Not paused for its sync, so that nodes may reboot in the middle of it: ${listed(left, 5)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'policy.internals.poolsPerApplication', policy.poolsPerApplication, now.toISOString()),
      evidence(of, 'pools held', held.length, now.toISOString()),
    ],
    remedies: [
      remedy(
        'See why one Application concerns so many pools: what it manages, and its annotation poolkeeper.dev/pools',
      ),
      remedy('Raise policy.internals.poolsPerApplication where that is right'),
    ],
  });
}

/** `sync/hub/team-a/nodes` -> `team-a/nodes`. */
function nameOf(id: string): string {
  return id.split('/').slice(2).join('/');
}

import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { earliest } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import type { JudgeInput, ObservedPool } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

/** Who wants more pools than one Application may hold, and on which pools its sync is therefore not protected: one
 *  incident, however many pools there are. */
export function overLimitTroubles(input: JudgeInput): readonly Trouble[] {
  const { cluster, now, pools } = input;
  if (pools.kind !== 'seen') return [];
  const left = pools.value.flatMap(({ pool, overLimit = [] }) => overLimit.map((id) => ({ id, pool: pool.name })));
  if (left.length === 0) return [];
  const holders = [...Map.groupBy(left, ({ id }) => id)].map(([id, each]) => ({
    id,
    left: each.map(({ pool }) => pool),
    holds: pools.value.flatMap(({ pool }) => holdsOf(pool).filter((hold) => hold.id === id)),
  }));
  const names = holders.map(({ id }) => nameOf(id));
  const unprotected = [...new Set(left.map(({ pool }) => pool))];
  return [
    makeTrouble({
      key: { cluster, pool: '*', kind: 'late-pause' },
      severity: 'high',
      headline: `${listed(names, 2)} may hold no more pools: ${listed(unprotected, 3)} unprotected`,
      since: earliest(holders.flatMap(({ holds }) => holds.map(({ since }) => since))) ?? now.toISOString(),
      findings: holders.map((holder) => overLimitFinding(holder, pools.value, input)),
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
  readonly left: readonly string[];
}

function overLimitFinding({ id, left }: Holder, pools: readonly ObservedPool[], { now, policy }: JudgeInput): Finding {
  const [namespace = '', name = id] = nameOf(id).split('/');
  const of = ref(id.startsWith('set/') ? 'ApplicationSet' : 'Application', name, namespace);
  const held = pools.filter(({ pool }) => holdsOf(pool).some((hold) => hold.id === id)).map(({ pool }) => pool.name);
  return finding({
    code: 'A8',
    subject: of,
    sentence: `${of.kind} ${namespace}/${name} holds ${counted(held.length, 'pool')} (${listed(held, 5)}), as many as it may. Not paused for its sync, so that nodes may reboot in the middle of it: ${listed(left, 5)}.`,
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

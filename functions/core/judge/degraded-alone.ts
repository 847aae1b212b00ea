import { remedy } from '../diagnose/remedies.ts';
import { evidence, notKnown, ref } from '../findings/make-finding.ts';
import type { Trouble } from '../findings/trouble.ts';
import { condition, type Pool, type PoolCondition } from '../openshift/pool.ts';
import { secondsSince } from '../text/instant.ts';
import { clipped, lastingText, quoted } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import { poolFacts } from './facts.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';
import type { PoolState } from './pool-state.ts';

/** Seconds. The MCO clears the condition some seconds after its last node has recovered. */
const clearedAfter = 600;

/** In the order in which they say more. */
const conditions = ['NodeDegraded', 'PinnedImageSetsDegraded', 'Degraded'];

/** Where the pool says that it is degraded; undefined: it does not. */
export function toldDegraded(pool: Pick<Pool, 'conditions'>): PoolCondition | undefined {
  return conditions.map((type) => condition(pool, type)).find((each) => each?.status === 'True');
}

/** The pool says that it is degraded, and the annotations of its nodes do not: some releases of the MCO take it from
 *  MachineConfigNodes, also for pinned images. It holds back updates of the cluster all the same. Source:
 *  machine-config-operator pkg/controller/node/status.go. */
export function degradedAlone(state: PoolState, { cluster, now }: JudgeInput): readonly Trouble[] {
  const { pool, degradedAloneSince: since } = state;
  if (since === undefined || secondsSince(since, now) < clearedAfter) return [];
  const told = toldDegraded(pool);
  const of = ref('MachineConfigPool', pool.name);
  const words =
    told === undefined || told.message === '' ? '' : ` Its condition ${told.type} says: ${quoted(told.message, 240)}.`;
  const found = notKnown({
    code: 'N0',
    subject: of,
    sentence: `Pool ${pool.name} says that it is degraded, and no node of it does.${words}`,
    looked: ['the annotations of its nodes'],
    evidence: [
      evidence(
        of,
        `status.conditions[${told?.type ?? 'Degraded'}].message`,
        clipped(told?.message ?? ''),
        now.toISOString(),
      ),
    ],
  });
  const looks = [
    remedy('See which MachineConfigNode says NodeDegraded or PinnedImageSetsDegraded, and why', {
      command: command('oc', 'get', 'machineconfignodes', '-o', 'yaml'),
    }),
    remedy('See all conditions of the pool', { command: command('oc', 'describe', 'machineconfigpool', pool.name) }),
  ];
  return [
    makeTrouble({
      key: { cluster, pool: pool.name, kind: 'node-degraded' },
      severity: 'warning',
      headline: 'pool degraded, and none of its nodes says why',
      since,
      findings: [{ ...found, remedies: looks }],
      facts: poolFacts(state, [{ label: 'Degraded for', value: lastingText(since, now.toISOString()) }]),
    }),
  ];
}

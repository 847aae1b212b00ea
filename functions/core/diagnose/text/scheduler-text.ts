/** Why the scheduler leaves nodes out, by the catalogue of the facts: U1 cordoned, U2 selector or affinity, U3
 *  taint, U4 resources, U5 pod affinity, U6 spread, U7 volume, U8 ports, U10 no nodes at all, U11 anything else. */
export type SchedulerRule = 'U1' | 'U2' | 'U3' | 'U4' | 'U5' | 'U6' | 'U7' | 'U8' | 'U10' | 'U11';

export interface SchedulerReason {
  readonly rule: SchedulerRule;
  /** Nodes it was said of; undefined where the scheduler gave no number. */
  readonly count: number | undefined;
  readonly text: string;
}

export interface SchedulerText {
  /** Nodes that were considered; undefined when the text does not begin as expected. */
  readonly nodes: number | undefined;
  /** Counts may add up to more than the nodes (several resources a node) and to less. */
  readonly reasons: readonly SchedulerReason[];
}

/** In this order: the first that fits names the reason. Wordings of Kubernetes 1.2x to 1.34. */
const patterns: readonly (readonly [SchedulerRule, RegExp])[] = [
  ['U7', /volume node affinity|PersistentVolume|max volume count|persistentvolumeclaim|persistent volumes? to bind/i],
  ['U6', /topology spread/i],
  ['U5', /pod (?:anti-)?affinity|pods? (?:anti-)?affinity rules|existing pods/i],
  ['U1', /were unschedulable|was unschedulable/i],
  ['U2', /node affinity|node selector|node\(s\) didn't match Pod's node/i],
  ['U3', /taint/i],
  ['U8', /free ports/i],
  ['U4', /^Insufficient |Too many pods/i],
  ['U10', /no nodes available/i],
];

/** Reads the message of the condition PodScheduled. It is no API: what does not fit stays as text under U11. */
export function parseSchedulerText(message: string): SchedulerText {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  const opening = /^\d+\/(\d+) nodes are available:?\s*/i.exec(line);
  const body = opening === null ? line : line.slice(opening[0].length);
  const end = body.search(/[.,] (?:preemption:|no new claims to deallocate)/i);
  const told = (end < 0 ? body : body.slice(0, end)).replace(/\.$/, '');
  return {
    nodes: opening === null ? undefined : Number(opening[1]),
    reasons: told
      .split(/,\s+(?=\d+ )/)
      .filter((each) => each !== '')
      .map(reasonOf),
  };
}

function reasonOf(item: string): SchedulerReason {
  const numbered = /^(\d+) (.*)$/s.exec(item);
  const text = numbered?.[2] ?? item;
  const rule = patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'U11';
  return { rule, count: numbered === null ? undefined : Number(numbered[1]), text };
}

const short: Readonly<Record<SchedulerRule, string>> = {
  U1: 'cordoned',
  U2: 'with another label',
  U3: 'with a taint it does not tolerate',
  U4: 'without room',
  U5: 'kept apart by pod affinity',
  U6: 'kept apart by spread rules',
  U7: 'that cannot reach its volume',
  U8: 'without the free port',
  U10: 'none at all',
  U11: 'for another reason',
};

/** The scheduler's counts in few words: `1 cordoned, 3 with another label`. */
export function countsText({ reasons }: SchedulerText): string {
  return reasons
    .map(({ rule, count, text }) => {
      if (count === undefined) return text;
      return rule === 'U4' ? `${count} ${text.toLowerCase()}` : `${count} ${short[rule]}`;
    })
    .join(', ');
}

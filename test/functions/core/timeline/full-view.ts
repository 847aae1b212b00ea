import type { GateView } from '../../../../functions/core/gates/gate-view.ts';
import type { ClusterView, HoldView, PoolView } from '../../../../functions/core/timeline/view.ts';
import { aPoolView, aRace } from '../../../fakes/index.ts';

const [since, until] = ['2026-03-02T09:00:00.000Z', '2026-03-02T11:00:00.000Z'];

/** How long each text is, of what, and how many entries each list has. */
export interface Size {
  readonly letter: string;
  readonly name: number;
  readonly text: number;
  readonly items: number;
  readonly holds: number;
  readonly pools: number;
  /** The MCO adds 42 characters to it, and names have at most 253. */
  readonly poolName: number;
  readonly isEmergency: boolean;
  /** Pools that cannot be parsed; absent: none. */
  readonly unparsed?: number;
}

/** A view with everything that its schema allows, all of it of one size. */
export function fullView({ letter, items, holds, ...size }: Size): ClusterView {
  const of = <T>(count: number, one: (nth: number) => T) => Array.from({ length: count }, (_, nth) => one(nth));
  const name = letter.repeat(size.name);
  const text = letter.repeat(size.text);
  const numbered = (nth: number) => `${name}${nth}`;
  const kinds = ['sync', 'manual', 'freeze', 'rollout'];
  const phases = ['expected', 'syncing', 'failed'];
  const gate = (gate: string): GateView => {
    const timeout = { at: until, action: 'alert' } as const;
    return { gate, why: text, value: text, threshold: text, since, opens: text, who: text, how: text, timeout };
  };
  const excludes = of(items, (nth) => `slack:U${nth} github:${name}`);
  const gates = [
    { ...gate('approval'), approves: 'r'.repeat(330), excludes },
    ...of(items, (nth) => gate(`gate-${nth}`)),
  ];
  const hold = (nth: number): HoldView => ({
    id: `${kinds[nth % 4]}/${numbered(nth)}/${name}/${name}`,
    kind: kinds[nth % 4] ?? '',
    who: `${name}/${numbered(nth)}`,
    why: text,
    phase: phases[nth % 3] ?? '',
    since,
    until,
    ...(nth % 5 === 0 ? { overruled: { at: since, by: name } } : {}),
  });
  const pool = (nth: number): PoolView => ({
    ...aPoolView({ name: `${nth}-`.padEnd(size.poolName, 'p') }),
    createdAt: since,
    degraded: true,
    paused: true,
    pauseOf: 'ours',
    pausedSince: since,
    pausedBy: name,
    inGit: { place: text },
    keptPaused: text,
    currentConfig: `rendered-${'p'.repeat(size.poolName)}-${'0'.repeat(32)}`,
    targetConfig: `rendered-${'p'.repeat(size.poolName)}-${'1'.repeat(32)}`,
    pendingSources: { added: of(items, numbered), removed: of(items, numbered) },
    change: {
      from: name,
      to: name,
      renderedAt: since,
      parts: of(items, () => text),
      partsInAll: items,
      security: of(items, () => text),
      causes: of(items, () => ({ kind: 'git' as const, sources: of(items, numbered), why: text })),
      unread: text,
    },
    pendingSince: since,
    certificatesExpire: until,
    spared: of(items, (each) => ({ hold: numbered(each), revision: name, why: text, at: since })),
    message: text,
    holds: of(holds, hold),
    ...(size.isEmergency ? { emergency: { who: name, why: text, since, until } } : {}),
    closedGates: gates,
    gatesAhead: gates,
    races: of(items, () => aRace({ hold: name, missedNodes: of(items, numbered) })),
    lostRaces: [{ verdict: 'late', count: 1_000, lastAt: since }],
    nodes: of(items, () => ({
      name,
      from: name,
      to: name,
      begunAt: since,
      step: 'drain',
      stepSince: since,
      failing: true,
      waitsFor: text,
      steps: of(items, () => ({ name: 'drain', begunAt: since, endedAt: undefined })),
    })),
    takes: text,
    joined: of(items, (each) => ({ name: numbered(each), at: since, config: name })),
  });
  return {
    cluster: 'c'.repeat(63),
    readAt: since,
    blind: { why: text, since, misses: 3 },
    pools: of(size.pools, pool),
    unreadablePools: of(size.unparsed ?? 0, (nth) => ({ name: `${nth}-`.padEnd(253, 'u'), since, wasOurs: true })),
    guards: of(items, (nth) => ({ about: numbered(nth), why: text, how: text, pools: of(items, numbered), since })),
    ignoredAnnotations: of(items, (nth) => ({ application: numbered(nth), why: text })),
    operatorParts: { readAt: since, parts: of(items, () => ({ name, state: 'down', says: text })) },
  };
}

import type { RunTile } from '../../../functions/core/node-turns/run-tile.ts';
import type { ShownRun } from '../../../functions/core/node-turns/shown-run.ts';

type Ago = (seconds: number) => string;

const config = 'rendered-worker-5d2c91f0a7be4416c0d3e1aa97b2c6f4';

export function aTile(node: string, more: Partial<RunTile>): RunTile {
  return {
    node,
    pool: 'worker',
    state: 'waiting',
    step: undefined,
    doing: 'waits for its turn',
    since: undefined,
    place: undefined,
    tail: [],
    ...more,
  };
}

/** The third of eight nodes is on its way; one is held, one was cordoned by somebody. */
export function underWay(ago: Ago): ShownRun {
  return {
    run: 'upgrade',
    cluster: 'prod-eu-1',
    mode: 'turns',
    state: 'running',
    said: undefined,
    blockedSince: undefined,
    block: undefined,
    next: { node: 'worker-4', why: 'when worker-3 is done: 1 node at once' },
    minutesLeft: 38,
    done: 2,
    total: 8,
    pools: [{ name: 'worker', target: config, paused: true }],
    tiles: [
      aTile('worker-1', { state: 'done', doing: 'at its target', since: ago(1_460) }),
      aTile('worker-2', { state: 'done', doing: 'at its target', since: ago(610) }),
      aTile('worker-3', {
        state: 'updating',
        step: 'updating',
        doing: 'it is on its way (Working)',
        since: ago(240),
        tail: [`let go to ${config}`],
      }),
      aTile('worker-4', { place: 0 }),
      aTile('worker-5', { place: 1 }),
      aTile('worker-6', { place: 2, doing: 'somebody cordoned it' }),
      aTile('worker-7', { place: 3 }),
      aTile('worker-8', { state: 'held', doing: 'held by its label poolkeeper.dev/hold' }),
    ],
    tilesOmitted: { done: 0, waiting: 0 },
    log: [
      { at: ago(610), node: 'worker-2', what: 'its turn is over' },
      { at: ago(600), node: 'worker-3', what: 'its turn begins' },
      { at: ago(420), node: 'worker-3', what: 'databases/move-primary succeeded: primary is pg-2 on worker-7' },
      { at: ago(240), node: 'worker-3', what: `let go to ${config}` },
    ],
    readAt: ago(20),
  };
}

/** The same a node later: its Job has failed, and a person has to decide. */
export function waitsForAPerson(ago: Ago): ShownRun {
  const failed =
    'databases/move-primary failed: Job databases/move-primary-b39c45a9d2637ce9-1: exit code 3: looking for a replica outside worker-4: no replica is in sync';
  const { tiles, ...run } = underWay(ago);
  const of = (node: string) => tiles.filter((tile) => tile.node === node);
  return {
    ...run,
    state: 'blocked',
    blockedSince: ago(760),
    block: {
      kind: 'job',
      node: 'worker-4',
      place: 4,
      cause: failed,
      action: 'poolkeeper run retry upgrade worker-4 --reason "..."',
    },
    next: { node: 'worker-5', why: 'when the run goes on: it is blocked' },
    minutesLeft: 31,
    done: 3,
    tiles: [
      ...of('worker-1'),
      ...of('worker-2'),
      aTile('worker-3', { state: 'done', doing: 'at its target', since: ago(1_000) }),
      aTile('worker-4', { state: 'blocked', step: 'before', doing: failed, since: ago(820) }),
      ...tiles.slice(4).map((tile) => (tile.place === undefined ? tile : { ...tile, place: tile.place - 1 })),
    ],
  };
}

/** Jobs of two nodes run, of another pool too. */
export function jobsRun(ago: Ago): ShownRun {
  return {
    ...underWay(ago),
    run: 'certificates',
    minutesLeft: undefined,
    done: 0,
    total: 3,
    pools: [{ name: 'infra', target: config, paused: true }],
    next: { node: 'infra-3', why: 'not yet: gate window: next window 2026-03-02T22:00:00.000Z' },
    tiles: [
      aTile('infra-1', {
        pool: 'infra',
        state: 'before',
        step: 'before',
        doing: 'databases/move-primary runs',
        since: ago(40),
        tail: ['looking for a replica outside infra-1', 'pg-2 on infra-2 is 0 bytes behind', 'switching over'],
      }),
      aTile('infra-2', {
        pool: 'infra',
        state: 'after',
        step: 'after',
        doing: 'the clean-up of databases/move-primary runs',
        since: ago(15),
      }),
      aTile('infra-3', { pool: 'infra', place: 0 }),
    ],
    log: [],
  };
}

import type { Configuration } from '../core/configuration/configuration.ts';
import { runsOf } from '../core/node-turns/run-plan.ts';
import type { RunTile } from '../core/node-turns/run-tile.ts';
import type { ShownRun } from '../core/node-turns/shown-run.ts';
import { secondsBetween } from '../core/text/durations.ts';
import { safeLine } from '../core/text/safe-text.ts';
import { isStale } from '../core/timeline/is-stale.ts';
import type { RunStatus } from './status.ts';

/** Seconds: each tick looks at a run that is at work. */
const staleAfterSeconds = 900;

const order: readonly RunStatus['state'][] = ['blocked', 'aborting', 'running', 'paused', 'aborted', 'idle'];

/** Those of the configuration, if it is known, and that a look has found at work once: a run that never was has nothing
 *  to show. Those that need somebody first. */
export function runStatuses(
  views: readonly ShownRun[],
  configuration: Pick<Configuration, 'clusters' | 'nodeTurns'> | undefined,
  now: Date,
): readonly RunStatus[] {
  const known = new Set(
    configuration?.clusters.flatMap(({ name }) => runsOf(configuration.nodeTurns, name).map((plan) => plan.name)),
  );
  return views
    .filter(({ run }) => configuration === undefined || known.has(run))
    .map((view) => runStatus(view, now))
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state) || a.name.localeCompare(b.name, 'en'));
}

function runStatus(view: ShownRun, now: Date): RunStatus {
  const { run, said, block, next, blockedSince, pools, readAt, state, tiles, log, ...rest } = view;
  const readAgeSeconds = ageSeconds(readAt, now);
  const isOver = state === 'idle' || state === 'aborted';
  return {
    ...rest,
    name: run,
    state,
    said: said && { who: safeLine(said.who, 200), why: safeLine(said.why, 300), at: said.at },
    readAt,
    readAgeSeconds,
    stale: !isOver && isStale(readAt, now, staleAfterSeconds),
    blockedSince,
    blockedSeconds: blockedSince === undefined ? undefined : ageSeconds(blockedSince, now),
    block: block && { ...block, cause: safeLine(block.cause, 500) },
    next: next && { ...next, why: safeLine(next.why, 300) },
    pools: pools.map((pool) => ({ ...pool })),
    tiles: tiles.map((tile) => tileStatus(tile, now)),
    log: log.map(({ at, node, what }) => ({ at, node, what: safeLine(what, 300) })),
  };
}

function tileStatus({ since, ...tile }: RunTile, now: Date): RunStatus['tiles'][number] {
  return {
    ...tile,
    doing: safeLine(tile.doing, 300),
    tail: tile.tail.map((line) => safeLine(line, 200)),
    since,
    ageSeconds: since === undefined ? undefined : ageSeconds(since, now),
  };
}

function ageSeconds(since: string, now: Date): number {
  return Math.max(0, Math.floor(secondsBetween(since, now)));
}

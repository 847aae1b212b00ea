import { ageText } from '../../../functions/core/text/phrases.ts';
import type { PoolStatus, RunStatus, Status } from '../../../functions/status/status.ts';
import type { Row } from './table.ts';

/** What can be listed. */
export interface Listing {
  /** Columns of the usual form. */
  readonly columns: readonly string[];
  /** Further ones of `-o wide`, before the last of the usual ones. */
  readonly wide: readonly string[];
  readonly rows: (status: Status) => readonly Row[];
  /** The same as data. */
  readonly data: (status: Status) => readonly unknown[];
}

/** One more listing is one entry here. */
export const listings = {
  pools: {
    columns: ['cluster', 'pool', 'state', 'paused', 'for', 'updated', 'waits for'],
    wide: ['level', 'target', 'left'],
    rows: ({ clusters }) => clusters.flatMap(({ name, pools }) => pools.map((pool) => poolRow(name, pool))),
    data: ({ clusters }) => clusters.flatMap(({ name, pools }) => pools.map((pool) => ({ cluster: name, ...pool }))),
  },
  incidents: {
    columns: ['incident', 'severity', 'state', 'where', 'for', 'what'],
    wide: ['kind', 'attention'],
    rows: ({ incidents }) =>
      incidents.map((incident) => ({
        incident: incident.name ?? '',
        severity: incident.severity,
        state: incident.state,
        where: `${incident.cluster}/${incident.pool}`,
        for: age(incident.ageSeconds),
        what: incident.headline,
        kind: incident.kind,
        attention: incident.attention ?? '',
      })),
    data: ({ incidents }) => incidents,
  },
  holds: {
    columns: ['cluster', 'pool', 'kind', 'who', 'for', 'until', 'why'],
    wide: ['id', 'phase'],
    rows: (status) =>
      holdsOf(status).map(({ cluster, pool, ageSeconds, overdue, until, overruled, why, more: _more, ...hold }) => ({
        ...hold,
        why: overruled === undefined ? why : `overruled by ${overruled.by}: ${why}`,
        cluster,
        pool,
        for: age(ageSeconds),
        until: overdue ? `${until} (over)` : until,
      })),
    data: holdsOf,
  },
  sequences: {
    columns: ['sequence', 'state', 'wave', 'healthy', 'what'],
    wide: ['cluster'],
    rows: ({ sequences }) =>
      sequences.map(({ name, state, wave, waves, cluster, description, problems }) => ({
        sequence: name,
        state,
        wave: wave === undefined ? '' : String(wave),
        healthy: `${sum(waves.map(({ healthy }) => healthy))}/${sum(waves.map(({ items }) => items))}`,
        what: problems[0]?.why ?? description ?? '',
        cluster,
      })),
    data: ({ sequences }) => sequences,
  },
  runs: {
    columns: ['run', 'cluster', 'state', 'done', 'for', 'what'],
    wide: ['mode', 'left', 'pools'],
    rows: ({ runs = [] }) =>
      runs.map(({ name, cluster, state, done, total, blockedSeconds, mode, minutesLeft, pools, ...run }) => ({
        run: name,
        cluster,
        state,
        done: `${done}/${total}`,
        for: state === 'blocked' ? age(blockedSeconds) : '',
        what: runWords(run),
        mode,
        left: minutesText(minutesLeft),
        pools: pools.map((pool) => pool.name).join(', '),
      })),
    data: ({ runs = [] }) => runs,
  },
  windows: {
    columns: ['cluster', 'pools', 'now', 'until', 'windows'],
    wide: [],
    rows: (status) =>
      windowsOf(status).map(({ cluster, pools, windows, open, until, opensAt }) => ({
        cluster,
        pools,
        now: openText(open),
        until: until ?? opensAt ?? '',
        windows: windows.join('; '),
      })),
    data: windowsOf,
  },
} as const satisfies Readonly<Record<string, Listing>>;

function poolRow(cluster: string, pool: PoolStatus): Row {
  const { pause, counts, why, minutesLeft } = pool;
  const waits = (why?.now ?? []).map(({ kind, name }) => (kind === 'gate' ? name : `${kind} ${name}`));
  return {
    cluster,
    pool: pool.name,
    state: pool.state,
    paused: pause?.whose ?? '',
    for: age(pause?.ageSeconds),
    updated: `${counts.updated}/${counts.machines}`,
    'waits for': waits.join(', '),
    level: pool.protection,
    target: pool.targetConfig,
    left: minutesText(minutesLeft),
  };
}

function holdsOf({ clusters }: Status) {
  return clusters.flatMap(({ name: cluster, pools }) =>
    pools.flatMap(({ name: pool, holds }) => holds.map((hold) => ({ cluster, pool, ...hold }))),
  );
}

function windowsOf({ clusters }: Status) {
  return clusters.flatMap(({ name: cluster, windows = [] }) => windows.map((each) => ({ cluster, ...each })));
}

function openText(open: boolean | undefined): string {
  if (open === undefined) return 'unknown';
  return open ? 'open' : 'closed';
}

/** Why it does not go on, or what comes next. */
function runWords({ block, said, next }: Pick<RunStatus, 'block' | 'said' | 'next'>): string {
  if (block !== undefined) return [block.node, block.cause].filter(Boolean).join(': ');
  if (said !== undefined) return `${said.who}: ${said.why}`;
  return next === undefined ? '' : `${next.node}, ${next.why}`;
}

function minutesText(minutes: number | undefined): string {
  return minutes === undefined ? '' : `${minutes} min`;
}

function age(seconds: number | undefined): string {
  return seconds === undefined ? '' : ageText(seconds * 1000);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

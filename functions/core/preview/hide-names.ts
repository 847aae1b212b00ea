import type { ClusterImpact, PoolImpact } from '../impact/report.ts';
import { notLookedAt } from '../machine-config/describe-change.ts';
import type { DiffEntry } from '../machine-config/disruption.ts';
import type { Pool } from '../openshift/pool.ts';
import { standingHoldsOf } from '../openshift/pool-record.ts';
import { byName } from '../text/by-name.ts';
import { given } from '../text/given.ts';
import { unique } from '../text/unique.ts';
import type { PreviewedCluster, PreviewedDiff, PreviewedHold, PreviewedPool } from './preview.ts';

/** The preview of one cluster before names are hidden. */
export interface ShownNames {
  readonly impact: ClusterImpact;
  /** The same from Git alone: the only content that may be shown. */
  readonly ofGit: Pick<ClusterImpact, 'pools'>;
  /** Names of the objects in the change itself. */
  readonly own: ReadonlySet<string>;
  readonly pools: readonly Pick<Pool, 'name' | 'record'>[];
  /** Alias of the cluster where it may not be named. */
  readonly alias: string;
}

/** What every reader of the repository may see. Content comes from the repository itself and nowhere else; of objects
 *  that are only in the cluster, only names. With `hide`, no cluster, Application or person is named either. */
export function hideNames(unveiled: ShownNames, clusterNames: 'show' | 'hide'): PreviewedCluster {
  const { impact, alias } = unveiled;
  const hides = clusterNames === 'hide';
  const say = hides ? hiding([[impact.cluster, alias], ...applicationNames(impact)]) : (text: string) => text;
  const warnings = impact.warnings.map(({ text, remedy }) => ({ text: say(text), remedy: say(remedy) }));
  return {
    cluster: hides ? alias : impact.cluster,
    applications: hides ? [] : impact.applications,
    pools: impact.pools.map((pool) => veilPool(pool, unveiled, { hides, say })),
    silent: impact.silent.map(({ what, why }) => ({ what, why: say(why) })),
    warnings,
  };
}

/** For someone with their own access to the cluster: nothing is hidden. */
export function showNames({ pools, ...impact }: ClusterImpact, live: ShownNames['pools']): PreviewedCluster {
  return {
    ...impact,
    pools: pools.map((pool) => ({
      ...pool,
      diff: pool.diff.map((entry) => ({ ...entry, note: '', source: sourceOf(entry) })),
      holds: holdsOn(byName(live, pool.pool), false),
    })),
  };
}

type Say = (text: string) => string;

interface Veil {
  readonly hides: boolean;
  readonly say: Say;
}

function veilPool(pool: PoolImpact, { ofGit, own, pools }: ShownNames, { hides, say }: Veil): PreviewedPool {
  const shown = Map.groupBy(ofGit.pools.find((each) => each.pool === pool.pool)?.diff ?? [], ({ what }) => what);
  return {
    pool: pool.pool,
    why: pool.why.map(say),
    machines: pool.machines,
    maxUnavailable: pool.maxUnavailable,
    class: pool.class,
    update: pool.update,
    reasons: pool.reasons.map(({ what, class: is, why, source }) =>
      own.has(source) || source === ''
        ? { what, class: is, why: say(why) }
        : { what: `what MachineConfig ${source} contains`, class: is, why: 'it is not in this repository' },
    ),
    diff: pool.diff.map((entry) => veilDiff(entry, shown.get(entry.what) ?? [], own)),
    warnings: pool.warnings.map(({ text, remedy }) => ({ text: say(text), remedy: say(remedy) })),
    holds: holdsOn(byName(pools, pool.pool), hides),
  };
}

/** The diff lines are those from Git alone, and so are the topics, except for those that its path tells. Several
 *  MachineConfigs in Git may set it. */
function veilDiff(entry: DiffEntry, ofGit: readonly DiffEntry[], own: ReadonlySet<string>): PreviewedDiff {
  const { before, after } = entry.source;
  const [git] = ofGit;
  const foreign = [before, after].filter((source) => source !== '' && !own.has(source));
  const isForeignOnly = git === undefined && foreign.length > 0;
  return {
    what: isForeignOnly ? `what MachineConfig ${foreign.join(' and ')} contains` : entry.what,
    change: entry.change,
    lines: git?.lines ?? [],
    note: noteOf(before, after, own) || (git === undefined ? notLookedAt : ''),
    source: sourceOf(entry),
    security: unique([
      ...entry.security,
      ...ofGit.flatMap(({ security }) => security),
      ...(ofGit.some(({ isUnread }) => isUnread) ? [notLookedAt] : []),
    ]),
    ...given({ more: entry.more }),
  };
}

/** The MachineConfig that sets it afterwards, else the one that set it before. */
function sourceOf({ source: { before, after } }: DiffEntry): string {
  return after === '' ? before : after;
}

function noteOf(before: string, after: string, own: ReadonlySet<string>): string {
  const isForeign = (source: string) => source !== '' && !own.has(source);
  if (isForeign(after)) return `MachineConfig ${after} overrides it, which is not in this repository`;
  return isForeign(before) ? `it replaces that of MachineConfig ${before}, which is not in this repository` : '';
}

function holdsOn(pool: ShownNames['pools'][number] | undefined, hides: boolean): readonly PreviewedHold[] {
  if (pool === undefined) return [];
  return standingHoldsOf(pool).map(({ kind, who, since }) => ({ kind, who: hides ? '' : who, since }));
}

function applicationNames({ applications }: ClusterImpact): readonly (readonly [string, string])[] {
  return applications.flatMap((full) => {
    const name = full.slice(full.indexOf('/') + 1);
    return [
      [full, 'an Application'],
      [name, 'an Application'],
    ] as const;
  });
}

/** Replaces names that stand alone, longest first. What was said before is at hand: thousands of reasons are the
 *  same few sentences. */
function hiding(names: readonly (readonly [string, string])[]): Say {
  const ordered = names
    .filter(([name]) => name !== '')
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([name, alias]) => ({
      alone: new RegExp(`(?<![A-Za-z0-9.-])${escaped(name)}(?![A-Za-z0-9-])(?!\\.[A-Za-z0-9])`, 'g'),
      alias,
    }));
  const said = new Map<string, string>();
  return (text) => {
    const known = said.get(text) ?? ordered.reduce((rest, { alone, alias }) => rest.replace(alone, () => alias), text);
    said.set(text, known);
    return known;
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

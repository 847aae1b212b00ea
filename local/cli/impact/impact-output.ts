import {
  durationText,
  type Estimate,
  estimate,
  estimateSource,
  estimateText,
} from '../../../functions/core/impact/estimate.ts';
import type { ClusterImpact, PoolImpact } from '../../../functions/core/impact/report.ts';
import {
  type ImpactDocument,
  impactDocument,
  impactText,
  type PoolAheadJson,
} from '../../../functions/core/impact/report-forms.ts';
import { showNames } from '../../../functions/core/preview/hide-names.ts';
import { previewMarkdown } from '../../../functions/core/preview/preview-markdown.ts';
import { aheadText, type RolloutAhead, rolloutAhead } from '../../../functions/core/preview/rollout-ahead.ts';
import { duration, secondsBetween } from '../../../functions/core/text/durations.ts';
import type { Surroundings } from '../command.ts';
import { inForm } from '../output.ts';
import type { ImpactRequest } from './impact-request.ts';
import type { Judged } from './judge.ts';
import type { RecordedCluster } from './recorded-cluster.ts';

/** The result to print. */
export interface ImpactResult {
  readonly impact: Judged;
  readonly seen: RecordedCluster;
  /** Whether Applications determine which part of the change counts. */
  readonly isAsked: boolean;
}

/** What could not be judged is as unknown as what could not be read. */
function withUnjudged({ unjudged, ...impact }: Judged): ClusterImpact {
  const known = new Set(impact.unknown.map(({ path }) => path));
  const more = unjudged.filter(({ path }) => !known.has(path)).map(({ path, why }) => ({ path, why }));
  return { ...impact, unknown: [...impact.unknown, ...more] };
}

/** In the requested form. */
export async function impactOutput(
  result: ImpactResult,
  { output, showDiff }: ImpactRequest,
  surroundings: Surroundings,
): Promise<string> {
  if (output === 'markdown') return markdownOf(result, showDiff, surroundings.now());
  const data = documentOf(result, surroundings.now());
  return inForm(output, { data, text: () => textOf(result, showDiff, surroundings) });
}

/** The person has access to the cluster: nothing is hidden but what the diff masks. */
function markdownOf({ impact, seen, isAsked }: ImpactResult, showDiff: boolean, now: Date): string {
  const shown = (pools: ClusterImpact['pools']) => {
    const cluster = showNames({ ...impact, pools }, seen.pools);
    return {
      ...cluster,
      pools: cluster.pools.map((pool) => ({
        ...pool,
        pace: seen.paces?.[pool.pool],
        ahead: aheadWords(pool.pool, seen, now),
      })),
    };
  };
  const pools = showDiff ? impact.pools : impact.pools.map((pool) => ({ ...pool, diff: [] }));
  return previewMarkdown(
    {
      applications: isAsked ? impact.applications.length : undefined,
      clusters: [shown(pools)],
      outOfSight: [],
      beyond: 0,
      unknown: impact.unknown,
      unjudged: impact.unjudged,
      unreadable: [],
    },
    { foot: recordedWords(seen, now) },
  );
}

function documentOf({ impact, seen }: ImpactResult, now: Date): ImpactDocument {
  return impactDocument([withUnjudged(impact)], (pool) => {
    const takes = estimate(pool, seen.paces?.[pool.pool]);
    const ahead = pool.update === 'nothing' ? undefined : aheadOf(pool.pool, seen, now);
    return {
      ...(takes === undefined ? {} : { estimate: estimateOf(pool, takes) }),
      ...(ahead === undefined ? {} : { ahead: aheadJson(ahead) }),
    };
  });
}

function estimateOf(pool: PoolImpact, takes: Estimate) {
  const { minutes, atOnce, own } = takes;
  return { minutes, atOnce, ...own, text: estimateText(pool, takes) };
}

function aheadJson({ window, closed, asked }: RolloutAhead): PoolAheadJson['ahead'] {
  return {
    ...(window === undefined ? {} : { window: { ...window } }),
    closedGates: closed.map(({ gate, value, threshold, opensAt }) => ({
      gate,
      found: value,
      needed: threshold,
      ...(opensAt === undefined ? {} : { opensAt }),
    })),
    neededGates: asked.map(({ gate, threshold }) => ({ gate, needed: threshold })),
  };
}

/** What the rollout of a pool will wait for; undefined: poolkeeper.yaml was not read. */
function aheadOf(name: string, { settings, pools, paces }: RecordedCluster, now: Date): RolloutAhead | undefined {
  const pool = pools.find((each) => each.name === name);
  return settings === undefined || pool === undefined ? undefined : rolloutAhead(pool, { settings, pools, paces, now });
}

/** The same in words; empty: nothing that is known here. */
function aheadWords(name: string, seen: RecordedCluster, now: Date): readonly string[] {
  const ahead = aheadOf(name, seen, now);
  return ahead === undefined ? [] : aheadText(ahead, now);
}

function textOf({ impact, seen }: ImpactResult, showDiff: boolean, { environment, now }: Surroundings): string {
  const width = Number(environment['COLUMNS'] ?? process.stdout.columns ?? 100);
  const takes = impact.pools.flatMap((pool) => {
    const each = estimate(pool, seen.paces?.[pool.pool]);
    return each === undefined ? [] : [{ pool, each }];
  });
  const lines = takes.map(({ pool, each }) => `  ${pool.pool}: ${estimateText(pool, each)}`);
  const longest = Math.max(0, ...takes.map(({ each }) => each.minutes));
  const foot =
    lines.length === 0
      ? ''
      : `\nIt takes ${durationText(longest)} if pools roll out in parallel, ${estimateSource(takes.map(({ each }) => each)).replaceAll('`', '')}.\n${lines.join('\n')}\n`;
  const waits = takes.flatMap(({ pool }) => {
    const ahead = aheadWords(pool.pool, seen, now());
    return ahead.length === 0 ? [] : [`  ${pool.pool}: ${ahead.join('; ')}`];
  });
  const before = waits.length === 0 ? '' : `\nBefore it rolls out\n${waits.join('\n')}\n`;
  const recorded = recordedWords(seen, now());
  const past = recorded === '' ? '' : `\n${recorded}\n`;
  return `${impactText([withUnjudged(impact)], { width, showDiff })}${foot}${before}${past}`;
}

/** A recording is no look: what has changed since is not in it. */
function recordedWords({ recorded }: RecordedCluster, now: Date): string {
  if (recorded === undefined) return '';
  const { at } = recorded;
  if (at === undefined) return 'Predicted from a recording that does not say when it was made.';
  const age = secondsBetween(at.toISOString(), now);
  return `Predicted for the cluster as recorded ${at.toISOString()}${age > 0 ? `, ${duration(age)} ago` : ''}.`;
}

import { durationText, estimate, estimateSource, estimateText } from '../../../functions/core/impact/estimate.ts';
import type { ClusterImpact } from '../../../functions/core/impact/report.ts';
import { impactDocument, impactText } from '../../../functions/core/impact/report-forms.ts';
import { showNames } from '../../../functions/core/preview/hide-names.ts';
import { previewMarkdown } from '../../../functions/core/preview/preview-markdown.ts';
import { rolloutAhead } from '../../../functions/core/preview/rollout-ahead.ts';
import type { Surroundings } from '../command.ts';
import type { ImpactRequest } from './impact-request.ts';
import type { RecordedCluster } from './recorded-cluster.ts';

/** The result to print. */
export interface ImpactResult {
  readonly impact: ClusterImpact;
  readonly seen: RecordedCluster;
  /** Whether Applications determine which part of the change counts. */
  readonly isAsked: boolean;
}

/** In the requested form. */
export function impactOutput(
  result: ImpactResult,
  { output, showDiff }: ImpactRequest,
  surroundings: Surroundings,
): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(impactDocument([result.impact]), undefined, 2)}\n`;
    case 'markdown':
      return markdownOf(result, showDiff, surroundings.now());
    case 'text':
      return textOf(result, showDiff, surroundings);
    default:
      return output satisfies never;
  }
}

/** The person has access to the cluster: nothing is hidden but what the diff masks. */
function markdownOf({ impact, seen, isAsked }: ImpactResult, showDiff: boolean, now: Date): string {
  const shown = (pools: ClusterImpact['pools']) => {
    const cluster = showNames({ ...impact, pools }, seen.pools);
    return { ...cluster, pools: cluster.pools.map((pool) => ({ ...pool, ahead: aheadOf(pool.pool, seen, now) })) };
  };
  const pools = showDiff ? impact.pools : impact.pools.map((pool) => ({ ...pool, diff: [] }));
  return previewMarkdown(
    {
      applications: isAsked ? impact.applications.length : undefined,
      clusters: [shown(pools)],
      outOfSight: [],
      beyond: 0,
      unknown: impact.unknown,
    },
    { foot: '' },
  );
}

/** What the rollout of a pool will wait for; empty: nothing that is known here. */
function aheadOf(name: string, { settings, pools }: RecordedCluster, now: Date): readonly string[] {
  const pool = pools.find((each) => each.name === name);
  return settings === undefined || pool === undefined ? [] : rolloutAhead(pool, { settings, pools, now });
}

function textOf({ impact, seen }: ImpactResult, showDiff: boolean, { environment, now }: Surroundings): string {
  const width = Number(environment['COLUMNS'] ?? process.stdout.columns ?? 100);
  const takes = impact.pools.flatMap((pool) => {
    const each = estimate(pool);
    return each === undefined ? [] : [{ pool, each }];
  });
  const lines = takes.map(({ pool, each }) => `  ${pool.pool}: ${estimateText(pool, each)}`);
  const longest = Math.max(0, ...takes.map(({ each }) => each.minutes));
  const foot =
    lines.length === 0
      ? ''
      : `\nIt takes ${durationText(longest)} if pools roll out in parallel, ${estimateSource.replaceAll('`', '')}.\n${lines.join('\n')}\n`;
  const waits = takes.flatMap(({ pool }) => {
    const ahead = aheadOf(pool.pool, seen, now());
    return ahead.length === 0 ? [] : [`  ${pool.pool}: ${ahead.join('; ')}`];
  });
  const before = waits.length === 0 ? '' : `\nBefore it rolls out\n${waits.join('\n')}\n`;
  return `${impactText([impact], { width, showDiff })}${foot}${before}`;
}

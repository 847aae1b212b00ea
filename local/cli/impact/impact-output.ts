import { durationText, estimate, estimateSource, estimateText } from '../../../functions/core/impact/estimate.ts';
import type { ClusterImpact } from '../../../functions/core/impact/report.ts';
import { impactDocument, impactText } from '../../../functions/core/impact/report-forms.ts';
import { showNames } from '../../../functions/core/preview/hide-names.ts';
import { previewMarkdown } from '../../../functions/core/preview/preview-markdown.ts';
import type { Surroundings } from '../command.ts';
import type { ImpactRequest } from './impact-request.ts';
import type { RecordedCluster } from './recorded-cluster.ts';

/** The result to print. */
export interface Told {
  readonly told: ClusterImpact;
  readonly seen: RecordedCluster;
  /** Whether Applications determine which part of the change counts. */
  readonly isAsked: boolean;
}

/** In the requested form. */
export function impactOutput(what: Told, { output, showDiff }: ImpactRequest, surroundings: Surroundings): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(impactDocument([what.told]), undefined, 2)}\n`;
    case 'markdown':
      return markdownOf(what, showDiff);
    case 'text':
      return textOf(what.told, showDiff, surroundings);
    default:
      return output satisfies never;
  }
}

/** The person has access to the cluster: nothing is hidden but what the diff masks. */
function markdownOf({ told, seen, isAsked }: Told, showDiff: boolean): string {
  const pools = showDiff ? told.pools : told.pools.map((pool) => ({ ...pool, diff: [] }));
  return previewMarkdown(
    {
      applications: isAsked ? told.applications.length : undefined,
      clusters: [showNames({ ...told, pools }, seen.pools)],
      outOfSight: [],
      beyond: 0,
      unknown: told.unknown,
    },
    { foot: '' },
  );
}

function textOf(told: ClusterImpact, showDiff: boolean, { environment }: Surroundings): string {
  const width = Number(environment['COLUMNS'] ?? process.stdout.columns ?? 100);
  const takes = told.pools.flatMap((pool) => {
    const each = estimate(pool);
    return each === undefined ? [] : [{ pool, each }];
  });
  const lines = takes.map(({ pool, each }) => `  ${pool.pool}: ${estimateText(pool, each)}`);
  const longest = Math.max(0, ...takes.map(({ each }) => each.minutes));
  const foot =
    lines.length === 0
      ? ''
      : `\nIt takes ${durationText(longest)} if pools roll out in parallel, ${estimateSource.replaceAll('`', '')}.\n${lines.join('\n')}\n`;
  return `${impactText([told], { width, showDiff })}${foot}`;
}

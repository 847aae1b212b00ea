import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { PoolStatus } from '../status.ts';
import { column, table } from './table.ts';
import { configHash, linkedTo, moment, pill, type Tone } from './words.ts';

/** The columns of `oc get mcp`, and who paused the pool. */
export function poolsTable(cluster: string, pools: readonly PoolStatus[], now: Date): Html {
  const columns = [
    column('Pool'),
    column('State'),
    column('Config'),
    column('Updated'),
    column('Updating'),
    column('Degraded'),
    { head: 'All', label: 'Machines', isNumber: true },
    column('Ready', true),
    column('Updated', true),
    column('Degraded', true),
    column('Age', true),
  ];
  const rows = pools.map((pool) => ({
    cells: [
      html`<span class="name">${linkedTo(pool.link, pool.name)}</span><small>${protectionWords(pool)}</small>`,
      html`<span class="pills">${statePill(pool)}${pausePill(pool)}${pool.emergency !== undefined && pill('bad', 'Emergency')}</span>${progress(pool)}${leftWords(pool)}`,
      configs(pool),
      yesOrNo(pool.updated, 'plain'),
      yesOrNo(pool.updating, 'plain'),
      yesOrNo(pool.degraded, 'alarm'),
      pool.counts.machines,
      pool.counts.ready,
      pool.counts.updated,
      pool.counts.degraded > 0 ? html`<strong class="bad">${pool.counts.degraded}</strong>` : 0,
      pool.ageSeconds === undefined ? html`<span class="mute">unknown</span>` : age(pool.ageSeconds),
    ],
    note: remarks(pool, now),
  }));
  const groups = [
    { head: '', span: 3 },
    { head: 'Conditions', span: 3 },
    { head: 'Machines', span: 4 },
    { head: '', span: 1 },
  ];
  return table({ caption: `Pools of ${cluster}`, kind: 'pools', columns, groups, rows });
}

/** What people must not miss about the pool. */
function remarks({ degraded, message, emergency }: PoolStatus, now: Date): Html | false {
  const isBroken = degraded && message !== '';
  if (!isBroken && emergency === undefined) return false;
  return html`${isBroken && html`<p class="remark">${message}</p>`}${
    emergency !== undefined &&
    html`<p class="remark">Emergency lane of ${emergency.who} until ${moment(emergency.until, now)} because: ${emergency.why}</p>`
  }`;
}

const states: Readonly<Record<PoolStatus['state'], readonly [Tone, string]>> = {
  degraded: ['bad', 'Degraded'],
  updating: ['info', 'Updating'],
  pending: ['info', 'Change pending'],
  updated: ['good', 'Updated'],
  empty: ['mute', 'No machines'],
  unknown: ['mute', 'Unclear'],
};

function statePill({ state }: PoolStatus): Html {
  return pill(...states[state]);
}

function pausePill({ pause, overridden }: PoolStatus): Html | undefined {
  if (pause !== undefined) return pill('warn', pause.whose === 'ours' ? 'Paused' : 'Foreign pause');
  return overridden ? pill('mute', 'Overridden') : undefined;
}

function leftWords({ minutesLeft }: PoolStatus): Html | undefined {
  return minutesLeft === undefined ? undefined : html`<small>about ${duration(minutesLeft * 60)} left</small>`;
}

/** Machines as a bar: updated, remaining, degraded. The numbers are beside it. */
function progress({ state, counts }: PoolStatus): Html | undefined {
  if (counts.machines === 0 || (state !== 'updating' && counts.degraded === 0)) return undefined;
  const share = (count: number) => Math.round((Math.min(count, counts.machines) / counts.machines) * 1000) / 10;
  const broken = share(counts.degraded);
  return html`<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-rest" width="100" height="4"/><rect class="bar-done" width="${share(counts.updated)}" height="4"/><rect class="bar-bad" x="${100 - broken}" width="${broken}" height="4"/></svg>`;
}

function configs({ name, currentConfig, targetConfig, pending }: PoolStatus): Html {
  // In image mode the image alone may be pending.
  if (!pending || currentConfig === targetConfig)
    return configHash(targetConfig === '' ? currentConfig : targetConfig, name);
  return html`${configHash(currentConfig, name)} <span class="arrow" role="img" aria-label="goes to">→</span> ${configHash(targetConfig, name)}`;
}

function protectionWords({ protection, managed }: PoolStatus): string {
  return managed ? protection : 'not managed';
}

function yesOrNo(value: boolean, kind: 'plain' | 'alarm'): Html {
  if (!value) return html`<span class="mute">No</span>`;
  return kind === 'alarm' ? html`<strong class="bad">Yes</strong>` : html`<strong>Yes</strong>`;
}

/** Age in its largest unit only. */
function age(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return days > 0 ? `${days} d` : duration(seconds);
}

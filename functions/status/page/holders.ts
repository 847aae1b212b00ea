import { duration } from '../../core/text/durations.ts';
import { listed as allOf, counted } from '../../core/text/phrases.ts';
import { type Html, html } from '../html.ts';
import type { ClusterStatus } from '../status.ts';
import { column, table } from './table.ts';
import { linkedTo, listed, moment } from './words.ts';

/** Which Application, or person, holds which pools. */
export function holdersTable(cluster: ClusterStatus, now: Date): Html | undefined {
  const { name, holders = [] } = cluster;
  const others = otherHolders(cluster);
  if (holders.length === 0 && others === undefined) return undefined;
  const columns = [column('Holder'), column('Pools'), column('Since')];
  const rows = holders.map(({ who, kind, link, pools, since, ageSeconds }) => ({
    cells: [
      html`<span class="name">${linkedTo(link, who)}</span><small>${kind}</small>`,
      html`<b>${pools.length}</b>: ${listed(pools)}`,
      html`${moment(since, now)}<small>${duration(ageSeconds)}</small>`,
    ],
  }));
  return html`<h4>Who holds which pools</h4>${holders.length > 0 && table({ caption: `Who holds which pools of ${name}`, kind: 'holders', columns, rows })}${others}`;
}

function otherHolders({ holdersLeftOut: left }: ClusterStatus): Html | undefined {
  if (left === undefined) return undefined;
  const parts = [
    ...(left.holders === 0 ? [] : [counted(left.holders, 'more holder')]),
    ...(left.holds === 0 ? [] : [`the holders of ${counted(left.holds, 'hold')} that no pool has room to name`]),
  ];
  return html`<p class="mute">Not listed: ${allOf(parts)}.</p>`;
}

/** Annotations that name pools and are not allowed to. */
export function ignoredAnnotationsList({ ignoredAnnotations = [] }: ClusterStatus): Html | undefined {
  if (ignoredAnnotations.length === 0) return undefined;
  return html`<h4>Annotations without effect</h4>
<ul class="remark">${ignoredAnnotations.map(({ application, why }) => html`<li><b>${application}</b>: ${why}</li>`)}</ul>
<p class="mute">poolkeeper doctor prints the entry that would allow each.</p>`;
}

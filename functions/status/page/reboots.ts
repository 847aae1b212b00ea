import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { RebootStatus, Status } from '../status.ts';
import { column, table } from './table.ts';
import { configHash, linkedTo, moment } from './words.ts';

/** Recent node updates and reboots with their causes; collapsed, for later questions. */
export function rebootsDetails(
  { reboots, rebootsSearched: searched }: Pick<Status, 'reboots' | 'rebootsSearched'>,
  now: Date,
): Html | undefined {
  const older =
    searched !== undefined && html`Searched: the last ${searched} node updates of all clusters; older ones were not.`;
  if (reboots.length === 0)
    return older === false ? undefined : html`<p class="card">No node update is shown. ${older}</p>`;
  const columns = [column('When'), column('Node'), column('Config'), column('Duration'), column('Causes')];
  const rows = reboots.map((reboot) => ({
    cells: [
      moment(reboot.begunAt, now),
      html`<span class="name">${reboot.node}</span><small>${reboot.cluster} / ${reboot.pool}</small>`,
      html`${configHash(reboot.to, reboot.pool)}<small>${howWords(reboot)}</small>`,
      reboot.seconds === undefined ? html`<span class="mute">unknown</span>` : duration(reboot.seconds),
      reboot.causes.length === 0 ? html`<span class="mute">unknown</span>` : html`${reboot.causes.map(causeText)}`,
    ],
  }));
  return html`<details class="card" id="reboots">
<summary>Last ${reboots.length} node updates</summary>
${older !== false && html`<p>${older}</p>`}
${table({ caption: 'Node updates and their causes', kind: 'reboots', columns, rows })}
</details>`;
}

function howWords({ rebooted, outcome }: RebootStatus): string {
  if (outcome === 'gone') return 'node removed, or moved to another pool';
  if (outcome === 'redirected') return 'retargeted during the update';
  if (rebooted === undefined) return 'reboot not observed';
  return rebooted ? 'rebooted' : 'no reboot';
}

function causeText({ why, application, commit, links }: RebootStatus['causes'][number], index: number): Html {
  return html`${index > 0 && '; '}${why}${links?.application !== undefined && html` · ${linkedTo(links.application, application ?? 'Application')}`}${
    links?.commit !== undefined && html` · ${linkedTo(links.commit, `commit ${(commit ?? '').slice(0, 8)}`)}`
  }`;
}

import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { RebootStatus } from '../status.ts';
import { column, table } from './table.ts';
import { configHash, moment } from './words.ts';

/** Which nodes were updated and rebooted lately, and because of what: folded, for whoever asks afterwards. */
export function rebootsDetails(reboots: readonly RebootStatus[], now: Date): Html | undefined {
  if (reboots.length === 0) return undefined;
  const columns = [column('When'), column('Node'), column('Config'), column('Took'), column('Because of')];
  const rows = reboots.map((reboot) => ({
    cells: [
      moment(reboot.begunAt, now),
      html`<span class="name">${reboot.node}</span><small>${reboot.cluster} / ${reboot.pool}</small>`,
      html`${configHash(reboot.to, reboot.pool)}<small>${howWords(reboot)}</small>`,
      reboot.seconds === undefined ? html`<span class="mute">unknown</span>` : duration(reboot.seconds),
      reboot.causes.length === 0
        ? html`<span class="mute">not known</span>`
        : html`${reboot.causes.map(({ why }, index) => html`${index > 0 && '; '}${why}`)}`,
    ],
  }));
  return html`<details class="card" id="reboots">
<summary>The last ${reboots.length} updates of nodes</summary>
${table({ caption: 'Updates of nodes and why', kind: 'reboots', columns, rows })}
</details>`;
}

function howWords({ rebooted, outcome }: RebootStatus): string {
  if (outcome === 'gone') return 'the node went away';
  if (outcome === 'redirected') return 'given another target on the way';
  if (rebooted === undefined) return 'whether it rebooted was not seen';
  return rebooted ? 'rebooted' : 'no reboot';
}

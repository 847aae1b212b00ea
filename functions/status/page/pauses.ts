import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { GateStatus, HoldStatus, PauseStatus, PoolStatus } from '../status.ts';
import { changeFacts } from './change.ts';
import { column, table } from './table.ts';
import { configName, lasting, listed, moment, pill } from './words.ts';

/** Why each paused pool is paused, for how long, which change is pending and what keeps it from resuming. */
export function pauses(pools: readonly PoolStatus[], now: Date): readonly Html[] {
  return pools.flatMap((pool) => (pool.pause === undefined ? [] : [pausedPool(pool, pool.pause, now)]));
}

function pausedPool(pool: PoolStatus, pause: PauseStatus, now: Date): Html {
  return html`
<article class="pause">
<h4><span class="name">${pool.name}</span> ${pill('warn', whose(pause))} <span class="for">${lasting(pause.since, pause.ageSeconds, now)}</span></h4>
${waiting(pool)}
${changeFacts(pool, now)}
${pool.holds.length > 0 && holdsTable(pool, now)}
${gates(pool, pause, now)}
</article>`;
}

function whose({ whose: owner, by }: PauseStatus): string {
  const author = by === '' ? 'someone else' : by;
  switch (owner) {
    case 'ours':
      return 'Paused by Poolkeeper';
    case 'foreign':
    case 'overridden':
      return `Paused by ${author}`;
    case 'unclear':
      return 'Paused by an unknown writer';
    default:
      return owner satisfies never;
  }
}

function waiting({ pending, currentConfig, targetConfig, pendingSources }: PoolStatus): Html {
  if (!pending) return html`<p>No change is pending.</p>`;
  return html`<p>Pending change: ${configName(currentConfig)} <span class="arrow" aria-label="goes to">→</span> ${configName(targetConfig)}${sourceWords(pendingSources)}</p>`;
}

function sourceWords(sources: PoolStatus['pendingSources']): Html | string {
  if (sources === undefined) return '.';
  const { added, removed } = sources;
  if (added.length + removed.length === 0) return ', with new content in an existing MachineConfig.';
  return html`${added.length > 0 && html`, adds <b>${listed(added)}</b>`}${removed.length > 0 && html`, removes <b>${listed(removed)}</b>`}.`;
}

function holdsTable({ name, holds }: PoolStatus, now: Date): Html {
  const columns = [column('Held by'), column('Why'), column('Phase'), column('For'), column('Until')];
  const rows = holds.map((hold) => ({
    cells: [
      html`<span class="name">${hold.who}</span><small>${hold.kind}</small>`,
      hold.why,
      phase(hold),
      duration(hold.ageSeconds),
      html`${moment(hold.until, now)}${hold.overdue && html` ${pill('bad', 'past')}`}`,
    ],
  }));
  return table({ caption: `Holds of ${name}`, kind: 'holds', columns, rows });
}

function phase({ phase: word }: HoldStatus): Html | string {
  switch (word) {
    case 'failed':
      return pill('bad', 'Sync failed');
    case 'syncing':
      return pill('info', 'Syncing');
    case 'expected':
      return pill('mute', 'Sync expected');
    default:
      return word === '' ? html`<span class="mute">none</span>` : word;
  }
}

function gates({ holds, closedGates }: PoolStatus, { whose: owner, confirmed }: PauseStatus, now: Date): Html {
  if (owner !== 'ours')
    return html`<p>Poolkeeper did not set this pause and leaves it alone; whoever set it must resume the pool.</p>`;
  return html`${!confirmed && html`<p>${pill('warn', 'Not confirmed')} The Machine Config Operator has not observed the pause yet.</p>`}${
    closedGates.length > 0
      ? html`<h5>Closed gates</h5>
<ul class="gates">${closedGates.map((gate) => gateItem(gate, now))}</ul>`
      : html`<p class="mute">${holds.length > 0 ? 'Resumes when its holds have ended and all gates are open.' : 'No holds and no closed gates: the next pass resumes it.'}</p>`
  }`;
}

function gateItem({ gate, why, since, opens, opensAt }: GateStatus, now: Date): Html {
  return html`
<li><span class="gate">${gate}</span> <span>${why}${since !== undefined && html` <span class="mute">(since ${moment(since, now)})</span>`}<span class="opens">Opens: ${opensAt === undefined ? opens : html`${moment(opensAt, now)}`}</span></span></li>`;
}

import { waitFacts, waitTitle } from '../../core/gates/wait.ts';
import { duration } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { ClusterStatus, HoldStatus, PauseStatus, PoolStatus, WaitStatus } from '../status.ts';
import { changeFacts } from './change.ts';
import { column, table } from './table.ts';
import { configName, lasting, listed, moment, pill, withMoments } from './words.ts';

/** Why each paused pool is paused, for how long, which change is pending and what keeps it from resuming. */
export function pauses({ pools, sight }: Pick<ClusterStatus, 'pools' | 'sight'>, now: Date): readonly Html[] {
  return pools.flatMap((pool) => (pool.pause === undefined ? [] : [pausedPool(pool, pool.pause, { sight, now })]));
}

interface Seen {
  readonly sight: ClusterStatus['sight'];
  readonly now: Date;
}

function pausedPool(pool: PoolStatus, pause: PauseStatus, { sight, now }: Seen): Html {
  return html`
<article class="pause">
<h4><span class="name">${pool.name}</span> ${pill('warn', whose(pause))} <span class="for">${lasting(pause.since, pause.ageSeconds, now)}</span></h4>
${waiting(pool)}
${changeFacts(pool, now)}
${pool.holds.length > 0 && holdsTable(pool, now)}
${waits(pool, pause, { sight, now })}
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

function waiting({ pending, currentConfig, targetConfig, pendingSources, pendingImage }: PoolStatus): Html {
  if (!pending) return html`<p>No change is pending.</p>`;
  if (currentConfig === targetConfig) {
    const image = pendingImage === undefined ? 'another image' : html`image <code>${pendingImage}</code>`;
    return html`<p>Pending: ${image}, with the config as it is, ${configName(currentConfig)}.</p>`;
  }
  return html`<p>Pending change: ${configName(currentConfig)} <span class="arrow" role="img" aria-label="goes to">→</span> ${configName(targetConfig)}${sourceWords(pendingSources)}</p>`;
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
      hold.overruled === undefined ? phase(hold) : pill('mute', `Overruled by ${hold.overruled.by}`),
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

/** What keeps it paused, in the words that `poolkeeper why` prints too. */
function waits({ holds, why }: PoolStatus, { whose: owner, confirmed }: PauseStatus, { sight, now }: Seen): Html {
  const isOurs = owner === 'ours';
  const { now: present = [], afterwards = [], override } = why ?? {};
  return html`${isOurs && !confirmed && html`<p>${pill('warn', 'Not confirmed')} The Machine Config Operator has not observed the pause yet.</p>`}${
    present.length > 0
      ? html`<h5>What keeps it paused</h5>
<ul class="gates">${present.map((wait) => waitItem(wait, now))}</ul>`
      : html`<p class="mute">${nothingWords(sight)}</p>`
  }${
    afterwards.length > 0 &&
    html`<h5>Afterwards</h5>
<ul class="gates">${afterwards.map((wait) => waitItem(wait, now))}</ul>`
  }${isOurs && holds.some(({ overruled }) => overruled === undefined) && html`<p class="mute">Resumes when its holds have ended and all gates are open.</p>`}${
    override !== undefined &&
    html`<p class="mute">Whoever may change the pool can go past all of this: <code>${override}</code></p>`
  }`;
}

function nothingWords(sight: ClusterStatus['sight']): string {
  return sight === 'seen'
    ? 'No holds and no closed gates: the next pass resumes it.'
    : 'No holds and no closed gates when it was last read. Nothing is changed until the cluster can be read again.';
}

export function waitItem({ since, ...wait }: WaitStatus, now: Date): Html {
  return html`
<li><span class="gate">${waitTitle(wait)}</span> <div>${withMoments(wait.why, now)}<dl class="cost">${waitFacts({
    ...wait,
    since,
  }).map(
    ({ label, value }) =>
      html`<div><dt>${label}</dt> <dd>${label === 'Command' ? html`<code>${value}</code>` : withMoments(value, now)}</dd></div> `,
  )}</dl></div></li>`;
}

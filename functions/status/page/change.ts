import { duration, secondsBetween } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { PoolStatus } from '../status.ts';
import { lasting, moment, pill, type Tone } from './words.ts';

/** Changes that roll over pools, with whom to ask: nobody shall blame a commit for what the cluster itself has
 *  rendered. */
export function rollingChanges(pools: readonly PoolStatus[], now: Date): readonly Html[] {
  return pools.flatMap((pool) =>
    pool.pause !== undefined || pool.change === undefined
      ? []
      : [
          html`
<article class="pause">
<h4><span class="name">${pool.name}</span> ${pill('info', 'Rendered anew')} <span class="for">${lasting(pool.pendingSince, pool.pendingSeconds, now)}</span></h4>
${changeFacts(pool, now)}
</article>`,
        ],
  );
}

/** What waits or rolls: how long, what it is, what it does to the nodes, and why it is there. */
export function changeFacts(pool: PoolStatus, now: Date): Html | undefined {
  const { change, pause, pendingSince, pendingSeconds } = pool;
  const facts = [
    ...(pause !== undefined && pendingSince !== undefined
      ? [fact('Waits', lasting(pendingSince, pendingSeconds, now))]
      : []),
    ...(change === undefined ? [] : known(change)),
    ...(pause === undefined ? [] : certificates(pool, now)),
  ];
  return facts.length === 0 ? undefined : html`<dl class="cost">${facts}</dl>`;
}

/** Pushes that a pool is not paused for. */
export function unpausedPushes(pools: readonly PoolStatus[], now: Date): readonly Html[] {
  return pools.flatMap(({ name, spared = [] }) =>
    spared.map(
      ({ hold, revision, why, at }) => html`
<article class="pause"><h4><span class="name">${name}</span> ${pill('good', 'Not paused')} <span class="for">since ${moment(at, now)}</span></h4>
<p>The push of <code>${revision.slice(0, 8)}</code> by <b>${hold.replace(/^sync\/[^/]*\//, '')}</b> does nothing to its nodes: ${why}.</p></article>`,
    ),
  );
}

function fact(name: string, value: Html | string | readonly Html[]): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function known(change: NonNullable<PoolStatus['change']>): readonly Html[] {
  const { parts, partsInAll, security, causes, unread } = change;
  if (unread !== undefined) return [fact('What it holds', `is not known: ${unread}`), ...because(causes)];
  const more = partsInAll - parts.length;
  return [
    fact('Nodes', suffering(change)),
    ...(security.length === 0
      ? []
      : [fact('Security', html`<span class="pills">${security.map((topic) => pill('warn', topic))}</span>`)]),
    fact('What it holds', `${parts.join(', ')}${more > 0 ? ` and ${more} more` : ''}`),
    ...because(causes),
  ];
}

function because(causes: NonNullable<PoolStatus['change']>['causes']): readonly Html[] {
  if (causes.length === 0) return [];
  return [fact('Because of', html`<ul>${causes.map(({ why }) => html`<li>${why}</li>`)}</ul>`)];
}

const words: Readonly<Record<NonNullable<NonNullable<PoolStatus['change']>['class']>, readonly [Tone, string]>> = {
  none: ['good', 'notice nothing'],
  reload: ['mute', 'reload a service'],
  restart: ['mute', 'restart services'],
  drain: ['warn', 'are drained'],
  reboot: ['bad', 'reboot'],
};

function suffering({ class: worst, byDefault }: NonNullable<PoolStatus['change']>): Html {
  const [tone, word] = worst === undefined ? (['warn', 'may reboot'] as const) : words[worst];
  return html`${pill(tone, word)}${byDefault && html` <span class="mute">by the defaults of the Machine Config Operator: the policy of the cluster is not known</span>`}`;
}

/** Days in which an expiry is near. */
const nearDays = 30;

function certificates({ certificatesExpire: at }: PoolStatus, now: Date): readonly Html[] {
  if (at === undefined) return [];
  const left = secondsBetween(now.toISOString(), at);
  const isNear = left < nearDays * 86_400;
  const when = left <= 0 ? 'the first has expired' : `the first expires in ${duration(left)}`;
  return [
    fact(
      'Certificates',
      html`${isNear && html`${pill('bad', 'Soon')} `}${when}, <time datetime="${at}">${at.slice(0, 10)}</time>`,
    ),
  ];
}

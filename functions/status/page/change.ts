import { duration, secondsBetween } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';
import type { PoolStatus } from '../status.ts';
import { lasting, moment, pill, type Tone } from './words.ts';

/** Changes that are rolling out, with their causes, so that nobody blames a commit for what the cluster itself
 *  rendered. */
export function rollingChanges(pools: readonly PoolStatus[], now: Date): readonly Html[] {
  return pools.flatMap((pool) =>
    pool.pause !== undefined || pool.change === undefined
      ? []
      : [
          html`
<article class="pause">
<h4><span class="name">${pool.name}</span> ${pill('info', 'Re-rendered')} <span class="for">${lasting(pool.pendingSince, pool.pendingSeconds, now)}</span></h4>
${changeFacts(pool, now)}
</article>`,
        ],
  );
}

/** The change that is pending or rolling out: for how long, what it contains, its effect on nodes, and why it
 *  exists. */
export function changeFacts(pool: PoolStatus, now: Date): Html | undefined {
  const { change, pause, pendingSince, pendingSeconds, takes } = pool;
  const facts = [
    ...(pause !== undefined && pendingSince !== undefined
      ? [fact('Pending', lasting(pendingSince, pendingSeconds, now))]
      : []),
    ...(change === undefined ? [] : known(change)),
    ...(takes === undefined ? [] : [fact('Rollout', takes)]),
    ...(pause === undefined ? [] : certificates(pool, now)),
  ];
  return facts.length === 0 ? undefined : html`<dl class="cost">${facts}</dl>`;
}

/** Pushes that a pool was not paused for. */
export function unpausedPushes(pools: readonly PoolStatus[], now: Date): readonly Html[] {
  return pools.flatMap(({ name, spared = [] }) =>
    spared.map(
      ({ hold, revision, why, at }) => html`
<article class="pause"><h4><span class="name">${name}</span> ${pill('good', 'Not paused')} <span class="for">since ${moment(at, now)}</span></h4>
<p>The push of <code>${revision.slice(0, 8)}</code> for <b>${hold.replace(/^sync\/[^/]*\//, '')}</b> does not disrupt its nodes: ${why}.</p></article>`,
    ),
  );
}

function fact(name: string, value: Html | string | readonly Html[]): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function known(change: NonNullable<PoolStatus['change']>): readonly Html[] {
  const { parts, partsInAll, security, causes, unread } = change;
  if (unread !== undefined) return [fact('Contents', `unknown: ${unread}`), ...because(causes)];
  const more = partsInAll - parts.length;
  return [
    fact('Nodes', suffering(change)),
    ...(security.length === 0
      ? []
      : [fact('Security', html`<span class="pills">${security.map((topic) => pill('warn', topic))}</span>`)]),
    fact('Contents', `${parts.join(', ')}${more > 0 ? ` and ${more} more` : ''}`),
    ...because(causes),
  ];
}

function because(causes: NonNullable<PoolStatus['change']>['causes']): readonly Html[] {
  if (causes.length === 0) return [];
  return [fact('Causes', html`<ul>${causes.map(({ why }) => html`<li>${why}</li>`)}</ul>`)];
}

const words: Readonly<Record<NonNullable<NonNullable<PoolStatus['change']>['class']>, readonly [Tone, string]>> = {
  none: ['good', 'are not affected'],
  reload: ['mute', 'reload a service'],
  restart: ['mute', 'restart services'],
  drain: ['warn', 'are drained'],
  reboot: ['bad', 'reboot'],
};

function suffering({ class: worst, byDefault }: NonNullable<PoolStatus['change']>): Html {
  const [tone, word] = worst === undefined ? (['warn', 'may reboot'] as const) : words[worst];
  return html`${pill(tone, word)}${byDefault && html` <span class="mute">by the default disruption policy: the cluster's own is not known</span>`}`;
}

/** Days before an expiry from which it counts as near. */
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

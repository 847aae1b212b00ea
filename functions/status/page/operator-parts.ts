import { type Html, html } from '../html.ts';
import type { ClusterStatus } from '../status.ts';
import { moment, pill, type Tone } from './words.ts';

type Part = NonNullable<ClusterStatus['operatorParts']>['parts'][number];

/** How the Machine Config Operator itself stands: one line while all is well, a list of its parts where it is not. */
export function operatorParts({ operatorParts: seen }: ClusterStatus, now: Date): Html | undefined {
  if (seen === undefined) return undefined;
  const { parts, readAt } = seen;
  if (parts.every(({ state }) => state === 'fine'))
    return html`<p class="mute">Machine Config Operator, read ${moment(readAt, now)}: ${parts.map(told).join('; ')}.</p>`;
  return html`<h4>Machine Config Operator</h4>
<ul class="remark">${parts.map((part) => html`<li>${partPill(part)}<b>${part.name}</b>: ${part.says}</li>`)}</ul>
<p class="mute">Read ${moment(readAt, now)}, with every sweep. A node that reboots has no ready daemon meanwhile.</p>`;
}

function told({ name, says }: Part): string {
  return `${name} ${says}`;
}

function partPill({ state }: Part): Html | undefined {
  return state === 'fine' ? undefined : html`${pill(tones[state], words[state])} `;
}

const tones: Readonly<Record<Exclude<Part['state'], 'fine'>, Tone>> = {
  partly: 'warn',
  progressing: 'warn',
  degraded: 'bad',
  down: 'bad',
  unread: 'mute',
};
const words = {
  partly: 'Partly',
  progressing: 'Progressing',
  degraded: 'Degraded',
  down: 'Down',
  unread: 'Not read',
} as const;

import { type Html, html } from '../html.ts';
import type { ClusterStatus } from '../status.ts';
import { waitItem } from './pauses.ts';

/** Guards that a sync waits for, in the words that `poolkeeper why` prints too, and what is wrong with others. */
export function guardsList({ guards = [] }: ClusterStatus, now: Date): Html | undefined {
  const waits = guards.flatMap(({ wait }) => wait ?? []);
  const others = guards.filter(({ wait }) => wait === undefined);
  if (guards.length === 0) return undefined;
  return html`<h4>Guards that stay closed</h4>${
    waits.length > 0 && html`<ul class="gates">${waits.map((wait) => waitItem(wait, now))}</ul>`
  }${
    others.length > 0 &&
    html`<ul class="remark">${others.map(({ about, why }) => html`<li><b>${about}</b>: ${why}</li>`)}</ul>`
  }`;
}

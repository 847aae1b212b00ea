import { type Html, html } from '../html.ts';
import type { ClusterStatus } from '../status.ts';

/** Guards that a sync waits for, and what is wrong with others. */
export function guardsList({ guards = [] }: ClusterStatus): Html | undefined {
  if (guards.length === 0) return undefined;
  return html`<h4>Guards that stay closed</h4>
<ul class="remark">${guards.map(
    ({ about, why, how }) =>
      html`<li><b>${about}</b>: ${why}${how !== undefined && html`<br>without Poolkeeper: <code>${how}</code>`}</li>`,
  )}</ul>`;
}

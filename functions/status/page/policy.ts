import { type Html, html } from '../html.ts';
import type { Status } from '../status.ts';
import { column, table } from './table.ts';

/** The effective policy, in the keys of `poolkeeper.yaml`. */
export function policyDetails({ defaults, changes }: Status['policy']): Html {
  const rows = Object.entries(defaults).map(([key, value]) => ({
    cells: [html`<code>${key}</code>`, value, changesOf(key, changes)],
  }));
  return html`
<details class="card policy" id="policy">
<summary>Policy: defaults and overrides</summary>
${table({ caption: 'Policy', kind: 'keys', columns: [column('Key'), column('Default'), column('Changed to')], rows })}
</details>`;
}

function changesOf(key: string, changes: Status['policy']['changes']): Html {
  const changed = Object.entries(changes).flatMap(([cluster, own]) => {
    const value = own[key];
    return value === undefined ? [] : [html`<div><b>${value}</b> on ${cluster}</div>`];
  });
  return changed.length === 0 ? html`<span class="mute none">–</span>` : html`${changed}`;
}

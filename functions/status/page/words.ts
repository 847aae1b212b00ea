import { configOfChange, imageDigestOf } from '../../core/openshift/change-name.ts';
import { clockTime, duration, instantInText } from '../../core/text/durations.ts';
import { type Html, html } from '../html.ts';

/** Colour of a word; the word alone carries the meaning. */
export type Tone = 'bad' | 'warn' | 'good' | 'info' | 'mute';

/** A state as a coloured badge. */
export function pill(tone: Tone, word: string): Html {
  return html`<span class="pill ${tone}">${word}</span>`;
}

/** `10:24:31 UTC`; with the date if it is not today. */
export function moment(instant: string | undefined, now: Date): Html | string {
  return instant === undefined ? 'unknown' : html`<time datetime="${instant}">${clockTime(instant, now)}</time>`;
}

/** A text with the instants in it shown as every other on the page. */
export function withMoments(text: string, now: Date): readonly (Html | string)[] {
  const parts = text.split(instantInText);
  return parts.map((part, index) => (index % 2 === 1 ? moment(part, now) : part));
}

/** `for 12 min, since 10:12:04 UTC`. */
export function lasting(since: string | undefined, ageSeconds: number | undefined, now: Date): Html | string {
  if (since === undefined || ageSeconds === undefined) return 'since an unknown time';
  return html`for ${duration(ageSeconds)}, since ${moment(since, now)}`;
}

/** `rendered-worker-3f9c2a1b…`: enough to compare. The title has the whole name. */
export function configName(name: string): Html {
  if (name === '') return html`<span class="mute">none yet</span>`;
  const [, short] = /^(rendered-.{1,60}-[0-9a-f]{8})[0-9a-f]{24}$/.exec(name) ?? [];
  return short === undefined ? html`<code>${name}</code>` : html`<code title="${name}">${short}…</code>`;
}

/** Only the hash of `rendered-<pool>-<hash>`, for where the pool is shown beside it; in image mode with the beginning
 *  of the digest (`changeName`). */
export function configHash(name: string, pool: string): Html {
  const digest = imageDigestOf(name)?.slice('sha256:'.length);
  if (digest !== undefined)
    return html`${configHash(configOfChange(name), pool)} image <code title="${name}">${digest.slice(0, 8)}…</code>`;
  const hash = name.startsWith(`rendered-${pool}-`) ? name.slice(pool.length + 10) : '';
  return /^[0-9a-f]{32}$/.test(hash) ? html`<code title="${name}">${hash.slice(0, 8)}…</code>` : configName(name);
}

/** `a, b and 3 more`. */
export function listed(names: readonly string[], shown = 5): string {
  const rest = names.length - shown;
  return rest > 0 ? `${names.slice(0, shown).join(', ')} and ${rest} more` : names.join(', ');
}

/** A link to a place outside; the text alone without one. `url` begins with an address of the configuration. */
export function linkedTo(url: string | undefined, text: Html | string): Html | string {
  return url === undefined ? text : html`<a href="${url}" rel="noreferrer">${text}</a>`;
}

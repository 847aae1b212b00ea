import type { SequenceItemView, SequenceView } from '../../../functions/core/sequences/sequence-view.ts';
import { ageText, between } from '../../../functions/core/text/phrases.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';

/** Characters of one line. */
const longest = 400;

const signs: Readonly<Record<SequenceItemView['state'], string>> = {
  healthy: 'ok',
  unhealthy: '..',
  unseen: '??',
  unasked: '--',
  skipped: 'skipped',
  passed: 'timed out',
};

/** Entries of the timeline that are printed. */
const logLines = 10;

/** The waves of a sequence, and what each step waits for. */
export function sequenceText(view: SequenceView, now: Date): string {
  const said = view.said === undefined ? '' : ` by ${view.said.who} at ${view.said.at}: ${view.said.why}`;
  const open = view.wave === undefined || view.state === 'done' ? '' : `, at wave ${view.wave}`;
  const log = view.log.slice(-logLines).map(({ at, item, what }) => `  ${safeLine(`${at} ${item} ${what}`, longest)}`);
  return [
    safeLine(`Sequence ${view.sequence}: ${view.state}${open}${said}`, longest),
    ...view.waves.flatMap(({ wave, items }) => [`Wave ${wave}`, ...items.flatMap((item) => itemLines(item, now))]),
    ...(log.length === 0 ? [] : ['Timeline', ...log]),
    '',
  ].join('\n');
}

function itemLines(item: SequenceItemView, now: Date): readonly string[] {
  const at = now.toISOString();
  const since = item.since === undefined ? '' : `, for ${ageText(between(item.since, at))}`;
  const waited =
    item.waitedSince === undefined
      ? []
      : [
          `waited for since ${item.waitedSince} (${ageText(between(item.waitedSince, at))}), until ${item.until}, then ${item.onTimeout}`,
        ];
  const held =
    item.why === undefined
      ? []
      : [`held back: ${item.why}${item.waitsFor?.length ? ` (${item.waitsFor.join(', ')})` : ''}`];
  return [
    `  ${signs[item.state].padEnd(9)} ${safeLine(`${item.id}: ${item.value}${since}`, longest)}`,
    ...[...waited, ...held].map((text) => `            ${safeLine(text, longest)}`),
  ];
}

import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { type ChangeTexts, hasText } from './change-texts.ts';
import { line } from './line.ts';
import { notLookedAt } from './shared-warnings.ts';

/** What of a MachineConfig was not looked at: it is told, as a person may take silence for an answer. */
export function lintUnread(facets: readonly Facet[], texts: ChangeTexts): readonly Warning[] {
  const read = facets.filter(hasText);
  const unread = read.filter((each) => texts.of(each).kind === 'unread').length;
  return [
    ...(unread === 0
      ? []
      : [notLookedAt(`${unread} of its files and units were not looked at: the change is too large`)]),
    ...read
      .filter((each) => texts.deedsOf(each).isCut)
      .map(({ kind, name }) =>
        notLookedAt(
          `${kind} ${line(name)}: only the first of its commands were looked at: it is too long, or a here document in it has no end`,
        ),
      ),
  ];
}

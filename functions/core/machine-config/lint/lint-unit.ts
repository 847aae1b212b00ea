import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { isObject, textAt } from '../json.ts';
import type { ChangeTexts } from './change-texts.ts';
import { line } from './line.ts';
import { lintText } from './lint-text.ts';

/** A unit that nothing starts, and its content. */
export function lintUnit(facet: Facet, texts: ChangeTexts): readonly Warning[] {
  const { name, value } = facet;
  const read = texts.of(facet);
  const contents = textAt(value, 'contents');
  const isEnabled = isObject(value) && (value['enabled'] === true || value['mask'] === true);
  const isSaid = isObject(value) && typeof value['enabled'] === 'boolean';
  return [
    ...(contents !== '' && /^[^\S\n]*\[Install\]/m.test(contents) && !isEnabled && !isSaid
      ? [
          {
            code: 'unit-not-enabled',
            text: `unit ${line(name)} has an [Install] section but is not enabled`,
            remedy: 'Set enabled: true, or leave [Install] out when another unit starts it',
          },
        ]
      : []),
    ...(isObject(value) && value['enabled'] === true && contents !== '' && !/^[^\S\n]*\[Install\]/m.test(contents)
      ? [
          {
            code: 'unit-not-enabled',
            text: `unit ${line(name)} is enabled but has no [Install] section, so nothing starts it`,
            remedy: 'Add [Install] with WantedBy=multi-user.target',
          },
        ]
      : []),
    ...lintText(`unit ${line(name)}`, name, read.kind === 'text' ? read.text : ''),
  ];
}

import { octal } from '../change-side.ts';
import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { isObject, listAt } from '../json.ts';
import type { ChangeTexts } from './change-texts.ts';
import { line } from './line.ts';
import { lintPath } from './lint-path.ts';
import { lintText } from './lint-text.ts';

/** A file: its path, mode and content. */
export function lintFile(facet: Facet, texts: ChangeTexts): readonly Warning[] {
  const { name, value } = facet;
  const decoded = texts.of(facet);
  const text = decoded.kind === 'text' ? decoded.text : '';
  return [
    ...lintPath(name),
    ...lintMode(name, isObject(value) ? value['mode'] : undefined),
    ...(decoded.kind === 'remote'
      ? [
          {
            code: 'remote-source',
            text: `file ${line(name)} is fetched from ${line(decoded.url)}: the Machine Config Operator writes data URLs only`,
            remedy: 'Put the content into the MachineConfig as a data URL',
          },
        ]
      : []),
    ...(decoded.kind === 'unreadable'
      ? [
          {
            code: 'content-unreadable',
            text: `file ${line(name)} cannot be decoded: ${decoded.why}`,
            remedy: 'Rewrite it as data:;base64, or with percent escapes',
          },
        ]
      : []),
    ...(listAt(value, 'append').length > 0
      ? [
          {
            code: 'unsupported-section',
            text: `file ${line(name)} is appended to, which the Machine Config Operator refuses`,
            remedy: 'Write the whole file, or a drop-in beside it',
          },
        ]
      : []),
    ...lintText(`file ${line(name)}`, name, text),
  ];
}

/** Decimal numbers that read like octal modes: 644 is meant as 0644, and is 01204. None of them is the decimal form of
 *  a usual mode. */
const octalLookalikes: readonly number[] = [
  400, 440, 444, 500, 550, 555, 600, 640, 644, 660, 664, 666, 700, 740, 750, 755, 770, 775, 777,
];

function lintMode(path: string, mode: unknown): readonly Warning[] {
  if (mode === undefined || mode === null) return [];
  const remedy = 'Ignition expects the decimal form: 420 is 0644, 384 is 0600, 493 is 0755, 256 is 0400';
  const warn = (code: string, text: string) => [{ code, text: `file ${line(path)}: ${text}`, remedy }];
  if (typeof mode !== 'number' || !Number.isInteger(mode) || mode < 0)
    return warn('mode-invalid', 'its mode is not a whole number');
  if (octalLookalikes.includes(mode))
    return warn(
      'mode-decimal',
      `mode ${mode} is decimal and means ${octal(mode)}; ${String(mode).padStart(4, '0')} was probably meant`,
    );
  // Source: MCO pkg/controller/common/helpers.go.
  if (mode > 0o777)
    return warn('mode-invalid', `mode ${mode} (${octal(mode)}) is larger than 0777: the pool would not render`);
  return (mode & 0o002) === 0 ? [] : warn('world-writable', `mode ${octal(mode)} makes it writable for everyone`);
}

import { once } from '../text/once.ts';
import { clean, pemOnOneLine } from '../text/safe-text.ts';
import { decodeContents } from './decode.ts';
import type { Facet } from './facet.ts';
import { isObject, listAt, objectAt, textAt, textsAt } from './json.ts';
import type { ComparedLine } from './line-diff.ts';
import { masked } from './mask/masked.ts';
import { maskLine, maskLines } from './mask.ts';
import { isSecretFile } from './secret-file.ts';

/** Characters and lines of a text; a longer one is described by its size only. */
const longestText = 256_000;
const mostLines = 10_000;

/** Most keys, arguments or extensions that are shown one by one. */
const mostListed = 1_000;

/** Longest name, in UTF-16 units. */
const longestName = 300;

/** One side of a change. */
export interface Side {
  /** Mode, owner, state of a unit; shown before the lines, whose numbers do not change. */
  readonly attributes: readonly string[];
  /** Its raw text, which is never shown. */
  readonly text: string;
  /** Its lines, masked when they are asked for first: that takes a hundred times as long as all else. */
  readonly shown: () => Shown;
}

export interface Shown {
  readonly lines: readonly ComparedLine[];
  /** More lines than are shown stand behind them, so that none has its raw text. */
  readonly isFolded?: boolean;
  /** Its one line says that all of it is masked. */
  readonly isSecret?: boolean;
}

type Content = Pick<Side, 'text' | 'shown'>;

const nothing: Content = { text: '', shown: () => ({ lines: [] }) };

const remembered = new WeakMap<object, Side>();

/** Cached by content: pools share it. */
export function sideOf(facet: Facet | undefined): Side {
  if (facet === undefined) return { attributes: [], ...nothing };
  if (!isObject(facet.value)) return readSide(facet);
  const known = remembered.get(facet.value);
  if (known !== undefined) return known;
  const side = readSide(facet);
  remembered.set(facet.value, side);
  return side;
}

function readSide(facet: Facet): Side {
  const side = sideOfKind(facet);
  return { ...side, shown: once(side.shown) };
}

function sideOfKind({ kind, name, value }: Facet): Side {
  switch (kind) {
    case 'file':
      return fileSide(name, value);
    case 'unit':
      return unitSide(name, value);
    case 'user':
      return { attributes: [], ...userContent(value) };
    case 'kernelArguments':
    case 'extensions':
      return { attributes: [], ...listContent(Array.isArray(value) ? value.map(String) : []) };
    case 'fips':
    case 'kernelType':
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return { attributes: [], ...listContent([String(value)]) };
    // An unknown section: its content is not shown.
    case 'opaque':
      return { attributes: [], ...nothing };
    default:
      return kind satisfies never;
  }
}

function listContent(items: readonly string[]): Content {
  return { text: items.join('\n'), shown: () => ({ lines: listLines(items) }) };
}

/** Each item on a line of its own. */
function listLines(items: readonly string[]): readonly ComparedLine[] {
  const lines = items.slice(0, mostListed).map((raw) => ({ shown: maskLine(oneLine(raw)), raw }));
  const rest = items.slice(mostListed);
  return rest.length === 0 ? lines : [...lines, { shown: `(${rest.length} more)`, raw: rest.join('\n') }];
}

function fileSide(path: string, value: unknown): Side {
  const { text, shown } = fileContent(path, isObject(value) ? value['contents'] : undefined);
  const attributes = attributesOf(value);
  return { attributes, text: [...attributes, text].join('\n'), shown };
}

/** Mode, owner and Ignition's append, where given. */
function attributesOf(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  const mode = value['mode'];
  const owners = [ownerOf(value, 'user'), ownerOf(value, 'group')].filter((each) => each !== '');
  const appended = listAt(value, 'append').length;
  return [
    ...(typeof mode === 'number' ? [`(mode ${octal(mode)})`] : []),
    ...(owners.length > 0 ? [`(owner ${owners.join(', ')})`] : []),
    ...(appended > 0 ? [`(appended to, ${appended} times)`] : []),
  ];
}

function ownerOf(value: unknown, field: 'user' | 'group'): string {
  const owner = objectAt(value, field);
  const id = owner['id'];
  const named = textAt(owner, 'name') || (typeof id === 'number' ? String(id) : '');
  return named === '' ? '' : `${field} ${nameLine(named)}`;
}

/** `0644` for 420. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** Binary content is compared as encoded. */
function fileContent(path: string, contents: unknown): Content {
  const decoded = decodeContents(contents);
  const source = textAt(contents, 'source');
  switch (decoded.kind) {
    case 'text':
      return { text: decoded.text, shown: () => textShown(path, decoded.text, wholeText()) };
    case 'binary':
      return { text: source, shown: () => whole(`(binary, ${decoded.sizeBytes} bytes)`, source) };
    case 'remote':
      return { text: decoded.url, shown: () => whole(`(fetched from ${clean(decoded.url)})`, decoded.url) };
    case 'unreadable':
      return { text: source, shown: () => whole(`(cannot be shown: ${decoded.why})`, source) };
    default:
      return decoded satisfies never;
  }
}

function whole(shown: string, raw: string): Shown {
  return { lines: [{ shown, raw }] };
}

/** How much of a text may still be masked. */
interface Left {
  characters: number;
  lines: number;
}

function wholeText(): Left {
  return { characters: longestText, lines: mostLines };
}

/** What is masked of it is taken from what is left. */
function textShown(path: string, text: string, left: Left): Shown {
  if (text === '') return { lines: [] };
  if (isSecretFile(path, text.slice(0, longestText)))
    return { ...whole(`(${masked}: it may hold secrets)`, text), isSecret: true };
  if (text.length > left.characters) return whole(`(${text.length} characters, too long to show)`, text);
  const shownText = text.replace(/(?:\r\n?|\n)$/, '');
  const count = shownText.split(lineEnd).length;
  if (count > left.lines) return whole(`(${count} lines, too many to show)`, text);
  left.characters -= text.length;
  left.lines -= count;
  return maskedText(shownText);
}

/** What ends a line of a text that is cleaned. */
const lineEnd = /\r\n?|[\n\u0085\u2028\u2029]/;

/** Each line beside what it is masked of. A mask that takes several lines together leaves none for each. */
function maskedText(text: string): Shown {
  const lines = maskLines(text);
  const raw = pemOnOneLine(text).split(lineEnd);
  return raw.length === lines.length
    ? { lines: lines.map((shown, at) => ({ shown, raw: raw[at] ?? '' })) }
    : { lines: lines.map(plain), isFolded: true };
}

function unitSide(name: string, value: unknown): Side {
  if (!isObject(value)) return { attributes: [], ...nothing };
  const attributes = ['enabled', 'mask'].flatMap((field) =>
    typeof value[field] === 'boolean' ? [`(${field}: ${value[field]})`] : [],
  );
  const contents = textAt(value, 'contents');
  const dropins = listAt(value, 'dropins').map((dropin) => ({
    name: textAt(dropin, 'name'),
    contents: textAt(dropin, 'contents'),
  }));
  return {
    attributes,
    text: [...attributes, contents, ...dropins.flatMap((dropin) => [dropin.name, dropin.contents])].join('\n'),
    shown: () => unitShown(name, contents, dropins),
  };
}

interface Dropin {
  readonly name: string;
  readonly contents: string;
}

/** All of a unit is as long as one text may be. */
function unitShown(name: string, contents: string, dropins: readonly Dropin[]): Shown {
  const left = wholeText();
  const parts = [
    textShown(name, contents, left),
    ...dropins.flatMap((dropin) => [
      // No line of a text has an end in it: none is the same as this one.
      { lines: [{ shown: `(drop-in ${nameLine(dropin.name)})`, raw: `\n${dropin.name}` }] },
      textShown(`${name}.d/${dropin.name}`, dropin.contents, left),
    ]),
  ];
  return { lines: parts.flatMap(({ lines }) => lines), isFolded: parts.some(({ isFolded }) => isFolded === true) };
}

/** Compared by what is shown of it. */
export function plain(shown: string): ComparedLine {
  return { shown, raw: shown };
}

/** Keys by type and comment; every other field by its name. */
function userContent(value: unknown): Content {
  if (!isObject(value)) return nothing;
  const keys = textsAt(value, 'sshAuthorizedKeys');
  const fields = Object.keys(value)
    .filter((field) => !['name', 'sshAuthorizedKeys'].includes(field))
    .map((field) => ({ shown: `(${nameLine(field)}: ${masked})`, raw: `${field} ${fieldText(value[field])}` }));
  return {
    text: [...keys, ...fields.map(({ raw }) => raw)].join('\n'),
    shown: () => ({ lines: [...listLines(keys), ...fields] }),
  };
}

function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string').join(' ');
  return isObject(value) ? '' : String(value);
}

/** Names come from Git, from anyone who may push: one line, no invisible characters, bounded. */
export function nameLine(name: string): string {
  const line = oneLine(name.slice(0, longestName));
  return name.length > longestName ? `${line}…` : line;
}

/** Cut only after masking: no part of a secret may remain. */
function oneLine(text: string): string {
  return clean(text).replace(/\n/g, ' ');
}

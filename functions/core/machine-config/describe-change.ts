import { type Room, roomFor } from '../text/room.ts';
import { clean } from '../text/safe-text.ts';
import { type Decoded, decodeContents } from './decode.ts';
import type { DiffEntry } from './disruption.ts';
import type { Facet } from './facet.ts';
import { type FacetChange, subjectOf, whatOf } from './facet-change.ts';
import { isObject, listAt, objectAt, textAt, textsAt } from './json.ts';
import { lineDiff } from './line-diff.ts';
import { masked } from './mask/masked.ts';
import { maskLine, maskLines } from './mask.ts';
import type { MergedFacet } from './merge-facets.ts';
import { isSecretFile } from './secret-file.ts';
import { securityTopics } from './security-topics.ts';

/** Most lines of one entry, and most characters of one line. */
const mostLines = 200;
const longestLine = 300;

/** A longer text is described by its size only. */
const longestText = 256_000;

/** A change in readable form: what, from which source, and a unified diff with secrets masked. */
export function describeChange(change: FacetChange, source: DiffEntry['source'], room = everything): DiffEntry {
  return { ...described(change, room), source };
}

const everything = roomFor(Number.POSITIVE_INFINITY);

/** Characters of all that is described of one change for whoever may open a pull request, with those that its lines
 *  count for: this takes half a second, and a comment has no place for the hundredth part of it. */
export const describedAtMost = 2_000_000;

type Described = Omit<DiffEntry, 'source'>;

const nothing = {};
const rememberedChanges = new WeakMap<object, WeakMap<object, Described>>();

/** Cached by both contents: the pools of a cluster, and clusters with the same Git, mostly share them. A change without
 *  content of its own is not cached. */
function described(change: FacetChange, room: Room): Described {
  const old = change.before === undefined ? nothing : change.before.value;
  const now = change.after === undefined ? nothing : change.after.value;
  if (!isObject(old) || !isObject(now) || subjectOf(change)?.kind === 'opaque') return describe(change, room);
  const known = rememberedChanges.get(old) ?? new WeakMap<object, Described>();
  rememberedChanges.set(old, known);
  const found = known.get(now);
  if (found !== undefined) return found;
  const isRoom = room.isLeft();
  const fresh = describe(change, room);
  if (isRoom) known.set(now, fresh);
  return fresh;
}

function describe(change: FacetChange, room: Room): Described {
  const subject = subjectOf(change) ?? { kind: 'opaque', name: '', key: '', value: undefined };
  const named: Pick<Described, 'what' | 'change'> = {
    what: nameLine(whatOf(subject)),
    change: change.before === undefined ? 'added' : change.after === undefined ? 'removed' : 'changed',
  };
  if (!room.isLeft()) return { ...named, lines: [notDescribed], security: topicsOf(subject, []), isUnread: true };
  const [before, after] = [sideOf(change.before), sideOf(change.after)];
  room.take(sizeOf(before) + sizeOf(after));
  return {
    ...named,
    lines: subject.kind === 'opaque' ? [] : diffLines(before, after),
    security: topicsOf(subject, [before, after]),
  };
}

/** To mask a line takes as long as that many characters of it, also where it is empty. */
const perLine = 50;

function sizeOf({ text, lines }: Side): number {
  return text.length + perLine * lines.length;
}

const notDescribed = '(not shown: the whole change is too large)';

/** Names come from Git, from anyone who may push: one line, no invisible characters, bounded. */
function nameLine(name: string): string {
  const line = clean(name.slice(0, longestLine)).replace(/\n/g, ' ');
  return name.length > longestLine ? `${line}…` : line;
}

/** Cut only after masking: no part of a secret may remain. */
function oneLine(text: string): string {
  return clean(text).replace(/\n/g, ' ');
}

/** The same for rendered configs, where each side has its winning source. */
export function describeMerged(change: FacetChange<MergedFacet>, room = everything): DiffEntry {
  return describeChange(change, { before: change.before?.source ?? '', after: change.after?.source ?? '' }, room);
}

/** One side: its lines as shown, and its raw text, which is never shown. */
interface Side {
  /** Mode, owner, state of a unit; shown before the lines, whose numbers do not change. */
  readonly attributes?: readonly string[];
  readonly lines: readonly string[];
  readonly text: string;
}

function diffLines(before: Side, after: Side): readonly string[] {
  const diff = [
    ...attributeDiff(before.attributes ?? [], after.attributes ?? []),
    ...lineDiff(before.lines, after.lines),
  ];
  const lines =
    diff.length > 0
      ? diff
      : before.text === after.text
        ? ['(only the encoding differs)']
        : ['(only what is masked differs)'];
  const short = lines.map((line) =>
    line.length > longestLine ? `${line.slice(0, longestLine)}…`.toWellFormed() : line,
  );
  if (short.length <= mostLines) return short;
  return [...short.slice(0, mostLines), `(${short.length - mostLines} more lines)`];
}

function attributeDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  return [
    ...before.filter((each) => !after.includes(each)).map((each) => `-${each}`),
    ...after.filter((each) => !before.includes(each)).map((each) => `+${each}`),
  ];
}

const remembered = new WeakMap<object, Side>();

/** Cached by content: pools share it. */
function sideOf(facet: Facet | undefined): Side {
  if (facet === undefined) return { lines: [], text: '' };
  if (!isObject(facet.value)) return readSide(facet);
  const known = remembered.get(facet.value);
  if (known !== undefined) return known;
  const side = readSide(facet);
  remembered.set(facet.value, side);
  return side;
}

function readSide({ kind, name, value }: Facet): Side {
  switch (kind) {
    case 'file':
      return fileSide(name, value);
    case 'unit':
      return unitSide(name, value);
    case 'user':
      return userSide(value);
    case 'kernelArguments':
    case 'extensions':
      return plainSide(Array.isArray(value) ? value.map(String) : []);
    case 'fips':
    case 'kernelType':
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return plainSide([String(value)]);
    // An unknown section: its content is not shown.
    case 'opaque':
      return { lines: [], text: '' };
    default:
      return kind satisfies never;
  }
}

function plainSide(lines: readonly string[]): Side {
  const text = lines.join('\n');
  return { lines: lines.map((line) => maskLine(oneLine(line))), text };
}

function fileSide(path: string, value: unknown): Side {
  const content = contentSide(path, isObject(value) ? value['contents'] : undefined);
  const attributes = attributesOf(value);
  return { attributes, lines: content.lines, text: [...attributes, content.text].join('\n') };
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
function contentSide(path: string, contents: unknown): Side {
  const decoded: Decoded = decodeContents(contents);
  const source = textAt(contents, 'source');
  switch (decoded.kind) {
    case 'text':
      return { lines: textLines(path, decoded.text), text: decoded.text };
    case 'binary':
      return { lines: [`(binary, ${decoded.sizeBytes} bytes)`], text: source };
    case 'remote':
      return { lines: [`(fetched from ${clean(decoded.url)})`], text: decoded.url };
    case 'unreadable':
      return { lines: [`(cannot be shown: ${decoded.why})`], text: source };
    default:
      return decoded satisfies never;
  }
}

function textLines(path: string, text: string): readonly string[] {
  if (text === '') return [];
  if (isSecretFile(path, text.slice(0, longestText))) return [`(${masked}: it may hold secrets)`];
  if (text.length > longestText) return [`(${text.length} characters, too long to show)`];
  return maskLines(text.endsWith('\n') ? text.slice(0, -1) : text);
}

function unitSide(name: string, value: unknown): Side {
  if (!isObject(value)) return { lines: [], text: '' };
  const states = ['enabled', 'mask'].flatMap((field) =>
    typeof value[field] === 'boolean' ? [`(${field}: ${value[field]})`] : [],
  );
  const contents = textAt(value, 'contents');
  const dropins = listAt(value, 'dropins').map((dropin) => ({
    name: textAt(dropin, 'name'),
    contents: textAt(dropin, 'contents'),
  }));
  return {
    attributes: states,
    lines: [
      ...textLines(name, contents),
      ...dropins.flatMap((dropin) => [
        `(drop-in ${nameLine(dropin.name)})`,
        ...textLines(`${name}.d/${dropin.name}`, dropin.contents),
      ]),
    ],
    text: [...states, contents, ...dropins.flatMap((dropin) => [dropin.name, dropin.contents])].join('\n'),
  };
}

/** Keys by type and comment; every other field by its name. */
function userSide(value: unknown): Side {
  if (!isObject(value)) return { lines: [], text: '' };
  const keys = textsAt(value, 'sshAuthorizedKeys');
  const fields = Object.keys(value).filter((field) => !['name', 'sshAuthorizedKeys'].includes(field));
  return {
    lines: [...keys.map((key) => maskLine(oneLine(key))), ...fields.map((field) => `(${nameLine(field)}: ${masked})`)],
    text: [...keys, ...fields.map((field) => `${field} ${textAt(value, field)}`)].join('\n'),
  };
}

function topicsOf(subject: Facet, sides: readonly Side[]): readonly string[] {
  const found = securityTopics(
    subject.kind === 'file' || subject.kind === 'unit' ? subject.name : '',
    shownText(sides),
  );
  switch (subject.kind) {
    case 'user': {
      const isPassword = sides.some(({ text }) => text.includes('passwordHash'));
      return ['authorized keys', ...(isPassword ? ['password'] : [])];
    }
    case 'fips':
      return ['FIPS mode'];
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return ['OS image'];
    case 'opaque':
      return /^(?:storage\.luks|passwd\.groups)$/.test(subject.name) ? ['disks or accounts'] : [];
    default:
      return found;
  }
}

/** Only what differs: a file that mentions SELinux in an unchanged line is no change of it. */
function shownText(sides: readonly Side[]): string {
  const [before = { text: '' }, after = { text: '' }] = sides;
  const old = new Set(before.text.split('\n'));
  const now = new Set(after.text.split('\n'));
  return [...[...old].filter((line) => !now.has(line)), ...[...now].filter((line) => !old.has(line))].join('\n');
}

import { type Room, roomFor } from '../text/room.ts';
import { nameLine, plain, type Side, sideOf } from './change-side.ts';
import type { DiffEntry } from './disruption.ts';
import type { Facet } from './facet.ts';
import { type FacetChange, subjectOf, whatOf } from './facet-change.ts';
import { isObject } from './json.ts';
import { type ComparedLine, lineDiff } from './line-diff.ts';
import type { MergedFacet } from './merge-facets.ts';
import { securityTopics } from './security-topics.ts';

/** Most lines of one entry, and most characters of one line. */
const mostLines = 200;
const longestLine = 300;

/** A change in readable form: what, from which source, and a unified diff with secrets masked. */
export function describeChange(change: FacetChange, source: DiffEntry['source'], room = everything): DiffEntry {
  return { ...described(change, room), source };
}

const everything = roomFor(Number.POSITIVE_INFINITY);

/** Characters of all that is described of one change for whoever may open a pull request, with those that its lines
 *  count for: this takes a second and a half, with turns for others after each file, and is twelve thousand lines on
 *  each side. A comment has no place for the hundredth part of it. */
export const describedAtMost = 6_000_000;

type Described = Omit<DiffEntry, 'source'>;

const nothing = {};
const rememberedChanges = new WeakMap<object, WeakMap<object, Described>>();

/** Cached by both contents: the pools of a cluster, and clusters with the same Git, mostly share them. */
function described(change: FacetChange, room: Room): Described {
  if (subjectOf(change)?.kind === 'opaque') return describe(change, room);
  const [old, now] = [contentOf(change.before), contentOf(change.after)];
  const known = rememberedChanges.get(old) ?? new WeakMap<object, Described>();
  rememberedChanges.set(old, known);
  const found = known.get(now);
  if (found !== undefined) return found;
  const isRoom = room.isLeft();
  const fresh = describe(change, room);
  if (isRoom) known.set(now, fresh);
  return fresh;
}

/** What stands for one side in the cache. A text or list has no identity of its own: the facet has, which is cached
 *  with its MachineConfig. */
function contentOf(side: Facet | undefined): object {
  if (side === undefined) return nothing;
  return isObject(side.value) ? side.value : side;
}

const noSubject: Facet = { kind: 'opaque', name: '', key: '', value: undefined };

/** Characters of one change that are searched for topics: some tenths of a second, and more than both sides of what
 *  the MCO renders have, unless they are packed. */
export const searchedAtMost = 4_000_000;

/** Said beside the topics of a change where there was no room to look for all. */
export const notLookedAt = 'content not looked at';

/** What a change is called, and its topics. Its lines are not masked, which takes a hundred times as long. */
export function nameChange(change: FacetChange, room: Room): Pick<DiffEntry, 'what' | 'security' | 'isUnread'> {
  const subject = subjectOf(change) ?? noSubject;
  const what = nameLine(whatOf(subject));
  if (!room.isLeft()) return { what, security: topicsOf(subject, []), isUnread: true };
  const sides = [sideOf(change.before), sideOf(change.after)];
  for (const { text } of sides) room.take(text.length);
  return { what, security: topicsOf(subject, sides) };
}

function describe(change: FacetChange, room: Room): Described {
  const subject = subjectOf(change) ?? noSubject;
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
const perLine = 200;

function sizeOf({ text, shown }: Side): number {
  return text.length + perLine * shown().lines.length;
}

const notDescribed = '(not shown: the whole change is too large)';

/** The same for rendered configs, where each side has its winning source. */
export function describeMerged(change: FacetChange<MergedFacet>, room = everything): DiffEntry {
  return describeChange(change, { before: change.before?.source ?? '', after: change.after?.source ?? '' }, room);
}

function diffLines(before: Side, after: Side): readonly string[] {
  const lines = comparedLines(before, after);
  const short = lines.map((line) =>
    line.length > longestLine ? `${line.slice(0, longestLine)}…`.toWellFormed() : line,
  );
  if (short.length <= mostLines) return short;
  return [...short.slice(0, mostLines), `(${short.length - mostLines} more lines)`];
}

/** Lines that differ in what is masked of them look alike, once without and once with. */
function comparedLines(before: Side, after: Side): readonly string[] {
  const [old, now] = [before.shown(), after.shown()];
  const isFolded = old.isFolded === true || now.isFolded === true;
  const attributes = attributeDiff(before.attributes, after.attributes);
  const lines = isFolded ? lineDiff(asShown(old.lines), asShown(now.lines)) : lineDiff(old.lines, now.lines);
  const isSecret = old.isSecret === true && now.isSecret === true;
  if (attributes.length === 0 && (lines.length === 0 || isSecret))
    return [onlyDifference(before, after, lines.length === 0 && !isFolded)];
  const isMoreMasked =
    isFolded &&
    old.lines.length > 0 &&
    now.lines.length > 0 &&
    changedLines(before, after).length > changesIn([...attributes, ...lines]);
  return [...(isMoreMasked ? ['(what is masked differs, too)'] : []), ...attributes, ...lines];
}

/** What differs where no line does that is shown. `isSame`: nor does any in what is masked of it. */
function onlyDifference(before: Side, after: Side, isSame: boolean): string {
  if (before.text === after.text) return '(only the encoding differs)';
  const [was, is] = [withoutEnds(before.text), withoutEnds(after.text)];
  if (was !== is && !isSame) return '(only what is masked differs)';
  return was === is || ![was, is].some((text) => oddEnd.test(text))
    ? '(only the ends of lines differ)'
    : '(signs between lines differ, which may join or divide lines)';
}

/** Most programs end no line there: a comment before it takes in what is behind it. */
const oddEnd = /[\r\u0085\u2028\u2029]/;

function withoutEnds(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\n$/, '');
}

function asShown(lines: readonly ComparedLine[]): readonly ComparedLine[] {
  return lines.map(({ shown }) => plain(shown));
}

function changesIn(diff: readonly string[]): number {
  return diff.filter((line) => line.startsWith('-') || line.startsWith('+')).length;
}

function attributeDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  return [
    ...before.filter((each) => !after.includes(each)).map((each) => `-${each}`),
    ...after.filter((each) => !before.includes(each)).map((each) => `+${each}`),
  ];
}

function topicsOf(subject: Facet, sides: readonly Side[]): readonly string[] {
  const found = securityTopics(
    subject.kind === 'file' || subject.kind === 'unit' ? subject.name : '',
    changedLines(...sides).join('\n'),
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
function changedLines(before?: Pick<Side, 'text'>, after?: Pick<Side, 'text'>): readonly string[] {
  const old = new Set(before?.text.split('\n'));
  const now = new Set(after?.text.split('\n'));
  return [...[...old].filter((line) => !now.has(line)), ...[...now].filter((line) => !old.has(line))];
}

/** Masterminds/semver 3.4.0, told again from its `constraints.go` and `version.go`, with regular expressions as
 *  there. For tests alone: some of them take long for hostile texts. */

/** Numbers as text of 20 digits, so that they compare as texts; pre-release. */
interface Version {
  readonly numbers: readonly string[];
  readonly pre: string;
}

const largest = '18446744073709551615';

export function parseVersion(text: string): Version | undefined {
  const word = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
  const found = new RegExp(`^v?([0-9]+)(\\.[0-9]+)?(\\.[0-9]+)?(?:-(${word}))?(?:\\+(${word}))?$`).exec(text);
  if (found === null) return undefined;
  const [, major = '', minor = '.0', patch = '.0', pre = ''] = found;
  const numbers = [major, minor.slice(1), patch.slice(1)].map((each) =>
    each.replace(/^0+(?=\d)/, '').padStart(20, '0'),
  );
  if (numbers.some((each) => each > largest) || pre.split('.').some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers, pre };
}

interface Comparison {
  readonly operator: string;
  readonly bound: Version;
  readonly dirty: boolean;
  readonly minorDirty: boolean;
  readonly patchDirty: boolean;
}

const word = '[0-9A-Za-z\\-]+(?:\\.[0-9A-Za-z\\-]+)*';
const loose = `v?([0-9xX*|]+)(\\.[0-9xX*|]+)?(\\.[0-9xX*|]+)?(-${word})?(\\+${word})?`;
const looseUnnamed = loose.replaceAll('([', '(?:[').replaceAll('(\\', '(?:\\').replaceAll('(-', '(?:-');
const operators = '=||!=|>|<|>=|=>|<=|=<|~|~>|\\^';
const space = '[\\t\\n\\f\\r ]';
const hyphenRange = new RegExp(`${space}*(${looseUnnamed})${space}+-${space}+(${looseUnnamed})${space}*`, 'g');
const validGroup = new RegExp(
  `^(?:${space}*(?:${operators})${space}*${looseUnnamed}${space}*)(?:(?:${space}+|,${space}*)(?:${operators})${space}*${looseUnnamed}${space}*)*$`,
);
const inGroup = new RegExp(`(?:${operators})${space}*${looseUnnamed}`, 'g');
const single = new RegExp(`^${space}*(${operators})${space}*${loose}${space}*$`);

/** Groups joined by `||`, each a list of comparisons. Undefined: it is no constraint. */
export function parseConstraint(text: string): readonly (readonly Comparison[])[] | undefined {
  let rewritten = text;
  for (const [found, low, high] of text.matchAll(hyphenRange)) {
    rewritten = rewritten.replace(found, () => `>= ${low}, <= ${high} `);
  }
  const groups: Comparison[][] = [];
  for (const group of rewritten.split('||')) {
    if (!validGroup.test(group)) return undefined;
    const comparisons = (group.match(inGroup) ?? []).map(parseComparison);
    const sound = comparisons.filter((each) => each !== undefined);
    if (sound.length < comparisons.length) return undefined;
    groups.push(sound);
  }
  return groups;
}

function parseComparison(text: string): Comparison | undefined {
  const [, operator = '', major = '', minor = '', patch = '', pre = ''] = single.exec(text) ?? [];
  const isX = (part: string) => ['x', 'X', '*', ''].includes(part);
  if (isX(major)) return comparison(operator, `0.0.0${pre}`, {});
  if (isX(minor.slice(1))) return comparison(operator, `${major}.0.0${pre}`, { minorDirty: true });
  if (isX(patch.slice(1))) return comparison(operator, `${major}${minor}.0${pre}`, { patchDirty: true });
  return comparison(operator, `${major}${minor}${patch}${pre}`, { dirty: false });
}

function comparison(operator: string, text: string, flags: Partial<Comparison>): Comparison | undefined {
  const bound = parseVersion(text);
  return bound && { operator, bound, dirty: true, minorDirty: false, patchDirty: false, ...flags };
}

export function check(groups: readonly (readonly Comparison[])[], version: Version): boolean {
  return groups.some((group) => {
    const admitsPre = group.some(({ bound }) => bound.pre !== '');
    if (version.pre !== '' && !admitsPre) return false;
    return group.every((each) => holds(each, version));
  });
}

type Rule = (comparison: Comparison, difference: Difference) => boolean;

/** Signs: above zero, the version is newer than the bound. */
interface Difference {
  readonly order: number;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly samePre: boolean;
}

function holds(comparison: Comparison, version: Version): boolean {
  const { bound, operator } = comparison;
  const [major = 0, minor = 0, patch = 0] = version.numbers.map((number, at) => sign(number, bound.numbers[at] ?? ''));
  const order = compare(version, bound);
  return (rules[operator] ?? caret)(comparison, { order, major, minor, patch, samePre: version.pre === bound.pre });
}

function sign(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const near: Rule = ({ bound, minorDirty, patchDirty }, { order, major, minor }) => {
  if (order < 0) return false;
  if (bound.numbers.every((number) => Number(number) === 0) && !minorDirty && !patchDirty) return true;
  return major === 0 && (minor === 0 || minorDirty);
};

const equal: Rule = (comparison, difference) =>
  comparison.dirty ? near(comparison, difference) : difference.order === 0;

const other: Rule = ({ dirty, minorDirty, patchDirty }, { order, major, minor, samePre }) => {
  if (!dirty) return order !== 0;
  if (major !== 0) return true;
  if (minorDirty) return false;
  if (minor !== 0) return true;
  return patchDirty ? !samePre : order !== 0;
};

const above: Rule = ({ dirty, minorDirty, patchDirty }, { order, major, minor }) => {
  if (!dirty) return order > 0;
  if (major !== 0) return major > 0;
  if (minorDirty) return false;
  return patchDirty ? minor > 0 : order > 0;
};

const atMost: Rule = ({ dirty, minorDirty }, { order, major, minor }) => {
  if (!dirty) return order <= 0;
  return major < 0 || (major === 0 && (minor <= 0 || minorDirty));
};

const caret: Rule = ({ bound, minorDirty, patchDirty }, { order, major, minor, patch }) => {
  const [isMajor, isMinor] = bound.numbers.map((number) => Number(number) > 0);
  if (order < 0) return false;
  if (isMajor || minorDirty) return major === 0;
  if (major > 0) return false;
  if (isMinor || patchDirty) return minor === 0;
  return minor <= 0 && patch === 0;
};

const atLeast: Rule = (_, { order }) => order >= 0;

const rules: Readonly<Record<string, Rule>> = {
  '': equal,
  '=': equal,
  '!=': other,
  '>': above,
  '<': (_, { order }) => order < 0,
  '>=': atLeast,
  '=>': atLeast,
  '<=': atMost,
  '=<': atMost,
  '~': near,
  '~>': near,
  '^': caret,
};

function compare(a: Version, b: Version): number {
  const [left, right] = [a.numbers.join(), b.numbers.join()];
  if (left !== right) return left < right ? -1 : 1;
  if (a.pre === b.pre) return 0;
  if (a.pre === '' || b.pre === '') return a.pre === '' ? 1 : -1;
  const [ours, theirs] = [a.pre.split('.'), b.pre.split('.')];
  for (let at = 0; at < Math.max(ours.length, theirs.length); at += 1) {
    const order = comparePart(ours[at] ?? '', theirs[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? -1 : 1;
  const [left, right] = [a, b].map((part) => (/^\d+$/.test(part) ? BigInt(part) : undefined));
  if (left !== undefined && right !== undefined) return left < right ? -1 : 1;
  if (left !== undefined || right !== undefined) return left !== undefined ? -1 : 1;
  return a < b ? -1 : 1;
}

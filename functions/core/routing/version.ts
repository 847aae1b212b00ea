/** A semantic version as Argo CD parses a tag. Source: Masterminds/semver 3.4, `NewVersion`. */
export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** The part after the hyphen, split at its dots; empty: a release. */
  readonly prerelease: readonly string[];
}

/** Numbers are unsigned 64-bit there. */
const largest = 2n ** 64n - 1n;

/** `v1`, `1.2`, `01.2.3-rc.1+build`; undefined for anything else. */
export function versionOf(text: string): Version | undefined {
  const found = /^v?(\d{1,300})(?:\.(\d{1,300}))?(?:\.(\d{1,300}))?(?:-([\w.-]{1,300}))?(?:\+([\w.-]{1,300}))?$/.exec(
    text,
  );
  if (found === null) return undefined;
  const [, major = '', minor = '0', patch = '0', pre, metadata] = found;
  const prerelease = pre?.split('.') ?? [];
  const isSound = prerelease.every(isPrereleasePart) && (metadata?.split('.') ?? []).every(isPart);
  const numbers = [major, minor, patch].map(BigInt);
  return isSound && numbers.every((each) => each <= largest) ? made(numbers, prerelease) : undefined;
}

function made([major = 0n, minor = 0n, patch = 0n]: readonly bigint[], prerelease: readonly string[]): Version {
  return { major, minor, patch, prerelease };
}

function isPart(part: string): boolean {
  return /^[0-9A-Za-z-]+$/.test(part);
}

/** Numbers have no leading zero. */
function isPrereleasePart(part: string): boolean {
  return isPart(part) && !/^0\d+$/.test(part);
}

/** Below zero: `a` is older. Build metadata is ignored. */
export function compareVersions(a: Version, b: Version): number {
  const byNumber = compare(a.major, b.major) || compare(a.minor, b.minor) || compare(a.patch, b.patch);
  return byNumber || comparePrereleases(a.prerelease, b.prerelease);
}

/** A release is newer than any of its pre-releases. */
export function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return compare(b.length, a.length);
  const count = Math.max(a.length, b.length);
  for (let index = 0; index < count; index += 1) {
    const order = compareParts(a[index], b[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** A missing part sorts first; numbers sort before words. */
function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined) return compare(left, right);
  if (left !== undefined) return -1;
  return right === undefined ? compare(a, b) : 1;
}

/** A number that is too large counts as a word. */
function numberOf(part: string): bigint | undefined {
  if (!/^\d+$/.test(part)) return undefined;
  const value = BigInt(part);
  return value <= largest ? value : undefined;
}

function compare<T extends number | bigint | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

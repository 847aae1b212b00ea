interface Version {
  readonly numbers: readonly number[];
  readonly isPrerelease: boolean;
}

/** Whether a version is at least another, by its numbers; a pre-release is before its release. Undefined: one of them
 *  is no version. */
export function isAtLeast(written: string, least: string): boolean | undefined {
  const [a, b] = [versionOf(written), versionOf(least)];
  if (a === undefined || b === undefined) return undefined;
  const places = Math.max(a.numbers.length, b.numbers.length);
  for (let place = 0; place < places; place += 1) {
    const difference = (a.numbers[place] ?? 0) - (b.numbers[place] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return !a.isPrerelease || b.isPrerelease;
}

function versionOf(text: string): Version | undefined {
  const found = /^v?(\d{1,9}(?:\.\d{1,9}){0,5})(-[\w.]{1,100})?(?:\+[\w.]{1,100})?$/.exec(text.trim());
  if (found?.[1] === undefined) return undefined;
  return { numbers: found[1].split('.').map(Number), isPrerelease: found[2] !== undefined };
}

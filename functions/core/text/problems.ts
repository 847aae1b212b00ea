/** Of a thousand problems the first few say what is wrong. */
const namedAtMost = 3;
/** UTF-16 units of one. */
const lengthAtMost = 120;

/** So many are counted: nobody needs to know more exactly, and each costs some microseconds to find. */
const countedAtMost = 1_000;

/** What is wrong with something that was not understood, gathered part by part: counted, and three are kept. */
export interface Problems {
  /** Zod's issues of one part, which stands at `path`. */
  add(issues: readonly Problem[], path?: readonly PropertyKey[]): void;
  readonly count: number;
  /** No more need be looked for. */
  readonly isEnough: boolean;
  /** `2 problems: holds.0.id: expected string; v: expected 1`. Quotes nothing of what was read but names of fields. */
  words(): string;
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export function problems(): Problems {
  let count = 0;
  const named: string[] = [];
  return {
    add(issues, path = []) {
      for (const issue of issues.slice(0, namedAtMost - named.length)) {
        const where = [...path, ...issue.path].join('.');
        named.push(`${where === '' ? '' : `${where}: `}${issue.message}`.slice(0, lengthAtMost));
      }
      count += issues.length;
    },
    get count() {
      return count;
    },
    get isEnough() {
      return count >= countedAtMost;
    },
    words() {
      const some = count >= countedAtMost ? `${countedAtMost} problems or more: ` : `${count} problems: `;
      return `${count === 1 ? '' : some}${named.join('; ')}${count > named.length ? '; ...' : ''}`;
    },
  };
}

/** Problems that are quoted. */
const namedAtMost = 3;
/** UTF-16 units of one. */
const lengthAtMost = 120;

/** Counting stops here: each problem costs microseconds and memory to find. */
const countedAtMost = 1_000;

/** Collects validation problems part by part: counts them and keeps the first three. */
export interface Problems {
  /** Adds zod's issues of the part at `path`. */
  add(issues: readonly Problem[], path?: readonly PropertyKey[]): void;
  readonly count: number;
  /** The limit is reached; further parts need not be validated. */
  readonly isEnough: boolean;
  /** `2 problems: holds.0.id: expected string; v: expected 1`. Quotes field names only, never values. */
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

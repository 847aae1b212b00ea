/** Keys and list indexes from the top of the configuration. */
export type Path = readonly (string | number)[];

/** One thing that is wrong with a configuration. */
export interface Problem {
  readonly path: Path;
  /** What is wrong, without the value. */
  readonly what: string;
  /** What was probably meant, or what to do. */
  readonly hint: string | undefined;
  /** Whether the key itself is wrong, or its value. */
  readonly at: 'key' | 'value';
}

/** `clusters[0].pools.worker.wave`; a key that is not a plain word is quoted. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(part)) return `${text}[${JSON.stringify(part)}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

export function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

/** The value at a path of plain data; undefined if there is none. */
export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    if (Array.isArray(value)) return typeof part === 'number' ? value[part] : undefined;
    return isMapping(value) ? value[part] : undefined;
  }, data);
}

export function isMapping(value: unknown): value is Readonly<Record<string | number, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

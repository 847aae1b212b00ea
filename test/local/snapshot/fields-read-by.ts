/** Which fields of an object something reads, as `status.history.0.version`, whatever it makes of them. Each field is
 *  offered as an object, and as a list of one where nothing was read of that, until nothing new is read. */
export function fieldsReadBy(read: (body: unknown) => unknown): readonly string[] {
  const fields = new Set<string>();
  const lists = new Set<string>();
  for (let before = -1; before < fields.size; ) {
    before = fields.size;
    for (const field of fields) if (!hasBelow(fields, field)) lists.add(field);
    read(offered('', { fields, lists }));
  }
  return [...fields].filter((field) => !hasBelow(fields, field)).toSorted();
}

interface Seen {
  readonly fields: Set<string>;
  readonly lists: ReadonlySet<string>;
}

function offered(path: string, seen: Seen): unknown {
  const isList = seen.lists.has(path);
  return new Proxy(isList ? ['one'] : {}, {
    get(target, key) {
      if (typeof key === 'symbol' || key === 'constructor') return undefined;
      if (isList && key !== '0') return Reflect.get(target, key);
      const below = path === '' ? key : `${path}.${key}`;
      seen.fields.add(below);
      return offered(below, seen);
    },
    has: () => true,
  });
}

function hasBelow(fields: ReadonlySet<string>, field: string): boolean {
  return [...fields].some((each) => each.startsWith(`${field}.`) && each !== `${field}.0`);
}

/** An object that has these fields. */
export function sampleOf(fields: readonly string[]): unknown {
  const parts = fields.map((field) => field.split('.'));
  const below = Map.groupBy(
    parts.filter((each) => each.length > 0),
    ([key = '']) => key,
  );
  const entries = [...below].map(([key, each]): readonly [string, unknown] => {
    const rest = each.map(([, ...more]) => more.join('.')).filter((more) => more !== '');
    return [key, rest.length === 0 ? 'text' : sampleOf(rest)];
  });
  return below.has('0') && below.size === 1 ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

export function valueAt(value: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((at, key) => Object.entries(at ?? {}).find(([own]) => own === key)?.[1], value);
}

interface Kept<Key, Made> {
  get(key: Key): Made | undefined;
  set(key: Key, value: Made): unknown;
}

/** Calls `make` once for each argument, and answers the same from then on, for as long as `made` keeps it. A failure is
 *  not kept. */
export function oncePer<Key, Made>(
  make: (key: Key) => Made,
  made: Kept<Key, Made> = new Map<Key, Made>(),
): (key: Key) => Made {
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}

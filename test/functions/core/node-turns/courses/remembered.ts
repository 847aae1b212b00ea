/** What was made for the key before, or is made now. States never change, so what follows from one stays so. */
export function remembered<Key, Value>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

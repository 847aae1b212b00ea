/** As many from the first on as there is room for, in UTF-16 units of JSON. */
export function withRoom<T>(list: readonly T[], atMost: number): readonly T[] {
  let size = 0;
  return list.filter((each) => {
    size += JSON.stringify(each).length + 1;
    return size <= atMost;
  });
}

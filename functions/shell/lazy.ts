/** Builds once and hands out the same thing from then on. A failed build is not remembered: the next call tries again,
 *  so that one bad moment at cold start does not poison the container for its whole life. */
export function lazy<T>(build: () => Promise<T>): () => Promise<T> {
  let built: Promise<T> | undefined;
  return () => {
    built ??= build().catch((cause: unknown) => {
      built = undefined;
      throw cause;
    });
    return built;
  };
}

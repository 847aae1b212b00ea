/** Builds once and returns the same value from then on. A failed build is not cached: the next call tries again, so
 *  that one failure at cold start does not break the container for its whole life. */
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

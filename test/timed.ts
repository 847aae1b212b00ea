/** Does a job and says in a line how long it took. */
export async function timed<T>(what: string, job: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const result = await job();
  console.log(`${what} in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  return result;
}

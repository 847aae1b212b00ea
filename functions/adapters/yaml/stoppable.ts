import { type Context, createContext, Script } from 'node:vm';

/** What became of work that may be stopped. */
export type Stoppable<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'stopped' };

/** Some microseconds a call. Node stops nothing else but what runs in a context. */
const script = new Script('work()');
let room: { readonly context: Context; readonly sandbox: { work: () => void } } | undefined;

/** Runs `work`, which waits for nothing, and stops it after so many milliseconds, wherever it is: also within a loop, a
 *  regular expression or somebody else's library. What it throws is thrown on. For work on texts of strangers, whose
 *  cost a limit on their length does not bound. */
export function stoppable<T>(work: () => T, timeoutMs: number): Stoppable<T> {
  let value: { readonly done: T } | undefined;
  room ??= openRoom();
  room.sandbox.work = () => {
    value = { done: work() };
  };
  try {
    script.runInContext(room.context, { timeout: timeoutMs });
  } catch (cause) {
    if (!isTimeout(cause)) throw cause;
  } finally {
    room.sandbox.work = nothing;
  }
  return value === undefined ? { kind: 'stopped' } : { kind: 'done', value: value.done };
}

function openRoom(): NonNullable<typeof room> {
  const sandbox = { work: nothing };
  return { context: createContext(sandbox), sandbox };
}

function nothing(): void {
  // Until there is work.
}

/** Node's own error, of a realm in which `instanceof Error` says nothing. */
function isTimeout(cause: unknown): boolean {
  return (
    typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

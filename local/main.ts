import { Misconfigured, Transient } from '../functions/core/text/errors.ts';
import { readFlags } from './flags.ts';
import { isTaken } from './run/is-taken.ts';

/** Exit status: 0 = success, 1 = failure, 2 = something that the caller must fix (command line, configuration,
 *  port). */
async function main(args: readonly string[]): Promise<number | 'running'> {
  const read = readFlags(args);
  if (read.kind === 'help') {
    console.log(read.text);
    return 0;
  }
  if (read.kind === 'problems') {
    for (const problem of read.problems) console.error(problem);
    return 2;
  }
  const { flags } = read;
  const say = (line: string) => console.log(line);
  if (flags.kubeconfig !== undefined || flags.config !== undefined) {
    const { runOwnClusters } = await import('./run/run-own-clusters.ts');
    endOnSignal(await runOwnClusters(flags, say));
    return 'running';
  }
  const { runDemo } = await import('./demo/run-demo.ts');
  const demo = await runDemo(flags, say);
  if (!flags.exit && demo.succeeded) {
    endOnSignal(demo.stop);
    return 'running';
  }
  await demo.stop();
  return demo.succeeded ? 0 : 1;
}

function endOnSignal(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void stop().finally(() => process.exit(0));
    });
  }
}

/** Prints a message for what the caller can fix, and a stack trace only for our own errors. Answers the exit status. */
function explain(cause: unknown): number {
  if (cause instanceof Misconfigured) {
    for (const problem of cause.problems) console.error(problem);
    return 2;
  }
  if (isTaken(cause)) {
    console.error('The port is taken; choose another with --port.');
    return 2;
  }
  if (cause instanceof Transient) {
    console.error(cause.message);
    return 1;
  }
  console.error(cause);
  return 1;
}

const status = await main(process.argv.slice(2)).catch(explain);
if (status !== 'running') process.exit(status);

import { startVitest } from 'vitest/node';
import { type Count, closingLine, countTests } from './count-tests.ts';

export interface Suite {
  readonly name: string;
  /** Path of its vitest configuration. */
  readonly config: string;
  /** What must be there before its tests are looked for. */
  readonly prepare?: () => Promise<unknown>;
}

/** Runs a suite, or its files whose path contains an argument of the command, and ends with one line `N passed, N
 *  failed`. Nothing is skipped: what cannot be built or deployed is a failure. */
export async function runSuite(suite: Suite): Promise<void> {
  const count = await outcomeOf(suite);
  console.log(closingLine(count));
  process.exitCode = count.failed === 0 ? 0 : 1;
}

async function outcomeOf({ name, config, prepare }: Suite): Promise<Count> {
  try {
    await prepare?.();
    const vitest = await startVitest(process.argv.slice(2), { config, watch: false, run: true });
    const count = countTests(vitest.state.getTestModules(), vitest.state.getUnhandledErrors().length);
    await vitest.close();
    return count;
  } catch (cause) {
    console.error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`);
    return { passed: 0, failed: 1 };
  }
}

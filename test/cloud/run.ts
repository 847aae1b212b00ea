import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { type Count, closingLine, countTests } from '../count-tests.ts';

/**
 * `npm run test:cloud [-- name ...]`: builds what is missing, deploys, runs the cloud suite (or the files whose path
 * contains a name), and ends with one line `N passed, N failed`. Nothing is skipped: what cannot be built or deployed is
 * a failure.
 */
async function run(filters: readonly string[]): Promise<Count> {
  try {
    const vitest = await startVitest([...filters], {
      config: join(import.meta.dirname, 'vitest.config.ts'),
      watch: false,
      run: true,
    });
    const count = countTests(vitest.state.getTestModules(), vitest.state.getUnhandledErrors().length);
    await vitest.close();
    return count;
  } catch (cause) {
    console.error(`cloud: ${cause instanceof Error ? cause.message : String(cause)}`);
    return { passed: 0, failed: 1 };
  }
}

const count = await run(process.argv.slice(2));
console.log(closingLine(count));
process.exitCode = count.failed === 0 ? 0 : 1;

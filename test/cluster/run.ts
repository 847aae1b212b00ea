import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { type Count, closingLine, countTests } from '../count-tests.ts';
import { buildToolchain } from './toolchain/build-toolchain.ts';

/**
 * `npm run test:cluster [-- name ...]`: builds what is missing, runs the cluster suite (or the files whose path contains a
 * name), and ends with one line `N passed, N failed`. Nothing is skipped: a part that cannot be built is a failure.
 */
async function run(filters: readonly string[]): Promise<Count> {
  try {
    await buildToolchain((line) => console.log(`toolchain: ${line}`));
  } catch (cause) {
    console.error(`toolchain: ${cause instanceof Error ? cause.message : String(cause)}`);
    return { passed: 0, failed: 1 };
  }
  const vitest = await startVitest([...filters], {
    config: join(import.meta.dirname, 'vitest.config.ts'),
    watch: false,
    run: true,
  });
  const count = countTests(vitest.state.getTestModules(), vitest.state.getUnhandledErrors().length);
  await vitest.close();
  return count;
}

const count = await run(process.argv.slice(2));
console.log(closingLine(count));
process.exitCode = count.failed === 0 ? 0 : 1;

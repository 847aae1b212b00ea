import { join } from 'node:path';
import { startVitest, type TestModule } from 'vitest/node';

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

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A file that could not be loaded, an error outside of any test, and a test that did not run count as failures. */
function countTests(modules: readonly TestModule[], unhandledErrors: number): Count {
  let passed = 0;
  let failed = unhandledErrors;
  for (const module of modules) {
    failed += module.errors().length;
    for (const test of module.children.allTests()) {
      if (test.result().state === 'passed') passed += 1;
      else failed += 1;
    }
  }
  return { passed, failed: passed + failed === 0 ? 1 : failed };
}

const { passed, failed } = await run(process.argv.slice(2));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

import type { TestModule } from 'vitest/node';

export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** What became of a run. A file that could not be loaded, an error outside of any test, and a test that did not run
 *  count as failures; so does a run without any test. */
export function countTests(modules: readonly TestModule[], unhandledErrors: number): Count {
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

/** The last line of every suite. */
export function closingLine({ passed, failed }: Count): string {
  return `${passed} passed, ${failed} failed`;
}

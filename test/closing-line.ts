import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one line `N passed, N failed`. What could not be loaded, or did not run, failed. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandled.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed += 1;
        else failed += 1;
      }
    }
    console.log(`${passed} passed, ${failed} failed`);
  }
}

import type { Reporter, TestModule } from 'vitest/node';
import { closingLine, countTests } from './count-tests.ts';

/** Ends a run with one line `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    console.log(closingLine(countTests(modules, unhandled.length)));
  }
}

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests of what neither waits, nor has a process of its own, nor reads the environment: many files share a worker, and
 *  load what they test once. */
const shared = ['test/functions/core/**/*.test.ts', 'test/functions/keep-pools/**/*.test.ts'];
const elsewhere = ['test/cluster/**', 'test/cloud/**', '**/node_modules/**'];

/** `npm test`: everything that needs only Node and npm. The cluster suite has a configuration of its own. */
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'shared', include: shared, exclude: elsewhere, isolate: false } },
      { extends: true, test: { name: 'own', include: ['test/**/*.test.ts'], exclude: [...elsewhere, ...shared] } },
    ],
    reporters: ['default', './test/closing-line.ts'],
    // The slowest tests wait more than they compute: two at a time even where there are only two processors.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // For what hangs: a busy machine takes six times as long as an idle one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `npm test`: everything that needs only Node and npm. The cluster suite has a configuration of its own. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/cluster/**', 'test/cloud/**', '**/node_modules/**'],
    reporters: ['default', './test/closing-line.ts'],
    // The slowest tests wait more than they compute: two at a time even where there are only two processors.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});

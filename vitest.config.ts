import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { ownWorkers } from './test/own-workers.ts';

const elsewhere = ['test/cluster/**', 'test/cloud/**', '**/node_modules/**'];

/** `npm test`: everything that needs only Node and npm. The cluster suite has a configuration of its own. */
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'own', include: [...ownWorkers], exclude: elsewhere } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...ownWorkers],
          isolate: false,
        },
      },
    ],
    reporters: ['default', './test/closing-line.ts'],
    sequence: { sequencer: LongestFirst },
    // The slowest tests wait more than they compute: four at a time even where there are only two processors.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // For what hangs: a busy machine takes six times as long as an idle one.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});

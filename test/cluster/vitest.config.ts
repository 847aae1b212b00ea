import { defineConfig } from 'vitest/config';

/** `npm run test:cluster`: one worker, because all files share one API server and one Argo CD. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['global-setup.ts'],
    fileParallelism: false,
    maxWorkers: 1,
    // For what hangs: a busy machine takes six times as long as an idle one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
  },
});

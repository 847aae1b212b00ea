import { defineConfig } from 'vitest/config';

/** `npm test`: everything that needs only Node and npm. The cluster and cloud suites have configurations of their own. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/cluster/**', 'test/cloud/**', 'node_modules/**'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});

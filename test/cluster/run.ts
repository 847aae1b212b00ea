import { join } from 'node:path';
import { runSuite } from '../run-suite.ts';
import { buildToolchain } from './toolchain/build-toolchain.ts';

/** `npm run test:cluster [-- name ...]`: builds what is missing, and runs the cluster suite. */
await runSuite({
  name: 'cluster',
  config: join(import.meta.dirname, 'vitest.config.ts'),
  prepare: () => buildToolchain((line) => console.log(`toolchain: ${line}`)),
});

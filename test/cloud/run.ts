import { join } from 'node:path';
import { runSuite } from '../run-suite.ts';

/** `npm run test:cloud [-- name ...]`: builds what is missing, deploys, and runs the cloud suite. */
await runSuite({ name: 'cloud', config: join(import.meta.dirname, 'vitest.config.ts') });

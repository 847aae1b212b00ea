import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { causesPage } from './causes-page.ts';

/** `npm run docs` writes it. */
writeFileSync(join(import.meta.dirname, '../../docs/causes.md'), causesPage());

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { diagnosisPages } from './diagnosis-page.ts';

/** `npm run docs` writes them. */
for (const [path, text] of Object.entries(await diagnosisPages()))
  writeFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), text);

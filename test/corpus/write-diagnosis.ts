import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { diagnosisPage } from './diagnosis-page.ts';

/** `npm run docs` writes it. */
writeFileSync(fileURLToPath(new URL('../../docs/diagnosis.md', import.meta.url)), await diagnosisPage());

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { ImpactDocument } from '../../../functions/core/impact/report-forms.ts';

/** JSON Schema of the output of `poolkeeper impact --output json`, published as `docs/schemas/impact.schema.json`.
 *  Readers must tolerate new keys. */
export function impactJsonSchemaText(): string {
  const schema = z.toJSONSchema(ImpactDocument, { io: 'input' });
  return `${JSON.stringify({ title: 'poolkeeper impact', ...schema }, null, 2)}\n`;
}

/** Run by `npm run schemas`. */
async function writeImpactJsonSchema(): Promise<void> {
  const file = fileURLToPath(new URL('../../../docs/schemas/impact.schema.json', import.meta.url));
  await writeFile(file, impactJsonSchemaText());
}

if (import.meta.main) await writeImpactJsonSchema();

import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { Status } from './status.ts';

/** JSON Schema of the answer of `GET /status`, published as `docs/schemas/status.schema.json`. Readers must tolerate
 *  new keys. */
export function statusJsonSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(Status, { io: 'input' }), null, 2)}\n`;
}

/** Run by `npm run schemas`. */
async function writeStatusJsonSchema(): Promise<void> {
  const folder = fileURLToPath(new URL('../../docs/schemas/', import.meta.url));
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}status.schema.json`, statusJsonSchemaText());
}

if (import.meta.main) await writeStatusJsonSchema();

import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { Status } from './status.ts';

/** JSON Schema of what `GET /status` answers, as `docs/schemas/status.schema.json` holds it. Readers must bear new
 *  keys. */
export function statusJsonSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(Status, { io: 'input' }), null, 2)}\n`;
}

/** `npm run schemas` writes it. */
async function writeStatusJsonSchema(): Promise<void> {
  const folder = fileURLToPath(new URL('../../docs/schemas/', import.meta.url));
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}status.schema.json`, statusJsonSchemaText());
}

if (import.meta.main) await writeStatusJsonSchema();

import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { Snapshot } from './snapshot.ts';

/** JSON Schema of a snapshot, published as `docs/schemas/snapshot.schema.json`. */
export function snapshotJsonSchemaText(): string {
  const schema = z.toJSONSchema(Snapshot, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // `format: date-time` tells people and validators alike.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Run by `npm run schemas`. */
async function writeSnapshotJsonSchema(): Promise<void> {
  const folder = fileURLToPath(new URL('../../docs/schemas/', import.meta.url));
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}snapshot.schema.json`, snapshotJsonSchemaText());
}

if (import.meta.main) await writeSnapshotJsonSchema();

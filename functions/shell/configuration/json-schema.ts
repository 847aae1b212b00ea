import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { ConfigurationFile } from './file/configuration-file.ts';

/** JSON Schema of `poolkeeper.yaml` for editors; draft 7, which all of them know. Zod leaves out the default of what it
 *  transforms, because it cannot know in which form it is meant; ours are named in the form of the file. */
export function configurationJsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(ConfigurationFile, {
    io: 'input',
    target: 'draft-7',
    override: ({ zodSchema, jsonSchema }) => {
      const meta = z.globalRegistry.get(zodSchema);
      if (meta?.['default'] !== undefined) jsonSchema.default = meta['default'];
    },
  });
}

/** The same, as `docs/schemas/poolkeeper.schema.json` holds it. */
export function configurationJsonSchemaText(): string {
  return `${JSON.stringify(configurationJsonSchema(), null, 2)}\n`;
}

/** `npm run schemas` writes it. */
async function writeConfigurationJsonSchema(): Promise<void> {
  const folder = fileURLToPath(new URL('../../../docs/schemas/', import.meta.url));
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}poolkeeper.schema.json`, configurationJsonSchemaText());
}

if (import.meta.main) await writeConfigurationJsonSchema();

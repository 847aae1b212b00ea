import type * as z from 'zod';
import { configurationJsonSchema } from './json-schema.ts';
import { isMapping, type Path, valueAt } from './problem.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Keys that may be written below the path, without those of earlier versions; `data` decides which shape an alert
 *  target has. */
export function knownKeys(path: Path, data: unknown): readonly string[] {
  let schema: Schema | undefined = configurationJsonSchema();
  for (const [index, part] of path.entries()) {
    schema = chosen(schema, valueAt(data, path.slice(0, index)));
    schema = schema === undefined ? undefined : below(schema, part);
  }
  const properties = Object.entries(chosen(schema, valueAt(data, path))?.properties ?? {});
  return properties.flatMap(([key, value]) => (plain(value)?.['deprecated'] === true ? [] : [key]));
}

/** Of alternatives, the one with the kind that the data names. */
function chosen(schema: Schema | undefined, value: unknown): Schema | undefined {
  if (schema?.oneOf === undefined) return schema;
  const kind = isMapping(value) ? value['kind'] : undefined;
  return schema.oneOf.map(plain).find((option) => plain(option?.properties?.['kind'])?.const === kind);
}

function below(schema: Schema, part: string | number): Schema | undefined {
  if (typeof part === 'number') return Array.isArray(schema.items) ? undefined : plain(schema.items);
  return plain(schema.properties?.[part] ?? schema.additionalProperties);
}

function plain(schema: Schema | boolean | undefined): Schema | undefined {
  return typeof schema === 'boolean' ? undefined : schema;
}

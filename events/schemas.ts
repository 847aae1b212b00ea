import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import {
  AttentionAsked,
  IncidentDue,
  IncidentNotified,
  PublishedEvent,
  PullSeen,
  WebhookDue,
  WorkEvent,
} from './index.ts';

/** Every event of the published language: what comes in, what is told, what is due. */
const published = [
  ...WorkEvent.options,
  PullSeen,
  ...PublishedEvent.options,
  IncidentDue,
  IncidentNotified,
  AttentionAsked,
  WebhookDue,
];

/** File name -> JSON Schema of one event, as `docs/schemas/` holds them. A reader of an event accepts more than the
 *  schema names: CloudEvents lets everyone on the way add extension attributes. */
export function eventSchemas(): ReadonlyMap<string, string> {
  return new Map(
    published.map((event) => {
      const type = event.shape.type.value;
      const schema = z.toJSONSchema(event, { io: 'input', override: ({ jsonSchema }) => plainInstant(jsonSchema) });
      return [`${type}.schema.json`, `${JSON.stringify({ title: type, ...schema }, null, 2)}\n`];
    }),
  );
}

/** `format: date-time` says it to people and validators alike; the pattern of 300 characters behind it says it to
 *  neither. */
function plainInstant(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'date-time') delete schema.pattern;
}

/** Writes them all. `npm run schemas`. */
async function writeEventSchemas(): Promise<void> {
  const folder = fileURLToPath(new URL('../docs/schemas/', import.meta.url));
  await mkdir(folder, { recursive: true });
  for (const [name, text] of eventSchemas()) await writeFile(`${folder}${name}`, text);
}

if (import.meta.main) await writeEventSchemas();

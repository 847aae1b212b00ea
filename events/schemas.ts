import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import {
  ApprovalAsked,
  AttentionAsked,
  IncidentDue,
  IncidentNotified,
  PublishedEvent,
  PullSeen,
  WebhookDue,
  WorkEvent,
} from './index.ts';

/** Every type of event: those that are received, published, and sent between the functions. */
const everyEvent = [
  ...WorkEvent.options,
  PullSeen,
  ...PublishedEvent.options,
  IncidentDue,
  IncidentNotified,
  AttentionAsked,
  ApprovalAsked,
  WebhookDue,
];

/** File name -> JSON Schema of one event, as in `docs/schemas/`. Readers must accept more than the schema names:
 *  CloudEvents allows extension attributes. */
export function eventSchemas(): ReadonlyMap<string, string> {
  return new Map(
    everyEvent.map((event) => {
      const type = event.shape.type.value;
      const schema = z.toJSONSchema(event, { io: 'input', override: ({ jsonSchema }) => plainInstant(jsonSchema) });
      return [`${type}.schema.json`, `${JSON.stringify({ title: type, ...schema }, null, 2)}\n`];
    }),
  );
}

/** `format: date-time` is enough for people and validators; the pattern of 300 characters helps neither. */
function plainInstant(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'date-time') delete schema.pattern;
}

/** Writes every schema to `docs/schemas/`. Run by `npm run schemas`. */
async function writeEventSchemas(): Promise<void> {
  const folder = fileURLToPath(new URL('../docs/schemas/', import.meta.url));
  await mkdir(folder, { recursive: true });
  for (const [name, text] of eventSchemas()) await writeFile(`${folder}${name}`, text);
}

if (import.meta.main) await writeEventSchemas();

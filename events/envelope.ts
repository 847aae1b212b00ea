// Only the SDK's validation, without its transports, which would be a tenth of each receiver's bundle.
import isCloudEvent from 'cloudevents/dist/schema/v1.js';
import * as z from 'zod';

/** CloudEvents 1.0, structured JSON, limited to what Poolkeeper uses. */
const envelope = {
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  subject: z.string().optional(),
  time: z.iso.datetime({ offset: true }),
  datacontenttype: z.literal('application/json').optional(),
  /** Joins all events of one change, from the push to the messages. Lower case, because CloudEvents allows nothing else
   *  in extension names. */
  correlation: z.string().optional(),
};

/** The zod schema of one event type. */
export function eventOf<const Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({ ...envelope, type: z.literal(type), data });
}

/** What the producer of an event sets; the rest of the envelope is filled in. */
export interface EventParts<Type extends string, Data> {
  readonly type: Type;
  /** Unique within the source; the same occurrence always gets the same id, so that consumers can drop repeats. */
  readonly id: string;
  /** `/poolkeeper/<part>`. */
  readonly source: string;
  readonly subject: string;
  readonly time: Date;
  readonly correlation: string;
  readonly data: Data;
}

/** A plain JSON CloudEvent, validated by the CloudEvents SDK. Throws TypeError if a part violates the specification. */
export function cloudEvent<const Type extends string, Data>(parts: EventParts<Type, Data>) {
  const { type, id, source, subject, correlation, data } = parts;
  const event = {
    specversion: '1.0' as const,
    type,
    id,
    source,
    subject,
    time: parts.time.toISOString(),
    datacontenttype: 'application/json' as const,
    correlation,
    data,
  };
  if (!isCloudEvent(event)) throw new TypeError(`event ${id} of type ${type} violates the CloudEvents specification`);
  return event;
}

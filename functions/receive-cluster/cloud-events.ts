import * as z from 'zod';
import { BadInput } from '../core/text/errors.ts';
import { mediaType, parseAs, parseJson } from '../shell/body.ts';
import type { RequestHeaders } from '../shell/exchange.ts';
import { ClusterName } from './hint.ts';

/** A CloudEvent as received, with the extension attributes that identify its subject. The SDK's own parser is not used
 *  for input: it invents an id if there is none, which would make each repeat look new. */
export const IncomingEvent = z.object({
  specversion: z.literal('1.0'),
  id: z.string().min(1).max(512),
  source: z.string().min(1),
  type: z.string().min(1),
  subject: z.string().max(1024).default(''),
  /** Extensions of Knative's ApiServerSource. */
  kind: z.string().max(253).default(''),
  name: z.string().max(253).default(''),
  /** Our extension, set through `ceOverrides`: `source` is the same on every cluster. */
  cluster: ClusterName,
  data: z.unknown(),
});
export type IncomingEvent = z.infer<typeof IncomingEvent>;

/** The events of one request in any of the three HTTP modes, each still to be parsed as an `IncomingEvent`; undefined
 *  if it contains none. Throws BadInput. Source: CloudEvents 1.0, HTTP protocol binding, section 3. */
export function readCloudEvents(headers: RequestHeaders, text: string): readonly unknown[] | undefined {
  const type = mediaType(headers);
  if (type === 'application/cloudevents-batch+json') return parseAs(z.array(z.unknown()), parseJson(text));
  if (type === 'application/cloudevents+json') return [parseJson(text)];
  if (type.startsWith('application/cloudevents'))
    throw new BadInput('CloudEvents are accepted as JSON only', { status: 415 });
  if (!headers.has('ce-specversion') && !headers.has('ce-id')) return undefined;
  return [{ ...attributesOf(headers), data: jsonOrNothing(text) }];
}

function attributesOf(headers: RequestHeaders): Readonly<Record<string, string>> {
  const attributes = [...headers].filter(([name]) => name.startsWith('ce-'));
  return Object.fromEntries(attributes.map(([name, value]) => [name.slice('ce-'.length), percentDecoded(value)]));
}

/** Header values are percent-encoded if they are not printable ASCII. */
function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** In binary mode the attributes identify the event; a body that is not JSON does not matter. */
function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

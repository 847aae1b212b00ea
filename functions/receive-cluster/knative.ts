import * as z from 'zod';
import { BadInput } from '../core/text/errors.ts';
import { parseAs } from '../shell/body.ts';
import type { IncomingEvent } from './cloud-events.ts';
import type { Hint } from './hint.ts';

/** Reference mode has kind and name, Resource mode the whole object. */
const Subject = z.object({
  kind: z.string().max(253).optional(),
  name: z.string().max(253).optional(),
  metadata: z.object({ name: z.string().max(253) }).optional(),
});

/** Parses an event of Knative's ApiServerSource; undefined for other types, which are dropped. Source:
 *  knative.dev/eventing, pkg/adapter/apiserver/events. */
export function hintOfKnative(event: IncomingEvent): Hint | undefined {
  const what = /^dev\.knative\.apiserver\.(?:resource|ref)\.(add|update|delete)$/.exec(event.type)?.[1];
  if (what === undefined) return undefined;
  const data = event.data === undefined ? {} : parseAs(Subject, event.data);
  return {
    id: event.id,
    cluster: event.cluster,
    kind: required('kind', event.kind || data.kind),
    name: required('name', event.name || data.name || data.metadata?.name || lastSegment(event.subject)),
    what,
  };
}

/** `/apis/<apiVersion>/namespaces/<namespace>/<plural>/<name>`; cluster-scoped objects have `//` for the namespace. */
function lastSegment(subject: string): string {
  return subject.slice(subject.lastIndexOf('/') + 1);
}

function required(attribute: string, value: string | undefined): string {
  if (value) return value;
  throw new BadInput(`${attribute}: neither an extension of the event nor in its data`);
}

import type { Event } from './api-server/cluster-objects.ts';
import { type KubernetesObject, keyOf } from './api-server/kubernetes-object.ts';
import type { Registry } from './api-server/registry.ts';
import { events } from './api-server/resource-types.ts';
import type { Pace } from './pace.ts';

export interface RecordedEvent {
  /** What it is about. */
  readonly object: KubernetesObject;
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Writes Kubernetes events. */
export type RecordEvent = (event: RecordedEvent) => void;

interface Recorder {
  readonly registry: Registry;
  readonly pace: Pace;
  /** The reporting component, as `machineconfigcontroller-nodecontroller`. */
  readonly component: string;
  /** Namespace of events about cluster-scoped objects. Kubernetes uses `default`. */
  readonly namespace?: string;
}

/** The real recorder appends its clock in nanoseconds; here it only has to look like that. */
const firstEventId = 0x18ea04fb28560000n;

/** A repeated event only raises the count of the first one, as in client-go's recorder. */
export function createEventRecorder({ registry, pace, component, namespace = 'default' }: Recorder): RecordEvent {
  return ({ object, type = 'Normal', reason, message }) => {
    const { kind, apiVersion, metadata } = object;
    const home = metadata.namespace ?? namespace;
    const now = pace.timestamp();
    const write = { manager: component.split('-')[0] ?? component };
    const same = registry.list(events, home).find((event) => isSame(event, { object, reason, message, component }));
    if (same) {
      const again = (event: Event) => {
        event.count = (event.count ?? 1) + 1;
        event.lastTimestamp = now;
      };
      registry.modify(events, keyOf(same), again, write);
      return;
    }
    const { name, uid, resourceVersion } = metadata;
    const involvedObject = {
      kind,
      apiVersion,
      name,
      uid,
      resourceVersion,
      ...(metadata.namespace && { namespace: metadata.namespace }),
    };
    const id = (firstEventId + BigInt(registry.revision())).toString(16);
    registry.create(
      events,
      {
        metadata: { name: `${name}.${id}`, namespace: home },
        involvedObject,
        reason,
        message,
        type,
        source: { component },
        count: 1,
        firstTimestamp: now,
        lastTimestamp: now,
        eventTime: null,
        reportingComponent: component,
        reportingInstance: '',
      },
      write,
    );
  };
}

function isSame(
  event: Event,
  { object, reason, message, component }: RecordedEvent & { readonly component: string },
): boolean {
  return (
    event.involvedObject.uid === object.metadata.uid &&
    event.reason === reason &&
    event.message === message &&
    event.source?.component === component
  );
}

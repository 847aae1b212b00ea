import * as z from 'zod';
import {
  type HealthCheck,
  type HealthCheckAction,
  PausedFor,
  pausedAnnotation,
  pausedForAnnotation,
} from '../../core/openshift/health-checks.ts';
import { fieldManager } from '../../core/openshift/hold.ts';
import { selectorIn } from '../../core/openshift/manifest-selector.ts';
import { foreignLimits } from '../../core/text/foreign-text.ts';
import type { HealthChecks } from '../../ports/cluster.ts';
import { itemByItem } from './item-by-item.ts';
import type { KubeClient } from './kube-client.ts';
import { Metadata, MetadataOnly, understand } from './metadata.ts';

const home = '/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api';

const MachineHealthCheck = z.object({ metadata: Metadata, spec: z.object({ selector: z.unknown().optional() }) });

/** The MachineHealthChecks of the cluster behind `client`. */
export function clusterHealthChecks(client: KubeClient): HealthChecks {
  return {
    async listHealthChecks() {
      const checks = await client.list(`${home}/machinehealthchecks`, { pageSize: 100 });
      return itemByItem('MachineHealthCheck', checks, healthCheckOf);
    },

    async listMachines() {
      const machines = await client.list(`${home}/machines`, { pageSize: 500, form: 'metadata' });
      return itemByItem('Machine', machines, (body) => {
        const { metadata } = understand(MetadataOnly, body, 'Machine');
        return { id: `${metadata.namespace ?? ''}/${metadata.name}`, labels: metadata.labels };
      });
    },

    async patchHealthCheck({ name, resourceVersion }, action) {
      const path = `${home}/machinehealthchecks/${encodeURIComponent(name)}`;
      await client.mergePatch(
        path,
        { fieldManager },
        { metadata: { resourceVersion, annotations: annotationsOf(action) } },
      );
    },
  };
}

/** Pause and record in one patch, so that a crash leaves neither without the other. */
function annotationsOf(action: HealthCheckAction): Readonly<Record<string, string | null>> {
  switch (action.kind) {
    case 'pause':
      return { [pausedAnnotation]: fieldManager, [pausedForAnnotation]: JSON.stringify(action.record) };
    case 'expire':
      return { [pausedAnnotation]: null, [pausedForAnnotation]: JSON.stringify(action.record) };
    case 'release':
      return { [pausedAnnotation]: null, [pausedForAnnotation]: null };
    default:
      return action satisfies never;
  }
}

function healthCheckOf(body: unknown): HealthCheck {
  const { metadata, spec } = understand(MachineHealthCheck, body, 'MachineHealthCheck');
  const selector = selectorIn(spec.selector);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    selector: selector === 'unreadable' ? undefined : (selector ?? {}),
    paused: pausedAnnotation in metadata.annotations,
    record: recordOf(metadata.annotations[pausedForAnnotation]),
  };
}

function recordOf(text: string | undefined): HealthCheck['record'] {
  if (text === undefined) return { kind: 'none' };
  const parsed = PausedFor.safeParse(text.length > foreignLimits.annotation ? undefined : jsonOf(text));
  return parsed.success ? { kind: 'record', record: parsed.data } : { kind: 'unreadable' };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

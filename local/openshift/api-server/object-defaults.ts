import { fillJob } from './job-rules.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { ResourceType } from './resource-types.ts';

/** Fills in the real server's defaults for a new object of this kind. Changes `object`. */
export function fillDefaults(type: ResourceType, object: JsonObject): void {
  const kinds: Readonly<Record<string, (object: JsonObject) => void>> = {
    Pod: fillPod,
    Namespace: fillNamespace,
    Deployment: fillReplicas,
    ReplicaSet: fillReplicas,
    StatefulSet: fillReplicas,
    Job: fillJob,
  };
  if (!type.custom) kinds[type.kind]?.(object);
}

/** Kinds whose status a client may set on creation: nodes register with theirs. */
export function keepsInitialStatus(type: ResourceType): boolean {
  return type.kind === 'Node' || !type.statusSubresource;
}

function fillPod(pod: JsonObject): void {
  const spec = part(pod, 'spec');
  spec['restartPolicy'] ??= 'Always';
  spec['terminationGracePeriodSeconds'] ??= 30;
  spec['dnsPolicy'] ??= 'ClusterFirst';
  spec['schedulerName'] ??= 'default-scheduler';
  spec['securityContext'] ??= {};
  if (Array.isArray(spec['containers'])) spec['containers'].filter(isJsonObject).forEach(fillContainer);
  pod['status'] = { phase: 'Pending', qosClass: 'BestEffort' };
}

function fillContainer(container: JsonObject): void {
  container['resources'] ??= {};
  container['terminationMessagePath'] ??= '/dev/termination-log';
  container['terminationMessagePolicy'] ??= 'File';
  container['imagePullPolicy'] ??= 'IfNotPresent';
}

function fillNamespace(namespace: JsonObject): void {
  const metadata = part(namespace, 'metadata');
  const labels = part(metadata, 'labels');
  labels['kubernetes.io/metadata.name'] ??= metadata['name'] ?? '';
  namespace['spec'] = { finalizers: ['kubernetes'] };
  namespace['status'] = { phase: 'Active' };
}

function fillReplicas(workload: JsonObject): void {
  part(workload, 'spec')['replicas'] ??= 1;
  workload['status'] = {};
}

function part(object: JsonObject, key: string): JsonObject {
  const existing = object[key];
  if (isJsonObject(existing)) return existing;
  const made: JsonObject = {};
  object[key] = made;
  return made;
}

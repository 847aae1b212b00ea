import * as z from 'zod';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { KubeObject } from './kube-object.ts';
import { withoutSecrets } from './masking.ts';

const List = z.object({ kind: z.string(), items: z.array(z.unknown()), metadata: z.unknown().optional() });

/** A recording: a Kubernetes List, so that `oc get mcp,mc,... -o json` is one too. */
export function recordingText(name: string, objects: readonly unknown[], now: Date): string {
  const recording = {
    apiVersion: 'v1',
    kind: 'List',
    metadata: { name, annotations: { 'poolkeeper.dev/recorded-at': now.toISOString() } },
    items: objects.map(trimmed),
  };
  return `${JSON.stringify(recording, undefined, 2)}\n`;
}

/** Parses a recording. Throws Misconfigured. */
export function readRecording(text: string, file: string): readonly unknown[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new Misconfigured([`--snapshot ${file}: is not JSON`], { cause });
  }
  const list = List.safeParse(data);
  if (list.success) return list.data.items;
  const [issue] = list.error.issues;
  throw new Misconfigured([
    `--snapshot ${file}: ${issue?.path.join('.') || 'it'} is not valid in a Kubernetes List; --record writes one`,
  ]);
}

/** Without managed fields, unneeded statuses and secrets. */
function trimmed(object: unknown): unknown {
  const known = KubeObject.safeParse(object);
  if (!known.success) return object;
  const { metadata, ...rest } = known.data;
  const { managedFields: _fields, ownerReferences: _owners, ...kept } = metadata;
  const head = { ...kept, annotations: annotationsOf(metadata) };
  if (rest.kind !== 'MachineConfig') return { ...rest, metadata: head };
  const { status: _status, ...config } = rest;
  return { ...config, metadata: head, spec: withoutSecrets(rest['spec']) };
}

const Annotations = z.record(z.string(), z.string());

/** Poolkeeper's, Argo CD's and the MCO's generated-by annotations; last-applied-configuration repeats the whole object,
 *  secrets included. */
function annotationsOf({ annotations }: KubeObject['metadata']): Readonly<Record<string, string>> {
  const read = Annotations.safeParse(annotations ?? {});
  return Object.fromEntries(
    Object.entries(read.data ?? {}).filter(([key]) =>
      /^(?:poolkeeper\.dev|argocd\.argoproj\.io|machineconfiguration\.openshift\.io)\//.test(key),
    ),
  );
}

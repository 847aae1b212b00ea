import * as z from 'zod';
import { withoutPassword } from '../../../functions/core/routing/route.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { redacted } from '../../snapshot/for-sharing.ts';
import { applicationRead } from './application-read.ts';
import { KubeObject } from './kube-object.ts';
import { leftOut, withoutSecrets } from './masking.ts';

const recordedAtAnnotation = 'poolkeeper.dev/recorded-at';

const Head = z.object({ annotations: z.object({ [recordedAtAnnotation]: z.iso.datetime() }) });
const List = z.object({ kind: z.string(), items: z.array(z.unknown()), metadata: z.unknown().optional() });

interface ReadRecording {
  readonly objects: readonly unknown[];
  /** Undefined: `oc get` wrote it, which does not say when. */
  readonly recordedAt: Date | undefined;
}

/** A recording: a Kubernetes List, so that `oc get mcp,mc,... -o json` is one too. */
export function recordingText(name: string, objects: readonly unknown[], now: Date): string {
  const recording = {
    apiVersion: 'v1',
    kind: 'List',
    metadata: { name, annotations: { [recordedAtAnnotation]: now.toISOString() } },
    items: objects.map(trimmed).filter((object) => object !== undefined),
  };
  return `${JSON.stringify(recording, undefined, 2)}\n`;
}

/** Parses a recording. Throws Misconfigured. */
export function readRecording(text: string, file: string): ReadRecording {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new Misconfigured([`--snapshot ${file}: is not JSON`], { cause });
  }
  const list = List.safeParse(data);
  if (list.success) {
    const head = Head.safeParse(list.data.metadata).data;
    const recordedAt = head && new Date(head.annotations[recordedAtAnnotation]);
    return { objects: list.data.items, recordedAt };
  }
  const [issue] = list.error.issues;
  throw new Misconfigured([
    `--snapshot ${file}: ${issue?.path.join('.') || 'it'} is not valid in a Kubernetes List; --record writes one`,
  ]);
}

const Fields = z.record(z.string(), z.unknown());

/** Without managed fields, secrets and whatever no prediction reads: Applications hold parameters and values of charts,
 *  also in their statuses. Undefined: no object. */
function trimmed(object: unknown): unknown {
  const known = KubeObject.safeParse(object);
  if (!known.success) return undefined;
  const { metadata, kind, apiVersion, spec, status, reason } = known.data;
  const { managedFields: _fields, ownerReferences: _owners, ...kept } = metadata;
  const head = { apiVersion, kind, metadata: { ...kept, annotations: annotationsOf(metadata) } };
  switch (kind) {
    case 'MachineConfig':
      return { ...head, spec: withoutSecrets(spec) };
    case 'MachineConfigPool':
    case 'MachineConfiguration':
      return redacted({ ...head, spec, status });
    case 'KubeletConfig':
    case 'ContainerRuntimeConfig':
    case 'MachineOSConfig':
      return redacted({ ...head, spec: pick(spec, ['machineConfigPoolSelector', 'machineConfigPool']) });
    case 'Application':
      return asUnread(object, redacted({ ...head, spec: specOf(spec), status: statusOf(status) }), head);
    case 'Status':
      return { ...head, status, reason };
    default:
      return head;
  }
}

/** What is kept of an Application, so that one that cannot be parsed does not become one that can: of that nothing is
 *  kept, because where its secrets are is not known. */
function asUnread(object: unknown, kept: unknown, head: object): unknown {
  const isRead = (each: unknown) => applicationRead('', each).application !== undefined;
  return isRead(kept) && !isRead(object) ? { ...head, spec: leftOut } : kept;
}

/** Which repository and folder are deployed where, and which tool renders them. Source: argo-cd
 *  pkg/apis/application/v1alpha1/types.go. */
function specOf(spec: unknown): unknown {
  const { source, sources, sourceHydrator, syncPolicy, ignoreDifferences } = Fields.safeParse(spec).data ?? {};
  const hydrator = Fields.safeParse(sourceHydrator).data;
  const policy = Fields.safeParse(syncPolicy).data;
  return {
    ...pick(spec, ['project', 'destination']),
    ...ifGiven('source', source, sourceOf),
    ...(Array.isArray(sources) ? { sources: sources.map(sourceOf) } : {}),
    ...(hydrator === undefined
      ? {}
      : {
          sourceHydrator: {
            ...ifGiven('drySource', hydrator['drySource'], sourceOf),
            ...ifGiven('syncSource', hydrator['syncSource'], sourceOf),
          },
        }),
    ...(policy === undefined ? {} : { syncPolicy: pick(policy, ['automated', 'retry', 'syncOptions']) }),
    ...(ignoreDifferences === undefined ? {} : { ignoreDifferences }),
  };
}

function sourceOf(source: unknown): unknown {
  const { repoURL, helm, kustomize, plugin, directory } = Fields.safeParse(source).data ?? {};
  const nothing = () => ({});
  return {
    ...pick(source, ['path', 'targetRevision', 'targetBranch', 'chart', 'ref']),
    ...(typeof repoURL === 'string' ? { repoURL: withoutPassword(repoURL) } : {}),
    ...ifGiven('helm', helm, nothing),
    ...ifGiven('kustomize', kustomize, nothing),
    ...ifGiven('plugin', plugin, nothing),
    ...ifGiven('directory', directory, (given) => ({
      ...pick(given, ['recurse', 'include', 'exclude']),
      ...ifGiven('jsonnet', Fields.safeParse(given).data?.['jsonnet'], nothing),
    })),
  };
}

/** What it manages, and what its last sync has applied, hooks included. */
function statusOf(status: unknown): unknown {
  const { sync, resources, operationState } = Fields.safeParse(status).data ?? {};
  return {
    sync: pick(sync, ['status', 'revision', 'revisions']),
    ...rowsOf(resources),
    ...ifGiven('operationState', operationState, (state) => ({
      ...pick(state, ['phase', 'startedAt', 'finishedAt']),
      ...ifGiven('syncResult', Fields.safeParse(state).data?.['syncResult'], (result) => ({
        ...pick(result, ['revision', 'revisions']),
        ...rowsOf(Fields.safeParse(result).data?.['resources']),
      })),
    })),
  };
}

const columns = ['group', 'kind', 'namespace', 'name', 'status', 'hook', 'hookType', 'hookPhase'];

function rowsOf(rows: unknown): { readonly resources?: readonly unknown[] } {
  return Array.isArray(rows) ? { resources: rows.map((each) => pick(each, columns)) } : {};
}

function ifGiven(key: string, value: unknown, as: (value: unknown) => unknown): Readonly<Record<string, unknown>> {
  return value === undefined || value === null ? {} : { [key]: as(value) };
}

function pick(value: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(Fields.safeParse(value).data ?? {}).filter(([key]) => keys.includes(key)));
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

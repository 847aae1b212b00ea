import * as z from 'zod';
import type { Manifest } from '../openshift/manifest.ts';
import { machineConfigGroup } from '../openshift/rendered-kinds.ts';

const Labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels) => labels ?? {});

const Owner = z.object({ kind: z.string(), name: z.string() });

const MachineConfigObject = z.object({
  metadata: z.object({
    name: z.string(),
    labels: Labels,
    annotations: Labels,
    resourceVersion: z.string().nullish(),
    creationTimestamp: z.string().nullish(),
    ownerReferences: z.array(Owner).nullish(),
  }),
  spec: z.record(z.string(), z.unknown()).nullish(),
});

/** A MachineConfig with its content. The content embeds secrets (a rendered one the global pull secret): it is compared
 *  and classified in memory, and never stored, logged or sent. `spec` is only known to be an object: what is not
 *  understood is kept as it is. */
export interface MachineConfigContent {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Empty for one from Git. */
  readonly resourceVersion: string;
  /** ISO instant of its creation, if the cluster has it. */
  readonly createdAt?: string | undefined;
  /** The controller's owner object, if any: `KubeletConfig` `big-nodes`. */
  readonly owners: readonly z.infer<typeof Owner>[];
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Parses a MachineConfig of the API server; undefined if the object is not one. */
export function machineConfigOf(object: unknown): MachineConfigContent | undefined {
  const read = MachineConfigObject.safeParse(object);
  if (!read.success) return undefined;
  const { metadata, spec } = read.data;
  return {
    name: metadata.name,
    labels: metadata.labels,
    annotations: metadata.annotations,
    resourceVersion: metadata.resourceVersion ?? '',
    createdAt: metadata.creationTimestamp ?? undefined,
    owners: metadata.ownerReferences ?? [],
    spec: spec ?? {},
  };
}

const remembered = new WeakMap<Manifest, MachineConfigContent>();

/** Parses a MachineConfig from Git; undefined for other kinds and for one without a name. Cached by object, so that
 *  derived facts are computed once for all clusters. */
export function machineConfigOfManifest(manifest: Manifest | undefined): MachineConfigContent | undefined {
  if (manifest === undefined || !isMachineConfigManifest(manifest) || manifest.name === '') return undefined;
  const known = remembered.get(manifest);
  if (known !== undefined) return known;
  const { name, labels, annotations, body } = manifest;
  const spec = z.record(z.string(), z.unknown()).safeParse(body['spec'] ?? {});
  const config: MachineConfigContent = {
    name,
    labels,
    annotations,
    resourceVersion: '',
    owners: [],
    spec: spec.success ? spec.data : { spec: body['spec'] },
  };
  remembered.set(manifest, config);
  return config;
}

export function isMachineConfigManifest(manifest: Pick<Manifest, 'group' | 'kind'>): boolean {
  return manifest.group === machineConfigGroup && manifest.kind === 'MachineConfig';
}

import * as z from 'zod';
import type { Manifest } from '../openshift/manifest.ts';
import { generatedByAnnotation, machineConfigGroup } from '../openshift/rendered-kinds.ts';

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

/** A MachineConfig with its content. The content embeds secrets (a rendered one the global pull secret): it is
 *  compared and classified in memory, and never stored, logged or sent. Nothing is known of `spec` but that it is an
 *  object: what is not understood is kept as it is. */
export interface MachineConfigContent {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Empty for what stands in Git only. */
  readonly resourceVersion: string;
  /** ISO instant of its creation, where the cluster says it. */
  readonly createdAt?: string | undefined;
  /** Who made it, where a controller did: `KubeletConfig` `big-nodes`. */
  readonly owners: readonly z.infer<typeof Owner>[];
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A MachineConfig as the API server answers it; undefined for anything that is none. */
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

/** A MachineConfig as it stands in Git; undefined for a manifest of another kind, or one that has no name yet.
 *  Remembered by object, so that what is found out of it is found out once for all clusters. */
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

/** Made by the MCO from something else: a template, a KubeletConfig, or a whole rendered config. */
export function isGenerated(config: Pick<MachineConfigContent, 'annotations'>): boolean {
  return generatedByAnnotation in config.annotations;
}

/** A merged config is the outcome, never a source. */
export function isRenderedConfig(config: Pick<MachineConfigContent, 'name' | 'annotations'>): boolean {
  return config.name.startsWith('rendered-') && isGenerated(config);
}

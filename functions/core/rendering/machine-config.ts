import * as z from 'zod';
import type { Manifest } from '../impact/manifest.ts';

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
    ownerReferences: z.array(Owner).nullish(),
  }),
  spec: z.record(z.string(), z.unknown()).nullish(),
});

/** A MachineConfig with its content. The content embeds secrets (a rendered one the global pull secret): it is compared and classified in
 *  memory, and never stored, logged or sent. Nothing is known of `spec` but that it is an object: what is not understood is kept as it is. */
export interface MachineConfigContent {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Empty for what stands in Git only. */
  readonly resourceVersion: string;
  /** Who made it, where a controller did: `KubeletConfig` `big-nodes`. */
  readonly owners: readonly z.infer<typeof Owner>[];
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Annotation on what the MCO itself generates: templates, kubelet and runtime configs, rendered configs. */
export const generatedByAnnotation = 'machineconfiguration.openshift.io/generated-by-controller-version';

/** Label by which pools select; `worker` is merged before every other role. Source: MCO MergeMachineConfigs. */
export const roleLabel = 'machineconfiguration.openshift.io/role';

const group = 'machineconfiguration.openshift.io';

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
    owners: metadata.ownerReferences ?? [],
    spec: spec ?? {},
  };
}

/** A MachineConfig as it stands in Git; undefined for a manifest of another kind, or one that has no name yet. */
export function machineConfigOfManifest(manifest: Manifest | undefined): MachineConfigContent | undefined {
  if (manifest === undefined || !isMachineConfigManifest(manifest) || manifest.name === '') return undefined;
  const spec = z.record(z.string(), z.unknown()).safeParse(manifest.body['spec'] ?? {});
  return {
    name: manifest.name,
    labels: manifest.labels,
    annotations: manifest.annotations,
    resourceVersion: '',
    owners: [],
    spec: spec.success ? spec.data : { unreadable: manifest.body['spec'] },
  };
}

export function isMachineConfigManifest(manifest: Pick<Manifest, 'group' | 'kind'>): boolean {
  return manifest.group === group && manifest.kind === 'MachineConfig';
}

/** Made by the MCO from something else: a template, a KubeletConfig, or a whole rendered config. */
export function isGenerated(config: Pick<MachineConfigContent, 'annotations'>): boolean {
  return generatedByAnnotation in config.annotations;
}

/** A merged config is the outcome, never a source. */
export function isRenderedConfig(config: Pick<MachineConfigContent, 'name' | 'annotations'>): boolean {
  return config.name.startsWith('rendered-') && isGenerated(config);
}

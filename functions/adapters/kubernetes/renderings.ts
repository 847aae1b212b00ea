import * as z from 'zod';
import { disruptionPolicyOf } from '../../core/machine-config/disruption-policy.ts';
import { type MachineConfigContent, machineConfigOf } from '../../core/machine-config/machine-config.ts';
import type { ClusterCircumstances, RenderSources } from '../../core/machine-config/render-sources.ts';
import { selectorIn } from '../../core/openshift/manifest-selector.ts';
import type { PoolChooser } from '../../core/openshift/pool-chooser.ts';
import { type LabelSelector, selectorText } from '../../core/openshift/selector.ts';
import { Transient } from '../../core/text/errors.ts';
import { foreignName } from '../../core/text/foreign-text.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { unique } from '../../core/text/unique.ts';
import type { Renderings } from '../../ports/cluster.ts';
import type { KubeClient } from './kube-client.ts';
import { readPoolImages } from './pool-images.ts';
import { isUnserved } from './refusal.ts';

const group = '/apis/machineconfiguration.openshift.io/v1';
const policyPath = '/apis/operator.openshift.io/v1/machineconfigurations/cluster';

/** Objects per page: templates are some 100 kB each. */
const pageSize = 25;

/** Kinds that choose pools, and where they are listed. While images were a technology preview they had another API
 *  version. */
const chooserKinds: Readonly<Record<string, readonly string[]>> = {
  KubeletConfig: [`${group}/kubeletconfigs`],
  ContainerRuntimeConfig: [`${group}/containerruntimeconfigs`],
  MachineOSConfig: [`${group}/machineosconfigs`, `${group}alpha1/machineosconfigs`],
};

/** The sources of the renders of the cluster behind `client`. Reads that only improve the result may be forbidden; the
 *  value is then unknown. */
export function clusterRenderings(client: KubeClient): Renderings {
  /** The API server evaluates the pools' own selectors: no rendered config is read, because each embeds the pull
   *  secret. */
  async function selected(selectors: readonly string[]): Promise<readonly MachineConfigContent[]> {
    const lists = await Promise.all(
      selectors.map((labelSelector) => client.list(`${group}/machineconfigs`, { query: { labelSelector }, pageSize })),
    );
    const configs = lists.flat().flatMap((object) => machineConfigOf(object) ?? []);
    return [...new Map(configs.map((config) => [config.name, config])).values()];
  }

  /** Undefined: we may not list them. A kind that this release does not have chooses nothing. */
  async function choosers(kind: string): Promise<readonly PoolChooser[] | undefined> {
    for (const path of chooserKinds[kind] ?? []) {
      const objects = await unlessRefused(client.list(path, { pageSize: 100 }));
      if (objects === 'unserved') continue;
      return objects === 'forbidden' ? undefined : objects.flatMap((object) => chooserOf(kind, object));
    }
    return [];
  }

  async function circumstances(layers: Promise<readonly PoolChooser[] | undefined>): Promise<ClusterCircumstances> {
    const [policy, nodes, layered] = await Promise.all([
      unlessRefused(client.get(policyPath, { mayBeUnserved: true })),
      unlessRefused(client.count('/api/v1/nodes')),
      layers,
    ]);
    return {
      policy: disruptionPolicyOf(policy),
      isSingleNode: nodes === 1,
      layeredPools: layered?.every(({ pool }) => pool !== undefined)
        ? layered.flatMap(({ pool }) => pool ?? [])
        : undefined,
    };
  }

  return {
    async readRenderSources(pools): Promise<RenderSources> {
      const selectors = new Set(pools.map(({ machineConfigSelector }) => textOf(machineConfigSelector)));
      selectors.delete('');
      const layers = choosers('MachineOSConfig');
      const [machineConfigs, around, kubelets, runtimes, images] = await Promise.all([
        selected([...selectors].sort()),
        circumstances(layers),
        choosers('KubeletConfig'),
        choosers('ContainerRuntimeConfig'),
        layers,
      ]);
      const all = [kubelets, runtimes, images];
      return {
        machineConfigs,
        ...around,
        choosers: all.includes(undefined)
          ? unreadable('not allowed to list them')
          : seen(all.flatMap((each) => each ?? [])),
      };
    },

    async readContents(names) {
      const found = await Promise.all(
        unique(names).map((name) => client.get(`${group}/machineconfigs/${encodeURIComponent(name)}`)),
      );
      return found.flatMap((object) => machineConfigOf(object) ?? []);
    },

    readCircumstances: () => circumstances(choosers('MachineOSConfig')),

    readImages: () => readPoolImages(client),

    async readChoosers(kinds) {
      const lists = await Promise.all(kinds.map(choosers));
      return lists.flatMap((each) => each ?? []);
    },
  };
}

/** Empty for a selector that selects nothing. */
function textOf(selector: LabelSelector | undefined): string {
  return selector === undefined ? '' : selectorText(selector);
}

/** `forbidden` for a 403, `unserved` for a kind that this release does not have. */
async function unlessRefused<T>(read: Promise<T>): Promise<T | 'forbidden' | 'unserved'> {
  try {
    return await read;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    if (cause.kind === 'forbidden') return 'forbidden';
    if (isUnserved(cause)) return 'unserved';
    throw cause;
  }
}

const Name = z.string().transform(foreignName);

const Chooser = z.object({
  metadata: z.object({ name: Name }),
  spec: z
    .object({
      machineConfigPoolSelector: z.unknown().optional(),
      machineConfigPool: z.object({ name: Name }).optional().catch(undefined),
    })
    .nullish(),
});

/** How one KubeletConfig, ContainerRuntimeConfig or MachineOSConfig chooses its pools. One with an unreadable selector
 *  is left out, so that it may choose any pool. */
export function chooserOf(kind: string, object: unknown): readonly PoolChooser[] {
  const read = Chooser.safeParse(object);
  if (!read.success) return [];
  const { metadata, spec } = read.data;
  const selector = selectorIn(spec?.machineConfigPoolSelector);
  if (selector === 'unreadable') return [];
  return [
    { kind, name: metadata.name, selector, ...(spec?.machineConfigPool && { pool: spec.machineConfigPool.name }) },
  ];
}

import * as z from 'zod';
import { Transient } from '../../core/errors.ts';
import { selectorIn } from '../../core/impact/manifest-selector.ts';
import type { PoolChooser } from '../../core/impact/pools-of-managed.ts';
import { disruptionPolicyOf } from '../../core/rendering/disruption-policy.ts';
import { type MachineConfigContent, machineConfigOf } from '../../core/rendering/machine-config.ts';
import type { RenderSources } from '../../core/rendering/render-sources.ts';
import { type LabelSelector, selectorText } from '../../core/selector.ts';
import type { Renderings } from '../../ports.ts';
import type { KubeClient } from './kube-client.ts';

const group = '/apis/machineconfiguration.openshift.io/v1';
const policyPath = '/apis/operator.openshift.io/v1/machineconfigurations/cluster';

/** Objects a page: templates are some 100 kB each. */
const pageSize = 25;

/** What the cluster behind `client` renders from. What only sharpens the answer may be refused to us, and is then unknown. */
export function clusterRenderings(client: KubeClient): Renderings {
  /** The API server evaluates the pools' own selectors: no rendered config is read, each of which embeds the pull secret. */
  async function selected(selectors: readonly string[]): Promise<readonly MachineConfigContent[]> {
    const lists = await Promise.all(
      selectors.map((labelSelector) => client.list(`${group}/machineconfigs`, { query: { labelSelector }, pageSize })),
    );
    const configs = lists.flat().flatMap((object) => machineConfigOf(object) ?? []);
    return [...new Map(configs.map((config) => [config.name, config])).values()];
  }

  async function choosers(plural: string, kind: string): Promise<readonly PoolChooser[]> {
    const objects = await client.list(`${group}/${plural}`, { pageSize: 100 });
    return objects.flatMap((object) => chooserOf(kind, object));
  }

  return {
    async readRenderSources(pools): Promise<RenderSources> {
      const selectors = new Set(pools.map(({ machineConfigSelector }) => textOf(machineConfigSelector)));
      selectors.delete('');
      const [machineConfigs, policy, kubelets, runtimes, nodes, layers] = await Promise.all([
        selected([...selectors].sort()),
        unlessRefused(client.get(policyPath, { mayBeUnserved: true })),
        unlessRefused(choosers('kubeletconfigs', 'KubeletConfig')),
        unlessRefused(choosers('containerruntimeconfigs', 'ContainerRuntimeConfig')),
        unlessRefused(client.count('/api/v1/nodes')),
        unlessRefused(layeredPools(client)),
      ]);
      return {
        machineConfigs,
        policy: disruptionPolicyOf(policy),
        choosers: kubelets === undefined || runtimes === undefined ? undefined : [...kubelets, ...runtimes],
        isSingleNode: nodes === 1,
        layeredPools: layers ?? [],
      };
    },
  };
}

/** Empty for a selector that selects nothing. */
function textOf(selector: LabelSelector | undefined): string {
  return selector === undefined ? '' : selectorText(selector);
}

/** A 403, or a kind that this release does not have. */
async function unlessRefused<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (cause) {
    if (cause instanceof Transient && (cause.kind === 'forbidden' || /: 404\b/.test(cause.message))) return undefined;
    throw cause;
  }
}

const Chooser = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ machineConfigPoolSelector: z.unknown().optional() }).nullish(),
});

/** What one KubeletConfig or ContainerRuntimeConfig chooses pools by. One whose selector cannot be read is left out, so that it may choose any pool. */
export function chooserOf(kind: string, object: unknown): readonly PoolChooser[] {
  const read = Chooser.safeParse(object);
  if (!read.success) return [];
  const selector = selectorIn(read.data.spec?.machineConfigPoolSelector);
  return selector === 'unreadable' ? [] : [{ kind, name: read.data.metadata.name, selector }];
}

const Layer = z.object({ spec: z.object({ machineConfigPool: z.object({ name: z.string() }) }) });

/** Pools with a MachineOSConfig. */
async function layeredPools(client: KubeClient): Promise<readonly string[]> {
  const objects = await client.list(`${group}/machineosconfigs`, { pageSize: 100 });
  return objects.flatMap(layeredPoolOf);
}

/** The pool that a MachineOSConfig is for. */
export function layeredPoolOf(object: unknown): readonly string[] {
  const read = Layer.safeParse(object);
  return read.success ? [read.data.spec.machineConfigPool.name] : [];
}

import type { MachineConfig, MachineConfigPool } from '../api-server/cluster-objects.ts';
import { sameJson } from '../api-server/json.ts';
import { controllerOf, keyOf } from '../api-server/kubernetes-object.ts';
import { selects } from '../api-server/label-selector.ts';
import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigPools, machineConfigs } from '../api-server/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { createDelayQueue } from './delay-queue.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { withCondition } from './pool-conditions.ts';
import { render } from './rendered-config.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
}

const manager = 'machine-config-controller';

/** Merges the machine configs of each pool and points the pool's spec at the result, paused or not. */
export function startRenderController({ registry, pace, timings }: Parts): void {
  const record = createEventRecorder({
    registry,
    pace,
    component: 'machineconfigcontroller-rendercontroller',
    namespace: mcoNamespace,
  });
  const queue = createDelayQueue({ pace, workers: 2, sync });
  registry.subscribe((change) => {
    for (const pool of concerned(change, registry)) queue.addAfter(pool, timings.renderDelayMs);
  });

  async function sync(name: string): Promise<void> {
    const pool = registry.get(machineConfigPools, name);
    if (!pool) return;
    const rendering = render(pool, registry.list(machineConfigs));
    if (rendering.kind === 'failed') {
      setRenderDegraded(pool, {
        status: 'True',
        message: `Failed to render configuration for pool ${name}: ${rendering.why}`,
      });
      return;
    }
    await pace.sleep(timings.renderMs);
    const { config, configuration } = rendering;
    if (!registry.get(machineConfigs, configuration.name)) {
      registry.create(machineConfigs, config, { manager });
      const message = `${configuration.name} successfully generated (release version: 4.21.0)`;
      record({ object: pool, reason: 'RenderedConfigGenerated', message });
    }
    // the whole pool is written as it was read, so a change in between is a conflict and everything is done again
    if (!sameJson(pool.spec.configuration, configuration))
      registry.update(machineConfigPools, { ...pool, spec: { ...pool.spec, configuration } }, { manager });
    setRenderDegraded(pool, { status: 'False', message: '' });
  }

  function setRenderDegraded(
    pool: MachineConfigPool,
    { status, message }: { status: 'True' | 'False'; message: string },
  ): void {
    const set = (draft: MachineConfigPool) => {
      draft.status ??= {};
      draft.status.conditions = withCondition(
        draft.status.conditions ?? [],
        { type: 'RenderDegraded', status, message },
        pace.timestamp(),
      );
    };
    registry.modify(machineConfigPools, keyOf(pool), set, { manager, subresource: 'status' });
  }
}

/** The pools that have to be looked at again: every change of a pool counts, of a machine config only one of its
 *  spec. */
function concerned({ kind, type, object, previous }: ObjectChange, registry: Registry): string[] {
  if (type === machineConfigPools) return kind === 'DELETED' ? [] : [object.metadata.name];
  if (type !== machineConfigs) return [];
  const config = object as MachineConfig;
  if (kind === 'MODIFIED' && sameJson(config.spec, (previous as MachineConfig | undefined)?.spec)) return [];
  const owner = controllerOf(config);
  if (owner) return owner.kind === 'MachineConfigPool' ? [owner.name] : [];
  return registry
    .list(machineConfigPools)
    .filter(({ spec }) => selects(spec.machineConfigSelector, config.metadata.labels))
    .map(({ metadata }) => metadata.name);
}

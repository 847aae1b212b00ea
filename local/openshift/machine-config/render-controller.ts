import type { MachineConfig, MachineConfigPool } from '../api-server/cluster-objects.ts';
import { sameJson } from '../api-server/json.ts';
import { controllerOf, keyOf } from '../api-server/kubernetes-object.ts';
import { selects } from '../api-server/label-selector.ts';
import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigPools, machineConfigs } from '../api-server/resource-types.ts';
import { createEventRecorder, type RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { createDelayQueue, type DelayQueue } from './delay-queue.ts';
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
export function startRenderController(parts: Parts): void {
  new RenderController(parts).start();
}

class RenderController {
  private readonly parts: Parts;
  private readonly record: RecordEvent;
  private readonly queue: DelayQueue;

  constructor(parts: Parts) {
    const { registry, pace } = parts;
    this.parts = parts;
    this.record = createEventRecorder({
      registry,
      pace,
      component: 'machineconfigcontroller-rendercontroller',
      namespace: mcoNamespace,
    });
    this.queue = createDelayQueue({ pace, workers: 2, sync: (name) => this.sync(name) });
  }

  start(): void {
    const { registry, timings } = this.parts;
    registry.subscribe((change) => {
      for (const pool of affectedPools(change, registry)) this.queue.addAfter(pool, timings.renderDelayMs);
    });
  }

  private async sync(name: string): Promise<void> {
    const { registry, pace, timings } = this.parts;
    const pool = registry.get(machineConfigPools, name);
    if (!pool) return;
    const rendering = render(pool, registry.list(machineConfigs));
    if (rendering.kind === 'failed') {
      const message = `Failed to render configuration for pool ${name}: ${rendering.why}`;
      this.setRenderDegraded(pool, 'True', message);
      return;
    }
    await pace.sleep(timings.renderMs);
    const { config, configuration } = rendering;
    if (!registry.get(machineConfigs, configuration.name)) {
      registry.create(machineConfigs, config, { manager });
      const message = `${configuration.name} successfully generated (release version: 4.21.0)`;
      this.record({ object: pool, reason: 'RenderedConfigGenerated', message });
    }
    // The whole pool is written as it was read, so a change in between is a conflict and the sync is retried.
    if (!sameJson(pool.spec.configuration, configuration))
      registry.update(machineConfigPools, { ...pool, spec: { ...pool.spec, configuration } }, { manager });
    this.setRenderDegraded(pool, 'False', '');
  }

  private setRenderDegraded(pool: MachineConfigPool, status: 'True' | 'False', message: string): void {
    const { registry, pace } = this.parts;
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

/** The pools to render again: any change of a pool counts, but of a machine config only a change of its spec. */
function affectedPools({ kind, type, object, previous }: ObjectChange, registry: Registry): string[] {
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

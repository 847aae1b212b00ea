import type { Pool } from '../openshift/pool.ts';
import type { LabelledMachineConfig, PoolChooser } from '../openshift/pool-chooser.ts';
import { type KindRule, type ResourceName, renderingRule } from '../openshift/rendered-kinds.ts';
import { roleLabel } from '../openshift/role-label.ts';
import { poolSelects } from '../openshift/selector.ts';
import { type Observed, seenValue } from '../text/observed.ts';
import { inheritorsOf, inheritorsOfBuiltIn, isAssumed, type PoolReached } from './pools-of.ts';

/** The live objects needed to map a mere name to pools. */
export interface LiveObjects {
  readonly pools: readonly Pool[];
  readonly machineConfigs: readonly LabelledMachineConfig[];
  /** An object that was not observed, or is not listed, may choose any pool. */
  readonly choosers: Observed<readonly PoolChooser[]>;
}

/** Pools that a managed object may reach by any change of its content, when only its name is known. Unknown counts as a
 *  match. */
export function poolsOfManaged(resource: ResourceName, live: LiveObjects): readonly PoolReached[] {
  const rule = renderingRule(resource);
  if (rule === undefined) return [];
  const { kind, name } = resource;
  const reached = (pool: string, why: string): PoolReached => ({ pool, why: `it manages ${kind} ${name}: ${why}` });
  const everyPool = (why: string) => live.pools.map((pool) => reached(pool.name, why));

  switch (rule.reach) {
    case 'labels':
      return (
        placedIn(name, live)?.map((pool) => reached(pool, 'the pool selects it')) ??
        everyPool('it has not been read yet')
      );
    case 'pool-selector': {
      const chooser = chooserOf(resource, live);
      if (chooser === undefined) return everyPool('the pools that it chooses have not been read');
      return inheritorsOf(live.pools, [chooser.selector]).map((each) =>
        reached(each.name, `it chooses pool ${each.role}`),
      );
    }
    case 'built-in':
      return inheritorsOfBuiltIn(live.pools).map((each) => reached(each.name, rule.makes));
    case 'pool-itself':
      return live.pools.flatMap((pool) =>
        pool.name === name || (name === 'worker' && poolSelects(pool.machineConfigSelector, { [roleLabel]: name }))
          ? [reached(pool.name, rule.makes)]
          : [],
      );
    case 'assumed':
      return live.pools.filter(isAssumed).map((pool) => reached(pool.name, rule.makes));
    case 'named-pool': {
      const pool = chooserOf(resource, live)?.pool;
      return pool === undefined ? everyPool(rule.makes) : [reached(pool, rule.makes)];
    }
    case 'every-pool':
    case 'node-labels':
      return everyPool(rule.makes);
    case 'none':
      return [];
    default:
      return rule.reach satisfies never;
  }
}

function chooserOf({ kind, name }: ResourceName, { choosers }: LiveObjects): PoolChooser | undefined {
  return seenValue(choosers)?.find((each) => each.kind === kind && each.name === name);
}

/** Kinds whose objects choose their pools by their content, as in the live object. */
const choosingReaches: readonly KindRule['reach'][] = ['pool-selector', 'named-pool'];

export function choosesPools(resource: ResourceName): boolean {
  const rule = renderingRule(resource);
  return rule !== undefined && choosingReaches.includes(rule.reach);
}

/** Pools whose render lists the MachineConfig, or that would select it; undefined if neither is known. */
function placedIn(name: string, { pools, machineConfigs }: LiveObjects): readonly string[] | undefined {
  const labelled = machineConfigs.find((each) => each.name === name);
  const listing = pools.filter(
    (pool) =>
      pool.target.sources.includes(name) ||
      (labelled !== undefined && poolSelects(pool.machineConfigSelector, labelled.labels)),
  );
  return listing.length === 0 && labelled === undefined ? undefined : listing.map((pool) => pool.name);
}

import type { Pool } from '../openshift/pool.ts';
import type { LabelledMachineConfig, PoolChooser } from '../openshift/pool-chooser.ts';
import { type KindRule, type ResourceName, renderingRule } from '../openshift/rendered-kinds.ts';
import { roleLabel } from '../openshift/role-label.ts';
import { poolSelects } from '../openshift/selector.ts';
import { type Observed, seenValue } from '../text/observed.ts';
import { oncePer } from '../text/once-per.ts';
import { fallBack, inheritorsOf, inheritorsOfBuiltIn, isAssumed, isBuiltIn, type PoolReached } from './pools-of.ts';

/** The live objects needed to map a mere name to pools. */
export interface LiveObjects {
  readonly pools: readonly Pool[];
  readonly machineConfigs: readonly LabelledMachineConfig[];
  /** An object that was not observed, or is not listed, may choose any pool. */
  readonly choosers: Observed<readonly PoolChooser[]>;
}

/** The first reason for each pool that the objects may reach, in their order. Whoever may write an Application may say
 *  that it manages tens of thousands, so that no more are looked at than are needed. */
export function firstReached(resources: readonly ResourceName[], live: LiveObjects): ReadonlyMap<string, PoolReached> {
  const first = new Map<string, PoolReached>();
  // An object may name a pool that is not there: it takes nobody's place.
  const missing = new Set(live.pools.map(({ name }) => name));
  for (const resource of resources) {
    if (missing.size === 0) break;
    for (const each of poolsOfManaged(resource, live)) {
      if (!first.has(each.pool)) first.set(each.pool, each);
      missing.delete(each.pool);
    }
  }
  return first;
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
      return live.pools.flatMap((pool) => {
        const inherits = name === 'worker' && poolSelects(pool.machineConfigSelector, { [roleLabel]: name });
        if (pool.name === name || inherits) return [reached(pool.name, rule.makes)];
        return pool.name === 'worker' && isCustom(name, live) ? [reached(pool.name, fallBack)] : [];
      });
    case 'assumed':
      return live.pools.filter(isAssumed).map((pool) => reached(pool.name, rule.makes));
    case 'named-pool': {
      const pool = chooserOf(resource, live)?.pool;
      return pool === undefined ? everyPool(rule.makes) : [reached(pool, rule.makes)];
    }
    case 'every-pool':
    case 'built-pool':
    case 'node-labels':
      return everyPool(rule.makes);
    case 'none':
      return [];
    default:
      return rule.reach satisfies never;
  }
}

/** Not one of the MCO's own, which it restores; one that is gone already may have been custom. */
function isCustom(name: string, { pools }: LiveObjects): boolean {
  return !isBuiltIn(pools.find((pool) => pool.name === name) ?? { name, labels: {} });
}

/** Whether it is known which pools an object reaches: otherwise it counts for every one. */
export function hasKnownPools(live: LiveObjects): (resource: ResourceName) => boolean {
  return (resource) => {
    if (renderingRule(resource)?.reach === 'labels') return placedIn(resource.name, live) !== undefined;
    return !choosesPools(resource) || chooserOf(resource, live) !== undefined;
  };
}

function chooserOf({ kind, name }: ResourceName, { choosers }: LiveObjects): PoolChooser | undefined {
  return choosersByName(seenValue(choosers) ?? none).get(`${kind}/${name}`);
}

/** Kinds whose objects choose their pools by their content, as in the live object. */
const choosingReaches: readonly KindRule['reach'][] = ['pool-selector', 'named-pool'];

export function choosesPools(resource: ResourceName): boolean {
  const rule = renderingRule(resource);
  return rule !== undefined && choosingReaches.includes(rule.reach);
}

/** Pools whose render lists the MachineConfig, or that would select it; undefined if neither is known. */
function placedIn(name: string, { pools, machineConfigs }: LiveObjects): readonly string[] | undefined {
  const labelled = headsByName(machineConfigs).get(name);
  const listedBy = poolsBySource(pools).get(name);
  if (labelled === undefined && listedBy === undefined) return undefined;
  const placing = pools.filter(
    (pool) =>
      listedBy?.has(pool) === true ||
      (labelled !== undefined && poolSelects(pool.machineConfigSelector, labelled.labels)),
  );
  return placing.map((pool) => pool.name);
}

const none: readonly never[] = [];

/** The first of each name. */
export const headsByName = indexed(
  (heads: readonly LabelledMachineConfig[]) => new Map(heads.toReversed().map((head) => [head.name, head])),
);
const choosersByName = indexed(
  (choosers: readonly PoolChooser[]) =>
    new Map(choosers.toReversed().map((chooser) => [`${chooser.kind}/${chooser.name}`, chooser])),
);
/** The pools whose render lists a MachineConfig. */
const poolsBySource = indexed((pools: readonly Pool[]) => {
  const listing = new Map<string, Set<Pool>>();
  for (const pool of pools) {
    for (const source of pool.target.sources) listing.set(source, (listing.get(source) ?? new Set()).add(pool));
  }
  return listing;
});

/** The index of a list, made once for each list. */
function indexed<List extends readonly unknown[], Index>(indexOf: (list: List) => Index): (list: List) => Index {
  return oncePer(indexOf, new WeakMap());
}

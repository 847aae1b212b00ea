import type { Application } from '../argocd/application.ts';
import type { ClusterSettings } from '../configuration/cluster.ts';
import { protectionOf } from '../configuration/protection.ts';
import { affectedPools, type LiveObjects } from '../impact/affected-pools.ts';
import { poolsAffectedBySync } from '../impact/pools-affected-by-sync.ts';
import { unparsedPools } from '../impact/unparsed-pools.ts';
import { syncHoldId } from '../openshift/hold.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import type { Change } from '../openshift/manifest.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import type { GuardSubject } from './plan-project.ts';

/** What a pass has read, as far as guards need it. */
export interface GuardScene extends LiveObjects {
  readonly settings: ClusterSettings;
  readonly pools: readonly Pool[];
  /** Names of pools that are there and cannot be parsed; absent: none. */
  readonly unreadablePools?: readonly string[] | undefined;
  readonly pushes: ReadonlyMap<string, Push>;
  readonly changes: ReadonlyMap<string, Change>;
}

/** An Application as its guard sees it. Everything counts that it manages, whatever a sync is expected to write: a
 *  guard that is open lets every sync through. What a push adds counts too, and a pool that is held for it since, or
 *  the sync would reach a pool that the Application does not manage yet. Pools that Poolkeeper may not pause do not
 *  count, or it would never open; one that cannot be parsed does, because it may be reached and is not paused. */
export function guardSubject(application: Application, scene: GuardScene): GuardSubject {
  const { settings, pools } = scene;
  const isGuarding = (name: string) => protectionOf(settingsOf(settings, name)).guardsSyncs;
  const managed = new Set(
    pools.filter((pool) => isManaged(settings, pool) || isGuarding(pool.name)).map(({ name }) => name),
  );
  const known = affectedPools(application, scene).pools.filter((name) => managed.has(name));
  const added = addedPools(application, scene).filter((name) => managed.has(name) && !known.includes(name));
  const unparsed = unparsedPools(application, scene);
  const affected = [...known, ...new Set([...added, ...unparsed])];
  const isGuarded = [...known, ...unparsed].some(isGuarding);
  return { application, affected, isGuarded, push: pushOf(application, scene) };
}

/** Pools that the push of this pass may reach, and those with a hold of this Application. */
function addedPools(application: Application, scene: GuardScene): readonly string[] {
  const id = syncHoldId(application);
  const isHeld = (pool: Pool) => holdsOf(pool).some((hold) => hold.id === id);
  const change = scene.changes.get(id);
  const pushed = change === undefined ? [] : affectedPools(application, scene, change).pools;
  return [...pushed, ...scene.pools.filter(isHeld).map(({ name }) => name)];
}

function pushOf(application: Application, scene: GuardScene): GuardSubject['push'] {
  const id = syncHoldId(application);
  const push = scene.pushes.get(id);
  if (push === undefined || push.behindGuard === true) return undefined;
  const affected = poolsAffectedBySync(application, scene, { push, change: scene.changes.get(id) });
  const isHarmless = affected.isExact && affected.pools.length === 0 && push.via === undefined;
  return { at: push.at, revision: push.revision, harmless: isHarmless ? affected.why : undefined };
}

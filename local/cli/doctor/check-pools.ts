import { unlessUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Window } from '../../../functions/core/configuration/window.ts';
import { isManaged } from '../../../functions/core/openshift/managed-pools.ts';
import { clustersWithoutPools, type Pool } from '../../../functions/core/openshift/pool.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import type { Pools } from '../../../functions/ports/cluster.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** Whether there is something to pause, and whether it has the nodes. */
export async function checkPools(
  name: string,
  cluster: ClusterSettings,
  pools: Pick<Pools, 'listPools'>,
): Promise<readonly Finding[]> {
  const listed = await unlessUnserved(pools.listPools(), undefined);
  if (listed === undefined) return [withoutPools(name)];
  const { items: seen, unreadable } = listed;
  if (seen.length + unreadable.length === 0) return [withoutPools(name)];
  const there = new Set([...seen, ...unreadable].map((pool) => pool.name));
  const unknown = Object.keys(cluster.pools).filter((pool) => !there.has(pool));
  const kept = seen.filter((pool) => isManaged(cluster, pool));
  return [
    kept.length > 0
      ? ok(name, `pools: ${namesOf(kept)} may be paused, of ${seen.length}`)
      : warning(name, `pools: none of ${seen.length} may be paused`, 'clusters[].pools in poolkeeper.yaml'),
    ...emptyOnes(name, kept, seen),
    ...kept
      .filter(isTakenBackByArgoCd)
      .map((pool) =>
        warning(
          name,
          `pools: Argo CD has resumed ${pool.name} in spite of a hold: with spec.paused in its manifest, no sync is protected`,
          'take spec.paused out of the manifest, and merge what poolkeeper manifests --only argocd-settings prints with what you have, so that Argo CD ignores it',
        ),
      ),
    ...kept.filter((pool) => !isTakenBackByArgoCd(pool)).flatMap((pool) => takenBack(name, pool)),
    ...unknown.map((pool) =>
      wrong(name, `pools: poolkeeper.yaml names ${pool}, which does not exist`, 'correct the name'),
    ),
    ...(cluster.windows ?? []).flatMap((window) => withoutItsPools(name, window, there)),
    ...unreadable.map((pool) =>
      wrong(name, `pools: ${pool.name} cannot be parsed, so it is neither paused nor resumed`, pool.why),
    ),
    ...seen
      .filter((pool) => pool.record.kind === 'unreadable')
      .map((pool) =>
        wrong(
          name,
          `pools: the record on ${pool.name} cannot be parsed, so the pool is left alone`,
          'check its annotation poolkeeper.dev/holds and remove it',
        ),
      ),
  ];
}

function withoutPools(name: string): Finding {
  return wrong(
    name,
    'pools: this cluster has no MachineConfigPools, so there is nothing that could be paused',
    `${clustersWithoutPools}: take the cluster out of poolkeeper.yaml`,
  );
}

/** A window for a pool that was renamed, or misspelt, lets the one that is meant go at any time. */
function withoutItsPools(name: string, { pools, description }: Window, there: ReadonlySet<string>): readonly Finding[] {
  const said = description === undefined ? '' : ` (${description})`;
  return pools
    .filter((pool) => !there.has(pool))
    .map((pool) => wrong(name, `pools: a window${said} is for ${pool}, which does not exist`, 'correct the name'));
}

/** In compact and single-node clusters each node is in pool `master`, whatever other roles it has. */
function emptyOnes(name: string, kept: readonly Pool[], seen: readonly Pool[]): readonly Finding[] {
  const withNodes = seen.filter(({ counts }) => counts.machines > 0);
  if (kept.length === 0 || withNodes.length === 0 || kept.some(({ counts }) => counts.machines > 0)) return [];
  return [
    warning(
      name,
      `pools: no pool that may be paused has a node, so no sync is protected: all nodes are in ${namesOf(withNodes)}`,
      'in a compact or single-node cluster that is how it should be; manageRequired of that pool lets Poolkeeper pause it, and cluster upgrades then wait for it',
    ),
  ];
}

/** A sync, or self-heal, of an Application that has the pool in Git. */
function isTakenBackByArgoCd({ record }: Pool): boolean {
  return record.kind === 'record' && /^argocd\b/.test(record.record.letGo?.by ?? '');
}

/** Any other program. */
function takenBack(name: string, { name: pool, record }: Pool): readonly Finding[] {
  const letGo = record.kind === 'record' ? record.record.letGo : undefined;
  if (letGo?.program === undefined) return [];
  return [
    warning(
      name,
      `pools: ${safeLine(letGo.by, 80)}, which is no person as far as is known, has resumed ${pool} in spite of a hold`,
      'have it leave spec.paused of this pool alone, or its syncs are not protected',
    ),
  ];
}

function namesOf(pools: readonly Pool[]): string {
  return pools.map((pool) => pool.name).join(', ');
}

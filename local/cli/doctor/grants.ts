import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { runsOf } from '../../../functions/core/node-turns/run-plan.ts';
import { isManaged, settingsOf } from '../../../functions/core/openshift/managed-pools.ts';
import { isRequiredForUpgrade, type Pool } from '../../../functions/core/openshift/pool.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { limitNames } from '../../manifests/admission-limit.ts';
import { type CanaryLimits, canaryLimits } from '../../manifests/run-access.ts';
import { type NamedLimit, optionsAsPrinted } from './limit-as-printed.ts';
import { type Connected, manifestsOf } from './remedy-commands.ts';
import { guardedInstances, restartedInstances } from './written-instances.ts';

/** What our account is to be granted on a cluster by the configuration. */
export interface Grants {
  /** Pools that it may pause. */
  readonly pools: readonly string[];
  /** Pools that it may not lose besides, because it holds them. */
  readonly held?: readonly string[];
  /** It may pause any pool by now, those that are yet to come among them, and is not to lose that. */
  readonly pausesAny?: boolean;
  /** Those of all these that cluster upgrades wait for: connecting grants them only by name. */
  readonly required?: readonly string[];
  /** Namespaces with Applications in this cluster. */
  readonly argocdNamespaces: readonly string[];
  /** Namespaces of Argo CD instances in this cluster whose syncs are guarded. */
  readonly guardsIn?: readonly string[];
  /** Namespaces with Applications whose refused syncs are started again. */
  readonly restartsIn?: readonly string[];
  /** Some pool has pauseMachineHealthChecks. */
  readonly pausesHealthChecks?: boolean;
  /** Runs are configured for the cluster. */
  readonly letsNodesGo?: boolean;
  /** What those of mode canary write besides. */
  readonly canaries?: CanaryLimits;
}

export function grantsOf(
  configuration: Pick<Configuration, 'clusters' | 'argocd' | 'nodeTurns'>,
  cluster: ClusterSettings,
  seen: readonly Pool[],
): Grants {
  const kept = seen.filter((pool) => isManaged(cluster, pool));
  const held = seen.filter(
    ({ paused, record }) => paused && record.kind === 'record' && record.record.pause === 'ours',
  );
  const { name } = cluster;
  const namesOf = (pools: readonly Pool[]) => pools.map((pool) => pool.name);
  return {
    pools: namesOf(kept),
    held: namesOf(held),
    required: namesOf([...kept, ...held].filter(isRequiredForUpgrade)),
    argocdNamespaces: unique(configuration.argocd.filter((each) => each.cluster === name).flatMap(namespacesOf)),
    guardsIn: unique(guardedInstances(configuration, name).map((each) => each.controllerNamespace)),
    restartsIn: restartedInstances(configuration, name).flatMap(namespacesOf),
    pausesHealthChecks: kept.some((pool) => settingsOf(cluster, pool.name).pauseMachineHealthChecks),
    letsNodesGo: runsOf(configuration.nodeTurns, name).length > 0,
    canaries: canaryLimits(configuration.nodeTurns, name),
  };
}

function namespacesOf({ namespaces }: { readonly namespaces: readonly string[] }): readonly string[] {
  return namespaces;
}

const asYaml = 'print what is missing, as YAML for oc apply -f -';

/** Remedy by rights that have roles of their own. Whatever the account has besides, applying it takes none of that
 *  away: a role for pools or Applications is not among what is printed.
 *  @param words for these rights */
export function grantMore(connected: Connected, ...words: readonly string[]): string {
  return `${asYaml}: ${moreOf(connected, ...words)}`;
}

/** The command alone. */
export function moreOf(connected: Connected, ...words: readonly string[]): string {
  return manifestsOf(connected, ...words, '--level', 'observe', '--argocd-namespace', 'none', '--only', 'access');
}

/** Remedy by everything that the configuration needs, with what limits it: several settings share a role or a policy,
 *  and one that were printed for one of them alone would take from the account what the others need. One command for
 *  each Argo CD whose syncs are guarded. */
export function grantAll(connected: Connected, grants: Grants): string {
  const { guardsIn = [], argocdNamespaces } = grants;
  const homes = guardsIn.length > 0 ? guardsIn : argocdNamespaces.slice(0, 1);
  const commands = (homes.length === 0 ? ['none'] : homes).map((home) => allOf(connected, grants, home));
  return `${asYaml}${narrowing(namedIn(grants))}: ${commands.join(', and ')}`;
}

function narrowing({ length }: readonly string[]): string {
  return length > 0 ? ' (a pool that it does not name may not be paused any more)' : '';
}

function allOf(connected: Connected, grants: Grants, argocd: string): string {
  const { pools, held = [], argocdNamespaces, guardsIn = [], restartsIn = [] } = grants;
  const others = argocdNamespaces.filter((each) => each !== argocd);
  const words = [
    ...wordsFor(connected, {
      ...grants,
      named: namedIn(grants),
      pauses: pools.length + held.length > 0,
      guards: guardsIn.length > 0,
      restarts: restartsIn.length > 0,
    }),
    ...['--argocd-namespace', argocd],
    ...(others.length > 0 ? ['--application-namespaces', others.join(',')] : []),
  ];
  return manifestsOf(connected, ...words, ...tokenWords(connected), '--only', 'access,admission-limit');
}

interface Wished extends Pick<Grants, 'pausesHealthChecks' | 'letsNodesGo'> {
  /** The pools that have to be named. */
  readonly named: readonly string[];
  readonly pauses: boolean;
  readonly guards: boolean;
  readonly restarts: boolean;
}

function wordsFor({ cluster, file }: Connected, wished: Wished): readonly string[] {
  const { named, pauses, guards, restarts, pausesHealthChecks = false, letsNodesGo = false } = wished;
  return [
    ...levelFor(wished),
    ...(restarts ? ['--on-refused-sync', 'restart'] : []),
    ...(pausesHealthChecks ? ['--pause-health-checks'] : []),
    ...(letsNodesGo ? ['--runs', file, '--cluster', cluster] : []),
    ...(named.length > 0 ? ['--pools', named.join(',')] : []),
    ...(!pauses && (guards || restarts || pausesHealthChecks) ? ['--pools', 'none'] : []),
  ];
}

function levelFor({ pauses, guards, restarts, pausesHealthChecks = false }: Wished): readonly string[] {
  if (guards) return ['--level', 'guard'];
  if (restarts) return ['--level', 'admission'];
  return pauses || pausesHealthChecks ? [] : ['--level', 'observe'];
}

function tokenWords({ audience, tokenHours }: Connected): readonly string[] {
  return [
    ...(audience === undefined ? [] : ['--audience', audience]),
    ...(tokenHours === undefined ? [] : ['--token-hours', `${tokenHours}`]),
  ];
}

/** The pools that have to be named. Without names, all may be paused but those that cluster upgrades wait for. */
function namedIn({ pools, held = [], required = [], pausesAny = false }: Grants): readonly string[] {
  return pausesAny && required.length === 0 ? [] : unique([...pools, ...held]);
}

/** Remedy by all policies that limit the account, in this version, and none of its rights: for what the configuration
 *  needs, and for what the policies that are there say it has been granted besides.
 *  @param limits of the account */
export function limitAgain(connected: Connected, grants: Grants, limits: readonly NamedLimit[]): string {
  const { pools, guardsIn = [], restartsIn = [] } = grants;
  const isThere = (name: string) => limits.some(({ limit }) => limit === name);
  const printedFor = (name: string) => limits.filter(({ limit }) => limit === name).map(optionsAsPrinted)[0];
  const admitted = printedFor(limitNames.pools)?.pools;
  const named = namedIn({
    ...grants,
    pools: unique([...pools, ...(admitted ?? [])]),
    pausesAny: admitted?.length === 0,
  });
  const applications = printedFor(limitNames.applications);
  const guards = guardsIn.length > 0 || isThere(limitNames.projects) || applications?.guardsSyncs === true;
  // Nothing else needs a policy on Applications, if nothing says what this one was for.
  const isForRestarts = applications?.restartsSyncs ?? (isThere(limitNames.applications) && !guards);
  const words = wordsFor(connected, {
    named,
    pauses: named.length > 0 || isThere(limitNames.pools),
    guards,
    restarts: restartsIn.length > 0 || isForRestarts,
    pausesHealthChecks: grants.pausesHealthChecks === true || isThere(limitNames.healthChecks),
    letsNodesGo: grants.letsNodesGo === true,
  });
  const command = manifestsOf(connected, ...words, ...tokenWords(connected), '--only', 'admission-limit');
  return `print all policies of the account, as YAML for oc apply -f -${narrowing(named)}: ${command}`;
}

import type { Application } from '../core/argocd/application.ts';
import { clusterOf } from '../core/argocd/destination.ts';
import type { ArgoCdSettings } from '../core/configuration/argocd.ts';
import type { Listed } from '../core/findings/listed.ts';
import { deployedBy } from '../core/impact/deployed-by.ts';
import type { Deployed } from '../core/impact/impact-on-cluster.ts';
import { isFollowing } from '../core/routing/is-concerned.ts';
import type { ParsedFiles } from '../core/routing/parsed-files.ts';
import { namesOf, type RoutedPush } from '../core/routing/push.ts';
import { repositoriesOf } from '../core/routing/repository.ts';
import { type GitGenerator, isTemplated, type SetRoute } from '../core/routing/route.ts';
import { Transient } from '../core/text/errors.ts';
import { unique } from '../core/text/unique.ts';
import type { DeployedOn } from './new-applications.ts';
import type { PredictPorts } from './predict-ports.ts';

/** The change as it is read for every instance. */
export interface ReadForInstances {
  readonly push: RoutedPush;
  readonly parsed: ParsedFiles;
}

/** What one Argo CD has. */
export interface InstanceListed {
  readonly settings: ArgoCdSettings;
  readonly listed: Listed<Application>;
  /** Undefined: they may not be listed. */
  readonly sets: Listed<SetRoute> | undefined;
}

export interface InstanceSilent {
  readonly argocd: string;
  readonly why: string;
}

/** What one Argo CD deploys of a change. */
export interface InstanceSeen {
  readonly listed: Listed<Application>;
  readonly deployed: readonly DeployedOn[];
  /** Deployed to clusters that are not configured; `cluster` is how the Application names it. */
  readonly elsewhere: readonly DeployedOn[];
  readonly sets: readonly SetRoute[];
  readonly unreadableSets: Listed<SetRoute>['unreadable'];
  /** Name of the Argo CD whose ApplicationSets may not be listed. */
  readonly unlistedSets: readonly string[];
}

/** One that cannot be read is said to be unknown: it must not keep back what the others deploy. */
export async function listInstance(
  settings: ArgoCdSettings,
  { argocd, logger }: PredictPorts,
): Promise<InstanceListed | InstanceSilent> {
  try {
    const instance = await argocd(settings.name);
    const [listed, sets] = await Promise.all([
      instance.listApplications(),
      // Whether we may read them is the cluster's to say: without them nothing is known of what they generate.
      instance.listApplicationSets().catch((error: unknown) => {
        if (!(error instanceof Transient) || error.kind !== 'forbidden') throw error;
        logger.warn('ApplicationSets may not be listed for a preview', { argocd: settings.name, error });
        return undefined;
      }),
    ]);
    return { settings, listed, sets };
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    logger.warn('Argo CD could not be read for a preview', { argocd: settings.name, error });
    return { argocd: settings.name, why: error.message };
  }
}

/** Source paths that follow the base: without them it is not known what a kustomization takes from beside its folder,
 *  and it might be any cluster's. */
export function foldersOf(lists: readonly (InstanceListed | InstanceSilent)[], push: RoutedPush): readonly string[] {
  const sources = lists.flatMap((each) =>
    'why' in each ? [] : each.listed.items.flatMap((application) => application.sources),
  );
  return unique(sources.filter((source) => isFollowing(source, push)).map(({ path }) => path));
}

/** All that is watched. */
export function followedIn(
  lists: readonly (InstanceListed | InstanceSilent)[],
): readonly Pick<GitGenerator, 'repoURL'>[] {
  return lists.flatMap((each) => {
    if ('why' in each) return [];
    const sources = each.listed.items.flatMap((application) => application.sources);
    return [...sources, ...(each.sets?.items ?? []).flatMap(({ generators }) => generators)];
  });
}

/** Whether any of it names the repository, whatever of it. */
export function isNamed(followed: readonly Pick<GitGenerator, 'repoURL'>[], push: RoutedPush): boolean {
  const names = namesOf(push);
  return followed.some(
    ({ repoURL }) => isTemplated(repoURL) || repositoriesOf(repoURL).some((name) => names.includes(name)),
  );
}

/** What an Application deploys of it is one piece of work: whoever else is served by the process has a turn after each
 *  that the change concerns. */
export async function deployedByInstance(
  { settings, listed, sets }: InstanceListed,
  { push, parsed }: ReadForInstances,
  { yieldToEventLoop }: PredictPorts,
): Promise<InstanceSeen> {
  const concerned: (Deployed & { readonly known: string | undefined; readonly destination: string })[] = [];
  for (const application of listed.items) {
    const brought = deployedBy(application, push, parsed);
    if (brought.length === 0) continue;
    const known = clusterOf(application, settings);
    const destination = `${application.destination.name || application.destination.server}`;
    concerned.push(...brought.map((each) => ({ ...each, known, destination })));
    await yieldToEventLoop();
  }
  return {
    listed,
    deployed: concerned.flatMap(({ known, destination: _, ...each }) =>
      known === undefined ? [] : [{ ...each, cluster: known }],
    ),
    elsewhere: concerned.flatMap(({ known, destination, ...each }) =>
      known === undefined ? [{ ...each, cluster: destination }] : [],
    ),
    sets: sets?.items ?? [],
    unreadableSets: sets?.unreadable ?? [],
    unlistedSets: sets === undefined ? [settings.name] : [],
  };
}

import type { ApplicationRef } from '../core/argocd/application.ts';
import type { Configuration } from '../core/configuration/configuration.ts';
import { applicationExpected, expectedApplications } from '../core/holds/new-applications.ts';
import type { Deployed } from '../core/impact/impact-on-cluster.ts';
import type { ParsedFiles } from '../core/routing/parsed-files.ts';
import type { RoutedPush } from '../core/routing/push.ts';
import { routeOf } from '../core/routing/route.ts';

/** An Application that the change concerns or creates, what it brings to it, and the cluster it deploys to. */
export interface DeployedOn extends Deployed {
  readonly cluster: string;
}

/** An Application that the change creates. */
export interface CreatedOn extends DeployedOn {
  /** The Application that creates it; undefined: nobody knows which. */
  readonly writer: ApplicationRef | undefined;
}

/** The change as a push. */
export interface AsPush {
  readonly push: RoutedPush;
  readonly read: ParsedFiles;
  /** Commits that it starts from and leads to. */
  readonly before: string;
  readonly after: string;
  readonly now: Date;
}

/** Applications that the change itself creates below an app of apps, by the rules of a push, with what it brings to
 *  them. */
export function newApplications(
  deployed: readonly DeployedOn[],
  { push, read, before, after, now }: AsPush,
  argocd: Configuration['argocd'],
): readonly CreatedOn[] {
  const everywhere = deployed.map(({ application, cluster }) => ({
    route: routeOf(application, cluster),
    why: '',
    through: [],
  }));
  const expected = expectedApplications({
    at: now.toISOString(),
    revision: after,
    before,
    pushed: push,
    everywhere,
    sets: [],
    files: read,
    argocd,
  });
  return expected.map((each) => ({
    application: applicationExpected(each),
    cluster: each.cluster,
    change: each.change,
    writer: each.push.via,
  }));
}

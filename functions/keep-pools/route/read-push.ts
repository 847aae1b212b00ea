import { type ApplicationRef, refOf } from '../../core/argocd/application.ts';
import type { Policy } from '../../core/configuration/policy.ts';
import type { ExpectedApplication } from '../../core/holds/new-applications.ts';
import { expectedApplications } from '../../core/holds/new-applications.ts';
import { noPush, type PushNews, pushNews } from '../../core/holds/push-news.ts';
import { changeOf } from '../../core/impact/change-of.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Change } from '../../core/openshift/manifest.ts';
import { isRendered } from '../../core/openshift/rendered-kinds.ts';
import { concernedSources } from '../../core/routing/is-concerned.ts';
import type { ParsedFiles } from '../../core/routing/parsed-files.ts';
import type { Route, SetRoute } from '../../core/routing/route.ts';
import { type SetNews, setNews } from '../../core/routing/set-news.ts';
import { plusSeconds } from '../../core/text/instant.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { withinTime } from '../read/read-change.ts';
import type { PushScope, Scope } from './scope.ts';

/** What a push means for the Applications of a cluster. */
export interface PushOnCluster extends PushNews {
  /** Applications that it gives their first object that the MCO renders: they were not read yet. */
  readonly newlyRendering: readonly ApplicationRef[];
  /** Applications that the push will create on the cluster. */
  readonly expected: readonly ExpectedApplication[];
}

/** What the push of a scope means for its cluster. Waits for the changed files, as long as the policy allows. */
export async function readPush({ cluster, push, seen }: Scope, ports: KeepPorts): Promise<PushOnCluster> {
  if (push === undefined) return { ...noPush, newlyRendering: [], expected: [] };
  const files = push.files && (await withinTime(push.files, cluster.policy.readChangeWithinSeconds, ports));
  const observed = pushNews({
    ...push,
    expectSyncWithinSeconds: cluster.policy.expectSyncWithinSeconds,
    changeFor: files && ((route) => changeFor(route, files, push)),
    newsOf: (set) => (files === undefined ? unknownNews : newsIn(set, push, files)),
  });
  const known = new Set(seen.map((each) => syncHoldId(refOf(each))));
  const newly = push.concerned.filter(({ route }) => {
    const id = syncHoldId(route.ref);
    return !known.has(id) && bringsRendered(observed.changes.get(id));
  });
  return {
    ...observed,
    newlyRendering: newly.map(({ route }) => route.ref),
    expected: expectedIn(push, files, ports)
      .filter((each) => each.cluster === cluster.name)
      .map((each) => withTime(each, cluster.policy)),
  };
}

/** Where several will create it, the sync of one says nothing of the others: a time is awaited. */
function withTime(expected: ExpectedApplication, { expectSyncWithinSeconds }: Policy): ExpectedApplication {
  const { push, hasSeveralWriters } = expected;
  if (hasSeveralWriters !== true || push.via === undefined) return expected;
  const until = plusSeconds(new Date(push.at), expectSyncWithinSeconds);
  return { ...expected, push: { ...push, via: { ...push.via, until } } };
}

/** What was derived from the files of one push, shared by the clusters that it concerns. */
interface DerivedFromFiles {
  readonly news: Map<SetRoute, SetNews | undefined>;
  readonly expected: Map<PushScope['everywhere'], readonly ExpectedApplication[]>;
}

const derived = new WeakMap<ParsedFiles, DerivedFromFiles>();

function derivedFrom(files: ParsedFiles): DerivedFromFiles {
  const known = derived.get(files) ?? { news: new Map(), expected: new Map() };
  derived.set(files, known);
  return known;
}

function newsIn(set: SetRoute, { pushed }: PushScope, files: ParsedFiles): SetNews | undefined {
  const { news } = derivedFrom(files);
  if (!news.has(set)) news.set(set, setNews(set, pushed, files));
  return news.get(set);
}

/** Applications that a push will create, on any cluster; none are known without the changed files. */
export function expectedIn(
  push: PushScope,
  files: ParsedFiles | undefined,
  { configuration }: Pick<KeepPorts, 'configuration'>,
): readonly ExpectedApplication[] {
  if (files === undefined) return [];
  const { expected } = derivedFrom(files);
  const known = expected.get(push.everywhere) ?? expectedApplications({ ...push, files, argocd: configuration.argocd });
  expected.set(push.everywhere, known);
  return known;
}

const unknownNews = { path: 'what it reads', why: 'the changed files could not be read' };

/** What the push changes in those sources of an Application that follow what was pushed. */
function changeFor(route: Route, files: ParsedFiles, { pushed, before, revision }: PushScope): Change {
  const { sources, generatePaths } = route;
  const concerned = concernedSources(route, pushed);
  return { ...changeOf({ sources, generatePaths, concerned }, files), from: [before], to: revision };
}

function bringsRendered(change: Change | undefined): boolean {
  return (
    change?.manifests.some(({ before, after }) => [before, after].some((side) => side && isRendered(side))) ?? false
  );
}

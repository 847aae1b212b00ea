import type { Application, ApplicationSource } from '../argocd/application.ts';
import type { Change } from '../openshift/manifest.ts';
import { byFolder } from '../routing/by-folder.ts';
import { butaneTwins } from '../routing/changed-file.ts';
import { fromRoot } from '../routing/go-path.ts';
import { isConcerned, isFollowing } from '../routing/is-concerned.ts';
import { isButane, type ParsedFile } from '../routing/manifest-file.ts';
import type { ParsedFiles } from '../routing/parsed-files.ts';
import type { RoutedPush } from '../routing/push.ts';
import { routeOf } from '../routing/route.ts';
import { oncePer } from '../text/once-per.ts';
import { unique } from '../text/unique.ts';
import { anything, changeOf } from './change-of.ts';
import type { Deployed } from './impact-on-cluster.ts';
import { includedInButane, includesIt } from './included-in-butane.ts';
import { pushIndexOf } from './push-index.ts';

/** What a change would bring to an Application if it were pushed; empty if it does not concern it. */
export function deployedBy(application: Application, push: RoutedPush, read: ParsedFiles): readonly Deployed[] {
  const route = routeOf(application, '');
  if (!isConcerned(route, push).concerned) return [];
  const concerned = route.sources.filter((source) => isFollowing(source, push));
  const change = changeOf({ ...route, concerned }, read);
  const unknown = butaneIn(concerned, { read, change });
  return [{ application, change: { ...change, unknown: [...change.unknown, ...unknown] } }];
}

/** Argo CD reads no Butane files: what is applied is what somebody makes of them. If the manifest made from it
 *  changes as well, that is the change. */
function butaneIn(sources: readonly ApplicationSource[], { read, change }: Changed): Change['unknown'] {
  const folders = unique(sources.map(({ path }) => fromRoot(path)));
  const { looks, ordered } = pushIndexOf(read);
  const all = butaneOf(read);
  const isPart = (path: string) => folders.some((folder) => folder === '' || path.startsWith(`${folder}/`));
  const included = includedInButane(read, change).filter(({ by }) => by === '' || isPart(by));
  if (!looks()(folders.reduce((sum, folder) => sum + all.countBelow(folder), 0))) return anything(read).unknown;
  return [
    ...ordered(folders.flatMap((folder) => all.below(folder))).map(({ path }) => ({ path, why: appliesNothing })),
    ...unique(included.map(({ path }) => path)).map((path) => ({ path, why: includesIt })),
  ];
}

/** The changed Butane files of which no manifest that is made from one changes as well. */
const butaneOf = oncePer((read: ParsedFiles) => byFolder(withoutTwin(read), ({ path }) => path), new WeakMap());

function withoutTwin({ files }: ParsedFiles): readonly ParsedFile[] {
  const paths = new Set(files.map(({ path }) => path));
  const hasTwin = (path: string) => butaneTwins(path).some((twin) => paths.has(twin));
  return files.filter((file) => isButane(file) && !hasTwin(file.path));
}

const appliesNothing = 'Argo CD applies nothing of a Butane file; the MachineConfig made of it decides';

interface Changed {
  readonly read: ParsedFiles;
  readonly change: Change;
}

import type { Application, ApplicationSource } from '../argocd/application.ts';
import type { Change } from '../openshift/manifest.ts';
import { isButaneFile } from '../routing/changed-file.ts';
import { fromRoot } from '../routing/go-path.ts';
import { isConcerned, isFollowing } from '../routing/is-concerned.ts';
import type { ParsedFiles } from '../routing/parsed-files.ts';
import type { RoutedPush } from '../routing/push.ts';
import { routeOf } from '../routing/route.ts';
import { changeOf } from './change-of.ts';
import type { Deployed } from './impact-on-cluster.ts';

/** What a change would bring to an Application if it were pushed; empty if it does not concern it. */
export function deployedBy(application: Application, push: RoutedPush, read: ParsedFiles): readonly Deployed[] {
  const route = routeOf(application, '');
  if (!isConcerned(route, push).concerned) return [];
  const concerned = route.sources.filter((source) => isFollowing(source, push));
  const change = changeOf({ ...route, concerned }, read);
  return [{ application, change: { ...change, unknown: [...change.unknown, ...butaneIn(concerned, read)] } }];
}

/** Argo CD reads no Butane files: what is applied is what somebody makes of them. If the manifest made from it
 *  changes as well, that is the change. */
function butaneIn(sources: readonly ApplicationSource[], { files }: ParsedFiles): Change['unknown'] {
  const paths = new Set(files.map(({ path }) => path));
  const hasTwin = (path: string) => ['.yaml', '.yml'].some((end) => paths.has(path.replace(/\.bu$/, end)));
  const folders = sources.map(({ path }) => fromRoot(path));
  return files
    .map(({ path }) => path)
    .filter((path) => isButaneFile(path) && !hasTwin(path))
    .filter((path) => folders.some((folder) => folder === '' || path.startsWith(`${folder}/`)))
    .map((path) => ({ path, why: 'Argo CD applies nothing of a Butane file; the MachineConfig made of it decides' }));
}

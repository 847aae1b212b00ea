import type { Application, ApplicationSource } from '../argocd/application.ts';
import { isConcerned } from '../routing/is-concerned.ts';
import type { ParsedFiles } from '../routing/parsed-files.ts';
import type { RoutedPush } from '../routing/push.ts';
import { type Route, routeOf } from '../routing/route.ts';
import { changeOf } from './change-of.ts';
import type { Deployed } from './impact-on-cluster.ts';

/** What a change would bring to an Application if it were pushed; empty if it does not concern it. */
export function deployedBy(application: Application, push: RoutedPush, read: ParsedFiles): readonly Deployed[] {
  const route = routeOf(application, '');
  if (!isConcerned(route, push).concerned) return [];
  const anything: RoutedPush = { ...push, files: { kind: 'unknown', why: 'checked for one source' } };
  const concerned = route.sources.filter((source) => follows(source, route, anything));
  return [{ application, change: changeOf({ ...route, concerned }, read) }];
}

function follows(source: ApplicationSource, { generatePaths }: Route, push: RoutedPush): boolean {
  return isConcerned({ sources: [source], generatePaths }, push).concerned;
}

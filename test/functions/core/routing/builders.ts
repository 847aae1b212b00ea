import type { ApplicationSource } from '../../../../functions/core/argocd/application.ts';
import type { PushedFiles, RoutedPush } from '../../../../functions/core/routing/push.ts';
import { type Route, routeOf } from '../../../../functions/core/routing/route.ts';
import { anApplication } from '../../../fakes/index.ts';

/** Follows main of acme/ocp as a whole. */
export function aSource(change: Partial<ApplicationSource> = {}): ApplicationSource {
  return { repoURL: 'https://github.com/acme/ocp.git', path: '', targetRevision: 'main', chart: '', ...change };
}

/** Of an Application that deploys to `prod`; `name` gives it a uid too. */
export function aRoute({ name = 'nodes', ...change }: Partial<Route> & { readonly name?: string } = {}): Route {
  const route = routeOf(anApplication({ name, uid: `uid-${name}`, sources: [aSource()] }), 'prod');
  return { ...route, ...change };
}

/** To main of acme/ocp; a list of files is what is known to have changed. */
export function aPush(
  change: Partial<Omit<RoutedPush, 'files'>> & { readonly files?: PushedFiles | readonly string[] } = {},
): RoutedPush {
  const { files = ['README.md'], ...rest } = change;
  return {
    htmlUrl: 'https://github.com/acme/ocp',
    defaultBranch: 'main',
    ref: 'refs/heads/main',
    files: isList(files) ? { kind: 'known', paths: files } : files,
    ...rest,
  };
}

function isList(files: PushedFiles | readonly string[]): files is readonly string[] {
  return Array.isArray(files);
}

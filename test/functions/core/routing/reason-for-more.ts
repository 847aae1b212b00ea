import { posix } from 'node:path';
import type { Application } from '../../../../functions/core/argocd/application.ts';
import { type HandledPush, refreshed } from './argocd-handler.ts';

/** Why an Application is concerned by a push that Argo CD 3.2.11 does not refresh it for: the names of what is laxer
 *  on purpose. */
export type ReasonForMore =
  /** `user:password@`, `git://`, `www.`, a slash at the end, an escaped letter: the same repository. */
  | 'form of the URL'
  /** Older versions take the paths relative to every source. */
  | 'paths of all sources'
  /** Newer versions trim the paths. */
  | 'trimmed paths'
  /** `../x` at the root of the repository, `/a/../x`: Argo CD takes what is in that folder, but not a file of that
   *  very name. */
  | 'roundabout paths'
  /** Written like a range of versions, but not understood. */
  | 'unclear range';

const annotation = 'argocd.argoproj.io/manifest-generate-paths';

/** Undefined: there is no such reason, and the answer is wrong. Argo CD's rules are made laxer in one way after the
 *  other. */
export function reasonForMore(application: Application, push: HandledPush): string | undefined {
  const ways: readonly (readonly [ReasonForMore, (one: Application) => Application])[] = [
    ['form of the URL', withPlainUrls],
    ['paths of all sources', withoutHydration],
    ['trimmed paths', withTrimmedPaths],
    ['roundabout paths', withStraightPaths],
    ['unclear range', (one) => withUnclearRanges(one, push)],
  ];
  const tried: ReasonForMore[] = [];
  let lax = application;
  for (const [reason, relax] of ways) {
    const next = relax(lax);
    if (reason === 'paths of all sources' || JSON.stringify(next) !== JSON.stringify(lax)) tried.push(reason);
    lax = next;
    if (isRefreshed(lax, plain(push), tried.includes('paths of all sources'))) return tried.join(' + ');
  }
  return undefined;
}

function isRefreshed(application: Application, push: HandledPush, ofAllSources: boolean): boolean {
  return refreshed([application], push, ofAllSources ? 'all' : 'source').length > 0;
}

/** What Argo CD would match, by a few plain rules that know the forms of the generated worlds alone. */
function plainUrl(url: string): string {
  return decodeURIComponent(url)
    .replace(/^git:\/\//i, '')
    .replace(/^((?:[a-z]+:\/\/)?)[^/@]*@/i, '$1')
    .replace(/^((?:[a-z]+:\/\/)?)(?:(?:alt)?ssh\.|www\.)+/i, '$1')
    .replace(/(?:\.git|\/)+$/i, '');
}

function plain(push: HandledPush): HandledPush {
  return { ...push, htmlUrl: decodeURIComponent(push.htmlUrl) };
}

function withPlainUrls(application: Application): Application {
  const sources = application.sources.map((source) => ({ ...source, repoURL: encodeURI(plainUrl(source.repoURL)) }));
  return { ...application, sources };
}

function withoutHydration(application: Application): Application {
  return application;
}

function withTrimmedPaths(application: Application): Application {
  const paths = application.annotations[annotation];
  if (paths === undefined) return application;
  const trimmed = paths.split(';').map((item) => item.trim());
  if (trimmed.every((item) => item === '')) return { ...application, annotations: {} };
  return { ...application, annotations: { [annotation]: [...new Set([...paths.split(';'), ...trimmed])].join(';') } };
}

function withStraightPaths(application: Application): Application {
  const paths = application.annotations[annotation];
  if (paths === undefined) return application;
  const items = paths.split(';').filter((item) => item !== '');
  const straight = items.flatMap((item) =>
    item.startsWith('/')
      ? [posix.join('/', item)]
      : application.sources.map((source) => posix.join('/', source.path, item)),
  );
  return { ...application, annotations: { [annotation]: [...new Set([...items, ...straight])].join(';') } };
}

function withUnclearRanges(application: Application, push: HandledPush): Application {
  const revision = push.ref.split('/').slice(2).join('/');
  if (!/^v?\d/.test(revision)) return application;
  const sources = application.sources.map((source) =>
    /[=<>~^*|,\s]/.test(source.targetRevision) ? { ...source, targetRevision: `refs/tags/${revision}` } : source,
  );
  return { ...application, sources };
}

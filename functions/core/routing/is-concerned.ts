import type { Application, ApplicationSource } from '../application.ts';

/** The part of a push that decides which Applications it concerns. */
export interface PushedRef {
  readonly htmlUrl: string;
  readonly defaultBranch: string;
  /** `refs/heads/...` or `refs/tags/...`. */
  readonly ref: string;
}

/** Does this push concern that Application? Meant as a superset of what Argo CD's own webhook handler refreshes:
 *  unknown is a match. Source: argo-cd util/webhook/webhook.go. */
export function isConcerned(application: Application, push: PushedRef): boolean {
  return application.sources.some(
    (source) => isSameRepository(source.repoURL, push.htmlUrl) && isSameRevision(source, push),
  );
}

/** Compares host and path only: scheme, user, password, port, a final `.git` and slashes, `ssh.` hosts and case are ignored. */
export function isSameRepository(a: string, b: string): boolean {
  const left = repositoryIdentity(a);
  return left !== '' && left === repositoryIdentity(b);
}

function repositoryIdentity(url: string): string {
  const withoutScheme = url
    .trim()
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '');
  const withoutUser = withoutScheme.replace(/^[^/@]*@/, '');
  const [, host = '', rest = ''] = /^([^/:]+)(?::\d+(?=\/))?[:/]+(.*)$/.exec(withoutUser) ?? [];
  const path = decoded(rest)
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return path === '' ? '' : `${host.replace(/^(?:alt)?ssh\.|^www\./, '')}/${path}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isSameRevision(source: ApplicationSource, push: PushedRef): boolean {
  const pushed = shortRef(push.ref);
  const target = shortRef(source.targetRevision);
  if (target === '' || target === 'HEAD') return pushed === push.defaultBranch;
  if (pushed === target || pushed === source.targetRevision) return true;
  return isVersionRange(source.targetRevision) && /^v?\d/.test(pushed);
}

/** `refs/heads/a/b` -> `a/b`, as Argo CD splits it. */
function shortRef(ref: string): string {
  const parts = ref.split('/');
  return ref.startsWith('refs/') && parts.length > 2 ? parts.slice(2).join('/') : ref;
}

/** Looks like a semantic version constraint; which versions it admits is Argo CD's business, so any version matches. */
function isVersionRange(revision: string): boolean {
  return /[*^~<>=|]|\d\.x\b|\s-\s/.test(revision) || /^v?\d+(\.\d+)?$/.test(revision);
}

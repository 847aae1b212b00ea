import { matchesGlob, posix } from 'node:path';
import { isJsonObject, valueAt } from '../api-server/json.ts';
import { type Application, type ApplicationSource, sourcesOf } from './application.ts';

/** The parts of a push that Argo CD's webhook handler looks at. */
export interface PushFacts {
  readonly htmlUrl: string;
  readonly defaultBranch: string;
  readonly ref: string;
  readonly changedFiles: readonly string[];
}

/** What the handler reads from GitHub's payload; it ignores `deleted`, `created` and `forced`. */
export function pushFacts(body: unknown): PushFacts {
  const text = (path: string[]) => String(valueAt(body, path) ?? '');
  const commits = valueAt(body, ['commits']);
  const files = (Array.isArray(commits) ? commits : [])
    .filter(isJsonObject)
    .flatMap((commit) => ['added', 'modified', 'removed'].flatMap((key) => commit[key] ?? []));
  return {
    htmlUrl: text(['repository', 'html_url']),
    defaultBranch: text(['repository', 'default_branch']),
    ref: text(['ref']),
    changedFiles: files.map(String),
  };
}

/** Whether Argo CD refreshes this application for this push. Source: argo-cd util/webhook/webhook.go HandleEvent. */
export function isAffected(application: Application, push: PushFacts): boolean {
  return sourcesOf(application).some(
    (source) => matchesUrl(source, push) && matchesRevision(source, push) && matchesPaths(application, source, push),
  );
}

function matchesUrl({ repoURL }: ApplicationSource, { htmlUrl }: PushFacts): boolean {
  const { hostname, pathname } = new URL(htmlUrl);
  const user = '[\\w\\.][\\w\\.-]{0,30}[\\w\\.\\$-]?';
  const pattern = `^((https?|ssh)://)?(${user}@)?((alt)?ssh\\.)?${quoted(hostname)}(:\\d+)?[:/]${quoted(pathname.slice(1))}(\\.git)?$`;
  return new RegExp(pattern, 'i').test(repoURL);
}

function quoted(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The part after the second slash; branch names may contain slashes. */
function shortRef(ref: string): string {
  return ref.split('/').slice(2).join('/') || ref;
}

function matchesRevision({ targetRevision = '' }: ApplicationSource, { ref, defaultBranch }: PushFacts): boolean {
  const pushed = shortRef(ref);
  const target = shortRef(targetRevision);
  if (target === '' || target === 'HEAD') return pushed === defaultBranch;
  return pushed === (/^refs\/(heads|tags)\//.test(targetRevision) ? target : targetRevision);
}

/** Without the annotation every push matches, even one that changes nothing below the path. */
function matchesPaths(
  { metadata }: Application,
  { path = '.' }: ApplicationSource,
  { changedFiles }: PushFacts,
): boolean {
  const annotation = metadata.annotations?.['argocd.argoproj.io/manifest-generate-paths'];
  if (!annotation || changedFiles.length === 0) return true;
  const wanted = annotation
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean)
    .map((item) => (item.startsWith('/') ? item.slice(1) : posix.join(path, item)));
  return changedFiles.some((file) =>
    wanted.some((item) => file === item || item === '.' || file.startsWith(`${item}/`) || matchesGlob(file, item)),
  );
}

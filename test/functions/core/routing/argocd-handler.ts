import type { Application, ApplicationSource } from '../../../../functions/core/argocd/application.ts';
import { goMatch } from './go-match.ts';
import { check, parseConstraint, parseVersion } from './masterminds.ts';

/** Argo CD's webhook handler, told again in TypeScript: which Applications it refreshes for a push. It loops as the
 *  original does, so that it can also be timed. Shares no code with what it is compared with. Source: argo-cd
 *  3.2.11, util/webhook/webhook.go `HandleEvent`, util/app/path/path.go, Masterminds/semver 3.4.0, Go's
 *  path/filepath; a cluster test compares it with the original. */
export interface HandledPush {
  readonly htmlUrl: string;
  readonly defaultBranch: string;
  readonly ref: string;
  /** Added, modified and removed files of all commits, as they come. */
  readonly files: readonly string[];
}

/** `source`: the annotation is relative to the path of the source at hand (3.2.11 and newer). `all`: to the paths of
 *  all sources (before). */
export type PathRules = 'source' | 'all';

export function refreshed<App extends Pick<Application, 'sources' | 'annotations'>>(
  applications: readonly App[],
  push: HandledPush,
  rules: PathRules,
): readonly App[] {
  const pattern = webUrlPattern(push.htmlUrl);
  if (pattern === undefined) return [];
  const revision = lastOfThree(push.ref);
  const touchedHead = push.defaultBranch === revision;
  return applications.filter((application) =>
    application.sources.some((source) => {
      if (!revisionHasChanged(source, revision, touchedHead) || !pattern.test(source.repoURL)) return false;
      return filesHaveChanged(refreshPaths(application, source, rules), push.files);
    }),
  );
}

function lastOfThree(ref: string): string {
  const parts = ref.split('/');
  return parts.length > 3 ? parts.slice(2).join('/') : (parts.at(-1) ?? '');
}

/** Undefined where Go cannot read the URL. */
export function webUrlPattern(webUrl: string): RegExp | undefined {
  if (/%(?![0-9a-f]{2})/i.test(webUrl) || !URL.canParse(webUrl)) return undefined;
  const [, authority = '', path = ''] = /^[a-z]+:\/\/([^/]*)\/?(.*)$/i.exec(webUrl) ?? [];
  const host = authority
    .replace(/^.*@/, '')
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '');
  const escaped = path.replace(/[^\x21-\x7e]+/g, encodeURIComponent);
  const user = String.raw`[\w.][\w.\-]{0,30}[\w.$\-]?`;
  const start = String.raw`^((https?|ssh)://)?(${user}@)?((alt)?ssh\.)?`;
  return new RegExp(String.raw`${start}${quoted(host)}(:\d+)?[:/]${quoted(escaped)}(\.git)?$`, 'iu');
}

function quoted(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$/-]/g, String.raw`\$&`);
}

function revisionHasChanged({ targetRevision }: ApplicationSource, revision: string, touchedHead: boolean): boolean {
  const short = lastOfThree(targetRevision);
  if (short === 'HEAD' || short === '') return touchedHead;
  const hasPrefix = ['refs/heads/', 'refs/tags/'].some((prefix) => targetRevision.startsWith(prefix));
  return revisionMatches(revision, hasPrefix ? short : targetRevision);
}

function revisionMatches(revision: string, target: string): boolean {
  if (revision === target) return true;
  const constraint = parseConstraint(target);
  const version = constraint && parseVersion(revision);
  return version !== undefined && check(constraint ?? [], version);
}

function refreshPaths(
  { annotations, sources }: Pick<Application, 'sources' | 'annotations'>,
  source: ApplicationSource,
  rules: PathRules,
): readonly string[] {
  if (rules === 'source' && source.hydration === 'hydrated') return [source.path];
  // Before, relative paths were those of the sources that are synced.
  const bases = rules === 'source' ? [source] : sources.filter(({ hydration }) => hydration !== 'dry');
  const items = (annotations['argocd.argoproj.io/manifest-generate-paths'] ?? '').split(';').filter(Boolean);
  return items.flatMap((item) =>
    item.startsWith('/') ? [item.slice(1)] : bases.map(({ path }) => cleaned(path === '' ? item : `${path}/${item}`)),
  );
}

function cleaned(path: string): string {
  const rooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/').filter((each) => each !== '' && each !== '.')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !rooted) parts.push(part);
  }
  return `${rooted ? '/' : ''}${parts.join('/')}` || '.';
}

/** Kinder than the original, which cleans each path anew for each file and matches texts without anything special in
 *  them as patterns too. */
function filesHaveChanged(paths: readonly string[], files: readonly string[]): boolean {
  if (files.length === 0 || paths.length === 0) return true;
  const items = paths.map(absolute).map((item) => ({ item, root: cleaned(item), isPattern: /[*?[\\]/.test(item) }));
  for (const each of files) {
    const file = absolute(each);
    const folder = cleaned(file.slice(0, file.lastIndexOf('/') + 1));
    for (const { item, root, isPattern } of items) {
      if (file === item || isBelow(root, folder) || (isPattern && goMatch(item, file))) return true;
    }
  }
  return false;
}

function absolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

function isBelow(root: string, folder: string): boolean {
  return root === '/' || root === folder || `${folder}/`.startsWith(`${root}/`);
}

import { unique } from '../text/unique.ts';

/** Location of a repository, normalised so that all URLs of one repository are equal: `host/path`. Scheme, user,
 *  password, port, `www.`, `ssh.` and `altssh.` before the host, a final `.git`, trailing slashes and letter case are
 *  ignored; percent escapes and dot segments are resolved, as Git does. Laxer than Argo CD, which matches the URL of
 *  the push as an anchored pattern (argo-cd util/webhook/webhook.go `GetWebURLRegex`). More than one if the text is
 *  ambiguous: `host:123/x` is `x` at port 123 and `123/x` over SSH. None if there is no host and path, as for a chart
 *  registry or an unfilled template. */
export function repositoriesOf(url: string): readonly string[] {
  const text = url.trim();
  const scheme = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.exec(text)?.[0] ?? '';
  const found = withoutUser(text.slice(scheme.length)).flatMap(hostAndPaths);
  return found.length > 1 ? unique(found) : found;
}

/** Every name of the repository that is followed: as it is written, and as its Git host calls it now. */
export function followedAs({ repoURL, now }: { readonly repoURL: string; readonly now?: string | undefined }) {
  const written = repositoriesOf(repoURL);
  return now === undefined || written.includes(now) ? written : [...written, now];
}

/** The repository of a push. Its URL comes from the Git host: it has a scheme, and what follows the host's colon is a
 *  port. */
export function repositoryOf(htmlUrl: string): string | undefined {
  return repositoriesOf(htmlUrl.trim().replace(/^(https?:\/\/[^/:]{1,255}):\d+(?=\/)/i, '$1'))[0];
}

/** The text after the user. A password may contain an `@`, and so may a path after the colon of an SSH address. The
 *  first is without any of it. */
function withoutUser(text: string): readonly string[] {
  const slash = text.indexOf('/');
  const before = slash < 0 ? text : text.slice(0, slash);
  const first = before.indexOf('@');
  if (first < 0) return [text];
  const last = before.lastIndexOf('@');
  const colon = before.indexOf(':');
  return [
    text.slice(last + 1),
    ...(last === first ? [] : [text.slice(first + 1)]),
    ...(colon >= 0 && colon < first ? [text] : []),
  ];
}

function hostAndPaths(text: string): readonly string[] {
  const { host, rest } = splitHost(text);
  if (host === '' || rest === '') return [];
  const port = /^:\d+[:/]/.exec(rest)?.[0];
  const paths = port === undefined ? [rest] : [rest, rest.slice(port.length - 1)];
  return paths.map(pathOf).flatMap((path) => (path === '' ? [] : [`${host}/${path}`]));
}

/** `rest` begins with the separator. */
function splitHost(text: string): { readonly host: string; readonly rest: string } {
  const bracket = text.startsWith('[') ? text.indexOf(']') : -1;
  const end = bracket > 0 ? bracket + 1 : text.search(/[:/]/);
  if (end < 0) return { host: '', rest: '' };
  const host = folded(bracket > 0 ? text.slice(1, bracket) : text.slice(0, end));
  return { host: host.replace(/^(?:(?:alt)?ssh\.|www\.)+/, '').replace(/\.$/, ''), rest: text.slice(end) };
}

function pathOf(rest: string): string {
  const path = straight(folded(decoded(rest.replace(/^:/, ''))).split('/')).join('/');
  return path.replace(/(?:\/?\.git){1,9}$/, '');
}

/** Without empty parts, `.`, and `..` with what is before it. */
function straight(parts: readonly string[]): readonly string[] {
  const left: string[] = [];
  for (const part of parts) {
    if (part === '..') left.pop();
    else if (part !== '' && part !== '.') left.push(part);
  }
  return left;
}

/** Go folds more letters than `toLowerCase` does: the long s is an s. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase();
}

function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

import { isObject } from '../../core/impact/same-content.ts';
import { parseYaml } from './parse-yaml.ts';

/** Characters. Larger kustomizations are not read. */
const atMost = 256 * 1024;

/** Paths by which a kustomization refers to other folders of the repository, relative to its own: every text in it
 *  with a `..` segment, and every address of the repository itself, which Argo CD fetches anew for each commit.
 *  Undefined: it cannot be read.
 *  @param repository `owner/name`; undefined: not known, so any address with a path may be one */
export function referencesIn(text: string, repository?: string): readonly string[] | undefined {
  if (text.length > atMost) return undefined;
  const parsed = parseYaml(text);
  if ('fault' in parsed) return undefined;
  const texts = [...new Set(textsIn(parsed.value))].filter(({ length }) => length < 1_000);
  return [...new Set(texts.flatMap((each) => remotePlace(each, repository) ?? (leadsUp(each) ? [each] : [])))];
}

function leadsUp(text: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(text) && !/[\r\n]/.test(text.trim());
}

/** From any folder to the root of the repository. */
const toRoot = '../'.repeat(100);

/** Where an address leads within the repository; empty: elsewhere. Undefined: it is no address. The path follows `//`,
 *  `.git/` or the name of the repository. Source: kustomize api/internal/git/repospec.go. */
function remotePlace(text: string, repository: string | undefined): readonly string[] | undefined {
  if (!/^(?:git::|[a-z+]{2,10}:\/\/|git@|github\.com[:/])/i.test(text)) return undefined;
  const address = text
    .replace(/^git::/i, '')
    .replace(/^[a-z+]{2,10}:\/\//i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^[^/@]{0,200}@/, '')
    .replace(/^([^/:]{1,200}):\d{1,5}\//, '$1/');
  const parts = address.split(/[:/]+/);
  const [, owner = '', name = ''] = parts;
  const isThis = `${owner}/${name.replace(/\.git$/, '')}`.toLowerCase() === repository?.toLowerCase();
  const path = parts.slice(3).join('/');
  const mayBeThis = repository === undefined ? path !== '' : isThis;
  return mayBeThis ? [`${toRoot}${path}`] : [];
}

function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isObject(value) || depth > 50) return [];
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1));
}

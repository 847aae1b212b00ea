import { isObject } from '../../core/impact/same-content.ts';
import { unique } from '../../core/text/unique.ts';
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
  const paths = textsIn(parsed.value).filter((each) => !isAddress(each) && leadsUp(each));
  const addresses = sourcesIn(parsed.value).filter(isAddress);
  return unique([...paths, ...addresses.flatMap((each) => remotePlace(each, repository))]).filter(
    ({ length }) => length < longest,
  );
}

/** Characters. No path is longer. */
const longest = 1_000;

/** Fields of a kustomization that may name an address. Source: kustomize api/types/kustomization.go. */
const fieldsOfSources = [
  'resources',
  'bases',
  'components',
  'crds',
  'configurations',
  'generators',
  'transformers',
  'validators',
];

function sourcesIn(value: unknown): readonly string[] {
  if (!isObject(value)) return [];
  return fieldsOfSources.flatMap((field) => textsIn(value[field]));
}

function isAddress(text: string): boolean {
  return text.length < longest && /^(?:git::|[a-z+]{2,10}:\/\/|git@|github\.com[:/])/i.test(text);
}

function leadsUp(text: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(text) && !/[\r\n]/.test(text.trim());
}

/** From any folder to the root of the repository. */
const toRoot = '../'.repeat(100);

/** Where an address leads within the repository; empty: elsewhere. The path follows `//`, `.git/` or the name of the
 *  repository. Source: kustomize api/internal/git/repospec.go. */
function remotePlace(text: string, repository: string | undefined): readonly string[] {
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

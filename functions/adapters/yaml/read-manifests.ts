import { wordsOfCarried } from '../../core/impact/carried.ts';
import { isObject } from '../../core/impact/same-content.ts';
import { isButaneText, machineConfigOfButane } from '../../core/machine-config/butane.ts';
import type { Manifest } from '../../core/openshift/manifest.ts';
import { kindRules, machineConfigGroup } from '../../core/openshift/rendered-kinds.ts';
import { isButaneFile, isButaneTemplate } from '../../core/routing/changed-file.ts';
import type { ManifestFile, ReadManifests } from '../../core/routing/manifest-file.ts';
import { givenByHelm } from '../../core/routing/template-actions.ts';
import { unique } from '../../core/text/unique.ts';
import { type ParsedYaml, parseYaml, tooLong, yamlLimits } from './parse-yaml.ts';

/** Limits for untrusted text, far above what a cluster accepts. Each document has `yamlLimits` as well. */
const manifestLimits = {
  /** Characters of one file. */
  file: 10 * 1024 * 1024,
  /** Characters of one document that is read: etcd takes 1.5 MiB of an object. */
  document: 4 * 1024 * 1024,
  documents: 50_000,
  /** Lines, commas and brackets of the parsed documents of one file: they determine the parser's time and memory.
   *  50,000 take about a second on one core. */
  marks: 50_000,
  /** The same for all files of one reader. */
  allMarks: 150_000,
  /** Levels of lists and mappings. */
  depth: 200,
} as const;

/** A document without any of these words is not parsed: the kinds that the MCO renders (`kindRules`), what reaches
 *  nodes by other hands, the kinds by which Argo CD's Applications create others, and what may hide one of them. */
const wanted = new RegExp(
  [
    ...new Set(kindRules.map(({ kind }) => kind)),
    ...wordsOfCarried,
    machineConfigGroup.replaceAll('.', '\\.'),
    'Application(?:Set)?',
    // Hooks of a sync may pause pools by themselves.
    'argocd\\.argoproj\\.io/hook["\']?\\s{0,5}:',
    'helm\\.sh/hook["\']?\\s{0,5}:',
    'kustomize\\.config',
    // Syntax that can hide a word from this search: escapes, other tags, and lists of anything.
    '\\\\[xuU\\r\\n\\u0085\\u2028\\u2029]',
    'binary',
    '![^\\s!%]{0,100}%',
    '%TAG',
    'items["\']?\\s*:',
  ].join('|'),
);

/** Argo CD skips a file of a plain folder that contains it; Kustomize, Helm and Butane know nothing of it, so a file
 *  with it is not whole. Source: argo-cd reposerver/repository.go `skipFileRenderingMarker`, in `findManifests`. */
const skipMarker = '+argocd:skip-file-rendering';

/** What Kustomize reads and never applies: its plugins and functions, those of GitOps ZTP among them, and objects that
 *  others take values from. Source: kustomize api/internal/plugins and kyaml/fn/runtime; the generators of
 *  openshift-kni/cnf-features-deploy ztp. */
const readByKustomize = new RegExp(
  [
    '^apiVersion["\']?[ \\t]{0,5}:[ \\t]{0,5}["\']?(?:builtin|ran\\.openshift\\.io/|fn\\.kpt\\.dev/|viaduct\\.ai/|goabout\\.com/)',
    '^kind["\']?[ \\t]{0,5}:[ \\t]{0,5}["\']?PolicyGenerator\\b',
    'config\\.(?:kubernetes|k8s)\\.io/(?:local-config|function)',
  ].join('|'),
  'm',
);

/** How a pointer begins that Git has in place of the content. Argo CD fetches that where the repository is set up so.
 *  Source: specification of Git LFS. */
const lfsPointer = 'version https://git-lfs.github.com/spec/';

/** A reader for the files of one push, which share its limits: a new one for each push. It never throws: what cannot be
 *  read has a reason, which quotes nothing of the text.
 *  @param timeMs milliseconds after which the parsing of one document is stopped */
export function manifestReader(timeMs: number = yamlLimits.timeMs): ReadManifests {
  let marksLeft: number = manifestLimits.allMarks;
  let wasStopped = false;

  return (text, path) => {
    const whyNone = whyNoContent(text, path);
    if (whyNone !== undefined) return unreadable(whyNone);
    const documents = documentsOf(text, path);
    const by = readersOf(text, path, documents);
    if (!by.butane && by.argocd === 'skips') return skipped;
    if (documents.length > manifestLimits.documents) return unreadable('it holds more than 50,000 documents');

    const relevant = documents.filter((document) => isRelevant(document, by.butane));
    const marks = relevant.reduce((sum, document) => sum + marksOf(document), 0);
    marksLeft -= marks;
    if (marks > manifestLimits.marks || marksLeft < 0) return unreadable('it exceeds the limit for one push');
    const why = whyNotParsed({ text, path, relevant, wasStopped });
    if (why !== undefined) return unreadable(why);
    const file = withTemplate(readBy(by, { documents, relevant }, timeMs), givenByHelm(text, documents));
    wasStopped ||= isStopped(file) || isStopped(file.butane);
    return file;
  };
}

/** Who reads a file: Butane by its name or text, and Argo CD by its name unless it is told to skip it. */
interface Readers {
  readonly butane: boolean;
  readonly argocd: 'reads' | 'skips' | 'ignores';
}

function readersOf(text: string, path: string, documents: readonly string[]): Readers {
  if (isButaneFile(path)) return { butane: true, argocd: 'ignores' };
  return { butane: documents.some(isButaneText), argocd: text.includes(skipMarker) ? 'skips' : 'reads' };
}

function readBy(
  { butane, argocd }: Readers,
  { documents, relevant }: { readonly documents: readonly string[]; readonly relevant: readonly string[] },
  timeMs: number,
): ManifestFile {
  if (argocd === 'ignores') return readButane(relevant, timeMs);
  const wantedOnes = butane ? relevant.filter((document) => isRelevant(document, false)) : relevant;
  const file = argocd === 'skips' ? skipped : readAll(documents, new Set(wantedOnes), timeMs);
  return butane ? { ...file, butane: readButane(relevant, timeMs) } : file;
}

function isStopped(file: ManifestFile | undefined): boolean {
  return file?.kind === 'unreadable' && file.why === tooLong;
}

const skipped: ManifestFile = { kind: 'read', manifests: [], isWhole: false };

function withTemplate(file: ManifestFile, given: string): ManifestFile {
  return file.kind !== 'read' || given === '' ? file : { ...file, givenByHelm: given };
}

function whyNoContent(text: string, path: string): string | undefined {
  if (text.length > manifestLimits.file) return 'it is larger than 10 MB';
  if (isButaneTemplate(path)) return 'it is a template of a Butane file';
  return text.startsWith(lfsPointer) ? 'its content is kept in Git LFS' : undefined;
}

function isRelevant(document: string, isButane: boolean): boolean {
  return wanted.test(document) || (isButane && !isBlank(document));
}

interface Reading {
  readonly text: string;
  readonly path: string;
  readonly relevant: readonly string[];
  /** A document of the push had to be stopped: the push gets no more parsing time. */
  readonly wasStopped: boolean;
}

function whyNotParsed({ text, path, relevant, wasStopped }: Reading): string | undefined {
  if (relevant.length === 0) return undefined;
  // Words in sight may stand in another document, or in none, for Argo CD's reader.
  if (isAmbiguous(text, path)) return 'readers of YAML differ on where its lines end';
  return wasStopped ? tooLong : undefined;
}

function unreadable(why: string): ManifestFile {
  return { kind: 'unreadable', why };
}

/** Where Argo CD's reader sees lines and documents that others do not: it ends a line, and so a comment, also at a lone
 *  carriage return and at U+0085, U+2028 and U+2029, and takes `---#` for the end of a document. Source:
 *  go.yaml.in/yaml/v2 yamlprivateh.go `is_break`; apimachinery pkg/util/yaml `YAMLReader`. */
function isAmbiguous(text: string, path: string): boolean {
  return !path.endsWith('.json') && /\r(?!\n)|[\u0085\u2028\u2029]|(?<![^\n])---\S/.test(text);
}

/** Argo CD treats a JSON file as one document. `---` at the start of a line ends a document, whatever it is in; of what
 *  follows `...`, Argo CD reads nothing, so it is left to the parser, which refuses it. */
function documentsOf(text: string, path: string): readonly string[] {
  const plain = text.replace(/^\uFEFF/, '');
  if (path.endsWith('.json')) return [plain];
  return plain.split(/^---(?=\s|$)/m).map(withoutDirectives);
}

/** Directives precede everything but comments. */
function withoutDirectives(document: string): string {
  if (!document.startsWith('%') && !document.includes('\n%')) return document;
  const lines = document.split('\n');
  const end = lines.findIndex((line) => !/^(?:$|[#%])/.test(line.trimStart()));
  const head = lines.slice(0, end < 0 ? lines.length : end);
  return [...head.map((line) => (/^%(?!TAG)/.test(line) ? '' : line)), ...lines.slice(head.length)].join('\n');
}

/** Characters that cost a parser time: each may begin a token. */
function marksOf(document: string): number {
  let marks = 0;
  for (let at = 0; at < document.length; at += 1) {
    const code = document.charCodeAt(at);
    // newline , [ {
    if (code === 10 || code === 44 || code === 91 || code === 123) marks += 1;
  }
  return marks;
}

function readAll(documents: readonly string[], relevant: ReadonlySet<string>, timeMs: number): ManifestFile {
  const manifests: Manifest[] = [];
  let isWhole = true;
  for (const document of documents) {
    isWhole &&= !readByKustomize.test(document);
    if (!relevant.has(document)) {
      isWhole &&= isBlank(document) || looksWhole(document);
      continue;
    }
    if (document.length > manifestLimits.document) return unreadable('a document in it is larger than 4 MB');
    const parsed = parse(document, timeMs);
    if ('fault' in parsed) return unreadable(parsed.fault);
    const found = manifestsIn(parsed.value);
    if (found === undefined) return unreadable('it holds an object without a name or kind that can be read');
    manifests.push(...found.manifests);
    isWhole &&= found.isWhole;
  }
  return { kind: 'read', manifests, isWhole };
}

function readButane([document, ...others]: readonly string[], timeMs: number): ManifestFile {
  if (document === undefined) return { kind: 'read', manifests: [], isWhole: true };
  if (others.length > 0) return unreadable('a Butane file has one document');
  if (document.length > manifestLimits.document) return unreadable('a document in it is larger than 4 MB');
  const parsed = parse(document, timeMs);
  if ('fault' in parsed) return unreadable(parsed.fault);
  const result = machineConfigOfButane(parsed.value);
  return result.kind === 'converted'
    ? { kind: 'read', manifests: [result.manifest], isWhole: true }
    : unreadable(result.why);
}

/** Line by line: a pattern of a repeated group throws on millions of them. */
function isBlank(document: string): boolean {
  for (let at = 0; at < document.length; ) {
    const end = document.indexOf('\n', at);
    const line = document.slice(at, end < 0 ? undefined : end).trimStart();
    if (line !== '' && !line.startsWith('#')) return false;
    at = end < 0 ? document.length : end + 1;
  }
  return true;
}

/** Whether a document that is not parsed looks like a complete object. */
function looksWhole(document: string): boolean {
  const hasKind = /^kind:[ \t]{0,20}["']?[A-Za-z][A-Za-z0-9]*["']?[ \t]{0,20}(?:#.*)?\r?$/m.test(document);
  return hasKind && /^apiVersion:\s*\S/m.test(document) && /^metadata:/m.test(document);
}

function parse(document: string, timeMs: number): ParsedYaml {
  const trimmed = document.trimStart();
  const json = trimmed.startsWith('{') || trimmed.startsWith('[') ? parseJson(trimmed) : undefined;
  const parsed = json ?? parseYaml(document, timeMs);
  if ('fault' in parsed) return parsed;
  return isDeeperThan(parsed.value, manifestLimits.depth) ? { fault: 'it is nested too deeply' } : parsed;
}

function parseJson(text: string): ParsedYaml | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Breadth first and each object once: aliases turn a small text into a large tree. */
function isDeeperThan(root: unknown, depth: number): boolean {
  let level: readonly unknown[] = [root];
  for (let at = 0; at <= depth && level.length > 0; at += 1)
    level = unique(level.filter(isObject).flatMap((value) => Object.values(value).filter(isObject)));
  return level.length > 0;
}

/** The objects of one document; `isWhole` as in `ManifestFile`. */
interface Found {
  readonly manifests: readonly Manifest[];
  readonly isWhole: boolean;
}

/** Argo CD treats anything with `items` as a list. Undefined: it looks like an object but cannot be classified. */
function manifestsIn(value: unknown, depth = 0): Found | undefined {
  if (value === null || value === undefined) return { manifests: [], isWhole: true };
  if (!isObject(value) || Array.isArray(value)) return { manifests: [], isWhole: false };
  const items = value['items'];
  if (Array.isArray(items) && depth < 3) {
    const found = items.map((item) => manifestsIn(item, depth + 1));
    const known = found.filter((each) => each !== undefined);
    if (known.length < found.length) return undefined;
    return { manifests: known.flatMap((each) => each.manifests), isWhole: known.every((each) => each.isWhole) };
  }
  const { apiVersion, kind } = value;
  if (apiVersion === undefined || kind === undefined) return { manifests: [], isWhole: false };
  const manifest = manifestOf(value);
  return manifest === undefined ? undefined : { manifests: [manifest], isWhole: manifest.name !== '' };
}

/** Values that the API server would refuse for a name or label make the object unreadable. */
export function manifestOf({
  apiVersion,
  kind,
  metadata,
  ...body
}: Readonly<Record<string, unknown>>): Manifest | undefined {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const head = isObject(metadata) ? metadata : {};
  const [name, namespace] = [textOf(head['name']), textOf(head['namespace'])];
  const [labels, annotations] = [textsOf(head['labels']), textsOf(head['annotations'])];
  if (name === undefined || namespace === undefined || labels === undefined || annotations === undefined)
    return undefined;
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), kind, namespace, name, labels, annotations, body };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : undefined;
}

/** Keys such as `__proto__` are only data. Null means the empty text, as in Go. */
function textsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {};
  if (!isObject(value) || Array.isArray(value)) return undefined;
  const texts = Object.entries(value).map(([key, text]) => [key, textOf(text)] as const);
  if (texts.some(([, text]) => text === undefined)) return undefined;
  return Object.fromEntries(texts.map(([key, text]) => [key, text ?? '']));
}

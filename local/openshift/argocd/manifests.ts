import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject } from '../api-server/json.ts';
import { type Application, type ApplicationSource, sourcesOf } from './application.ts';
import type { GitHost } from './git-host.ts';

/** An object as it is in Git. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Record<string, string>;
  };
}

export type Wanted =
  | { readonly kind: 'read'; readonly revisions: readonly string[]; readonly manifests: readonly Manifest[] }
  | { readonly kind: 'failed'; readonly why: string };

/** The manifests of all sources of an application, at the given revisions or at the sources' targets. */
export function readManifests(git: GitHost, application: Application, asked: readonly string[] = []): Wanted {
  const revisions: string[] = [];
  const manifests: Manifest[] = [];
  for (const [index, source] of sourcesOf(application).entries()) {
    const wanted = readSource(git, source, asked[index]);
    if (wanted.kind === 'failed') return wanted;
    revisions.push(...wanted.revisions);
    manifests.push(...wanted.manifests);
  }
  return { kind: 'read', revisions, manifests };
}

function readSource(git: GitHost, source: ApplicationSource, asked: string | undefined): Wanted {
  const { repoURL, path = '.', targetRevision = 'HEAD', ref } = source;
  const repository = git.find(repoURL);
  const revision = asked ?? targetRevision;
  const sha = repository?.resolve(revision);
  if (!repository || !sha) return { kind: 'failed', why: `Unable to resolve '${revision}' to a commit SHA` };
  if (ref !== undefined && source.path === undefined) return { kind: 'read', revisions: [sha], manifests: [] };
  const files = [...repository.filesAt(sha)].filter(([file]) => isManifestIn(file, path));
  if (files.length === 0 && path !== '.') return { kind: 'failed', why: `${path}: app path does not exist` };
  const manifests: Manifest[] = [];
  for (const [file, text] of files) {
    const parsed = parseManifests(text);
    if (typeof parsed === 'string') return { kind: 'failed', why: `failed to unmarshal manifest ${file}: ${parsed}` };
    manifests.push(...parsed);
  }
  return { kind: 'read', revisions: [sha], manifests };
}

/** Only the directory itself is read, not its subdirectories. */
function isManifestIn(file: string, path: string): boolean {
  const directory = path === '.' ? '' : `${path.replace(/\/$/, '')}/`;
  return file.startsWith(directory) && !file.slice(directory.length).includes('/') && /\.(ya?ml|json)$/.test(file);
}

function parseManifests(text: string): Manifest[] | string {
  const documents = parseAllDocuments(text);
  for (const document of documents) {
    const [error] = document.errors;
    if (error) return error.message;
  }
  return documents.map((document) => document.toJSON() as unknown).filter(isManifest);
}

function isManifest(value: unknown): value is Manifest {
  return (
    isJsonObject(value) &&
    typeof value['kind'] === 'string' &&
    typeof value['apiVersion'] === 'string' &&
    hasName(value['metadata'])
  );
}

function hasName(metadata: unknown): boolean {
  return isJsonObject(metadata) && typeof metadata['name'] === 'string';
}

/** Lower waves are applied first; without an annotation it is wave 0. */
export function waveOf({ metadata }: Manifest): number {
  return Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? '0') || 0;
}

export function asJson(manifest: Manifest): JsonObject {
  return structuredClone(manifest) as unknown as JsonObject;
}

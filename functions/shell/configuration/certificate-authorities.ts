import { certificatesFault } from './certificates.ts';
import { type Path, type Problem, valueAt } from './problem.ts';

/** The certificate authority of each cluster, by its index in the file. */
export interface CertificateAuthorities {
  readonly pems: ReadonlyMap<number, string>;
  readonly problems: readonly Problem[];
}

/** Takes `ca` as it stands and `caFile` from its file; `readText` throws when a file cannot be read. */
export function readCertificateAuthorities(data: unknown, readText: (path: string) => string): CertificateAuthorities {
  const clusters = valueAt(data, ['clusters']);
  const pems = new Map<number, string>();
  const problems: Problem[] = [];
  for (const index of Array.isArray(clusters) ? clusters.keys() : []) {
    const api: Path = ['clusters', index, 'api'];
    for (const read of [inline(data, [...api, 'ca']), fromFile(data, [...api, 'caFile'], readText)]) {
      if (read?.kind === 'problem') problems.push(read.problem);
      if (read?.kind === 'pem') pems.set(index, read.pem);
    }
  }
  return { pems, problems };
}

type Read =
  | { readonly kind: 'pem'; readonly pem: string }
  | { readonly kind: 'problem'; readonly problem: Problem }
  | undefined;

function inline(data: unknown, path: Path): Read {
  const ca = valueAt(data, path);
  return typeof ca === 'string' ? checked(ca, path) : undefined;
}

function fromFile(data: unknown, path: Path, readText: (path: string) => string): Read {
  const file = valueAt(data, path);
  if (typeof file !== 'string' || file === '') return undefined;
  try {
    return checked(readText(file), path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    return problemAt(path, `cannot be read (${code})`, 'the path is relative to this file');
  }
}

function checked(pem: string, path: Path): Read {
  const fault = certificatesFault(pem);
  return fault === undefined ? { kind: 'pem', pem } : problemAt(path, fault, undefined);
}

function problemAt(path: Path, what: string, hint: string | undefined): Read {
  return { kind: 'problem', problem: { path, what, hint, at: 'value' } };
}

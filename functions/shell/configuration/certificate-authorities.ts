import { posix } from 'node:path';
import { certificatesFault } from './certificates.ts';
import { type Path, type Problem, pathText, valueAt } from './problem.ts';

/** The certificate authority of each API server and relay, by the path of that: `clusters[0].api`,
 *  `argocd[0].relay`. */
export interface CertificateAuthorities {
  readonly pems: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  /** Files that are not here, because only a pod has them. */
  readonly unread: readonly Problem[];
}

/** Where the kubelet puts what belongs to the account of a pod. Source: Kubernetes docs, "Accessing the Kubernetes API
 *  from a Pod". */
const podFolder = '/var/run/secrets/kubernetes.io/';

/** Reads `ca` as it is written and `caFile` from its file; `readText` throws when a file cannot be read. */
export function readCertificateAuthorities(data: unknown, readText: (path: string) => string): CertificateAuthorities {
  const pems = new Map<string, string>();
  const problems: Problem[] = [];
  const unread: Problem[] = [];
  for (const place of [...places(data, 'clusters', 'api'), ...places(data, 'argocd', 'relay')]) {
    for (const read of [inline(data, [...place, 'ca']), fromFile(data, [...place, 'caFile'], readText)]) {
      if (read?.kind === 'problem') problems.push(read.problem);
      if (read?.kind === 'unread') unread.push(read.problem);
      if (read?.kind === 'pem') pems.set(pathText(place), read.pem);
    }
  }
  return { pems, problems, unread };
}

function places(data: unknown, list: string, key: string): readonly Path[] {
  const entries = valueAt(data, [list]);
  return Array.isArray(entries) ? entries.map((_, index) => [list, index, key]) : [];
}

type Read =
  | { readonly kind: 'pem'; readonly pem: string }
  | { readonly kind: 'problem' | 'unread'; readonly problem: Problem }
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
    if (code === 'ENOENT' && posix.normalize(file).startsWith(podFolder)) {
      const problem = { path, what: 'was not read (ENOENT)', hint: 'only the pod itself has it', at: 'value' } as const;
      return { kind: 'unread', problem };
    }
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

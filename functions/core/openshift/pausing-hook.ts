import { unique } from '../text/unique.ts';
import type { Manifest } from './manifest.ts';

/** A hook of an Argo CD sync that pauses or resumes pools by itself, as the Jobs of the reference article do. */
export interface PausingHook {
  /** `Job openshift-gitops/pause-worker`. */
  readonly what: string;
  /** `PreSync`, `PostSync` ... as it is written, without what is no word; a Helm hook by what Argo CD makes of it. */
  readonly phase: string;
  readonly does: 'pauses' | 'resumes' | 'pauses or resumes';
  /** Undefined: none is named in plain text. */
  readonly pool: string | undefined;
  /** Undefined: the default of its namespace. */
  readonly serviceAccount: string | undefined;
}

/** Most characters of an object's texts that are searched. */
const longestText = 100_000;
/** Levels of lists and mappings that are searched. */
const deepest = 15;

/** Source: argo-cd gitops-engine pkg/sync/hook/helm. */
const helmPhases: Readonly<Record<string, string>> = {
  'pre-install': 'PreSync',
  'pre-upgrade': 'PreSync',
  'post-install': 'PostSync',
  'post-upgrade': 'PostSync',
};

/** Undefined for what is no hook, and for a hook that does not patch pools as far as its own text says. */
export function pausingHookOf({ kind, namespace, name, annotations, body }: Manifest): PausingHook | undefined {
  const phase = phaseOf(annotations);
  if (phase === '') return undefined;
  const texts: string[] = [];
  gather(body, { texts, left: longestText }, 0);
  const text = texts.join('\n');
  if (!/\b(?:mcp|machineconfigpools?)\b/i.test(text) || !/\bpaused\b/.test(text)) return undefined;
  const pauses = /\bpaused\W{0,10}true\b/.test(text);
  const resumes = /\bpaused\W{0,10}(?:false|null)\b/.test(text);
  // Asked for, not set: `jsonpath={.spec.paused}`.
  if (!pauses && !resumes && !/\b(?:patch|apply|edit|replace|PATCH)\b/.test(text)) return undefined;
  return {
    what: `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`,
    phase,
    does: pauses === resumes ? 'pauses or resumes' : pauses ? 'pauses' : 'resumes',
    pool: poolIn(text),
    serviceAccount: /^serviceAccountName=([a-z0-9.-]{1,253})$/m.exec(text)?.[1],
  };
}

function phaseOf(annotations: Manifest['annotations']): string {
  const own = annotations['argocd.argoproj.io/hook'];
  if (own !== undefined) {
    const words = own.slice(0, 60).split(',');
    return words.flatMap((each) => /^[A-Za-z]{1,20}$/.exec(each.trim())?.[0] ?? []).join(', ');
  }
  const helm = (annotations['helm.sh/hook'] ?? '').slice(0, 200).split(',');
  return unique(helm.flatMap((each) => helmPhases[each.trim()] ?? [])).join(', ');
}

function poolIn(text: string): string | undefined {
  const named =
    /\b(?:mcp|machineconfigpools?(?:\.machineconfiguration\.openshift\.io)?)(?:\/| +)([a-z0-9][a-z0-9.-]{0,62})(?![\w.-])/.exec(
      text,
    )?.[1];
  // `MCP: worker` of its environment, as the article has it.
  return named ?? /^(?:MCP|POOL|MCP_NAME|POOL_NAME)=([a-z0-9][a-z0-9.-]{0,62})$/m.exec(text)?.[1];
}

interface Gathered {
  readonly texts: string[];
  left: number;
}

/** Every text of commands, arguments and environment; a variable as `NAME=value`. */
function gather(value: unknown, into: Gathered, depth: number): void {
  if (into.left <= 0 || depth > deepest || value === null) return;
  const text = typeof value === 'string' ? value : pairOf(value);
  if (text !== undefined) {
    into.texts.push(text.slice(0, into.left));
    into.left -= text.length + 1;
    return;
  }
  if (typeof value !== 'object') return;
  for (const [key, each] of Object.entries(value))
    gather(key === 'serviceAccountName' ? { name: key, value: each } : each, into, depth + 1);
}

function pairOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { name, value: said } = { name: undefined, value: undefined, ...value };
  return typeof name === 'string' && typeof said === 'string' ? `${name}=${said}` : undefined;
}

/** What it does beside Poolkeeper, in one sentence. */
export function pausingHookWords({ what, phase, does, pool }: PausingHook): string {
  const which = pool === undefined ? 'pools' : `pool ${pool}`;
  const harm =
    does === 'pauses'
      ? 'nothing resumes what it paused when the sync fails or is terminated'
      : 'it also clears a pause that a person or Poolkeeper set';
  return `${what} is a ${phase} hook that ${does} ${which} by itself: ${harm}`;
}

/** What to remove, and what replaces it. `where`: the files, or how to find them. */
export function pausingHookRemedy({ serviceAccount }: PausingHook, where: string): string {
  const account =
    serviceAccount === undefined
      ? ''
      : `, and ServiceAccount ${serviceAccount} with its ClusterRole and binding if nothing else uses them`;
  return `Remove ${where}${account}. Poolkeeper pauses the pool at the push and resumes it after the sync; where a sync must wait for the confirmed pause, use the PreSync Job that poolkeeper manifests prints for level handshake`;
}

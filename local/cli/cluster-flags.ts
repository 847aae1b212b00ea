import { Misconfigured } from '../../functions/core/text/errors.ts';
import { configFlag, configHelp } from './configuration-file.ts';

/** Flags of every command that connects to a cluster as the person who runs it. */
export const clusterFlags = { kubeconfig: { type: 'string' }, context: { type: 'string' } } as const;

export const clusterFlagsHelp = `  --context X       context of your kubeconfig (default: the current one)
  --kubeconfig F    the file (default: KUBECONFIG, then ~/.kube/config)`;

/** Flags of every command that connects to a cluster as Poolkeeper does. */
export const configuredFlags = {
  cluster: { type: 'string' },
  ...configFlag,
} as const;

/** Help of commands that change a cluster as the person who runs them, with `liveFlags`. */
export const changedClusterHelp = `  --cluster NAME    the cluster of poolkeeper.yaml: refused in another; its context is found by its API server;
                    where none leads there, --context says which
${configHelp}
${clusterFlagsHelp}`;

export const liveFlags = { ...clusterFlags, ...configuredFlags } as const;

export const sourceFlags = {
  ...liveFlags,
  snapshot: { type: 'string' },
  'must-gather': { type: 'string' },
} as const;

/** Flags of commands that are about one pool, all pools of a cluster, or those of every cluster. */
export const poolsFlags = {
  ...liveFlags,
  pool: { type: 'string' },
  all: { type: 'boolean', default: false },
  fleet: { type: 'boolean', default: false },
  required: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const;

export interface PoolsFlags {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly pool?: string | undefined;
  readonly all: boolean;
  readonly fleet: boolean;
  /** The file that says what `cluster` and `fleet` mean; undefined: there is none. */
  readonly config: string | undefined;
  readonly required: boolean;
}

/** What the flags are about. Throws Misconfigured unless they say one of the three. */
export function scopeOf({
  pool,
  all,
  fleet,
  context,
  cluster,
}: Omit<PoolsFlags, 'config'>): 'pool' | 'cluster' | 'fleet' {
  const said = [pool !== undefined, all, fleet].filter(Boolean).length;
  if (said !== 1) throw new Misconfigured(['which pools? One of --pool P, --all (the cluster) or --fleet']);
  if (fleet && context !== undefined)
    throw new Misconfigured(['--context: with --fleet, each cluster is found in the kubeconfig by its API server']);
  if (fleet && cluster !== undefined) throw new Misconfigured(['--cluster and --fleet exclude each other']);
  if (fleet) return 'fleet';
  return all ? 'cluster' : 'pool';
}

/** Throws Misconfigured for more than one source. */
export function refuseSeveralSources({
  snapshot,
  'must-gather': folder,
  cluster,
  context,
}: {
  readonly snapshot?: string | undefined;
  readonly 'must-gather'?: string | undefined;
  readonly cluster?: string | undefined;
  readonly context?: string | undefined;
}): void {
  const named = Object.entries({ snapshot, 'must-gather': folder, cluster, context }).filter(([, value]) => value);
  if (named.length > 1)
    throw new Misconfigured([`${named.map(([flag]) => `--${flag}`).join(' and ')} exclude each other`]);
}

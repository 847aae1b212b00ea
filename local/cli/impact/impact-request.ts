import { type DisruptionClass, disruptionClasses } from '../../../functions/core/machine-config/disruption.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlags, configuredFlags } from '../cluster-flags.ts';
import { baseUrl, oneOf, readArgs } from '../command.ts';
import { type OutputForm, outputFlag, outputOf } from '../output.ts';

/** Where the change is read from. `git`: a local clone, or `owner/name` at GitHub. */
export type ChangeSource =
  | { readonly kind: 'git'; readonly repository: string; readonly from: string; readonly to: string }
  | { readonly kind: 'folders'; readonly before: string; readonly after: string };

/** The cluster for which the impact is predicted. `none`: the pools that every cluster has. */
export type ClusterSource =
  | { readonly kind: 'live'; readonly context?: string | undefined; readonly kubeconfig?: string | undefined }
  /** A cluster of poolkeeper.yaml. */
  | { readonly kind: 'configured'; readonly name: string; readonly config: string | undefined }
  | { readonly kind: 'snapshot'; readonly file: string }
  | { readonly kind: 'none' };

export interface ImpactRequest {
  /** Undefined: only record the cluster. */
  readonly change: ChangeSource | undefined;
  readonly cluster: ClusterSource;
  readonly record: string | undefined;
  readonly url: string | undefined;
  /** Address of a running Poolkeeper, which knows the pace of the pools. */
  readonly status: string | undefined;
  readonly branch: string | undefined;
  readonly everything: boolean;
  readonly output: OutputForm | 'markdown';
  readonly showDiff: boolean;
  readonly failOn: DisruptionClass | undefined;
}

const flags = {
  ...clusterFlags,
  ...configuredFlags,
  repo: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  before: { type: 'string' },
  after: { type: 'string' },
  snapshot: { type: 'string' },
  record: { type: 'string' },
  url: { type: 'string' },
  status: { type: 'string' },
  branch: { type: 'string' },
  everything: { type: 'boolean', default: false },
  'no-diff': { type: 'boolean', default: false },
  ...outputFlag,
  'fail-on': { type: 'string' },
} as const;

/** Parses the command line. Throws Misconfigured naming the flag. */
export function readImpactRequest(args: readonly string[]): ImpactRequest {
  const read = readArgs(foldersAsFlags(args), flags);
  const change = changeOf(read);
  const cluster = clusterOf(read);
  if (read.record !== undefined && ['none', 'snapshot'].includes(cluster.kind))
    throw new Misconfigured(['--record needs a cluster to record: --context, --kubeconfig or --cluster']);
  if (change === undefined && read.record === undefined)
    throw new Misconfigured(['no change given: use --repo FOLDER|OWNER/NAME --from A --to B, or --dir BEFORE AFTER']);
  return {
    change,
    cluster,
    record: read.record,
    url: read.url,
    status: statusOf(read, cluster),
    branch: read.branch,
    everything: read.everything,
    output: outputOf(read.output, ['markdown']),
    showDiff: !read['no-diff'],
    failOn: read['fail-on'] === undefined ? undefined : oneOf(read['fail-on'], disruptionClasses, '--fail-on'),
  };
}

/** Its clusters have the names of poolkeeper.yaml. */
function statusOf({ status }: Flags, cluster: ClusterSource): string | undefined {
  if (status === undefined) return undefined;
  if (cluster.kind !== 'configured') throw new Misconfigured(['--status needs --cluster: which one is asked about']);
  return baseUrl(status, '--status');
}

/** `--dir BEFORE AFTER` takes two values. */
function foldersAsFlags(args: readonly string[]): readonly string[] {
  const at = args.indexOf('--dir');
  if (at < 0) return args;
  const [before, after] = args.slice(at + 1, at + 3);
  if (before === undefined || after === undefined || before.startsWith('--') || after.startsWith('--'))
    throw new Misconfigured(['--dir needs two folders: --dir BEFORE AFTER']);
  return [...args.slice(0, at), '--before', before, '--after', after, ...args.slice(at + 3)];
}

type Flags = ReturnType<typeof readArgs<typeof flags>>;

function changeOf({ repo, from, to, before, after }: Flags): ChangeSource | undefined {
  if (before !== undefined && after !== undefined) {
    if (repo !== undefined) throw new Misconfigured(['--repo and --dir exclude each other']);
    return { kind: 'folders', before, after };
  }
  if (repo === undefined) {
    if (from !== undefined || to !== undefined)
      throw new Misconfigured(['--repo is missing: the repository of the commits']);
    return undefined;
  }
  const problems = [
    ...(from === undefined ? ['--from is missing: the commit or branch before'] : []),
    ...(to === undefined ? ['--to is missing: the commit or branch after'] : []),
  ];
  if (problems.length > 0) throw new Misconfigured(problems);
  return { kind: 'git', repository: repo, from: from ?? '', to: to ?? '' };
}

function clusterOf({ snapshot, context, kubeconfig, cluster, config }: Flags): ClusterSource {
  const isLive = context !== undefined || kubeconfig !== undefined;
  const named = [
    ...(snapshot === undefined ? [] : ['--snapshot']),
    ...(isLive ? ['--context'] : []),
    ...(cluster === undefined ? [] : ['--cluster']),
  ];
  if (named.length > 1) throw new Misconfigured([`${named.join(' and ')} exclude each other`]);
  if (cluster !== undefined) return { kind: 'configured', name: cluster, config };
  if (snapshot !== undefined) return { kind: 'snapshot', file: snapshot };
  return isLive ? { kind: 'live', context, kubeconfig } : { kind: 'none' };
}

import * as z from 'zod';

/** An update of the cluster's version that is under way. The version operator updates the others one after another, the
 *  Machine Config Operator last; then its controller renders new configs, and its daemons take the nodes to them. */
export interface VersionUpdate {
  /** The last version that was completed; undefined: none was. */
  readonly from: string | undefined;
  readonly to: string;
  /** ISO instant; undefined: not told. */
  readonly since: string | undefined;
  /** The version that the Machine Config Operator has reached; undefined: not told. */
  readonly operatorAt: string | undefined;
}

const History = z.object({
  state: z.string(),
  version: z.string(),
  image: z.string().optional(),
  startedTime: z.string().optional(),
});

/** api config/v1 types_cluster_version.go. Newest first. */
const ClusterVersion = z.object({
  status: z.object({
    desired: z.object({ version: z.string(), image: z.string().optional() }),
    history: z.array(History).default([]),
  }),
});

const ClusterOperator = z.object({
  status: z.object({ versions: z.array(z.object({ name: z.string(), version: z.string() })).default([]) }).optional(),
});

export type VersionUpdateRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'under way'; readonly update: VersionUpdate }
  /** The ClusterVersion cannot be parsed. */
  | { readonly kind: 'invalid' };

/** @param clusterVersion ClusterVersion `version`
 *  @param operator ClusterOperator `machine-config`; undefined: not read */
export function readVersionUpdate(clusterVersion: unknown, operator: unknown): VersionUpdateRead {
  const parsed = ClusterVersion.safeParse(clusterVersion);
  if (!parsed.success) return { kind: 'invalid' };
  const { desired, history } = parsed.data.status;
  const operatorAt = operatorVersion(operator);
  const [newest] = history;
  // Two releases may have one version: an update by its image alone, as to a hotfix.
  const isOther = isTold(newest?.image) && isTold(desired.image) && newest?.image !== desired.image;
  const isSame = newest?.version === desired.version && !isOther;
  const isComplete = newest?.state === 'Completed' && isSame;
  // A completed update has reached every operator; one that is behind again is being rolled out anew.
  if (isComplete && (operatorAt === undefined || operatorAt === desired.version)) return { kind: 'none' };
  const from = history.find(({ state, version }) => state === 'Completed' && version !== desired.version)?.version;
  const since = isSame ? newest?.startedTime : undefined;
  return { kind: 'under way', update: { from, to: desired.version, since, operatorAt } };
}

/** `the update of the cluster from 4.17.3 to 4.18.1, since ..., has reached the Machine Config Operator`. */
export function versionUpdateText({ from, to, since, operatorAt }: VersionUpdate): string {
  const versions = from === undefined ? `to ${to}` : `from ${from} to ${to}`;
  const begun = since === undefined ? '' : `, since ${since},`;
  const reached = operatorAt === to ? 'has reached' : 'has not reached';
  return `the update of the cluster ${versions}${begun} ${reached} the Machine Config Operator`;
}

function isTold(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}

function operatorVersion(operator: unknown): string | undefined {
  const versions = ClusterOperator.safeParse(operator).data?.status?.versions ?? [];
  return versions.find(({ name }) => name === 'operator')?.version;
}

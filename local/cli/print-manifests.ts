import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type ManifestOptions, manifestsYaml, objectsOf } from '../manifests/manifests.ts';
import type { Rights } from '../manifests/rights.ts';
import { type CanaryLimits, canaryLimits, runRights } from '../manifests/run-access.ts';
import { sequenceRights } from '../manifests/sequence-access.ts';
import { shippedNotifications } from '../manifests/shipped-notifications.ts';
import type { Surroundings } from './command.ts';
import { readConfigurationFile } from './configured-clusters.ts';

export interface AskedManifests extends Omit<ManifestOptions, 'shippedNotifications'> {
  /** False: `url` is to be replaced. */
  readonly isUrlGiven: boolean;
  readonly output: 'yaml' | 'json';
}

/** What the sequences of a poolkeeper.yaml need on a cluster of it. Throws Misconfigured. */
export async function sequencesIn(file: string, cluster: string): Promise<Rights> {
  const { sequences, argocd } = await configurationWith(file, cluster);
  return sequenceRights(sequences, cluster, argocd);
}

/** What its runs need there. Throws Misconfigured. */
export async function runsIn(
  file: string,
  cluster: string,
): Promise<{ readonly runs: Rights; readonly canaries: CanaryLimits }> {
  const { nodeTurns } = await configurationWith(file, cluster);
  return { runs: runRights(nodeTurns, cluster), canaries: canaryLimits(nodeTurns, cluster) };
}

async function configurationWith(file: string, cluster: string) {
  const configuration = await readConfigurationFile(file);
  const names = configuration.clusters.map(({ name }) => name);
  if (!names.includes(cluster))
    throw new Misconfigured([`--cluster ${cluster}: is not in ${file}, which has ${names.join(', ')}`]);
  return configuration;
}

/** Prints the parts, and hints at what is still to be replaced. */
export function printManifests(
  { output, isUrlGiven, ...asked }: AskedManifests,
  { out, note }: Pick<Surroundings, 'out' | 'note'>,
): void {
  const options = { ...asked, shippedNotifications: shippedNotifications() };
  out(output === 'json' ? manifestsJson(options) : manifestsYaml(options));
  for (const line of hints(options, isUrlGiven)) note(line);
}

function manifestsJson(options: ManifestOptions): string {
  const items = options.parts.flatMap((part) => objectsOf(part, options));
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`;
}

function hints(
  { parts: printed, level, argocdNamespace, application, cluster, url, pools, audience }: ManifestOptions,
  isUrlGiven: boolean,
): readonly string[] {
  const saysUrl = printed.some((part) => ['notifications', 'event-source', 'presync-job'].includes(part));
  return [
    ...(saysUrl && !isUrlGiven && (argocdNamespace !== undefined || printed.includes('presync-job'))
      ? [`# --url is not given: replace ${url}.`]
      : []),
    ...(printed.includes('argocd-settings') && !printed.includes('notifications') && !isUrlGiven
      ? ['# --url is not given: the notifications of Argo CD are left out, and stay as they are.']
      : []),
    ...(printed.includes('access') && pools.length > 0 && level !== 'observe'
      ? ['# --pools: no other pool can be paused or resumed then, also one that is held.']
      : []),
    ...(printed.includes('admission-limit') && audience === undefined
      ? [
          '# --audience is not given: where the issuer is not https://kubernetes.default.svc (oc get --raw /.well-known/openid-configuration), give it, or poolkeeper connect afterwards. Otherwise the token is not renewed.',
        ]
      : []),
    ...(printed.includes('in-cluster') && cluster === 'CLUSTER' ? ['# --cluster is not given: replace CLUSTER.'] : []),
    ...(level === 'handshake' && !printed.includes('presync-job')
      ? [
          '# The PreSync Job goes into Git, beside the MachineConfigs: poolkeeper manifests --only presync-job --application NAME',
        ]
      : []),
    ...(printed.includes('presync-job') && application === 'APPLICATION'
      ? ['# --application is not given, and the name of the Job is made of it: print it again with it.']
      : []),
  ];
}

import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { runsOf } from '../../../functions/core/node-turns/run-plan.ts';
import { refusingPools } from '../../../functions/core/openshift/managed-pools.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { Secrets } from '../../../functions/ports/secrets.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { clusterSecrets } from '../cluster-secrets.ts';
import type { Surroundings } from '../command.ts';
import { anywhere, configurationFile, readConfigurationText } from '../configuration-file.ts';
import { isSameServer } from '../connection/configuration-entry.ts';
import { pickCluster } from '../pick-cluster.ts';
import { checkAdmission } from './check-admission.ts';
import { checkCluster, connectedTo } from './check-cluster.ts';
import { checkHooks } from './check-hooks.ts';
import { checkLimits, type WrittenKind } from './check-limits.ts';
import { checkNotifications } from './check-notifications.ts';
import { checkService } from './check-service.ts';
import { checkNamespaces, checkSharedNamespaces, recordsThere } from './check-shared-namespaces.ts';
import { checkUnread } from './check-unread.ts';
import { type Finding, ok, unchecked, warning, wrong } from './finding.ts';
import { type Grants, grantsOf } from './grants.ts';
import { type AdmissionLook, lookAtAdmission } from './look-at-admission.ts';
import { lookAtArgoCd } from './look-at-argocd.ts';
import { otherGuards, otherInstallations } from './other-installations.ts';
import type { Connected } from './remedy-commands.ts';

/** Everything that Poolkeeper depends on, in the order in which it is shown. Throws Misconfigured if the
 *  configuration cannot be read. */
export async function checkEverything(wished: ArgoCdQuestion, surroundings: Surroundings): Promise<readonly Finding[]> {
  const used = await configurationFile(wished.config, surroundings);
  const { configuration, findings } = await checkConfiguration(used);
  const file = anywhere(used, surroundings);
  const config = wished.config === undefined ? undefined : file;
  const asked = { ...wished, config, file, secrets: clusterSecrets(surroundings) };
  return [
    ...findings,
    ...(configuration === undefined ? [] : await checkClusters(configuration, asked, surroundings)),
    ...(configuration === undefined ? [] : await checkArgoCds(configuration, asked, surroundings)),
    ...(wished.url === undefined
      ? []
      : await checkService(
          wished.url,
          secretsOfService(surroundings),
          configuration?.clusters.map(({ name }) => name),
        )),
  ];
}

async function checkConfiguration(file: string) {
  const text = await readConfigurationText(file);
  try {
    const warnings: string[] = [];
    const configuration = readConfiguration(text, { source: file, warn: (each) => warnings.push(each) });
    const { clusters, argocd, alerts } = configuration;
    const what = `${file}: ${clusters.length} clusters, ${argocd.length} Argo CD instances, ${alerts.targets.length} targets of alerts`;
    const toMove = warnings.map((each) => warning('settings', each, 'docs/configuration.md has every key'));
    return { configuration, findings: [ok('settings', what), ...toMove] };
  } catch (cause) {
    if (!(cause instanceof Misconfigured)) throw cause;
    return {
      configuration: undefined,
      findings: cause.problems.map((problem) => wrong('settings', problem, 'docs/configuration.md lists every key')),
    };
  }
}

async function checkClusters(
  configuration: Configuration,
  { config, file, secrets }: Pick<Asked, 'config' | 'file' | 'secrets'>,
  surroundings: Surroundings,
): Promise<readonly Finding[]> {
  const checked = await Promise.all(
    configuration.clusters.map((cluster) =>
      checkCluster({
        cluster,
        configuration,
        secrets,
        clock: surroundings.now,
        config,
        file,
      }),
    ),
  );
  return checked.flat();
}

function secretsOfService({ environment }: Surroundings) {
  return {
    github: environment['POOLKEEPER_GITHUB_SECRET']?.split(',')[0],
    status: environment['POOLKEEPER_STATUS_TOKEN']?.split(',')[0],
  };
}

interface ArgoCdQuestion {
  /** If it was given. */
  readonly config?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly url: string | undefined;
}

/** With what reads the secrets that the configuration names. */
interface Asked extends ArgoCdQuestion {
  readonly secrets: Secrets;
  /** The poolkeeper.yaml that was read. */
  readonly file: string;
}

/** What the account writes on a cluster by the configuration, runs aside. */
function writtenKinds({ pools, guardsIn = [], restartsIn = [], pausesHealthChecks }: Grants): readonly WrittenKind[] {
  return [
    ...(pools.length > 0 ? [{ kind: 'pools', what: 'pools' } as const] : []),
    ...(guardsIn.length + restartsIn.length > 0 ? [{ kind: 'applications', what: 'Applications' } as const] : []),
    ...(guardsIn.length > 0 ? [{ kind: 'projects', what: 'AppProjects' } as const] : []),
    ...(pausesHealthChecks === true ? [{ kind: 'healthChecks', what: 'MachineHealthChecks' } as const] : []),
  ];
}

async function checkAdmissionOf(
  cluster: ClusterSettings,
  configuration: Configuration,
  { connection, connected }: { readonly connection: ClusterConnection; readonly connected: Connected },
): Promise<readonly Finding[]> {
  const { home } = connected;
  if (home === undefined)
    return [
      unchecked(
        cluster.name,
        `limits, admission: whose policies these are is not known without the ServiceAccount token in ${connected.tokenSecret}`,
      ),
    ];
  try {
    const [observed, pools] = await Promise.all([lookAtAdmission(connection.client), connection.pools.listPools()]);
    const grants = grantsOf(configuration, cluster, pools.items);
    const limits = observed.isServed
      ? checkLimits({ ...connected, home }, { ...observed, writes: writtenKinds(grants), grants })
      : [];
    const own = configuration.argocd.filter((each) => each.cluster === cluster.name);
    const read = own.flatMap(({ namespaces }) => namespaces);
    const homes = own.map(({ controllerNamespace }) => controllerNamespace);
    return [
      ...(await checkUnread({ ...connected, home }, connection.client, { read, homes })),
      ...limits,
      ...checkAdmission(cluster.name, { ...observed, home, wanted: refusingPools(cluster), kept: grants.pools }),
      ...otherInstallations(cluster.name, home, observed),
      ...(grants.guardsIn?.length ? otherGuards(cluster.name, home, observed) : []),
    ];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return [unchecked(cluster.name, `admission: ${cause.message}`)];
  }
}

async function checkHooksOf(about: string, { client }: ClusterConnection): Promise<readonly Finding[]> {
  try {
    return await checkHooks(about, client);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return [unchecked(about, `hooks that pause pools: ${cause.message}`)];
  }
}

async function checkSharedOf(
  about: string,
  { sequences, nodeTurns }: Configuration,
  { client }: ClusterConnection,
): Promise<readonly Finding[]> {
  try {
    const ofRecords = unique(runsOf(nodeTurns, about).map(({ recordNamespace }) => recordNamespace));
    const ofChecks = checkNamespaces(sequences, about);
    if (ofRecords.length === 0 && ofChecks.length === 0) return [];
    const homes = homesOf(await lookAtAdmission(client));
    return [
      ...(await checkSharedNamespaces(about, ofChecks, { client, homes })),
      ...(await checkSharedNamespaces(about, ofRecords, { client, homes }, recordsThere)),
    ];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return [
      unchecked(about, `sequences and runs: who may write where checks run and records are kept: ${cause.message}`),
    ];
  }
}

/** Namespaces of Poolkeeper's accounts, by what limits these, which no tenant writes; the usual one where nothing
 *  does. */
function homesOf({ limits }: AdmissionLook): readonly string[] {
  return limits.length === 0 ? ['poolkeeper'] : limits.map(({ home }) => home);
}

function clusterAt(server: string, clusters: readonly ClusterSettings[]): ClusterSettings | undefined {
  return clusters.find(({ api }) => isSameServer(api.server, server));
}

/** What the account of the service may not read, so that a person's context is asked. */
function uncheckedWithoutContext(cluster: ClusterSettings, { nodeTurns }: Configuration): readonly Finding[] {
  const { name } = cluster;
  const hasPolicy = refusingPools(cluster).length > 0 || runsOf(nodeTurns, name).length > 0;
  return [
    unchecked(name, 'hooks that pause pools', '--context of a user who may list Jobs'),
    ...(hasPolicy
      ? [unchecked(name, 'admission: the policy', '--context of a user who may read admission policies')]
      : []),
  ];
}

async function checkArgoCds(
  configuration: Configuration,
  { url, config, file, secrets, ...picked }: Asked,
  surroundings: Surroundings,
): Promise<readonly Finding[]> {
  const { argocd, clusters } = configuration;
  const about = (name: string) => `Argo CD ${name}`;
  const open = clusters.flatMap((cluster) => uncheckedWithoutContext(cluster, configuration));
  if (picked.context === undefined) {
    const remedy = '--context of a user who may read the ConfigMap and the Secret of the notifications';
    return [...argocd.map(({ name }) => unchecked(about(name), 'notifications', remedy)), ...open];
  }
  const { connection, kubeconfig } = await pickCluster(picked, surroundings);
  try {
    const cluster = clusterAt(kubeconfig.server, clusters);
    const here = cluster?.name;
    const elsewhere = open.filter((finding) => finding.about !== here);
    const unknown =
      cluster === undefined
        ? [
            warning(
              'settings',
              `--context ${picked.context} leads to ${kubeconfig.server}, which is the API server of no cluster in the configuration: nothing was checked there but hooks`,
              'another context, or api.server of its cluster',
            ),
          ]
        : [];
    const findings = argocd.map(async (settings) => {
      if (settings.cluster !== here)
        return [
          unchecked(
            about(settings.name),
            `notifications: it is in cluster ${settings.cluster}, not in that of --context`,
          ),
        ];
      return checkNotifications(about(settings.name), { ...(await lookAtArgoCd(connection, settings)), url });
    });
    const results = (await Promise.all(findings)).flat();
    const hooks = await checkHooksOf(here ?? 'the cluster of --context', connection);
    return cluster === undefined
      ? [...results, ...unknown, ...hooks, ...elsewhere]
      : [
          ...results,
          ...hooks,
          ...elsewhere,
          ...(await checkAdmissionOf(cluster, configuration, {
            connection,
            connected: await connectedTo({ cluster, secrets, config, file }),
          })),
          ...(await checkSharedOf(cluster.name, configuration, connection)),
        ];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return [unchecked('Argo CD', `notifications: ${cause.message}`), ...open];
  } finally {
    await connection.close();
  }
}

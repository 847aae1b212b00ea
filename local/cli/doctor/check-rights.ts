import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { mcoNamespace } from '../../../functions/core/openshift/machine-config-operator.ts';
import type { Rights } from '../../manifests/rights.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { type Grants, grantAll, moreOf } from './grants.ts';
import { type Connected, connectAgain } from './remedy-commands.ts';

const mco = 'machineconfiguration.openshift.io';

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface RightsWanted extends Grants {
  /** The account whose token ends, and is renewed before; undefined: it needs no renewal, or cannot be renewed. */
  readonly renews?: { readonly namespace: string; readonly name: string } | undefined;
}

/** Whether the service account has the permissions that the functions need: one SelfSubjectAccessReview each. Throws
 *  Transient. */
export async function checkRights(
  connected: Connected,
  client: KubeClient,
  wanted: RightsWanted,
): Promise<readonly Finding[]> {
  const about = connected.cluster;
  const pausesAny = await isAllowed(client, { verb: 'patch', group: mco, resource: 'machineconfigpools' });
  const needed = rightsFor(wanted);
  const lacking = (
    await Promise.all(needed.map(async (right) => ((await isAllowed(client, right)) ? [] : [right])))
  ).flat();
  const blind = (
    await Promise.all(
      wanted.argocdNamespaces.map(async (namespace) => {
        const right = { verb: 'list', group: 'argoproj.io', resource: 'applicationsets', namespace };
        return (await isAllowed(client, right)) ? [] : [namespace];
      }),
    )
  ).flat();
  const secrets = await isAllowed(client, { verb: 'get', group: '', resource: 'secrets' });
  const logs = await isAllowed(client, {
    verb: 'get',
    group: '',
    resource: 'pods',
    subresource: 'log',
    namespace: mcoNamespace,
  });
  const remedyOf = (rights: readonly Right[]) =>
    rights.every((right) => isByConnecting(right, wanted))
      ? connectAgain(connected)
      : grantAll(connected, { ...wanted, pausesAny });
  return [
    lacking.length === 0
      ? ok(about, `rights: all ${needed.length} that are needed`)
      : wrong(about, `rights: the account may not ${lacking.map(rightText).join('; ')}`, remedyOf(lacking)),
    ...(blind.length > 0
      ? [
          warning(
            about,
            `rights: the account may not list applicationsets in ${blind.join(', ')}: Applications that a push makes them generate are noticed only when they sync`,
            connectAgain(connected),
          ),
        ]
      : []),
    ok(
      about,
      logs
        ? 'logs: messages include lines of the Machine Config Operator'
        : `logs: not granted, so messages include no log lines (${moreOf(connected, '--read-logs')})`,
    ),
    ...(secrets
      ? [
          warning(
            about,
            'rights: the account may read secrets, which it never needs',
            'bind it to the roles of poolkeeper manifests and no others',
          ),
        ]
      : []),
  ];
}

/** Whether connecting grants it, which knows nothing of levels and settings. */
function isByConnecting({ verb, resource, name = '' }: Right, { required = [] }: Grants): boolean {
  if (resource === 'machineconfigpools' && verb === 'patch') return !required.includes(name);
  if (resource === 'applications') return verb !== 'patch';
  return !['appprojects', 'machinehealthchecks'].includes(resource);
}

function rightsFor({
  pools,
  argocdNamespaces,
  pausesHealthChecks,
  renews,
  guardsIn = [],
  restartsIn = [],
}: RightsWanted): readonly Right[] {
  const readable: readonly (readonly [string, string, readonly string[]])[] = [
    [mco, 'machineconfigpools', ['get', 'list']],
    [mco, 'machineconfigs', ['get', 'list']],
    [mco, 'machineconfignodes', ['get']],
    [mco, 'machineosbuilds', ['get', 'list']],
    [mco, 'controllerconfigs', ['get']],
    ['config.openshift.io', 'clusteroperators', ['get']],
    ['config.openshift.io', 'clusterversions', ['get']],
    ['machine.openshift.io', 'machines', ['get', 'list']],
    ['machine.openshift.io', 'machinesets', ['list']],
    ['', 'nodes', ['get', 'list']],
    ['', 'pods', ['get', 'list']],
    ['certificates.k8s.io', 'certificatesigningrequests', ['list']],
    ['', 'events', ['list']],
    ['policy', 'poddisruptionbudgets', ['list']],
    ['apps', 'replicasets', ['get']],
    ['apps', 'statefulsets', ['get']],
    ['apps', 'daemonsets', ['get']],
    ['apps', 'deployments', ['get']],
    [mco, 'kubeletconfigs', ['list']],
    [mco, 'containerruntimeconfigs', ['list']],
    [mco, 'machineosconfigs', ['list']],
    ['', 'namespaces', ['get']],
    ['discovery.k8s.io', 'endpointslices', ['list']],
    ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', ['list']],
    ['admissionregistration.k8s.io', 'mutatingwebhookconfigurations', ['list']],
  ];
  return [
    ...readable.flatMap(([group, resource, verbs]) => verbs.map((verb) => ({ verb, group, resource }))),
    { verb: 'get', group: 'operator.openshift.io', resource: 'machineconfigurations', name: 'cluster' },
    ...pools.map((name) => ({ verb: 'patch', group: mco, resource: 'machineconfigpools', name })),
    ...(pools.length > 0 ? [{ verb: 'create', group: '', resource: 'events', namespace: 'default' }] : []),
    ...(renews === undefined
      ? []
      : [{ verb: 'create', group: '', resource: 'serviceaccounts', subresource: 'token', ...renews }]),
    ...(pausesHealthChecks === true
      ? ['list', 'patch'].map((verb) => ({
          verb,
          group: 'machine.openshift.io',
          resource: 'machinehealthchecks',
          namespace: 'openshift-machine-api',
        }))
      : []),
    ...argocdNamespaces.flatMap((namespace) =>
      ['get', 'list', ...(guardsIn.length > 0 || restartsIn.includes(namespace) ? ['patch'] : [])].map((verb) => ({
        verb,
        group: 'argoproj.io',
        resource: 'applications',
        namespace,
      })),
    ),
    ...guardsIn.flatMap((namespace) =>
      ['get', 'list', 'patch'].map((verb) => ({ verb, group: 'argoproj.io', resource: 'appprojects', namespace })),
    ),
  ];
}

const Review = z.object({ status: z.object({ allowed: z.boolean() }) });

/** One SelfSubjectAccessReview. Throws Transient. */
async function isAllowed(client: KubeClient, right: Right): Promise<boolean> {
  const answer = await client.post(
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {},
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: right },
    },
  );
  return Review.parse(answer).status.allowed;
}

/** How many rights a section of the configuration needs, and those that the account lacks, in words. Throws
 *  Transient. */
export async function lackingOf(
  { everywhere, byNamespace }: Rights,
  client: KubeClient,
): Promise<{ readonly needed: number; readonly lacking: readonly string[] }> {
  const rules = [
    ...everywhere.map((rule) => ({ rule, namespace: undefined })),
    ...[...byNamespace].flatMap(([namespace, own]) => own.map((rule) => ({ rule, namespace }))),
  ];
  const rights = rules.flatMap(({ rule, namespace }) =>
    rule.verbs.flatMap((verb) =>
      rule.resources.flatMap((each) =>
        (rule.resourceNames ?? [undefined]).map((name) => {
          const [resource = '', subresource] = each.split('/');
          return {
            verb,
            group: rule.apiGroups[0] ?? '',
            resource,
            ...(subresource !== undefined && { subresource }),
            ...(namespace !== undefined && { namespace }),
            ...(name !== undefined && { name }),
          };
        }),
      ),
    ),
  );
  const lacking = await Promise.all(
    rights.map(async (right) => ((await isAllowed(client, right)) ? [] : [rightText(right)])),
  );
  return { needed: rights.length, lacking: lacking.flat() };
}

/** `create jobs in databases`. */
function rightText({ verb, resource, subresource, namespace, name }: Right): string {
  const kind = subresource === undefined ? resource : `${resource}/${subresource}`;
  return [verb, kind, name, namespace && `in ${namespace}`].filter(Boolean).join(' ');
}

import { mcoNamespace } from '../../functions/core/openshift/machine-config-operator.ts';
import { type Account, type KubeObject, ourLabels } from './kube-object.ts';
import type { Rights } from './rights.ts';
import type { Rule } from './rule.ts';

export interface AccessOptions {
  readonly account: Account;
  /** True: the account may pause and resume pools. False: it only reads. */
  readonly pauses: boolean;
  /** The only pools that may be patched; empty: every pool (the admission limit then excludes required ones). */
  readonly pools: readonly string[];
  /** Namespaces with Applications on this cluster. */
  readonly argocdNamespaces: readonly string[];
  /** True: refused syncs may be retried. RBAC then lets the account change all of an Application; the admission limit
   *  reduces that to `operation`. */
  readonly restartsSyncs?: boolean;
  /** Namespace of an Argo CD whose syncs are guarded: the windows of its AppProjects may be changed, and its
   *  Applications be refreshed. RBAC then lets the account change all of both; the admission limit reduces that.
   *  Undefined: none is. */
  readonly guardsIn?: string | undefined;
  /** True: the account may read the Machine Config Operator's logs, for the lines about a failure. Opt-in, because logs
   *  may contain anything. */
  readonly readsLogs?: boolean;
  /** True: MachineHealthChecks may be paused. RBAC then lets the account change all of them; the admission limit
   *  reduces that to two annotations. */
  readonly pausesHealthChecks?: boolean;
  /** What the sequences of a configuration need here; absent: there are none. */
  readonly sequences?: Rights | undefined;
  /** What the runs of a configuration need here; absent: there are none. */
  readonly runs?: Rights | undefined;
}

const mco = 'machineconfiguration.openshift.io';

/** The namespace, the service account and its permissions on one cluster. No secrets, no wildcards, and no writes
 *  except pausing, creating events and renewing the account's own token. */
export function accessObjects(options: AccessOptions): readonly KubeObject[] {
  const { account, pauses, argocdNamespaces } = options;
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: account.namespace, labels: ourLabels } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...account, labels: ourLabels },
      automountServiceAccountToken: false,
    },
    clusterRole(account, 'read', readRules),
    clusterRoleBinding(account, 'read'),
    ...(pauses
      ? [clusterRole(account, 'pause', [pauseRule(options.pools)]), clusterRoleBinding(account, 'pause')]
      : []),
    ...boundRole(account, { namespace: 'default', suffix: 'events', rules: pauses ? [eventRule] : [] }),
    ...boundRole(account, { namespace: account.namespace, suffix: 'token', rules: [tokenRule(account)] }),
    ...boundRole(account, {
      namespace: mcoNamespace,
      suffix: 'logs',
      rules: options.readsLogs === true ? [logRule] : [],
    }),
    ...boundRole(account, {
      namespace: 'openshift-machine-api',
      suffix: 'health-checks',
      rules: options.pausesHealthChecks === true ? [healthCheckRule] : [],
    }),
    ...rolesOf(account, 'sequences', options.sequences),
    ...rolesOf(account, 'runs', options.runs),
    ...argocdNamespaces.flatMap((namespace) =>
      boundRole(account, {
        namespace,
        suffix: 'applications',
        rules: [
          applicationsRule(options.restartsSyncs === true || options.guardsIn !== undefined),
          applicationSetsRule,
        ],
      }),
    ),
    ...(options.guardsIn === undefined
      ? []
      : boundRole(account, { namespace: options.guardsIn, suffix: 'guards', rules: [projectsRule] })),
  ];
}

/** What a section of the configuration needs: reads of what is waited for, and writes of what is applied. */
function rolesOf(account: Account, suffix: string, rights: Rights | undefined): readonly KubeObject[] {
  if (rights === undefined) return [];
  const { everywhere, byNamespace } = rights;
  return [
    ...(everywhere.length === 0 ? [] : [clusterRole(account, suffix, everywhere), clusterRoleBinding(account, suffix)]),
    ...[...byNamespace].flatMap(([namespace, rules]) => boundRole(account, { namespace, suffix, rules })),
  ];
}

/** What passes and diagnoses read. No `watch`: a tick lists. MachineConfigs are requested as metadata, which RBAC
 *  cannot require; their content is read for previews of pull requests, once for each pending or rolling change, and
 *  for pools with `pauseFor: disruptive`. */
const readRules: readonly Rule[] = [
  { apiGroups: [mco], resources: ['machineconfigpools', 'machineconfigs'], verbs: ['get', 'list'] },
  { apiGroups: [mco], resources: ['machineconfignodes', 'controllerconfigs'], verbs: ['get'] },
  { apiGroups: [mco], resources: ['machineosbuilds'], verbs: ['get', 'list'] },
  {
    apiGroups: [mco],
    resources: ['kubeletconfigs', 'containerruntimeconfigs', 'machineosconfigs'],
    verbs: ['list'],
  },
  {
    apiGroups: ['operator.openshift.io'],
    resources: ['machineconfigurations'],
    resourceNames: ['cluster'],
    verbs: ['get'],
  },
  { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'list'] },
  // What one more node would need, and what happened to the machine of a lost one.
  { apiGroups: ['machine.openshift.io'], resources: ['machines'], verbs: ['get', 'list'] },
  { apiGroups: ['machine.openshift.io'], resources: ['machinesets'], verbs: ['list'] },
  { apiGroups: ['config.openshift.io'], resources: ['clusteroperators', 'clusterversions'], verbs: ['get'] },
  // Requests that keep the kubelet of a lost node from the API server.
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
  { apiGroups: ['apps'], resources: ['replicasets', 'statefulsets', 'daemonsets', 'deployments'], verbs: ['get'] },
  // What blocks an eviction besides budgets: terminating namespaces, failing webhooks, virtual machines that cannot
  // migrate.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: ['list'],
  },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['get'] },
];

function pauseRule(pools: readonly string[]): Rule {
  return {
    apiGroups: [mco],
    resources: ['machineconfigpools'],
    ...(pools.length === 0 ? {} : { resourceNames: pools }),
    verbs: ['patch'],
  };
}

const healthCheckRule: Rule = {
  apiGroups: ['machine.openshift.io'],
  resources: ['machinehealthchecks'],
  verbs: ['list', 'patch'],
};

/** Only of the config daemons and the controller: no other namespace, and no `exec`. */
const logRule: Rule = { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] };

/** Events about cluster-scoped objects are in `default`. */
const eventRule: Rule = { apiGroups: [''], resources: ['events'], verbs: ['create'] };

/** The deny windows of guarded Applications are in their AppProjects. */
const projectsRule: Rule = {
  apiGroups: ['argoproj.io'],
  resources: ['appprojects'],
  verbs: ['get', 'list', 'patch'],
};

function applicationsRule(patches: boolean): Rule {
  return {
    apiGroups: ['argoproj.io'],
    resources: ['applications'],
    verbs: ['get', 'list', ...(patches ? ['patch'] : [])],
  };
}

/** The Applications that a push makes them generate. */
const applicationSetsRule: Rule = { apiGroups: ['argoproj.io'], resources: ['applicationsets'], verbs: ['list'] };

/** The account renews its own token at half its life, and no other. */
function tokenRule({ name }: Account): Rule {
  return { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [name], verbs: ['create'] };
}

const rbac = 'rbac.authorization.k8s.io';

function clusterRole(account: Account, suffix: string, rules: readonly Rule[]): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name: roleName(account, suffix), labels: ourLabels },
    rules,
  };
}

function clusterRoleBinding(account: Account, suffix: string): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: roleName(account, suffix), labels: ourLabels },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: roleName(account, suffix) },
    subjects: subjectsOf(account),
  };
}

function boundRole(
  account: Account,
  {
    namespace,
    suffix,
    rules,
  }: { readonly namespace: string; readonly suffix: string; readonly rules: readonly Rule[] },
): readonly KubeObject[] {
  if (rules.length === 0) return [];
  const metadata = { name: roleName(account, suffix), namespace, labels: ourLabels };
  return [
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: roleName(account, suffix) },
      subjects: subjectsOf(account),
    },
  ];
}

function subjectsOf({ namespace, name }: Account) {
  return [{ kind: 'ServiceAccount', name, namespace }];
}

/** The namespace keeps two installations on one cluster apart, as prod and dev on the same test cluster. */
export function roleName({ namespace, name }: Account, suffix: string): string {
  return namespace === name ? `${name}-${suffix}` : `${namespace}-${name}-${suffix}`;
}

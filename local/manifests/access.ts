import { mcoNamespace } from '../../functions/core/diagnose/questions.ts';
import { type Account, type KubeObject, ourLabels } from './kube-object.ts';

/** Each read and write below has its caller: functions/adapters/kubernetes/ and
 *  functions/core/diagnose/questions.ts. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface AccessOptions {
  readonly account: Account;
  /** May pools be paused and resumed? Without it the account only reads. */
  readonly pauses: boolean;
  /** The only pools that may be patched; empty = every pool (the admission limit then leaves required ones out). */
  readonly pools: readonly string[];
  /** Namespaces with Applications of an Argo CD in this cluster. */
  readonly argocdNamespaces: readonly string[];
  /** May a refused sync be started again? RBAC lets the account change all of an Application then; the admission
   *  limit leaves it only `operation`. */
  readonly restartsSyncs?: boolean;
  /** May it read the logs of the Machine Config Operator, for the lines beside a failure? Opt-in: a log may hold
   *  what somebody wrote there. */
  readonly readsLogs?: boolean;
  /** May MachineHealthChecks be paused? RBAC lets the account change all of them then; the admission limit leaves it
   *  two annotations. */
  readonly pausesHealthChecks?: boolean;
}

const mco = 'machineconfiguration.openshift.io';

/** Namespace, account and the rights of the account on one cluster. No secrets, no wildcard, no write besides
 *  pausing, telling an event and renewing the account's own token. */
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
    ...argocdNamespaces.flatMap((namespace) =>
      boundRole(account, {
        namespace,
        suffix: 'applications',
        rules: [applicationsRule(options.restartsSyncs === true), applicationSetsRule],
      }),
    ),
  ];
}

/** What a pass and a diagnosis read. `watch` is not among it: a tick lists. They ask for MachineConfigs as metadata,
 *  which RBAC cannot say; what they hold is read for previews of pull requests, once for each change that waits or
 *  rolls, and for pools with `pauseFor: disruptive`. */
const readRules: readonly Rule[] = [
  { apiGroups: [mco], resources: ['machineconfigpools', 'machineconfigs'], verbs: ['get', 'list'] },
  { apiGroups: [mco], resources: ['machineconfignodes', 'machineosbuilds', 'controllerconfigs'], verbs: ['get'] },
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
  // What one more node would take, and what became of the machine of a lost one.
  { apiGroups: ['machine.openshift.io'], resources: ['machines'], verbs: ['get', 'list'] },
  { apiGroups: ['machine.openshift.io'], resources: ['machinesets'], verbs: ['list'] },
  { apiGroups: ['config.openshift.io'], resources: ['clusteroperators'], verbs: ['get'] },
  // What keeps the kubelet of a lost node from the API server.
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
  { apiGroups: ['apps'], resources: ['replicasets', 'statefulsets', 'daemonsets', 'deployments'], verbs: ['get'] },
  // What stands in the way of an eviction besides budgets: dying namespaces, dead webhooks, machines that cannot
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

/** Of the config daemons and the controller alone: no other namespace, and no `exec`. */
const logRule: Rule = { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] };

/** Events of cluster-wide objects live in `default`. */
const eventRule: Rule = { apiGroups: [''], resources: ['events'], verbs: ['create'] };

function applicationsRule(restarts: boolean): Rule {
  return {
    apiGroups: ['argoproj.io'],
    resources: ['applications'],
    verbs: ['get', 'list', ...(restarts ? ['patch'] : [])],
  };
}

/** What a push makes them generate anew. */
const applicationSetsRule: Rule = { apiGroups: ['argoproj.io'], resources: ['applicationsets'], verbs: ['list'] };

/** The account renews its own token at half its life and nobody else's. */
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

/** Two installations on one cluster (prod and dev look at the same test cluster) keep apart by their namespaces. */
function roleName({ namespace, name }: Account, suffix: string): string {
  return namespace === name ? `${name}-${suffix}` : `${namespace}-${name}-${suffix}`;
}

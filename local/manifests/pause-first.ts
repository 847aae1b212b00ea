import { breakGlassAnnotation, notPausedYet, pauseFirst } from '../../functions/core/argocd/refused-sync.ts';
import { requiredForUpgradeLabel } from '../../functions/core/openshift/pool.ts';
import { cel, meets, requirementsOf, sameBut } from './cel.ts';
import { type KubeObject, ourLabels, requiredNames } from './kube-object.ts';

/** Increases with every change of the policy's meaning, and tells which version a cluster has. */
export const pauseFirstVersion = '1';
/** The annotation of the policy that holds its version. */
export const versionAnnotation = 'poolkeeper.dev/policy-version';

export interface PauseFirstOptions {
  /** Namespace of our account; it keeps two installations on one cluster apart. */
  readonly namespace: string;
  /** The protected pools; empty: every pool that no cluster upgrade waits for. */
  readonly pools: readonly string[];
  /** Additional exempt accounts: `system:serviceaccount:<namespace>:<name>`. */
  readonly except: readonly string[];
}

/** Namespaces whose accounts are exempt: operators of OpenShift that write rendered content on behalf of others,
 *  repeatedly, without waiting for a pause. Argo CD is not one of them. */
const exceptedNamespaces = [
  // The MCO itself: rendered and generated MachineConfigs, finalizers.
  'openshift-machine-config-operator',
  // Cluster upgrades must never wait for a pause.
  'openshift-cluster-version',
  'openshift-config-operator',
  // Turns Tuned and PerformanceProfile into MachineConfigs and KubeletConfigs.
  'openshift-cluster-node-tuning-operator',
  // SR-IOV policies, sandboxed containers, compliance remediations. The SR-IOV operator pauses pools itself.
  'openshift-sriov-network-operator',
  'openshift-sandboxed-containers-operator',
  'openshift-compliance',
] as const;

/** They finish deletions that others began: of dependents of a deleted owner, and of the contents of a namespace. */
const exceptedAccounts = [
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
] as const;

function pauseFirstName(namespace: string): string {
  return `${namespace}-${pauseFirst}`;
}

/** The admission level: whatever gives a pool a new rendered config can be created, changed and deleted only while that
 *  pool is paused. Kubernetes >= 1.30. The pools' selectors are read at each request, so changing one needs no new
 *  policy. */
export function pauseFirstObjects(options: PauseFirstOptions): readonly KubeObject[] {
  const name = pauseFirstName(options.namespace);
  const admission = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels: ourLabels, annotations: { [versionAnnotation]: pauseFirstVersion } },
      spec: {
        // Errors refuse the request. The policy runs inside the API server, so no webhook can be down.
        failurePolicy: 'Fail',
        paramKind: { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' },
        matchConstraints: { resourceRules },
        matchConditions: matchConditions(options),
        variables,
        validations: [
          {
            expression: '!variables.matters || variables.isPaused || variables.reason != ""',
            messageExpression: message,
            message: 'a pool that this affects is not paused',
            reason: 'Forbidden',
          },
        ],
        auditAnnotations: [{ key: 'break-glass', valueExpression: audit }],
      },
    },
    ...bindings(name, options.pools).map((binding) => ({
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      ...binding,
    })),
  ];
}

/** If the pool, or any pool, does not exist, the request is allowed: nothing could be rendered for it, and `Deny` would
 *  refuse every MachineConfig of the cluster, including those that no pool selects. */
const parameterNotFoundAction = 'Allow';

function bindings(name: string, pools: readonly string[]) {
  const binding = (suffix: string, paramRef: object) => ({
    metadata: { name: `${name}${suffix}`, labels: ourLabels },
    spec: {
      policyName: name,
      paramRef: { ...paramRef, parameterNotFoundAction },
      // The audit log records what was refused, and to whom.
      validationActions: ['Deny', 'Audit'],
    },
  });
  if (pools.length > 0) return pools.map((pool) => binding(`-${pool}`, { name: pool }));
  const notRequired = { matchExpressions: [{ key: requiredForUpgradeLabel, operator: 'DoesNotExist' }] };
  return [binding('', { selector: notRequired })];
}

const operations = ['CREATE', 'UPDATE', 'DELETE'];
const config = 'config.openshift.io';

function rule(apiGroup: string, resources: readonly string[], resourceNames?: readonly string[]) {
  return {
    apiGroups: [apiGroup],
    apiVersions: ['*'],
    operations,
    resources,
    // The API server's default, made explicit: otherwise every apply and every GitOps tool sees a difference.
    scope: '*',
    ...(resourceNames === undefined ? {} : { resourceNames }),
  };
}

/** The kinds that people write and whose changes give pools a new rendered config. PinnedImageSets only pull images in
 *  advance. Source: MCO render, kubelet-config, container-runtime-config, template and build controllers. */
const resourceRules = [
  rule('machineconfiguration.openshift.io', [
    'machineconfigs',
    'kubeletconfigs',
    'containerruntimeconfigs',
    'machineosconfigs',
  ]),
  rule(config, ['imagedigestmirrorsets', 'imagetagmirrorsets', 'clusterimagepolicies', 'imagepolicies']),
  rule(config, ['images', 'nodes', 'featuregates', 'proxies', 'apiservers'], ['cluster']),
  rule('operator.openshift.io', ['imagecontentsourcepolicies']),
];

function matchConditions({ pools, except }: PauseFirstOptions) {
  const prefixes = exceptedNamespaces.map((namespace) => `system:serviceaccount:${namespace}:`);
  const names = [...exceptedAccounts, ...except];
  const required = `params.metadata.name in ${cel(requiredNames)}`;
  return [
    { name: 'is-not-a-dry-run', expression: '!has(request.dryRun) || !request.dryRun' },
    {
      name: 'is-not-an-exempt-account',
      expression: `!(request.userInfo.username in ${cel(names)} || ${cel(prefixes)}.exists(p, request.userInfo.username.startsWith(p)))`,
    },
    {
      // Objects that already carry the MCO's annotation. A new object that only claims it is not believed.
      name: 'is-not-generated',
      expression: `oldObject == null || !has(oldObject.metadata.annotations) || !(${cel(generatedBy)} in oldObject.metadata.annotations)`,
    },
    ...(pools.length > 0 ? [] : [{ name: 'is-not-required-for-upgrades', expression: `!(${required})` }]),
  ];
}

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version';
const roleLabel = 'machineconfiguration.openshift.io/role';
const builtIn = 'machineconfiguration.openshift.io/mco-built-in';
/** Prefix of a label that each pool has, followed by the pool's name. */
const poolLabelPrefix = 'pools.operator.machineconfiguration.openshift.io/';

const resource = 'request.resource.resource';

/** Nothing newer than the CEL of Kubernetes 1.30. Evaluated on first use. `sides` is the object as it will be and as it
 *  was; every list below has one entry for each. */
const variables = [
  {
    name: 'sides',
    expression: '(request.operation == "DELETE" ? [] : [object]) + (request.operation == "CREATE" ? [] : [oldObject])',
  },
  { name: 'isPaused', expression: 'has(params.spec.paused) && params.spec.paused' },
  {
    // Requirements on the labels of MachineConfigs that the pool selects.
    name: 'takes',
    expression: `has(params.spec.machineConfigSelector) ? ${requirementsOf('params.spec.machineConfigSelector')} : []`,
  },
  { name: 'poolLabels', expression: 'has(params.metadata.labels) ? params.metadata.labels : {}' },
  {
    // Requirements on pool labels of a KubeletConfig or ContainerRuntimeConfig.
    name: 'asks',
    expression: `variables.sides.map(s, has(s.spec) && has(s.spec.machineConfigPoolSelector) ? ${requirementsOf('s.spec.machineConfigPoolSelector')} : [])`,
  },
  {
    name: 'asksNames',
    expression: `variables.asks.map(a, a.filter(e, e.operator in ["In", "Exists"] && e.key.startsWith(${cel(poolLabelPrefix)})).map(e, e.key.substring(${poolLabelPrefix.length})))`,
  },
  { name: 'roles', expression: `variables.takes.filter(e, e.key == ${cel(roleLabel)} && e.operator == "In")` },
  {
    // Roles whose MachineConfigs the pool may select besides its own: `worker`, and those its selector names.
    name: 'others',
    expression:
      '(["worker"] + (size(variables.roles) > 0 ? variables.roles[0].values : [])).filter(r, r != params.metadata.name)',
  },
  {
    // Pools for which the MCO makes a MachineConfig from the object, as far as they concern this pool. Only this pool
    // is visible, so others are inferred from the requested labels: one that contains a pool's name, or that of the
    // built-in pools. Any other label may mean a pool whose MachineConfigs this one selects, and counts as a match.
    name: 'chosen',
    expression: `[0, 1].filter(i, i < size(variables.sides)).map(i, size(variables.asks[i]) == 0 ? [] : ${[
      `(${meets('variables.poolLabels', 'variables.asks[i]')} ? [params.metadata.name] : [])`,
      `(size(variables.asksNames[i]) > 0 ? variables.asksNames[i] : variables.asks[i].exists(e, e.key == ${cel(builtIn)}) ? ["master", "worker", "arbiter"] : variables.others)`,
    ].join(' + ')})`,
  },
  {
    // Labels of the MachineConfigs that the object is or becomes.
    name: 'machineConfigs',
    expression: [
      `${resource} == "machineconfigs" ? variables.sides.map(s, [has(s.metadata.labels) ? s.metadata.labels : {}])`,
      `variables.chosen.map(c, c.map(r, {${cel(roleLabel)}: r}))`,
    ].join(' : '),
  },
  {
    name: 'reaches',
    expression: [
      `${resource} in ["machineconfigs", "kubeletconfigs", "containerruntimeconfigs"] ? variables.machineConfigs.map(m, m.exists(l, ${meets('l', 'variables.takes')}))`,
      `${resource} == "machineosconfigs" ? variables.sides.map(s, has(s.spec.machineConfigPool) && s.spec.machineConfigPool.name == params.metadata.name)`,
      // Everything else is rendered for every pool.
      'variables.sides.map(s, true)',
    ].join(' : '),
  },
  {
    // Fields that are not part of any rendered config.
    name: 'freeFields',
    expression: [
      `${resource} == "apiservers" ? ["audit", "encryption", "clientCA", "servingCerts", "additionalCORSAllowedOrigins"]`,
      `${resource} == "images" ? ["allowedRegistriesForImport", "externalRegistryHostnames", "imageStreamImportMode"]`,
      '[]',
    ].join(' : '),
  },
  { name: 'specs', expression: 'variables.sides.map(s, has(s.spec) ? s.spec : {})' },
  {
    name: 'isSameSpec',
    expression: `size(variables.specs) == 2 && ${sameBut('variables.specs[0]', 'variables.specs[1]', 'variables.freeFields')}`,
  },
  {
    // A change of only metadata matters if new labels move a MachineConfig into or out of the pool.
    name: 'matters',
    expression: 'variables.isSameSpec ? variables.reaches[0] != variables.reaches[1] : variables.reaches.exists(r, r)',
  },
  {
    // An object must be annotated before it is deleted.
    name: 'reason',
    expression: `has(variables.sides[0].metadata.annotations) && ${cel(breakGlassAnnotation)} in variables.sides[0].metadata.annotations ? variables.sides[0].metadata.annotations[${cel(breakGlassAnnotation)}].trim() : ""`,
  },
];

/** The name is empty when a whole collection is deleted. */
const what =
  'request.kind.kind + (has(variables.sides[0].metadata.name) ? " " + variables.sides[0].metadata.name : "")';

const message = [
  '"pool " + params.metadata.name',
  cel(` ${notPausedYet}`),
  what,
  cel(
    ' is part of what its nodes run, so it can only be changed while the pool is paused. Argo CD with syncPolicy.retry retries by itself, and Poolkeeper pauses the pool for it. Manually: npx poolkeeper hold --pool ',
  ),
  'params.metadata.name',
  cel(
    ` --for 30m --reason "...", then retry. In an emergency, annotate the object with ${breakGlassAnnotation}: <reason>; the audit log records it.`,
  ),
].join(' + ');

/** Empty: no audit annotation. */
const audit = `variables.matters && !variables.isPaused && variables.reason != "" ? "pool " + params.metadata.name + ", " + ${what} + ": " + variables.reason : ""`;

import { breakGlassAnnotation, notPausedYet, pauseFirst } from '../../functions/core/argocd/refused-sync.ts';
import { requiredForUpgradeLabel } from '../../functions/core/openshift/pool.ts';
import { cel, meets, requirementsOf, sameBut } from './cel.ts';
import { type KubeObject, ourLabels, requiredNames } from './kube-object.ts';

/** Goes up with every change of what the policy means: it tells which one stands on a cluster. */
export const pauseFirstVersion = '1';
/** Where the version stands on the policy. */
export const versionAnnotation = 'poolkeeper.dev/policy-version';

export interface PauseFirstOptions {
  /** Namespace of our account: two installations on one cluster keep apart by it. */
  readonly namespace: string;
  /** The pools that are protected; empty = every pool that no cluster upgrade waits for. */
  readonly pools: readonly string[];
  /** Further accounts that are let pass: `system:serviceaccount:<namespace>:<name>`. */
  readonly except: readonly string[];
}

/** Namespaces whose accounts write what is rendered on somebody else's behalf, again and again, and wait for no
 *  pause. Each is the home of an operator of OpenShift; Argo CD is none of them. */
const exceptedNamespaces = [
  // The MCO itself: rendered and generated MachineConfigs, finalizers.
  'openshift-machine-config-operator',
  // Cluster upgrades: it must never wait for a pause.
  'openshift-cluster-version',
  'openshift-config-operator',
  // Tuned and PerformanceProfile become MachineConfigs and KubeletConfigs.
  'openshift-cluster-node-tuning-operator',
  // SR-IOV policies, sandboxed containers, compliance remediations. The first pauses pools itself.
  'openshift-sriov-network-operator',
  'openshift-sandboxed-containers-operator',
  'openshift-compliance',
] as const;

/** Finish what somebody has begun: dependents of a deleted owner, what is in a namespace that goes. */
const exceptedAccounts = [
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
] as const;

function pauseFirstName(namespace: string): string {
  return `${namespace}-${pauseFirst}`;
}

/** The admission level: what gives a pool a new rendered config is created, changed and deleted only while that pool
 *  is paused. Kubernetes >= 1.30. The pools' own selectors are read at each request, so that a changed one needs no
 *  new policy. */
export function pauseFirstObjects(options: PauseFirstOptions): readonly KubeObject[] {
  const name = pauseFirstName(options.namespace);
  const admission = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels: ourLabels, annotations: { [versionAnnotation]: pauseFirstVersion } },
      spec: {
        // What cannot be judged is refused. It runs inside the API server: there is nothing that could be down.
        failurePolicy: 'Fail',
        paramKind: { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' },
        matchConstraints: { resourceRules },
        matchConditions: matchConditions(options),
        variables,
        validations: [
          {
            expression: '!variables.matters || variables.isPaused || variables.reason != ""',
            messageExpression: message,
            message: 'a pool that this changes is not paused',
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

/** A pool that is not there, or no pool at all, lets pass: there is nothing then that could be rendered for it, and
 *  `Deny` would refuse every MachineConfig of the cluster, also those that no pool selects. */
const parameterNotFoundAction = 'Allow';

function bindings(name: string, pools: readonly string[]) {
  const binding = (suffix: string, paramRef: object) => ({
    metadata: { name: `${name}${suffix}`, labels: ourLabels },
    spec: {
      policyName: name,
      paramRef: { ...paramRef, parameterNotFoundAction },
      // The audit log keeps what was refused, and to whom.
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
    // The API server's default, said: otherwise every apply and every GitOps tool sees a difference.
    scope: '*',
    ...(resourceNames === undefined ? {} : { resourceNames }),
  };
}

/** Every kind whose change gives pools a new rendered config, as people write it. PinnedImageSets only pull images
 *  ahead.
 *  Source: MCO render, kubelet-config, container-runtime-config, template and build controllers. */
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
    { name: 'is-no-dry-run', expression: '!has(request.dryRun) || !request.dryRun' },
    {
      name: 'is-nobody-who-finishes-what-others-began',
      expression: `!(request.userInfo.username in ${cel(names)} || ${cel(prefixes)}.exists(p, request.userInfo.username.startsWith(p)))`,
    },
    {
      // What stands there as the MCO's own. A new object that only says so is not believed.
      name: 'is-not-generated',
      expression: `oldObject == null || !has(oldObject.metadata.annotations) || !(${cel(generatedBy)} in oldObject.metadata.annotations)`,
    },
    ...(pools.length > 0 ? [] : [{ name: 'is-no-pool-that-upgrades-wait-for', expression: `!(${required})` }]),
  ];
}

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version';
const roleLabel = 'machineconfiguration.openshift.io/role';
const builtIn = 'machineconfiguration.openshift.io/mco-built-in';
/** Each pool carries this with its own name behind it. */
const poolLabelPrefix = 'pools.operator.machineconfiguration.openshift.io/';

const resource = 'request.resource.resource';

/** Nothing that CEL learnt after Kubernetes 1.30. Evaluated when first used. `sides` is the object as it will be and
 *  as it was; every list below has one entry a side. */
const variables = [
  {
    name: 'sides',
    expression: '(request.operation == "DELETE" ? [] : [object]) + (request.operation == "CREATE" ? [] : [oldObject])',
  },
  { name: 'isPaused', expression: 'has(params.spec.paused) && params.spec.paused' },
  {
    // Of which MachineConfigs the pool is made.
    name: 'takes',
    expression: `has(params.spec.machineConfigSelector) ? ${requirementsOf('params.spec.machineConfigSelector')} : []`,
  },
  { name: 'poolLabels', expression: 'has(params.metadata.labels) ? params.metadata.labels : {}' },
  {
    // By which labels a KubeletConfig or ContainerRuntimeConfig chooses pools.
    name: 'asks',
    expression: `variables.sides.map(s, has(s.spec) && has(s.spec.machineConfigPoolSelector) ? ${requirementsOf('s.spec.machineConfigPoolSelector')} : [])`,
  },
  {
    name: 'asksNames',
    expression: `variables.asks.map(a, a.filter(e, e.operator in ["In", "Exists"] && e.key.startsWith(${cel(poolLabelPrefix)})).map(e, e.key.substring(${poolLabelPrefix.length})))`,
  },
  { name: 'roles', expression: `variables.takes.filter(e, e.key == ${cel(roleLabel)} && e.operator == "In")` },
  {
    // Whose MachineConfigs the pool may take besides its own: `worker`, and whoever its selector names.
    name: 'others',
    expression:
      '(["worker"] + (size(variables.roles) > 0 ? variables.roles[0].values : [])).filter(r, r != params.metadata.name)',
  },
  {
    // For which pools the MCO makes a MachineConfig of it, as far as they concern this one. Of the pools only the one
    // at hand is shown, so the others are told from the labels asked for: one with a pool's name in it, or the one of
    // the built-in pools. By any other label some pool may be meant that this one takes from: that counts as a match.
    name: 'chosen',
    expression: `[0, 1].filter(i, i < size(variables.sides)).map(i, size(variables.asks[i]) == 0 ? [] : ${[
      `(${meets('variables.poolLabels', 'variables.asks[i]')} ? [params.metadata.name] : [])`,
      `(size(variables.asksNames[i]) > 0 ? variables.asksNames[i] : variables.asks[i].exists(e, e.key == ${cel(builtIn)}) ? ["master", "worker", "arbiter"] : variables.others)`,
    ].join(' + ')})`,
  },
  {
    // Labels of the MachineConfigs that it is or becomes.
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
      // All else is rendered for every pool.
      'variables.sides.map(s, true)',
    ].join(' : '),
  },
  {
    // Fields of which no rendered config knows.
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
    // A change of metadata alone matters where other labels move a MachineConfig into the pool or out of it.
    name: 'matters',
    expression: 'variables.isSameSpec ? variables.reaches[0] != variables.reaches[1] : variables.reaches.exists(r, r)',
  },
  {
    // A deleted object must have been annotated before.
    name: 'reason',
    expression: `has(variables.sides[0].metadata.annotations) && ${cel(breakGlassAnnotation)} in variables.sides[0].metadata.annotations ? variables.sides[0].metadata.annotations[${cel(breakGlassAnnotation)}].trim() : ""`,
  },
];

/** The name in the request is empty where a whole collection is deleted. */
const what =
  'request.kind.kind + (has(variables.sides[0].metadata.name) ? " " + variables.sides[0].metadata.name : "")';

const message = [
  '"pool " + params.metadata.name',
  cel(` ${notPausedYet}`),
  what,
  cel(
    ' is part of what its nodes run, so it may be changed only while the pool is paused. Argo CD with syncPolicy.retry tries again by itself and Poolkeeper pauses the pool for it. By hand: npx poolkeeper hold --pool ',
  ),
  'params.metadata.name',
  cel(
    ` --for 30m --reason "...", then try again. In an emergency annotate the object with ${breakGlassAnnotation}: <why>; the audit log keeps it.`,
  ),
].join(' + ');

/** An empty one is left out. */
const audit = `variables.matters && !variables.isPaused && variables.reason != "" ? "pool " + params.metadata.name + ", " + ${what} + ": " + variables.reason : ""`;

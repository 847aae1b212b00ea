import {
  breakGlassAnnotation,
  breakGlassVerb,
  notPausedYet,
  pauseFirst,
} from '../../functions/core/argocd/refused-sync.ts';
import { requiredForUpgradeLabel } from '../../functions/core/openshift/pool.ts';
import { buildLabels, operatorAnnotationPrefix } from '../../functions/core/openshift/rendered-kinds.ts';
import { cel, meets, requirementsOf, sameBut } from './cel.ts';
import { type KubeObject, ourLabels, requiredNames, versionAnnotation } from './kube-object.ts';

/** Increases with every change of the policy, also of its words, and tells which version a cluster has. */
export const pauseFirstVersion = '5';

export interface PauseFirstOptions {
  /** Namespace of our account; it keeps two installations on one cluster apart. */
  readonly namespace: string;
  /** The protected pools; empty: every pool that no cluster upgrade waits for. */
  readonly pools: readonly string[];
  /** Additional exempt accounts: `system:serviceaccount:<namespace>:<name>`. */
  readonly except: readonly string[];
}

/** Accounts that are exempt: operators that write rendered content on behalf of others, repeatedly, without waiting for
 *  a pause. Argo CD is not one of them. Of the MCO's accounts only those that write these kinds: the daemon and the
 *  server run on nodes, and the server may write every MachineConfig. The garbage collector and the namespace
 *  controller are not exempt either: an owner reference, a finalizer or the deletion of a namespace, which anybody may
 *  choose, makes them delete. Source: the manifests of the operators. */
const exemptAccounts = [
  'openshift-machine-config-operator:machine-config-operator',
  'openshift-machine-config-operator:machine-config-controller',
  'openshift-machine-config-operator:machine-os-builder',
  'openshift-config-operator:openshift-config-operator',
  // Turns Tuned and PerformanceProfile into MachineConfigs and KubeletConfigs.
  'openshift-cluster-node-tuning-operator:cluster-node-tuning-operator',
  // Pauses pools itself.
  'openshift-sriov-network-operator:sriov-network-operator',
  'openshift-compliance:compliance-operator',
  'openshift-numaresources:numaresources-controller-manager',
] as const;

/** Namespaces all of whose accounts are exempt, because the name of the account differs between releases. */
const exemptNamespaces = [
  // Cluster upgrades must never wait for a pause.
  'openshift-cluster-version',
  // MachineConfigs for IPsec.
  'openshift-network-operator',
  'openshift-sandboxed-containers-operator',
] as const;

/** User names that the policy exempts before `except`. */
export const exemptUsers: readonly string[] = exemptAccounts.map((account) => `system:serviceaccount:${account}`);

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
            expression: `!variables.matters || variables.isPaused || (variables.isNamed && authorizer.requestResource.check(${cel(breakGlassVerb)}).allowed())`,
            messageExpression: message,
            message: 'a pool that this affects is not paused',
            reason: 'Forbidden',
          },
          {
            expression: '!variables.namesMachineConfigs',
            message: `only the Machine Config Operator writes finalizers without a slash on this kind: it deletes the MachineConfigs that they name`,
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

function rule(apiGroup: string, resources: readonly string[]) {
  return {
    apiGroups: [apiGroup],
    apiVersions: ['*'],
    operations,
    resources,
    // The API server's default, made explicit: otherwise every apply and every GitOps tool sees a difference.
    scope: '*',
  };
}

/** Kinds of which the MCO reads the object of one name only. Not by `resourceNames`: the API server compares these
 *  with the name in the request, and a request that deletes a whole collection has none. */
const clusterWide = ['images', 'nodes', 'featuregates', 'proxies', 'apiservers'];

/** Kinds that people and their tools may write and whose changes give pools a new rendered config. PinnedImageSets
 *  only pull images in advance. Source: MCO render, kubelet-config, container-runtime-config, template and build
 *  controllers. */
const resourceRules = [
  rule('machineconfiguration.openshift.io', [
    'machineconfigs',
    'kubeletconfigs',
    'containerruntimeconfigs',
    'machineosconfigs',
    // The MCO's own: it renders every pool from them, or builds again what is deleted.
    'controllerconfigs',
    'machineosbuilds',
    'osimagestreams',
    'internalreleaseimages',
  ]),
  rule(config, [
    'imagedigestmirrorsets',
    'imagetagmirrorsets',
    'imagecontentpolicies',
    'clusterimagepolicies',
    'imagepolicies',
    'criocredentialproviderconfigs',
  ]),
  rule(config, clusterWide),
  rule('operator.openshift.io', ['imagecontentsourcepolicies']),
];

/** Who writes counts. Nothing that an object says of itself exempts it. */
function matchConditions({ pools, except }: PauseFirstOptions) {
  const prefixes = exemptNamespaces.map((namespace) => `system:serviceaccount:${namespace}:`);
  const names = [...exemptUsers, ...except];
  const required = `params.metadata.name in ${cel(requiredNames)}`;
  return [
    { name: 'is-not-a-dry-run', expression: '!has(request.dryRun) || !request.dryRun' },
    {
      name: 'is-not-an-exempt-account',
      expression: `!(request.userInfo.username in ${cel(names)} || ${cel(prefixes)}.exists(p, request.userInfo.username.startsWith(p)))`,
    },
    ...(pools.length > 0 ? [] : [{ name: 'is-not-required-for-upgrades', expression: `!(${required})` }]),
  ];
}

const roleLabel = 'machineconfiguration.openshift.io/role';
const builtIn = 'machineconfiguration.openshift.io/mco-built-in';
/** Prefix of a label that each pool has, followed by the pool's name. */
const poolLabelPrefix = 'pools.operator.machineconfiguration.openshift.io/';

const resource = 'request.resource.resource';
/** Kinds for each of which the MCO generates MachineConfigs and names those in `metadata.finalizers`: on deletion it
 *  deletes the MachineConfig with that name or uid, whoever wrote it there. Source: MCO `cascadeDelete`. */
const generating = cel(['kubeletconfigs', 'containerruntimeconfigs']);

const garbageCollector = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** Whether a MachineOSBuild names the pool: as that of the rendered config that it builds, of its MachineOSConfig,
 *  which has the pool's name, or by its labels. One of no rendered config may be for any pool. Both are expressions.
 *  The same in TypeScript: functions/core/impact/pools-of.ts. */
function mayBeBuiltFor(build: string, pool: string): string {
  const of = (field: string) => `has(${build}.spec.${field}) && has(${build}.spec.${field}.name)`;
  const config = `${build}.spec.machineConfig.name`;
  const rendered = `has(${build}.spec) && ${of('machineConfig')} && ${config}.matches("^rendered-.+-[0-9a-f]{32}$")`;
  // Without `rendered-` and the hyphen with the hash.
  const own = `${config}.substring(9, size(${config}) - 33) == ${pool}`;
  const mosc = `(${of('machineOSConfig')} && ${build}.spec.machineOSConfig.name == ${pool})`;
  const labels = `${build}.metadata.labels`;
  const label = `(has(${labels}) && ${cel(buildLabels)}.exists(l, l in ${labels} && ${labels}[l] == ${pool}))`;
  return `!(${rendered}) || ${own} || ${mosc} || ${label}`;
}

/** The end in the annotation, UTC, always 20 characters. */
const untilPattern = '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z';

/** Hours. A change under break-glass must be made before the time in its annotation, and at most this long before. */
const breakGlassHours = 24;

/** Nothing newer than the CEL of Kubernetes 1.30. Evaluated on first use. `sides` is the object as it will be and as it
 *  was; every list below has one entry for each. */
const variables = [
  {
    name: 'sides',
    expression: '(request.operation == "DELETE" ? [] : [object]) + (request.operation == "CREATE" ? [] : [oldObject])',
  },
  // What is written, or deleted.
  { name: 'head', expression: 'variables.sides[0]' },
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
      `(size(variables.asksNames[i]) > 0 ? variables.asksNames[i] : variables.asks[i].exists(e, e.key == ${cel(builtIn)} && e.operator in ["In", "Exists"]) ? ["master", "worker", "arbiter"] : variables.others)`,
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
    // Finalizers by which the MCO finds what it generated.
    name: 'generated',
    expression: `${resource} in ${generating} ? variables.sides.map(s, has(s.metadata.finalizers) ? s.metadata.finalizers.filter(f, !f.contains("/") && !(f in ["foregroundDeletion", "orphan"])) : []) : variables.sides.map(s, [])`,
  },
  {
    name: 'namesMachineConfigs',
    expression:
      'request.operation != "DELETE" && variables.generated[0].exists(f, request.operation == "CREATE" || !(f in variables.generated[1]))',
  },
  {
    // More was generated than for the pools that it selects now. For which others cannot be seen: it counts for every
    // pool.
    name: 'leavesOthers',
    expression: `request.operation == "DELETE" && ${resource} in ${generating} && size(variables.generated[0]) > size(variables.chosen[0])`,
  },
  {
    name: 'reaches',
    expression: [
      `${resource} in ["machineconfigs", "kubeletconfigs", "containerruntimeconfigs"] ? variables.machineConfigs.map(m, variables.leavesOthers || m.exists(l, ${meets('l', 'variables.takes')}))`,
      `${resource} == "machineosconfigs" ? variables.sides.map(s, has(s.spec.machineConfigPool) && s.spec.machineConfigPool.name == params.metadata.name)`,
      `${resource} == "machineosbuilds" ? variables.sides.map(s, ${mayBeBuiltFor('s', 'params.metadata.name')})`,
      `${resource} in ${cel(clusterWide)} ? variables.sides.map(s, s.metadata.name == "cluster")`,
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
    // What is being deleted disappears with its last finalizer.
    name: 'isGone',
    expression:
      'request.operation == "DELETE" || (request.operation == "UPDATE" && has(object.metadata.deletionTimestamp) && (!has(object.metadata.finalizers) || size(object.metadata.finalizers) == 0))',
  },
  {
    // The MCO gives each MachineOSBuild the finalizer of a deletion in the foreground, so that the garbage collector
    // ends whatever deletion of one was admitted, and the MCO, which is exempt, waits 90 s for it. Only of this kind:
    // whoever deletes another one so wants its end to wait.
    name: 'isEndOfBuild',
    expression: `${resource} == "machineosbuilds" && request.operation == "UPDATE" && variables.isGone && request.userInfo.username == ${cel(garbageCollector)} && has(oldObject.metadata.finalizers) && oldObject.metadata.finalizers == ["foregroundDeletion"]`,
  },
  { name: 'marks', expression: 'variables.sides.map(s, has(s.metadata.annotations) ? s.metadata.annotations : {})' },
  {
    // The MCO finds a build by its labels, and makes another one where it does not.
    name: 'buildLabels',
    expression: `variables.sides.map(s, ${resource} == "machineosbuilds" && has(s.metadata.labels) ? s.metadata.labels : {})`,
  },
  {
    name: 'isSameMark',
    expression: `${areSameMarks('variables.marks')} && ${areSameMarks('variables.buildLabels')}`,
  },
  {
    // MachineConfigs of role worker are merged before all others.
    name: 'isMergedFirst',
    expression: `variables.sides.map(s, has(s.metadata.labels) && ${cel(roleLabel)} in s.metadata.labels && s.metadata.labels[${cel(roleLabel)}] == "worker")`,
  },
  {
    // Any other change of only metadata matters if new labels move a MachineConfig into or out of the pool.
    name: 'matters',
    expression:
      '!variables.isEndOfBuild && (!variables.isGone && variables.isSameSpec && variables.isSameMark && variables.isMergedFirst[0] == variables.isMergedFirst[1] ? variables.reaches[0] != variables.reaches[1] : variables.reaches.exists(r, r))',
  },
  {
    // The one change of the one object that an annotation may name.
    name: 'act',
    expression:
      '(request.operation == "CREATE" ? "creation of " : variables.isGone ? "deletion of " : "update of ") + (has(variables.head.metadata.name) ? variables.head.metadata.name : "") + (request.operation == "CREATE" ? "" : " at generation " + string(oldObject.metadata.generation))',
  },
  {
    name: 'glass',
    expression: `${cel(breakGlassAnnotation)} in variables.marks[0] ? variables.marks[0][${cel(breakGlassAnnotation)}].trim() : ""`,
  },
  {
    // Time and reason, if it names this change; empty otherwise.
    name: 'glassWords',
    expression:
      'variables.glass.startsWith(variables.act + " until ") ? variables.glass.substring(size(variables.act + " until ")) : ""',
  },
  {
    name: 'hasGlassForm',
    expression: `variables.glassWords.matches(${cel(`^${untilPattern}: *\\S`)})`,
  },
  { name: 'glassUntil', expression: 'timestamp(variables.glassWords.substring(0, 20))' },
  {
    // The only clock here: the API server notes the time of this write before it asks the policy. A deletion is not
    // noted; for it these are the times of earlier writes.
    name: 'times',
    expression:
      'has(variables.head.metadata.managedFields) ? variables.head.metadata.managedFields.filter(f, has(f.time)).map(f, timestamp(f.time)) : []',
  },
  {
    name: 'isInTime',
    expression: `variables.times.all(t, t <= variables.glassUntil) && variables.times.exists(t, t >= variables.glassUntil - duration("${breakGlassHours}h"))`,
  },
  {
    // An update must be one that moves the generation: otherwise the annotation would cover the next one too. Whether
    // the writer has the right is a question of its own: the annotation alone is a mark that anybody may set who may
    // change the object.
    name: 'isNamed',
    expression: `variables.hasGlassForm && variables.isInTime && (request.operation != "UPDATE" || variables.isGone || object.metadata.generation > oldObject.metadata.generation)`,
  },
];

/** Whether both sides have the same of what the MCO reads. `maps` is an expression. */
function areSameMarks(maps: string): string {
  const kept = (a: string, b: string) =>
    `${a}.all(k, !k.startsWith(${cel(operatorAnnotationPrefix)}) || (k in ${b} && ${a}[k] == ${b}[k]))`;
  return `${kept(`${maps}[0]`, `${maps}[1]`)} && ${kept(`${maps}[1]`, `${maps}[0]`)}`;
}

/** The name is empty when a whole collection is deleted. */
const what = 'request.kind.kind + (has(variables.head.metadata.name) ? " " + variables.head.metadata.name : "")';

const message = [
  '"pool " + params.metadata.name',
  cel(` ${notPausedYet}`),
  what,
  cel(
    ' is part of what its nodes run, so it can only be changed while the pool is paused. Argo CD with syncPolicy.retry retries by itself, and Poolkeeper pauses the pool for it. Manually: poolkeeper hold --pool ',
  ),
  'params.metadata.name',
  cel(` --for 30m --reason "...", then retry. In an emergency, ${breakGlassAnnotation}: `),
  'variables.act',
  cel(` until <UTC as 2026-01-31T18:00:00Z, at most ${breakGlassHours} h ahead>: <reason>`),
  `(variables.glass == "" ? "" : ${cel('; the annotation that is there covers another change, is too late, too early or in another form, or you lack the right break-glass')})`,
].join(' + ');

/** Empty: no audit annotation. Rights cannot be asked for here: it is there too if the writer was refused for want of
 *  the right. */
const audit = `variables.matters && !variables.isPaused && variables.isNamed ? "pool " + params.metadata.name + ", " + ${what} + ", " + variables.act + ": " + variables.glassWords : ""`;

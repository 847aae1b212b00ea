import { refreshAnnotation } from '../../functions/core/guard/refresh.ts';
import { anyDescription } from '../../functions/core/guard/sync-windows.ts';
import { starter } from '../../functions/core/holds/retry-sync.ts';
import { controlPlaneLabels } from '../../functions/core/openshift/control-plane-labels.ts';
import { pausedAnnotation } from '../../functions/core/openshift/health-checks.ts';
import { unique } from '../../functions/core/text/unique.ts';
import { cel, sameBut } from './cel.ts';
import {
  type Account,
  type KubeObject,
  ourLabels,
  requiredNames,
  userNameOf,
  versionAnnotation,
} from './kube-object.ts';
import type { CanaryLimits } from './run-access.ts';
import { defaultTokenHours } from './token-hours.ts';

const requiredLabel = 'operator.machineconfiguration.openshift.io/required-for-upgrade';
const prefix = 'poolkeeper.dev/';

export interface AdmissionLimitOptions {
  readonly account: Account;
  /** The only pools that our account may change; empty: every pool that no cluster upgrade waits for. */
  readonly pools: readonly string[];
  /** True: our account may retry a refused sync. Of an Application it may change only `operation`. */
  readonly restartsSyncs?: boolean;
  /** True: our account may pause MachineHealthChecks. Of these it may change only that annotation and those with our
   *  prefix. */
  readonly pausesHealthChecks?: boolean;
  /** True: our account may change our deny windows in AppProjects, and ask for a refresh of an Application. */
  readonly guardsSyncs?: boolean;
  /** True: our account may let nodes go one by one, for runs. */
  readonly letsNodesGo?: boolean;
  /** What runs of mode canary write besides. */
  readonly canaries?: CanaryLimits | undefined;
  /** False: our account only reads, so that only its tokens need a limit. */
  readonly pauses?: boolean;
  /** Longest life of a token that our account requests for itself, hours. */
  readonly tokenHours?: number;
  /** Audiences of its tokens besides the names that API servers have by default. */
  readonly audiences?: readonly string[];
}

/** Increases with every change of the policies' meaning. In version 1, which had none, tokens and operations had no
 *  limit. */
export const limitVersion = '2';

/** Last parts of the names of the policies. */
export const limitNames = {
  tokens: 'may-only-renew',
  pools: 'may-only-pause',
  applications: 'may-only-start',
  projects: 'may-only-guard',
  healthChecks: 'may-only-pause-health-checks',
  nodes: 'may-only-let-go',
} as const;

/** Audiences by which API servers know themselves. */
export const ownAudiences = ['https://kubernetes.default.svc', 'https://kubernetes.default.svc.cluster.local'] as const;

/** What RBAC cannot express: of a pool our account may change only `spec.paused` and annotations with our prefix.
 *  Kubernetes >= 1.30 (OpenShift >= 4.17). The policy matches only requests of our account, so it cannot affect
 *  others. */
export function admissionLimitObjects(options: AdmissionLimitOptions): readonly KubeObject[] {
  return [
    ...tokenLimit(options),
    ...(options.pauses === false ? [] : poolLimit(options)),
    ...(options.restartsSyncs === true || options.guardsSyncs === true ? applicationLimit(options) : []),
    ...(options.guardsSyncs === true ? projectLimit(options) : []),
    ...(options.pausesHealthChecks === true ? healthCheckLimit(options) : []),
    ...(options.letsNodesGo === true ? nodeLimit(options) : []),
  ];
}

/** A stolen token cannot be exchanged for one that lives longer, is valid elsewhere, or survives as a part of a pod:
 *  bound to a pod, 3607 s are extended to a year. */
function tokenLimit({
  account,
  tokenHours = defaultTokenHours,
  audiences = [],
}: AdmissionLimitOptions): readonly KubeObject[] {
  const admitted = unique([...ownAudiences, ...audiences]);
  return limit(account, {
    name: limitNames.tokens,
    apiGroup: '',
    resource: 'serviceaccounts',
    validations: [
      {
        expression: `has(request.subResource) && request.subResource == "token" && request.namespace == ${cel(account.namespace)} && request.name == ${cel(account.name)}`,
        message: 'Poolkeeper requests tokens of its own account and does nothing else to service accounts',
      },
      onToken(
        `has(object.spec.expirationSeconds) && object.spec.expirationSeconds <= ${Math.round(tokenHours * 3600)}`,
        `a token of Poolkeeper lives at most ${tokenHours} h`,
      ),
      // What is absent in a TokenRequest is null here.
      onToken(
        '!has(object.spec.boundObjectRef) || object.spec.boundObjectRef == null',
        'a token of Poolkeeper is not bound to another object',
      ),
      onToken(
        `!has(object.spec.audiences) || object.spec.audiences == null || object.spec.audiences.all(a, a in ${cel(admitted)})`,
        'a token of Poolkeeper is for the API server only',
      ),
    ],
  });
}

function onToken(expression: string, message: string) {
  return { expression: `request.operation != "CREATE" || (${expression})`, message };
}

function poolLimit({ account, pools, canaries }: AdmissionLimitOptions): readonly KubeObject[] {
  return limit(account, {
    name: limitNames.pools,
    apiGroup: 'machineconfiguration.openshift.io',
    resource: 'machineconfigpools',
    validations: validations(pools, canaries?.selectors ?? []),
  });
}

/** Of an AppProject the windows that carry our description, and annotations with our prefix. */
function projectLimit({ account }: AdmissionLimitOptions): readonly KubeObject[] {
  const others = (of: string) =>
    `(has(${of}.spec.syncWindows) ? ${of}.spec.syncWindows : []).filter(w, !${isOursIn('w')})`;
  return limit(account, {
    name: limitNames.projects,
    apiGroup: 'argoproj.io',
    resource: 'appprojects',
    validations: [
      {
        expression: 'request.operation == "UPDATE"',
        message: 'Poolkeeper guards Applications; it does not create or delete AppProjects',
      },
      onUpdate(
        sameBut('object.spec', 'oldObject.spec', cel(['syncWindows'])),
        'Poolkeeper may change only spec.syncWindows of an AppProject',
      ),
      onUpdate(`${others('object')} == ${others('oldObject')}`, 'Poolkeeper may not change sync windows of others'),
      onUpdate(
        sameBut('object', 'oldObject', cel(['spec', 'metadata'])),
        'Poolkeeper may change only spec.syncWindows of an AppProject',
      ),
      ...onlyOurMetadata('an AppProject'),
    ],
  });
}

/** A deny window of a guard or a sequence, by its description: a stolen token can hold back syncs, and let none through
 *  that others hold back. */
function isOursIn(window: string): string {
  return `(has(${window}.description) && ${window}.description.startsWith(${cel(anyDescription)}) && has(${window}.kind) && ${window}.kind == "deny")`;
}

/** The metadata but for annotations, and for the fields that change with every write. */
const sameMetadata = sameBut(
  'object.metadata',
  'oldObject.metadata',
  cel(['annotations', 'generation', 'managedFields', 'resourceVersion']),
);

const sameMetadataButLabels = sameBut(
  'object.metadata',
  'oldObject.metadata',
  cel(['annotations', 'generation', 'labels', 'managedFields', 'resourceVersion']),
);

/** @param free keys of the labels that may differ */
function sameLabels(a: string, b: string, free: readonly string[]): string {
  const [here, there] = [`${a}.metadata.labels`, `${b}.metadata.labels`];
  return `(!has(${here}) || ${here}.all(k, k in ${cel(free)} || (has(${there}) && k in ${there} && ${here}[k] == ${there}[k])))`;
}

/** Nothing but the annotation changes by which Argo CD is asked to compare the Application with Git. */
const isRefresh = [
  sameBut('object', 'oldObject', cel(['metadata'])),
  sameMetadata,
  sameAnnotations('object', 'oldObject', [refreshAnnotation], false),
  sameAnnotations('oldObject', 'object', [refreshAnnotation], false),
  `has(object.metadata.annotations) && ${cel(refreshAnnotation)} in object.metadata.annotations && object.metadata.annotations[${cel(refreshAnnotation)}] == "normal"`,
].join(' && ');

function applicationLimit(options: AdmissionLimitOptions): readonly KubeObject[] {
  const { account, guardsSyncs = false } = options;
  if (options.restartsSyncs !== true) return refreshLimit(account);
  const unlessRefresh = (expression: string, message: string) =>
    onUpdate(guardsSyncs ? `(${isRefresh}) || (${expression})` : expression, message);
  return limit(account, {
    name: limitNames.applications,
    apiGroup: 'argoproj.io',
    resource: 'applications',
    validations: [
      {
        expression: 'request.operation == "UPDATE"',
        message: 'Poolkeeper retries a refused sync; it does not create or delete Applications',
      },
      unlessRefresh(
        sameBut('object', 'oldObject', cel(['operation', 'metadata'])),
        'Poolkeeper may change only operation of an Application',
      ),
      unlessRefresh(
        sameBut('object.metadata', 'oldObject.metadata', cel(['generation', 'managedFields', 'resourceVersion'])),
        'Poolkeeper may not change labels, annotations, finalizers or owners of an Application',
      ),
      unlessRefresh(
        '!has(oldObject.operation)',
        'a sync of this Application is queued or running; Poolkeeper starts one only when there is none',
      ),
      unlessRefresh(
        // Otherwise the token could have Argo CD apply anything: `sync` may carry manifests, or name another commit.
        [
          `${lastOperation('phase')} && oldObject.status.operationState.phase in ["Failed", "Error"]`,
          `${lastOperation('operation')} && has(oldObject.status.operationState.operation.sync)`,
          'has(object.operation) && has(object.operation.sync)',
          'object.operation.sync == oldObject.status.operationState.operation.sync',
        ].join(' && '),
        'Poolkeeper repeats the sync that failed last, as it was, and starts no other',
      ),
      unlessRefresh(
        `object.operation.all(k, k in ${cel(['sync', 'initiatedBy', 'info', 'retry'])}) && object.operation.initiatedBy == {"username": ${cel(starter)}}`,
        'Poolkeeper starts a sync in its own name',
      ),
    ],
  });
}

function refreshLimit(account: Account): readonly KubeObject[] {
  return limit(account, {
    name: limitNames.applications,
    apiGroup: 'argoproj.io',
    resource: 'applications',
    validations: [
      {
        expression: 'request.operation == "UPDATE"',
        message: 'Poolkeeper asks for a refresh of an Application; it does not create or delete Applications',
      },
      onUpdate(isRefresh, 'Poolkeeper may only ask for a refresh of an Application'),
    ],
  });
}

function healthCheckLimit({ account }: AdmissionLimitOptions): readonly KubeObject[] {
  return limit(account, {
    name: limitNames.healthChecks,
    apiGroup: 'machine.openshift.io',
    resource: 'machinehealthchecks',
    validations: [
      {
        expression: 'request.operation == "UPDATE" && (!has(request.subResource) || request.subResource == "")',
        message: 'Poolkeeper pauses MachineHealthChecks; it does not create or delete them or write their status',
      },
      onUpdate(
        sameBut('object', 'oldObject', cel(['metadata'])),
        'Poolkeeper may change only annotations of a MachineHealthCheck',
      ),
      onUpdate(sameMetadata, 'Poolkeeper may not change labels, finalizers or owners of a MachineHealthCheck'),
      onUpdate(
        [
          sameAnnotations('object', 'oldObject', [pausedAnnotation]),
          sameAnnotations('oldObject', 'object', [pausedAnnotation]),
        ].join(' && '),
        `Poolkeeper may change the annotation ${pausedAnnotation} and those that begin with ${prefix}, but no others`,
      ),
    ],
  });
}

const desiredConfig = 'machineconfiguration.openshift.io/desiredConfig';

/** Of a worker the config that it is to have, that it is cordoned, and the labels of runs in mode canary: a stolen
 *  token can give a node no other label, nor take a taint away, nor touch the control plane. */
export function nodeLimit({
  account,
  canaries,
}: Pick<AdmissionLimitOptions, 'account' | 'canaries'>): readonly KubeObject[] {
  const labels = canaries?.labels ?? [];
  return limit(account, {
    name: limitNames.nodes,
    apiGroup: '',
    resource: 'nodes',
    validations: [
      {
        expression: 'request.operation == "UPDATE" && (!has(request.subResource) || request.subResource == "")',
        message: 'Poolkeeper lets nodes go; it does not create or delete them or write their status',
      },
      onUpdate(
        `!has(oldObject.metadata.labels) || !oldObject.metadata.labels.exists(k, k in ${cel(controlPlaneLabels)})`,
        'nodes of the control plane have no turns',
      ),
      onUpdate(
        sameBut('object.spec', 'oldObject.spec', cel(['unschedulable'])),
        'Poolkeeper may change only spec.unschedulable of a node',
      ),
      onUpdate(
        '(has(oldObject.spec.unschedulable) && oldObject.spec.unschedulable) ? (has(object.spec.unschedulable) && object.spec.unschedulable) : true',
        'Poolkeeper cordons a node again; it never uncordons one',
      ),
      labels.length === 0
        ? onUpdate(sameMetadata, 'Poolkeeper may not change labels, finalizers or owners of a node')
        : onUpdate(
            [
              sameMetadataButLabels,
              sameLabels('object', 'oldObject', labels),
              sameLabels('oldObject', 'object', labels),
            ].join(' && '),
            `Poolkeeper may change only the labels ${labels.join(', ')} of a node, and no finalizers or owners`,
          ),
      onUpdate(
        [
          sameAnnotations('object', 'oldObject', [desiredConfig], false),
          sameAnnotations('oldObject', 'object', [desiredConfig], false),
          `has(object.metadata.annotations) && ${cel(desiredConfig)} in object.metadata.annotations && object.metadata.annotations[${cel(desiredConfig)}].startsWith("rendered-")`,
        ].join(' && '),
        `Poolkeeper may change only the annotation ${desiredConfig} of a node, to a rendered config`,
      ),
    ],
  });
}

function lastOperation(field: string): string {
  return `has(oldObject.status) && has(oldObject.status.operationState) && has(oldObject.status.operationState.${field})`;
}

interface Limit {
  readonly name: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly validations: readonly object[];
}

/** A policy that matches only requests of our account, and its binding. */
function limit(account: Account, { name: suffix, apiGroup, resource, validations }: Limit): readonly KubeObject[] {
  const name = `${account.namespace}-${suffix}`;
  const admission = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels: ourLabels, annotations: { [versionAnnotation]: limitVersion } },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [apiGroup],
              apiVersions: ['*'],
              operations: ['CREATE', 'UPDATE', 'DELETE'],
              resources: [resource, `${resource}/*`],
            },
          ],
        },
        matchConditions: [
          { name: 'our-account', expression: `request.userInfo.username == ${cel(userNameOf(account))}` },
        ],
        validations,
      },
    },
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name, labels: ourLabels },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

/** @param selecting pools whose node selector it may change too */
function validations(pools: readonly string[], selecting: readonly string[]) {
  const mayChange =
    pools.length > 0
      ? `object.metadata.name in ${cel(unique([...pools, ...selecting]))}`
      : `!(object.metadata.name in ${cel(requiredNames)} || (has(object.metadata.labels) && ${cel(requiredLabel)} in object.metadata.labels))`;
  return [
    // First, because the others compare two objects and CREATE and DELETE have only one.
    {
      // Without a subresource, the key may be missing.
      expression: 'request.operation == "UPDATE" && (!has(request.subResource) || request.subResource == "")',
      message: 'Poolkeeper pauses and resumes pools; it does not create or delete them or write their status',
    },
    onUpdate(
      mayChange,
      pools.length > 0
        ? 'this pool is not one of those that Poolkeeper may change'
        : 'cluster upgrades wait for this pool; Poolkeeper pauses it only if it is named explicitly',
    ),
    onUpdate(onlyPausing(selecting), 'Poolkeeper may change only spec.paused of a pool'),
    ...onlyOurMetadata('a pool'),
  ];
}

function onlyPausing(selecting: readonly string[]): string {
  const pausing = sameBut('object.spec', 'oldObject.spec', cel(['paused']));
  if (selecting.length === 0) return pausing;
  const both = sameBut('object.spec', 'oldObject.spec', cel(['paused', 'nodeSelector']));
  return `(object.metadata.name in ${cel(selecting)} && ${both}) || (${pausing})`;
}

/** Of the metadata of what is updated, only annotations with our prefix may change.
 *  @param what with its article */
function onlyOurMetadata(what: string) {
  return [
    onUpdate(sameMetadata, `Poolkeeper may not change labels, finalizers or owners of ${what}`),
    onUpdate(
      `${sameAnnotations('object', 'oldObject')} && ${sameAnnotations('oldObject', 'object')}`,
      `Poolkeeper may change only annotations that begin with ${prefix}`,
    ),
  ];
}

function onUpdate(expression: string, message: string) {
  return { expression: `request.operation != "UPDATE" || (${expression})`, message };
}

/** @param ours annotations with our prefix may differ too */
function sameAnnotations(a: string, b: string, free: readonly string[] = [], ours = true): string {
  const [here, there] = [`${a}.metadata.annotations`, `${b}.metadata.annotations`];
  const mayDiffer = [...(ours ? [`k.startsWith(${cel(prefix)})`] : []), ...free.map((key) => `k == ${cel(key)}`)].join(
    ' || ',
  );
  return `(!has(${here}) || ${here}.all(k, ${mayDiffer} || (has(${there}) && k in ${there} && ${here}[k] == ${there}[k])))`;
}

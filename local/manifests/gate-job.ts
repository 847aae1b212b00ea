import type { SequenceGate } from '../../functions/core/configuration/sequence.ts';
import { subjectOf } from '../../functions/core/sequences/judge-gate.ts';
import { type ObjectGate, withPreset } from '../../functions/core/sequences/presets.ts';
import { gateScript, timeIsOver } from './gate-script.ts';
import { type KnownKind, knownKind } from './known-kinds.ts';
import { type KubeObject, ourLabels } from './kube-object.ts';
import { cliImage } from './presync-job.ts';

export interface GateJobOptions {
  /** Of the Job, its account and its role. */
  readonly name: string;
  readonly namespace: string;
  readonly wave: number;
  /** Phase or phases of Argo CD. */
  readonly hookType: string;
  /** Image of Jobs whose gate names none; default: the cluster's own `openshift/cli`. */
  readonly image?: string | undefined;
}

/** Seconds that a Job may live beyond the time of its gate: pulling the image, starting, a node that is lost. */
const startingSeconds = 600;
/** Seconds. A finished Job is kept for its log. Much longer than Argo CD needs to see it: one that is deleted before
 *  that hangs the sync (argo-cd 21055). */
const keepSeconds = 24 * 3600;
/** Pods besides the first: for nodes that are lost. Drains do not count. */
const podsMore = 6;

/** What keeps a gate from being asked by a Job; the key and why. */
export function gateJobProblems(gate: SequenceGate): readonly { readonly key: string; readonly why: string }[] {
  if (gate.http !== undefined)
    return [{ key: 'http', why: 'is asked by Poolkeeper alone; a Job would need its secrets' }];
  if (isCommand(gate)) return [];
  const asked = withPreset(gate);
  const type = asked.resourceType ?? '';
  return [
    ...(asked.cel !== undefined && gate.preset !== 'webhook-endpoints'
      ? [{ key: 'cel', why: 'cannot be evaluated by `oc` in a Job; use condition, path or version' }]
      : []),
    ...(knownKind(type) === undefined
      ? [
          {
            key: 'resourceType',
            why: `\`${type}\` is not known without a cluster; write plural and group, like storageclusters.ocs.openshift.io`,
          },
        ]
      : []),
  ];
}

function isCommand(gate: SequenceGate): boolean {
  return gate.resourceType === undefined && gate.preset === undefined;
}

/** A hook Job that waits for a gate within a sync, with an account that may read just that. For Git. A gate with
 *  `gateJobProblems` must not be given. */
export function gateObjects(gate: SequenceGate, options: GateJobOptions): readonly KubeObject[] {
  if (isCommand(gate)) return commandObjects(gate, options);
  const asked = withPreset(gate);
  const kind = knownKind(asked.resourceType ?? '') ?? { group: '', plural: asked.resourceType ?? '' };
  const container = {
    name: 'gate',
    image: gate.image ?? options.image ?? cliImage,
    command: ['/bin/sh', '-c', gateScript],
    env: Object.entries(environmentOf(gate, asked, kind))
      .filter(([, value]) => value !== '')
      .map(([name, value]) => ({ name, value })),
  };
  return [
    account(options),
    ...roleObjects(asked, kind, options),
    job({ gate, options, container, account: options.name }),
  ];
}

function commandObjects(gate: SequenceGate, options: GateJobOptions): readonly KubeObject[] {
  const container = {
    name: 'gate',
    image: gate.image ?? options.image ?? cliImage,
    command: gate.command ?? [],
    env: [],
  };
  const own = gate.serviceAccount;
  return [
    ...(own === undefined ? [account(options)] : []),
    job({ gate, options, container, account: own ?? options.name }),
  ];
}

/** A hook of a phase before Sync needs its account there too. */
function annotationsOf({ wave, hookType }: GateJobOptions, isHook: boolean): Readonly<Record<string, string>> {
  return {
    ...(isHook && {
      'argocd.argoproj.io/hook': hookType,
      'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
    }),
    'argocd.argoproj.io/sync-wave': `${wave}`,
  };
}

function metadata(options: GateJobOptions, name: string, namespace: string | undefined) {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: ourLabels,
    annotations: annotationsOf(options, options.hookType.includes('PreSync')),
  };
}

function account(options: GateJobOptions): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata(options, options.name, options.namespace),
    automountServiceAccountToken: false,
  };
}

/** Reading one kind, one object of it if it has a name, in one namespace if it has one. `list`: what is asked is a list
 *  with one name, so that "not there" is an empty answer and no error. */
function roleObjects(asked: ObjectGate, { group, plural }: KnownKind, options: GateJobOptions): readonly KubeObject[] {
  const { resourceNamespace: namespace, resourceName } = asked;
  const isWide = namespace === undefined;
  const name = isWide ? `poolkeeper-gate-${options.namespace}-${options.name}` : options.name;
  const own = metadata(options, name, namespace);
  const [role, binding] = isWide ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
  const names = resourceName === undefined || asked.selector !== undefined ? [] : [resourceName];
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: role ?? '',
      metadata: own,
      rules: [
        { apiGroups: [group], resources: [plural], ...(names.length > 0 && { resourceNames: names }), verbs: ['list'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: binding ?? '',
      metadata: own,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role ?? '', name },
      subjects: [{ kind: 'ServiceAccount', name: options.name, namespace: options.namespace }],
    },
  ];
}

function job({
  gate,
  options,
  container,
  account: serviceAccountName,
}: {
  readonly gate: SequenceGate;
  readonly options: GateJobOptions;
  readonly container: Readonly<Record<string, unknown>>;
  readonly account: string;
}): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: options.name,
      namespace: options.namespace,
      labels: ourLabels,
      annotations: annotationsOf(options, true),
    },
    spec: {
      activeDeadlineSeconds: gate.timeoutSeconds + startingSeconds,
      ttlSecondsAfterFinished: keepSeconds,
      backoffLimit: podsMore,
      podFailurePolicy: {
        rules: [
          ...(isCommand(gate)
            ? []
            : [{ action: 'FailJob', onExitCodes: { containerName: 'gate', operator: 'In', values: [timeIsOver] } }]),
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: {
        metadata: { labels: ourLabels },
        spec: {
          restartPolicy: 'Never',
          serviceAccountName,
          automountServiceAccountToken: true,
          terminationGracePeriodSeconds: 5,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              ...container,
              resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: !isCommand(gate),
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'tmp', emptyDir: {} }],
        },
      },
    },
  };
}

/** What the script asks for; what is empty need not be given. */
function environmentOf(gate: SequenceGate, asked: ObjectGate, kind: KnownKind): Readonly<Record<string, string>> {
  const { condition, count, version, health } = asked;
  const field = fieldOf(gate, asked);
  const selector = Object.entries(asked.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  return {
    WHAT: subjectOf(asked),
    RESOURCE: kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`,
    NAMESPACE: asked.resourceNamespace ?? '',
    NAME: asked.resourceName ?? '',
    SELECTOR: selector.join(','),
    FIELDS: fieldsOf(asked, field?.jsonPath),
    CONDITION: condition?.type ?? '',
    STATUS: condition?.status ?? '',
    REASON: condition?.reason ?? '',
    HEALTH: health ?? '',
    FIELD: field?.name ?? '',
    VALUES: [...(asked.equals === undefined ? [] : [asked.equals]), ...asked.oneOf].join('\n'),
    VERSION: version?.atLeast.replace(/^v/, '') ?? '',
    AT_LEAST: `${count?.atLeast ?? 1}`,
    AT_MOST: count?.atMost === undefined ? '' : `${count.atMost}`,
    TIMEOUT_SECONDS: `${gate.timeoutSeconds}`,
    INTERVAL_SECONDS: `${gate.intervalSeconds}`,
    ON_TIMEOUT: gate.onTimeout,
    HOME: '/tmp',
  };
}

interface Field {
  /** As people write it. */
  readonly name: string;
  readonly jsonPath: string;
}

function fieldOf(gate: SequenceGate, { path }: ObjectGate): Field | undefined {
  if (gate.preset === 'webhook-endpoints') {
    return { name: 'ready endpoints', jsonPath: '{.endpoints[?(@.conditions.ready==true)].addresses[0]}' };
  }
  return path === undefined ? undefined : { name: path, jsonPath: jsonPathOf(path) };
}

/** One line for each object: its values between unit separators, in the order in which the script reads them. */
function fieldsOf({ condition, health, version }: ObjectGate, path: string | undefined): string {
  const ofCondition = (key: string) =>
    condition === undefined ? '' : `{.status.conditions[?(@.type==${JSON.stringify(condition.type)})].${key}}`;
  const fields = [
    '{.metadata.name}',
    '{.metadata.deletionTimestamp}',
    '{.metadata.generation}',
    ofCondition('status'),
    ofCondition('reason'),
    ofCondition('observedGeneration'),
    health === undefined ? '' : '{.status.health.status}',
    path ?? '',
    version === undefined ? '' : jsonPathOf(version.path),
  ];
  return `{range .items[*]}${fields.join('{"\\x1f"}')}{"\\n"}{end}`;
}

/** `status.conditions.0.status` as `oc` writes it; dots within a key stay escaped. */
function jsonPathOf(path: string): string {
  const keys = path.split(/(?<!\\)\./);
  return `{${keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('')}}`;
}

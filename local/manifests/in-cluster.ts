import { stringify } from 'yaml';
import { unique } from '../../functions/core/text/unique.ts';
import { type Account, type KubeObject, ourLabels } from './kube-object.ts';
import type { Rule } from './rule.ts';

export interface InClusterOptions {
  /** The account that the pod runs as, of part `access`. */
  readonly account: Account;
  /** Undefined: no Argo CD runs on this cluster. */
  readonly argocdNamespace: string | undefined;
  readonly applicationNamespaces: readonly string[];
  /** Names of this cluster and of its Argo CD in poolkeeper.yaml. */
  readonly cluster: string;
  readonly instance: string;
  /** The only pools that may be paused; empty: all that no upgrade waits for. */
  readonly pools: readonly string[];
  readonly image: string;
  /** Host of the Route; undefined: OpenShift makes one up. */
  readonly host: string | undefined;
  readonly store: InClusterStore;
}

/** Where the pod keeps its tables. */
export type InClusterStore =
  | { readonly kind: 'volume' }
  | { readonly kind: 'dynamodb'; readonly table: string; readonly region: string };

const name = 'poolkeeper';

/** The Secret whose keys are the names of secrets. People make it: we print none. */
const secretsName = 'poolkeeper-secrets';
/** Credentials of AWS, for accounts without a role of their own. */
const awsSecretName = 'poolkeeper-aws';

const configMapName = 'poolkeeper-config';
const volumeName = 'poolkeeper-data';

/** Where the image has what is mounted; Containerfile says the same. */
const paths = {
  configuration: '/etc/poolkeeper/configuration',
  secrets: '/etc/poolkeeper/secrets',
  account: '/var/run/secrets/kubernetes.io/serviceaccount',
  data: '/var/lib/poolkeeper',
  temporary: '/tmp',
} as const;

const port = 8080;

const labels = { ...ourLabels, 'app.kubernetes.io/name': name } as const;
const selected = { 'app.kubernetes.io/name': name } as const;

/** The image that a build in the same namespace pushes, see docs/in-cluster.md. */
export function ownImage(namespace: string): string {
  return `image-registry.openshift-image-registry.svc:5000/${namespace}/${name}:latest`;
}

/** Secrets that people make for it, see docs/in-cluster.md. */
export function inClusterSecrets(namespace: string): readonly KubeObject[] {
  return [secretsName, awsSecretName].map((secret) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret, namespace },
  }));
}

/** Everything besides part `access` that one process in a cluster needs. */
export function inClusterObjects(options: InClusterOptions): readonly KubeObject[] {
  const { account, store } = options;
  const { namespace } = account;
  return [
    ...leaseAccess(account),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configMapName, namespace, labels },
      data: { 'poolkeeper.yaml': configurationText(options) },
    },
    ...(store.kind === 'volume' ? [volumeClaim(namespace)] : []),
    deployment(options),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, labels },
      spec: { selector: selected, ports: [{ name: 'http', port, targetPort: 'http' }] },
    },
    route(options),
    networkPolicy(options),
  ];
}

/** The one Lease, in the namespace of the pod. A name cannot be required of `create`: the object has none yet. */
function leaseAccess({ namespace, name: account }: Account): readonly KubeObject[] {
  const api = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const rules: readonly Rule[] = [
    { ...api, verbs: ['create'] },
    { ...api, resourceNames: [name], verbs: ['get', 'patch'] },
  ];
  const metadata = { name: `${name}-leader`, namespace, labels };
  const rbac = 'rbac.authorization.k8s.io';
  return [
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
    },
  ];
}

/** The smallest configuration: this cluster, by the token of the pod's own account, and its Argo CD. */
function configurationText(options: InClusterOptions): string {
  const { argocdNamespace, applicationNamespaces, cluster, instance, pools } = options;
  const api = {
    server: 'https://kubernetes.default.svc',
    caFile: `${paths.account}/ca.crt`,
    tokenSecret: 'service-account',
  };
  const configuration = {
    clusters: [
      {
        name: cluster,
        api,
        ...(pools.length === 0 ? {} : { pools: Object.fromEntries(pools.map((pool) => [pool, {}])) }),
      },
    ],
    ...(argocdNamespace === undefined
      ? {}
      : {
          argocd: [
            {
              name: instance,
              cluster,
              namespaces: unique([argocdNamespace, ...applicationNamespaces]),
              controllerNamespace: argocdNamespace,
            },
          ],
        }),
    alerts: { targets: [{ kind: 'outbox', name: 'outbox' }] },
  };
  return `# Every key: docs/configuration.md. A tokenSecret is a key of the Secret ${secretsName}.\n${stringify(configuration, { lineWidth: 0 })}`;
}

/** Of one node, as most storage has them. Where a driver offers it, ReadWriteOncePod is stricter. */
function volumeClaim(namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: volumeName, namespace, labels },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
  };
}

/** One replica, and the old pod is gone before the new one starts: the volume is of one pod. No PodDisruptionBudget: it
 *  would block the drains that Poolkeeper watches. */
function deployment({ account, image, store }: InClusterOptions): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: account.namespace, labels },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selected },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: account.name,
          automountServiceAccountToken: true,
          // More than the longest call; then the kubelet ends it, and the Lease expires.
          terminationGracePeriodSeconds: 30,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          tolerations: lostNodeTolerations,
          containers: [container(image, store)],
          volumes: volumes(store),
        },
      },
    },
  };
}

/** Seconds after which the pod of a lost node is replaced; Kubernetes' own default is 300. */
const lostAfterSeconds = 60;

const lostNodeTolerations = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: lostAfterSeconds,
}));

function container(image: string, store: InClusterStore) {
  const where = store.kind === 'volume' ? ['--data', paths.data] : ['--table', store.table];
  const probe = { timeoutSeconds: 5, periodSeconds: 10 };
  return {
    name,
    image,
    args: ['serve', '--config', `${paths.configuration}/poolkeeper.yaml`, ...where],
    ports: [{ name: 'http', containerPort: port }],
    ...(store.kind === 'dynamodb'
      ? {
          env: [{ name: 'AWS_REGION', value: store.region }],
          envFrom: [{ secretRef: { name: awsSecretName, optional: true } }],
        }
      : {}),
    livenessProbe: { ...probe, httpGet: { path: '/healthz', port: 'http' }, failureThreshold: 6 },
    // Only the leader is ready, so that the Service sends it everything.
    readinessProbe: { ...probe, httpGet: { path: '/readyz', port: 'http' }, failureThreshold: 1, periodSeconds: 5 },
    resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'configuration', mountPath: paths.configuration, readOnly: true },
      { name: 'secrets', mountPath: paths.secrets, readOnly: true },
      { name: 'temporary', mountPath: paths.temporary },
      ...(store.kind === 'volume' ? [{ name: 'data', mountPath: paths.data }] : []),
    ],
  };
}

function volumes(store: InClusterStore) {
  return [
    { name: 'configuration', configMap: { name: configMapName } },
    // Not optional: without it no path would be served to the network.
    { name: 'secrets', secret: { secretName: secretsName } },
    { name: 'temporary', emptyDir: { sizeLimit: '256Mi' } },
    ...(store.kind === 'volume' ? [{ name: 'data', persistentVolumeClaim: { claimName: volumeName } }] : []),
  ];
}

/** TLS ends at the router; plain HTTP is refused, because webhooks and tokens would be readable. */
function route({ account, host }: InClusterOptions): KubeObject {
  return {
    apiVersion: 'route.openshift.io/v1',
    kind: 'Route',
    metadata: { name, namespace: account.namespace, labels },
    spec: {
      ...(host === undefined ? {} : { host }),
      to: { kind: 'Service', name, weight: 100 },
      port: { targetPort: 'http' },
      tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'None' },
      wildcardPolicy: 'None',
    },
  };
}

/** Who may call: the router, Argo CD's namespace (notifications, PreSync Jobs) and the cluster's own Prometheus for
 *  users' workloads. */
function networkPolicy({ account, argocdNamespace, applicationNamespaces }: InClusterOptions): KubeObject {
  const byName = [argocdNamespace, ...applicationNamespaces, 'openshift-user-workload-monitoring']
    .filter((each) => each !== undefined)
    .map((namespace) => ({ 'kubernetes.io/metadata.name': namespace }));
  // Routers in the network of their nodes come from the second. Source: OpenShift docs, "Network policy".
  const groups = ['ingress', 'host-network'].map((group) => ({ [`policy-group.network.openshift.io/${group}`]: '' }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace: account.namespace, labels },
    spec: {
      podSelector: { matchLabels: selected },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [...groups, ...byName].map((matchLabels) => ({ namespaceSelector: { matchLabels } })),
          ports: [{ protocol: 'TCP', port: 'http' }],
        },
      ],
    },
  };
}

import { createHash } from 'node:crypto';
import { type KubeObject, ourLabels } from './kube-object.ts';

export interface PreSyncJobOptions {
  /** Namespace of the Job: the one that the Application deploys to, or Argo CD's. */
  readonly namespace: string;
  /** The Application, and the name of its Argo CD in poolkeeper.yaml. */
  readonly application: { readonly argocd: string; readonly namespace: string; readonly name: string };
  readonly url: string;
  /** Any image with a POSIX shell and curl. */
  readonly image: string;
}

/** Part of every OpenShift cluster: nothing is pulled from outside. */
export const cliImage = 'image-registry.openshift-image-registry.svc:5000/openshift/cli:latest';

/** Secret and key of the token for `POST /handshake`. */
export const handshakeSecret = { name: 'poolkeeper-handshake', key: 'token' } as const;

/** Seconds within which the pause must be confirmed. Otherwise the sync fails before it has changed anything. */
const deadlineSeconds = 540;
/** Seconds that the Job may live beyond that: pulling the image, starting, a node that is lost. Kubernetes deletes the
 *  pod of a Job whose time is over, and with it the log that says why. */
const startingSeconds = 600;
/** Pods besides the first: for nodes that are lost. Drains do not count. */
const podsMore = 1;
/** Seconds. A failed Job is kept for its log; one that succeeded is deleted at once. */
const keepFailedSeconds = 24 * 3600;

/** Exit status of the script, which asks again by itself: the Job fails at once, and no second pod asks. */
const refused = 3;

/** Asks until Poolkeeper answers that every pool of the Application is confirmed paused; a 200 alone may be that of a
 *  login page, or of whatever else answers at a wrong address. The token is read from a file and passed to curl on
 *  standard input, so neither the environment nor the process list shows it: its first line, the newest of a value in
 *  rotation, because curl prints what follows as an unknown option. An answer that did not arrive whole is none. */
const handshakeScript = `set -u
body=$(printf '{"argocd":"%s","namespace":"%s","name":"%s"}' "$ARGOCD" "$APPLICATION_NAMESPACE" "$APPLICATION")
end=$(( $(date +%s) + DEADLINE_SECONDS ))
pause=\${FIRST_PAUSE_SECONDS:-1}
answer=$(mktemp)
while :; do
  : > "$answer"
  code=$(printf 'header = "Authorization: Bearer %s"\\n' "$(head -n 1 "$TOKEN_FILE")" |
    curl --config - --silent --show-error --max-time 35 --output "$answer" --write-out '%{http_code}' \\
      --header 'Content-Type: application/json' --data "$body" "$POOLKEEPER_URL/handshake") || code=000
  echo "$(date -u +%H:%M:%S) poolkeeper answered $code: $(head -c 600 "$answer")"
  case "$code" in
    200)
      if grep -q '"confirmed": *true' "$answer"; then exit 0; fi
      echo 'This is no confirmation of Poolkeeper. Does POOLKEEPER_URL lead to it, without a login page in front?'
      exit ${refused}
      ;;
    000|408|409|429|5??) ;;
    *) echo 'Asking again will not help. The sync stops before it has changed anything.'; exit ${refused} ;;
  esac
  if [ $(( $(date +%s) + pause )) -ge "$end" ]; then
    echo "The pools were not confirmed paused within $DEADLINE_SECONDS s. The sync stops before it has changed anything."
    exit ${refused}
  fi
  sleep "$pause"
  pause=$(( pause * 2 > 15 ? 15 : pause * 2 ))
done
`;

/** Characters of the Application's name in that of its Job, which has 63. */
const nameAtMost = 32;

/** Another one for each Application: Argo CD knows a hook by its name alone, and takes what stands there, also the Job
 *  of another Application that was answered, for its own. */
function jobName({ argocd, namespace, name }: PreSyncJobOptions['application']): string {
  const whole = createHash('sha256').update(`${argocd}/${namespace}/${name}`).digest('hex').slice(0, 8);
  return `poolkeeper-handshake-${name.slice(0, nameAtMost).replace(/[^A-Za-z0-9]+$/, '')}-${whole}`;
}

/** For Git, next to the MachineConfigs of the Application, and not to be applied by hand: Argo CD runs it before each
 *  full sync. */
export function preSyncJob({ namespace, application, url, image }: PreSyncJobOptions): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(application),
      namespace,
      labels: ourLabels,
      annotations: {
        'argocd.argoproj.io/hook': 'PreSync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation,HookSucceeded',
      },
    },
    spec: {
      activeDeadlineSeconds: deadlineSeconds + startingSeconds,
      backoffLimit: podsMore,
      podFailurePolicy: {
        rules: [
          { action: 'FailJob', onExitCodes: { containerName: 'handshake', operator: 'In', values: [refused] } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      ttlSecondsAfterFinished: keepFailedSeconds,
      template: {
        metadata: { labels: ourLabels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'handshake',
              image,
              command: ['/bin/sh', '-c', handshakeScript],
              env: [
                { name: 'POOLKEEPER_URL', value: url },
                { name: 'ARGOCD', value: application.argocd },
                { name: 'APPLICATION_NAMESPACE', value: application.namespace },
                { name: 'APPLICATION', value: application.name },
                { name: 'DEADLINE_SECONDS', value: `${deadlineSeconds}` },
                { name: 'TOKEN_FILE', value: `/var/run/poolkeeper/${handshakeSecret.key}` },
              ],
              resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '64Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'token', mountPath: '/var/run/poolkeeper', readOnly: true },
                { name: 'tmp', mountPath: '/tmp' },
              ],
            },
          ],
          volumes: [
            { name: 'token', secret: { secretName: handshakeSecret.name } },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  };
}

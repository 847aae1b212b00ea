import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type Command, isKubernetesName, readArgs } from './command.ts';

const help = `Runs Poolkeeper in one process, in a pod of your own cluster (docs/in-cluster.md). Of several such processes
one leads, by a Lease; the others wait. Ends with 1 at once when its Lease is lost, so that Kubernetes starts it again.

  poolkeeper serve --config /etc/poolkeeper/poolkeeper.yaml --data /var/lib/poolkeeper
  poolkeeper serve --config /etc/poolkeeper/poolkeeper.yaml --table poolkeeper

  --config FILE      poolkeeper.yaml. The token of the pod's own account is the secret service-account
  --data DIR         keep incidents, timeline and deliveries in this folder, a volume of one pod
  --table NAME       keep them in this table of DynamoDB instead (keys pk and sk, expiry attribute ttl); region and
                     credentials come from the environment, as for every AWS SDK
  --secrets DIR      folder of a mounted Secret, whose keys are the names of secrets (default /etc/poolkeeper/secrets):
                     github, argocd, cluster, handshake, status, smtp (smtp://user:password@host:port) and those that
                     poolkeeper.yaml names. A path whose secret is not there is not served to the network
  --lease NAME       the Lease in the namespace of the pod (default poolkeeper)
  --lease-seconds N  how long others wait after they saw it renewed, 15 (default) to 300. The leader ends when it could
                     not renew it for two thirds of that: more where the API server may be away for longer
  --port N           port for the network (default 8080): what asks for a secret, /healthz, /readyz (only the leader)
  --local-port N     port on 127.0.0.1 (default 8081): everything, for oc port-forward
  --account DIR      what the kubelet mounts of the pod's account
                     (default /var/run/secrets/kubernetes.io/serviceaccount)
`;

export const serve: Command = {
  help,
  run: async (args, { environment }) => {
    const options = readOptions(args);
    const { serveInCluster } = await import('../in-cluster/serve.ts');
    return serveInCluster({ ...options, environment });
  },
};

const flags = {
  config: { type: 'string' },
  data: { type: 'string' },
  table: { type: 'string' },
  secrets: { type: 'string', default: '/etc/poolkeeper/secrets' },
  lease: { type: 'string', default: 'poolkeeper' },
  'lease-seconds': { type: 'string', default: '15' },
  port: { type: 'string', default: '8080' },
  'local-port': { type: 'string', default: '8081' },
  account: { type: 'string', default: '/var/run/secrets/kubernetes.io/serviceaccount' },
} as const;

function readOptions(args: readonly string[]) {
  const { config, data, table, secrets, lease: name, account, ...texts } = readArgs(args, flags);
  const [port, localPort] = [portOf(texts.port), portOf(texts['local-port'])];
  const seconds = Number(texts['lease-seconds']);
  const problems = [
    ...(config === undefined ? ['--config FILE is missing'] : []),
    ...((data === undefined) === (table === undefined) ? ['give either --data DIR or --table NAME'] : []),
    ...(isKubernetesName(name) ? [] : [`--lease ${name}: is not a Kubernetes name`]),
    ...(Number.isInteger(seconds) && seconds >= 15 && seconds <= 300
      ? []
      : [`--lease-seconds ${texts['lease-seconds']}: must be a whole number from 15 to 300`]),
    ...(port === undefined || localPort === undefined
      ? ['--port and --local-port are whole numbers from 0 to 65535']
      : []),
  ];
  if (config === undefined || port === undefined || localPort === undefined || problems.length > 0)
    throw new Misconfigured(problems);
  const store =
    table === undefined ? ({ kind: 'folder', folder: data ?? '' } as const) : ({ kind: 'dynamodb', table } as const);
  return { config, store, secrets, lease: { name, seconds }, account, port, localPort };
}

function portOf(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

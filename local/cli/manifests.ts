import { Misconfigured } from '../../functions/core/text/errors.ts';
import type { InClusterStore } from '../manifests/in-cluster.ts';
import { userNameOf } from '../manifests/kube-object.ts';
import type { ArgoCdForm } from '../manifests/notifications.ts';
import { type Level, levels, type Part, parts, partsOf } from '../manifests/parts.ts';
import { cliImage } from '../manifests/presync-job.ts';
import { leastVersion, servesPolicies } from '../manifests/serves-policies.ts';
import { baseUrl, type Command, isKubernetesName, namesOf, oneOf, readArgs } from './command.ts';
import type { AskedManifests } from './print-manifests.ts';
import { tokenHoursFlag, tokenHoursProblems } from './token-hours.ts';

const placeholderUrl = 'https://poolkeeper.example.com';

const help = `Prints what a cluster needs, as YAML for \`kubectl apply -f -\` or a kustomization. Sends nothing.

  poolkeeper manifests                                    everything for level react
  poolkeeper manifests --pools worker,gpu --url https://... --instance hub | oc apply -f -
  poolkeeper manifests --only presync-job --application shop > poolkeeper-handshake.yaml

  --level L                observe: read only. react (default): pause and resume. handshake: the same, and a PreSync
                           Job in Git (--only presync-job). admission: as react, and the API server refuses a
                           change that re-renders a pool while that pool is not paused (docs/admission.md).
                           guard: as react, and the account may change its own deny windows in AppProjects and refresh
                           Applications (docs/guard.md)
  --only PART,...          print these parts only: ${parts.join(', ')}
  --pools a,b              the only pools that may be paused (default: all that no cluster upgrade waits for;
                           none = only the other rights of the level)
  --namespace N            namespace of the service account (default poolkeeper)
  --argocd-namespace M     namespace of the Argo CD in this cluster (default openshift-gitops; none = no Argo CD here)
  --application-namespaces further namespaces with Applications
  --argocd-form F          operator: OpenShift GitOps (default in openshift-gitops). configmap: Argo CD as upstream installs it
  --argocd-resource NAME   name of the ArgoCD resource in the operator's form (default: its namespace)
  --instance NAME          name of this Argo CD in poolkeeper.yaml (default: its namespace)
  --cluster NAME           name of this cluster in poolkeeper.yaml, for the event source
  --application NAME       Application that the PreSync Job asks for
  --url URL                address of Poolkeeper (default ${placeholderUrl}, to be replaced).
                           Without it, and without --only, the notifications of Argo CD are left out
  --image IMAGE            image of the PreSync Job, with a shell and curl (default: the cluster's own openshift/cli)
  --poolkeeper-image IMAGE in-cluster: image of Poolkeeper (default: the one built in its namespace, docs/in-cluster.md)
  --table NAME, --region R in-cluster: keep the tables in DynamoDB instead of a volume
  --except A,B             level admission: exempt accounts besides OpenShift's own operators, namespace/name
  --on-refused-sync R      level admission or guard: tell (default), or restart: the account may retry a refused sync
  --pause-health-checks    the account may pause MachineHealthChecks, for pools with pauseMachineHealthChecks
  --token-hours H          longest life of a token of the account, 1 to 8760 (default 24); as for connect
  --audience A             audience of its tokens, if the cluster's issuer is not https://kubernetes.default.svc (connect finds
                           it: \`oc get --raw /.well-known/openid-configuration\`)
  --sequences FILE         the rights that the sequences of this poolkeeper.yaml need on --cluster, beside those of --level
  --runs FILE              the rights that the runs of this poolkeeper.yaml need on --cluster (docs/node-by-node.md)
  --read-logs              the account may read the logs of the Machine Config Operator, for lines in messages
  --kubernetes V           level admission: version of the cluster; fails now if it is too old
  -o, --output F           yaml (default) or json
`;

export const manifests: Command = {
  help,
  values: { level: levels, output: ['yaml', 'json'] },
  run: async (args, surroundings) => {
    const { files, ...options } = readOptions(args);
    const { printManifests, runsIn, sequencesIn } = await import('./print-manifests.ts');
    const { cluster } = options;
    const sequences = files.sequences === undefined ? undefined : await sequencesIn(files.sequences, cluster);
    const ofRuns = files.runs === undefined ? {} : await runsIn(files.runs, cluster);
    printManifests({ ...options, sequences, ...ofRuns }, surroundings);
    return 0;
  },
};

const flags = {
  level: { type: 'string', default: 'react' },
  only: { type: 'string' },
  pools: { type: 'string' },
  namespace: { type: 'string', default: 'poolkeeper' },
  'argocd-namespace': { type: 'string', default: 'openshift-gitops' },
  'application-namespaces': { type: 'string' },
  'argocd-form': { type: 'string' },
  'argocd-resource': { type: 'string' },
  instance: { type: 'string' },
  cluster: { type: 'string', default: 'CLUSTER' },
  application: { type: 'string' },
  url: { type: 'string' },
  image: { type: 'string', default: cliImage },
  except: { type: 'string' },
  'on-refused-sync': { type: 'string', default: 'tell' },
  'pause-health-checks': { type: 'boolean', default: false },
  kubernetes: { type: 'string' },
  sequences: { type: 'string' },
  runs: { type: 'string' },
  'read-logs': { type: 'boolean', default: false },
  'token-hours': tokenHoursFlag,
  audience: { type: 'string' },
  'poolkeeper-image': { type: 'string' },
  table: { type: 'string' },
  region: { type: 'string' },
  output: { type: 'string', short: 'o', default: 'yaml' },
} as const;

function readOptions(args: readonly string[]): Omit<AskedManifests, 'sequences' | 'runs' | 'canaries'> & {
  readonly files: { readonly sequences: string | undefined; readonly runs: string | undefined };
} {
  const read = readArgs(args, flags);
  const level = oneOf(read.level, levels, '--level');
  const argocdNamespace = read['argocd-namespace'] === 'none' ? undefined : read['argocd-namespace'];
  for (const [flag, name] of Object.entries({ '--namespace': read.namespace, '--argocd-namespace': argocdNamespace }))
    if (name !== undefined && !isKubernetesName(name))
      throw new Misconfigured([`${flag} ${name}: is not a Kubernetes name`]);
  const lifeProblems = tokenHoursProblems(read['token-hours']);
  if (lifeProblems.length > 0) throw new Misconfigured(lifeProblems);
  const onRefusedSync = oneOf(read['on-refused-sync'], ['tell', 'restart'], '--on-refused-sync');
  if (level === 'admission' && read.kubernetes !== undefined && !servesPolicies(read.kubernetes))
    throw new Misconfigured([
      `--level admission: needs Kubernetes ${leastVersion}; ${read.kubernetes} has no admission policies`,
    ]);
  return {
    level,
    parts: chosenParts(read.only) ?? partsOf(level, read.url !== undefined),
    ...pausedBy(read.pools, level),
    namespace: read.namespace,
    argocdNamespace,
    applicationNamespaces: namesOf(read['application-namespaces'], '--application-namespaces'),
    form: formOf(read['argocd-form'], argocdNamespace),
    argocdResource: read['argocd-resource'] ?? argocdNamespace ?? 'argocd',
    instance: read.instance ?? argocdNamespace ?? 'argocd',
    cluster: read.cluster,
    application: applicationOf(read.application),
    url: baseUrl(read.url ?? placeholderUrl, '--url'),
    isUrlGiven: read.url !== undefined,
    image: read.image,
    except: exceptedOf(read.except),
    pausesHealthChecks: level !== 'observe' && read['pause-health-checks'],
    restartsSyncs: restartsAt(level, onRefusedSync),
    files: { sequences: read.sequences, runs: read.runs },
    readsLogs: read['read-logs'],
    tokenHours: Number(read['token-hours']),
    audience: read.audience,
    ownImage: read['poolkeeper-image'],
    store: storeOf(read.table, read.region),
    host: read.url === undefined ? undefined : URL.parse(read.url)?.hostname,
    output: oneOf(read.output, ['yaml', 'json'], '--output'),
  } as const;
}

/** The API server refuses a Job that is named after anything else. */
function applicationOf(name: string | undefined): string {
  if (name !== undefined && !isKubernetesName(name))
    throw new Misconfigured([
      `--application ${name}: is not the name of an Application; its namespace is --argocd-namespace, and then the name of its Argo CD in poolkeeper.yaml --instance`,
    ]);
  return name ?? 'APPLICATION';
}

function pausedBy(pools: string | undefined, level: Level): Pick<AskedManifests, 'pools' | 'pauses'> {
  if (pools === 'none') return { pools: [], pauses: false };
  return { pools: namesOf(pools, '--pools'), pauses: level !== 'observe' };
}

function restartsAt(level: Level, onRefusedSync: 'tell' | 'restart'): boolean {
  return ['admission', 'guard'].includes(level) && onRefusedSync === 'restart';
}

function storeOf(table: string | undefined, region: string | undefined): InClusterStore {
  if (table !== undefined && region !== undefined) return { kind: 'dynamodb', table, region };
  if (table !== undefined || region !== undefined) throw new Misconfigured(['--table and --region go together']);
  return { kind: 'volume' };
}

/** `namespace/name` of service accounts as user names of the API server. */
function exceptedOf(text: string | undefined): readonly string[] {
  const given = text?.split(',').map((each) => each.trim()) ?? [];
  return given.map((account) => {
    const [namespace = '', name = '', ...more] = account.split('/');
    if (!isKubernetesName(namespace) || !isKubernetesName(name) || more.length > 0)
      throw new Misconfigured([`--except ${account}: must be namespace/name of a service account`]);
    return userNameOf({ namespace, name });
  });
}

function chosenParts(only: string | undefined): readonly Part[] | undefined {
  if (only === undefined) return undefined;
  const chosen = only.split(',').map((part) => oneOf(part.trim(), parts, '--only'));
  return parts.filter((part) => chosen.includes(part));
}

/** OpenShift GitOps installs itself into this namespace, and its operator owns the ConfigMaps there. */
function formOf(asked: string | undefined, argocdNamespace: string | undefined): ArgoCdForm {
  if (asked !== undefined) return oneOf(asked, ['operator', 'configmap'], '--argocd-form');
  return argocdNamespace === 'openshift-gitops' ? 'operator' : 'configmap';
}

import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlags, clusterFlagsHelp } from '../cluster-flags.ts';
import { type Command, isKubernetesName, namesOf, oneOf, readArgs } from '../command.ts';
import { tokenHoursFlag, tokenHoursProblems } from '../token-hours.ts';
import type { ConnectWishes } from './connect-cluster.ts';
import { secretName } from './secret-name.ts';

const help = `Connects a cluster: checks the requirements, shows what will be created, validates it by a dry run, creates it, and stores a
token that expires. Run again, it applies only what changed and issues a new token.

  poolkeeper connect --context admin@prod --name prod-eu --stage prod --dry-run
  poolkeeper connect --context admin@prod --name prod-eu --stage prod --config poolkeeper.yaml
  poolkeeper connect --context admin@prod --name prod-eu --output yaml > cluster/poolkeeper.yaml     (for GitOps)

  --name NAME       name of the cluster: lower-case letters, digits, dots, dashes
  --pools a,b       the only pools that may be paused (default: all that no cluster upgrade waits for)
  --observe         read only: nothing may be paused
  --dry-run         check and print; change nothing
  -o, --output yaml print the manifests and nothing else; change nothing
  --stage S         keep the token in AWS Secrets Manager, as poolkeeper/S/NAME/token
  --secret NAME     the same, under this name
  --token-dir DIR   keep the token in DIR/NAME.token, for this user only (default .poolkeeper, without --stage and --secret)
  --token-hours H   lifetime of the token, 1 to 8760 (default 24); the service renews it after half of that, and a policy
                    refuses the account a longer one
  --audience A      audience of the token (default: the API server's own)
  --config FILE     add the cluster to this poolkeeper.yaml (default: print its entry)
  --namespace N     namespace of the service account (default poolkeeper), one for each installation on a cluster
  --existing-namespace
                    it may be there already, made by others: whoever has or had rights in it can act as the account
  --argocd-namespace N
                    Argo CD's own namespace, with its application controller and AppProjects (default: what the cluster tells)
${clusterFlagsHelp}
`;

export const connect: Command = {
  help,
  values: { output: ['yaml'] },
  run: async (args, surroundings) => {
    const wishes = readWishes(args);
    const { connectCluster } = await import('./connect-cluster.ts');
    return connectCluster(wishes, surroundings);
  },
};

const flags = {
  ...clusterFlags,
  name: { type: 'string' },
  pools: { type: 'string' },
  observe: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  output: { type: 'string', short: 'o', default: 'text' },
  stage: { type: 'string' },
  secret: { type: 'string' },
  'token-dir': { type: 'string', default: '.poolkeeper' },
  'token-hours': tokenHoursFlag,
  audience: { type: 'string' },
  config: { type: 'string' },
  namespace: { type: 'string', default: 'poolkeeper' },
  'existing-namespace': { type: 'boolean', default: false },
  'argocd-namespace': { type: 'string' },
} as const;

function readWishes(args: readonly string[]): ConnectWishes {
  const read = readArgs(args, flags);
  const hours = Number(read['token-hours']);
  const problems = [
    ...nameProblems(read.name),
    ...namespaceProblems('--namespace', read.namespace),
    ...namespaceProblems('--argocd-namespace', read['argocd-namespace']),
    ...tokenHoursProblems(read['token-hours']),
  ];
  if (problems.length > 0) throw new Misconfigured(problems);
  const name = read.name ?? '';
  return {
    kubeconfig: read.kubeconfig,
    context: read.context,
    name,
    pools: namesOf(read.pools, '--pools'),
    pauses: !read.observe,
    isDryRun: read['dry-run'],
    output: oneOf(read.output, ['text', 'yaml'], '--output'),
    secret: secretName(name, read),
    tokenFolder: read['token-dir'],
    tokenSeconds: Math.round(hours * 3600),
    audience: read.audience,
    config: read.config,
    namespace: read.namespace,
    trustsNamespace: read['existing-namespace'],
    argocdNamespace: read['argocd-namespace'],
  };
}

function namespaceProblems(flag: string, name: string | undefined): readonly string[] {
  return name === undefined || isKubernetesName(name) ? [] : [`${flag} ${name}: is not a Kubernetes name`];
}

/** The characters that poolkeeper.yaml allows. */
export function nameProblems(name: string | undefined): readonly string[] {
  if (name === undefined) return ['--name is missing: choose a name for the cluster'];
  if (/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(name)) return [];
  return [`--name ${name}: must be 1 to 63 lower-case letters, digits, dots and dashes`];
}

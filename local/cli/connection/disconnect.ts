import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlags, clusterFlagsHelp } from '../cluster-flags.ts';
import { type Command, isKubernetesName, readArgs } from '../command.ts';
import { nameProblems } from './connect.ts';
import type { DisconnectWishes } from './disconnect-cluster.ts';

const help = `Removes what \`connect\` created and the policy of level admission, opens all guards: first the permission to pause, then Poolkeeper's holds and
pauses, the Jobs and records of sequences and runs, then account, policies, token and entry. Pools that someone else paused stay paused. What a
sequence applied, or a run in mode canary wrote to nodes and pools, stays: abort both first. What is refused is named, and the rest goes on;
while the account may still pause, nothing is let go. Where another Poolkeeper has an account on the cluster, too, what its rights cover stays as it is, and is named.

  poolkeeper disconnect --context admin@prod --name prod-eu --stage prod --dry-run
  poolkeeper disconnect --context admin@prod --name prod-eu --stage prod --config poolkeeper.yaml

  --name NAME       the cluster's name in poolkeeper.yaml
  --dry-run         print what would be removed; change nothing
  --stage S, --secret NAME, --token-dir DIR    where the token is, as for connect
  --config FILE     remove the cluster from this poolkeeper.yaml
  --namespace N     namespace of the service account (default poolkeeper), which must not be another installation's
${clusterFlagsHelp}
`;

export const disconnect: Command = {
  help,
  run: async (args, surroundings) => {
    const wishes = readWishes(args);
    const { disconnectCluster } = await import('./disconnect-cluster.ts');
    return disconnectCluster(wishes, surroundings);
  },
};

const flags = {
  ...clusterFlags,
  name: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  stage: { type: 'string' },
  secret: { type: 'string' },
  'token-dir': { type: 'string', default: '.poolkeeper' },
  config: { type: 'string' },
  namespace: { type: 'string', default: 'poolkeeper' },
} as const;

function readWishes(args: readonly string[]): DisconnectWishes {
  const read = readArgs(args, flags);
  const problems = [
    ...nameProblems(read.name),
    ...(isKubernetesName(read.namespace) ? [] : [`--namespace ${read.namespace}: is not a Kubernetes name`]),
  ];
  if (problems.length > 0) throw new Misconfigured(problems);
  return { ...read, name: read.name ?? '' };
}

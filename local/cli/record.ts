import { Misconfigured } from '../../functions/core/text/errors.ts';
import { durationSeconds } from '../../functions/shell/configuration/duration.ts';
import { clusterFlagsHelp, liveFlags } from './cluster-flags.ts';
import { type Command, isKubernetesName, namesOf, readArgs } from './command.ts';
import { configHelp } from './configuration-file.ts';

const help = `Records everything that \`poolkeeper explain\` reads from a cluster, so that others can explain it without access. Secrets are left out:
no environment, commands or files of pods, no content of MachineConfigs, and credentials are removed from every text. Read only.

  poolkeeper record --pool worker -o worker.json
  poolkeeper explain --snapshot worker.json

  --pool P[,Q]      the pools (default: all)
  --node N          one node, even if its update has just begun
  -o, --out FILE    output file; must not exist
  --follow TIME     keep recording for so long, one snapshot per line: \`poolkeeper replay FILE\` turns it into incidents and messages
  --every TIME      with --follow: default 1m, the interval of Poolkeeper itself
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service
${configHelp}

Format of a snapshot: docs/schemas/snapshot.schema.json.
Exit status: 0 = recorded, 1 = failure, 2 = wrong usage, or nothing answered.
`;

export const record: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...liveFlags,
      pool: { type: 'string' },
      node: { type: 'string' },
      out: { type: 'string', short: 'o' },
      follow: { type: 'string' },
      every: { type: 'string', default: '1m' },
    });
    const { node, out } = read;
    if (out === undefined) throw new Misconfigured(['-o is missing: the output file']);
    if (node !== undefined && !isKubernetesName(node))
      throw new Misconfigured([`--node: ${node} is not a Kubernetes name`]);
    const wished = { pools: namesOf(read.pool, '--pool'), node };
    const lasting = read.follow === undefined ? 0 : secondsOf(read.follow, '--follow');
    const every = secondsOf(read.every, '--every');
    const { recordCluster } = await import('./record-cluster.ts');
    return recordCluster({ ...read, ...wished, out, lasting, every }, surroundings);
  },
};

function secondsOf(text: string, flag: string): number {
  const seconds = durationSeconds(text);
  if (seconds === undefined || seconds < 1) throw new Misconfigured([`${flag} ${text}: how long? 30s, 5m, 2h`]);
  return seconds;
}

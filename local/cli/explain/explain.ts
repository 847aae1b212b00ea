import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlagsHelp, sourceFlags } from '../cluster-flags.ts';
import { baseUrl, type Command, isKubernetesName, namesOf, readArgs, type Surroundings } from '../command.ts';
import { configHelp } from '../configuration-file.ts';
import { outputFlag, outputForms, outputOf } from '../output.ts';
import type { AskedAbout } from './explain-source.ts';

const help = `Explains why a pool, a node or an incident is stuck: the cause, the chain of causes, the evidence with the time it was read, and what to
do, by the same rules as the messages. Read only.

  poolkeeper explain --pool worker
  poolkeeper explain --node worker-2 --output markdown
  poolkeeper explain --must-gather ./must-gather.local.123

  --pool P[,Q]      the pools (default: all)
  --node N          one node, even if its update has just begun
  --incident PK-7   the pool of an incident, looked up at --url (with POOLKEEPER_STATUS_TOKEN, if set). The current context counts where
                    poolkeeper.yaml has the incident's cluster at its server; else name the source
  --url URL         address of Poolkeeper
  --logs            with the lines of the MCO's log around the failure, where you may read it (live clusters only)
  -o, --output F    text (default), wide, json, yaml, or markdown for a ticket

Source (default: the current context of your kubeconfig):
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service
${configHelp}
  --snapshot FILE   output of \`poolkeeper record\`
  --must-gather DIR output of \`oc adm must-gather\` or \`oc adm inspect\`

Exit status: 0 = nothing is wrong (a drain that is not stuck yet is shown and is 0), 1 = something is, or could not be read, 2 = wrong usage or no access.
`;

export const explain: Command = {
  help,
  values: { output: [...outputForms, 'markdown'] },
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...sourceFlags,
      pool: { type: 'string' },
      node: { type: 'string' },
      incident: { type: 'string' },
      url: { type: 'string' },
      ...outputFlag,
      logs: { type: 'boolean', default: false },
    });
    const output = outputOf(read.output, ['markdown']);
    const wished = await about(read, surroundings);
    const { explainSource } = await import('./explain-source.ts');
    return explainSource({ ...read, ...wished, output }, surroundings);
  },
};

async function about(
  read: {
    readonly pool?: string | undefined;
    readonly node?: string | undefined;
    readonly incident?: string | undefined;
    readonly url?: string | undefined;
    readonly cluster?: string | undefined;
  },
  surroundings: Surroundings,
): Promise<AskedAbout> {
  const { node, incident, url } = read;
  if ([read.pool, node, incident].filter((each) => each !== undefined).length > 1)
    throw new Misconfigured(['--pool, --node and --incident exclude each other']);
  if (node !== undefined && !isKubernetesName(node))
    throw new Misconfigured([`--node: ${node} is not a Kubernetes name`]);
  if (incident === undefined) return { pools: namesOf(read.pool, '--pool'), node, incident: undefined };
  if (url === undefined) throw new Misconfigured(['--incident: --url is missing, the address of Poolkeeper']);
  const { askForIncident } = await import('./incident.ts');
  const found = await askForIncident(incident, baseUrl(url, '--url'), surroundings);
  if (read.cluster !== undefined && read.cluster !== found.cluster)
    throw new Misconfigured([`--cluster ${read.cluster}: ${found.name} is about cluster ${found.cluster}`]);
  return { pools: found.pool === '*' ? [] : [found.pool], node: undefined, incident: found };
}

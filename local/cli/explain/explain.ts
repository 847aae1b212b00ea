import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { baseUrl, type Command, isKubernetesName, namesOf, oneOf, readArgs, type Surroundings } from '../command.ts';
import { clusterFlagsHelp } from '../pick-cluster.ts';
import type { Explanation } from './explanation.ts';
import { explanationMarkdown } from './explanation-markdown.ts';
import { explanationText } from './explanation-text.ts';
import { askForIncident } from './incident.ts';
import { explainCluster } from './look.ts';
import { pickSource, type Source, sourceFlags } from './pick-source.ts';

const help = `Explains why a pool, a node or an incident is stuck: the cause, the chain of causes, the evidence with the time it was read, and what to
do, by the same rules as the messages. Read only.

  npx poolkeeper explain --pool worker
  npx poolkeeper explain --node worker-2 --output markdown
  npx poolkeeper explain --must-gather ./must-gather.local.123

  --pool P[,Q]      the pools (default: all)
  --node N          one node, even if its update has just begun
  --incident PK-7   the pool of an incident, looked up at --url (with POOLKEEPER_STATUS_TOKEN, if set)
  --url URL         address of Poolkeeper
  --logs            with the lines of the MCO's log around the failure, where you may read it (live clusters only)
  --output F        text (default), json, or markdown for a ticket

Source (default: the current context of your kubeconfig):
${clusterFlagsHelp}
  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service (--config names another file)
  --snapshot FILE   output of \`npx poolkeeper record\`
  --must-gather DIR output of \`oc adm must-gather\` or \`oc adm inspect\`

Exit status: 0 = nothing is wrong (a drain that is not stuck yet is shown and is 0), 1 = something is, or could not be read, 2 = wrong usage or no access.
`;

export const explain: Command = {
  about: 'explain why a pool, node or incident is stuck, live or from a must-gather',
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...sourceFlags,
      pool: { type: 'string' },
      node: { type: 'string' },
      incident: { type: 'string' },
      url: { type: 'string' },
      output: { type: 'string', default: 'text' },
      logs: { type: 'boolean', default: false },
    });
    const output = oneOf(read.output, ['text', 'json', 'markdown'], '--output');
    const wished = await about(read, surroundings);
    const picked = await pickSource(read, surroundings);
    const source = { ...picked, observed: { ...picked.observed, withLogs: read.logs && picked.client !== undefined } };
    try {
      const explanation = await explainFrom(source, wished);
      surroundings.out(inForm(explanation, output));
      return isFine(explanation) ? 0 : 1;
    } finally {
      await source.close();
    }
  },
};

export interface ExplainRequest {
  readonly pools: readonly string[];
  readonly node: string | undefined;
}

/** Explains one source once. Throws as `explainCluster` does. */
export async function explainFrom(source: Source, { pools, node }: ExplainRequest): Promise<Explanation> {
  const { cluster, now, policy, observed, firstSeen, waitsForRender, gaps } = source;
  const explanation = await explainCluster({ cluster, now, policy, pools, node, firstSeen, waitsForRender }, observed);
  return { ...explanation, notRead: [...explanation.notRead, ...gaps()] };
}

async function about(
  read: {
    readonly pool?: string | undefined;
    readonly node?: string | undefined;
    readonly incident?: string | undefined;
    readonly url?: string | undefined;
    readonly cluster?: string | undefined;
  },
  surroundings: Surroundings,
): Promise<ExplainRequest> {
  const { node, incident, url } = read;
  if ([read.pool, node, incident].filter((each) => each !== undefined).length > 1)
    throw new Misconfigured(['--pool, --node and --incident exclude each other']);
  if (node !== undefined && !isKubernetesName(node))
    throw new Misconfigured([`--node: ${node} is not a Kubernetes name`]);
  if (incident === undefined) return { pools: namesOf(read.pool, '--pool'), node };
  if (url === undefined) throw new Misconfigured(['--incident: --url is missing, the address of Poolkeeper']);
  const found = await askForIncident(incident, baseUrl(url, '--url'), surroundings);
  if (read.cluster !== undefined && read.cluster !== found.cluster)
    throw new Misconfigured([`--cluster ${read.cluster}: ${found.name} is about cluster ${found.cluster}`]);
  surroundings.note(`${found.name} (${found.state}): ${found.cluster}/${found.pool}: ${found.headline}`);
  return { pools: found.pool === '*' ? [] : [found.pool], node: undefined };
}

function inForm(explanation: Explanation, output: 'text' | 'json' | 'markdown'): string {
  switch (output) {
    case 'text':
      return explanationText(explanation);
    case 'json':
      return `${JSON.stringify({ v: 1, ...explanation }, undefined, 2)}\n`;
    case 'markdown':
      return explanationMarkdown(explanation);
    default:
      return output satisfies never;
  }
}

function isFine({ pools, notRead }: Explanation): boolean {
  return (
    notRead.length === 0 &&
    pools.every(({ troubles, asked }) => (asked === undefined ? troubles : asked.findings).length === 0)
  );
}

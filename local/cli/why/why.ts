import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlags, clusterFlagsHelp } from '../cluster-flags.ts';
import { baseUrl, type Command, isKubernetesName, oneOf, readArgsAndWords } from '../command.ts';

const help = `Says why pools are paused: every hold and closed gate, what was found, what is needed, who can open it and how, and what happens if
it lasts. In the words of the status page. Read only: what the next pass would decide, without writing it.

  npx poolkeeper why worker
  npx poolkeeper why worker --cluster prod-eu
  npx poolkeeper why worker --url https://poolkeeper.example.com

  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service (--config names another file)
  --url URL         asks a running Poolkeeper (with POOLKEEPER_STATUS_TOKEN, if set), which also knows since when gates are
                    closed and who has approved
  --output F        text (default) or json
${clusterFlagsHelp}

Without a pool: every paused one. Without --cluster and --url: the current context of your kubeconfig.
Exit status: 0 = no pool is paused, 1 = one is, 2 = wrong usage or no access.
`;

export const why: Command = {
  help,
  run: async (args, surroundings) => {
    const { values: read, words } = readArgsAndWords(args, {
      ...clusterFlags,
      cluster: { type: 'string' },
      config: { type: 'string' },
      url: { type: 'string' },
      output: { type: 'string', default: 'text' },
    });
    const output = oneOf(read.output, ['text', 'json'], '--output');
    const wrong = words.filter((word) => !isKubernetesName(word));
    if (wrong.length > 0) throw new Misconfigured([`${wrong.join(', ')} is not the name of a pool`]);
    const url = read.url === undefined ? undefined : baseUrl(read.url, '--url');
    if (url === undefined && read.cluster !== undefined && (read.context ?? read.kubeconfig) !== undefined)
      throw new Misconfigured(['--cluster and --context or --kubeconfig exclude each other']);
    const { whyPaused } = await import('./why-paused.ts');
    return whyPaused({ ...read, url, pools: words, output }, surroundings);
  },
};

import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { clusterFlags, clusterFlagsHelp } from '../cluster-flags.ts';
import { baseUrl, type Command, isKubernetesName, readArgsAndWords } from '../command.ts';
import { configFlag, configHelp } from '../configuration-file.ts';
import { outputFlag, outputHelp, outputOf } from '../output.ts';

const help = `Says why pools are paused: every hold and closed gate, what was found, what is needed, who can open it and how, and what happens if
it lasts; and which syncs wait behind their guards until a pool is paused. In the words of the status page. Read only: what the
next pass would decide, without writing it.

  poolkeeper why worker
  poolkeeper why openshift-gitops/nodes
  poolkeeper why worker --cluster prod-eu
  poolkeeper why worker --url https://poolkeeper.example.com

  --cluster NAME    a cluster of poolkeeper.yaml, with the token of the service
${configHelp}
  --url URL         asks a running Poolkeeper (with POOLKEEPER_STATUS_TOKEN, if set), which also knows since when gates are
                    closed and who has approved
${outputHelp}
${clusterFlagsHelp}

With an Application: the guard that its sync waits for, and its pools; with --url it is not known whether there is such an Application.
Without a name: every pool that is paused or waited for.
Without --cluster and --url: the current context of your kubeconfig.
Exit status: 0 = no pool is paused, 1 = one is, 2 = wrong usage, also an unknown name, or no access, or not all was read.
`;

export const why: Command = {
  help,
  run: async (args, surroundings) => {
    const { values: read, words } = readArgsAndWords(args, {
      ...clusterFlags,
      cluster: { type: 'string' },
      ...configFlag,
      url: { type: 'string' },
      ...outputFlag,
    });
    const output = outputOf(read.output);
    const isApplication = (word: string) => word.split('/').length === 2 && word.split('/').every(isKubernetesName);
    const applications = words.filter(isApplication);
    const pools = words.filter((word) => !isApplication(word));
    const wrong = pools.filter((word) => !isKubernetesName(word));
    if (wrong.length > 0) throw new Misconfigured([`${wrong.join(', ')} is not the name of a pool`]);
    const url = read.url === undefined ? undefined : baseUrl(read.url, '--url');
    if (url === undefined && read.cluster !== undefined && (read.context ?? read.kubeconfig) !== undefined)
      throw new Misconfigured(['--cluster and --context or --kubeconfig exclude each other']);
    const { whyPaused } = await import('./why-paused.ts');
    return whyPaused({ ...read, url, asked: { pools, applications }, output }, surroundings);
  },
};

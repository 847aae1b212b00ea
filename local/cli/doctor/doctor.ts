import { clusterFlags } from '../cluster-flags.ts';
import { baseUrl, type Command, readArgs } from '../command.ts';
import { configFlag, configHelp } from '../configuration-file.ts';
import { inForm, outputFlag, outputHelp, outputOf } from '../output.ts';

const help = `Checks everything that Poolkeeper depends on and prints what is wrong and what to do. Changes nothing.

  poolkeeper doctor
  poolkeeper doctor --url https://... --context admin@prod

${configHelp}
  --url URL         address of Poolkeeper: checks that it answers, accepts our signature and reads its clusters
                    (with POOLKEEPER_GITHUB_SECRET and POOLKEEPER_STATUS_TOKEN, if set)
  --context X       also check the cluster of this kubeconfig context with your own permissions: the notifications of its Argo CD,
                    the policy of level admission, hook Jobs that pause pools by themselves
  --kubeconfig F    the file (default: KUBECONFIG, then ~/.kube/config)
${outputHelp}

Tokens of clusters come from the environment variable that tokenSecret names, else from AWS Secrets Manager.
Exit status: 0 = nothing is wrong, 1 = something is, 2 = the check could not be made.
`;

export const doctor: Command = {
  help,
  run: async (args, surroundings) => {
    const read = readArgs(args, {
      ...clusterFlags,
      ...configFlag,
      url: { type: 'string' },
      ...outputFlag,
    });
    const output = outputOf(read.output);
    const url = read.url === undefined ? undefined : baseUrl(read.url, '--url');
    const [{ checkEverything }, { findingsTable, findingsText }] = await Promise.all([
      import('./check-everything.ts'),
      import('./finding.ts'),
    ]);
    const all = await checkEverything({ ...read, url }, surroundings);
    surroundings.out(
      await inForm(output, { data: all, text: () => findingsText(all), wide: () => findingsTable(all) }),
    );
    return all.some(({ state }) => state === 'wrong') ? 1 : 0;
  },
};

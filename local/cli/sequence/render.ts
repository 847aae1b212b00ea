import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { cliImage } from '../../manifests/presync-job.ts';
import { type Command, isKubernetesName, readArgsAndWords } from '../command.ts';
import { configFlag, configHelp, configurationFile } from '../configuration-file.ts';

const help = `Prints a hook Job for each gate of a sequence, for Git: where its steps live in one Application, Argo CD's own waves
put them in order, and these Jobs hold back the next wave. Each comes with a service account that may read just what it
waits for, a deadline and a line of progress a minute. Asks no cluster and changes nothing.

  poolkeeper sequence render virtualization > gates.yaml
  poolkeeper sequence render virtualization --step storage --namespace openshift-storage

${configHelp}
  --step S          only the gates of this step; may be repeated
  --namespace N     namespace of the Jobs (default: that of the Subscription that the gate belongs to, else
                    openshift-gitops)
  --image IMAGE     image of the Jobs, with a shell and oc (default: the cluster's own cli image stream,
                    ${cliImage})

A gate that only Poolkeeper can ask (any, cel, http) is an error: name the others with --step.
Exit status: 0 = printed, 2 = wrong usage or configuration, or a gate that cannot be a Job.
`;

const flags = {
  ...configFlag,
  step: { type: 'string', multiple: true },
  namespace: { type: 'string' },
  image: { type: 'string' },
} as const;

export const renderSequence: Command = {
  help,
  run: async (args, surroundings) => {
    const { out, note } = surroundings;
    const { values: given, words } = readArgsAndWords(args, flags);
    const [name, ...more] = words;
    if (name === undefined || more.length > 0)
      throw new Misconfigured(['sequence render: needs the name of one sequence; see --help']);
    if (given.namespace !== undefined && !isKubernetesName(given.namespace)) {
      throw new Misconfigured([`--namespace ${given.namespace}: is not a Kubernetes name`]);
    }
    const { renderJobs } = await import('./render-jobs.ts');
    const { text, notes } = await renderJobs({
      ...given,
      config: await configurationFile(given.config, surroundings),
      name,
    });
    out(text);
    note(notes);
    return 0;
  },
};

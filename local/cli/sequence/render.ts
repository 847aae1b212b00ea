import { dryRunRemarks } from '../../../functions/core/clustergroup/extra-objects.ts';
import { isMap, plainValue } from '../../../functions/core/clustergroup/values.ts';
import type { Sequence, SequenceStep } from '../../../functions/core/configuration/sequence.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { objectYaml } from '../../manifests/manifests.ts';
import { cliImage } from '../../manifests/presync-job.ts';
import { type RenderedGate, type SequenceJobs, sequenceJobs } from '../../manifests/sequence-jobs.ts';
import { type Command, isKubernetesName, readArgsAndWords } from '../command.ts';
import { readConfigurationFile } from '../configured-clusters.ts';

const help = `Prints a hook Job for each gate of a sequence, for Git: where its steps live in one Application, Argo CD's own waves
put them in order, and these Jobs hold back the next wave. Each comes with a service account that may read just what it
waits for, a deadline and a line of progress a minute. Asks no cluster and changes nothing.

  npx poolkeeper sequence render virtualization > gates.yaml
  npx poolkeeper sequence render virtualization --step storage --namespace openshift-storage

  --config FILE     default poolkeeper.yaml
  --step S          only the gates of this step; may be repeated
  --namespace N     namespace of the Jobs (default: that of the Subscription that the gate belongs to, else
                    openshift-gitops)
  --image IMAGE     image of the Jobs, with a shell and oc (default: the cluster's own cli image stream,
                    ${cliImage})

A gate that only Poolkeeper can ask (any, cel, http) is an error: name the others with --step.
Exit status: 0 = printed, 2 = wrong usage or configuration, or a gate that cannot be a Job.
`;

const flags = {
  config: { type: 'string', default: 'poolkeeper.yaml' },
  step: { type: 'string', multiple: true },
  namespace: { type: 'string' },
  image: { type: 'string' },
} as const;

export const renderSequence: Command = {
  about: 'print a hook Job for each gate, for Git',
  help,
  run: async (args, { out, note }) => {
    const { values: given, words } = readArgsAndWords(args, flags);
    const [name, ...more] = words;
    if (name === undefined || more.length > 0)
      throw new Misconfigured(['sequence render: needs the name of one sequence; see --help']);
    if (given.namespace !== undefined && !isKubernetesName(given.namespace)) {
      throw new Misconfigured([`--namespace ${given.namespace}: is not a Kubernetes name`]);
    }
    const { sequences = {} } = await readConfigurationFile(given.config);
    const sequence = Object.hasOwn(sequences, name) ? sequences[name] : undefined;
    if (sequence === undefined)
      throw new Misconfigured([`${name}: ${unknownText(given.config, Object.keys(sequences))}`]);
    const unknown = (given.step ?? []).filter((step) => !Object.hasOwn(sequence.steps, step));
    if (unknown.length > 0) throw new Misconfigured(unknown.map((step) => `--step ${step}: is no step of ${name}`));
    const jobs = sequenceJobs(name, sequence, {
      namespace: given.namespace,
      image: given.image,
      ...(given.step !== undefined && { steps: given.step }),
    });
    if (jobs.problems.length > 0) throw new Misconfigured(jobs.problems);
    out(jobs.gates.flatMap(gateYaml).join('---\n'));
    note(notesOf(jobs, sequence));
    return 0;
  },
};

function unknownText(config: string, names: readonly string[]): string {
  return names.length === 0
    ? `${config} has no sequences`
    : `is no sequence of ${config}, which has ${names.join(', ')}`;
}

function gateYaml({ step, objects }: RenderedGate): readonly string[] {
  const [first, ...others] = objects.map(objectYaml);
  return first === undefined ? [] : [`# Gate of step ${step}\n${first}`, ...others];
}

function notesOf({ gates }: SequenceJobs, { steps, extraObjects }: Sequence): string {
  if (gates.length === 0) return 'No gate: nothing is to be printed.\n';
  const waves = Object.entries(steps)
    .filter(([, step]) => !step.disabled)
    .flatMap(([key, step]) => waveText(key, step));
  const jobs = gates.map(({ step, name, namespace, wave }) => `  ${step}: Job ${namespace}/${name} in wave ${wave}`);
  const kinds = Object.entries(extraObjects).flatMap(([key, manifest]) => {
    const values = plainValue(manifest);
    return isMap(values) ? dryRunRemarks(values, key).map(({ says }) => `  ${key}: ${says}`) : [];
  });
  const notes = [...gates.flatMap(({ step, notes: own }) => own.map((text) => `  ${step}: ${text}`)), ...kinds];
  return [
    'Put these into the Application that has the steps. They order nothing across Applications.',
    ...jobs,
    'Their namespaces must be there, or stand in the same Application.',
    ...(waves.length > 0 ? ['Annotate in Git, argocd.argoproj.io/sync-wave:', ...waves] : []),
    ...(notes.length > 0 ? ['Mind:', ...notes] : []),
    '',
  ].join('\n');
}

function waveText(key: string, step: SequenceStep): readonly string[] {
  if (step.wave === undefined || step.kind === 'check') return [];
  const what = step.kind === 'object' ? `object ${step.object}` : `${step.kind} ${step.name}`;
  return [`  ${key}: "${step.wave}" on ${what}`];
}

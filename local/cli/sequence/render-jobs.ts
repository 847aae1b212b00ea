import { dryRunRemarks } from '../../../functions/core/clustergroup/extra-objects.ts';
import { isMap, plainValue } from '../../../functions/core/clustergroup/values.ts';
import type { Sequence, SequenceStep } from '../../../functions/core/configuration/sequence.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { objectYaml } from '../../manifests/manifests.ts';
import { type RenderedGate, type SequenceJobs, sequenceJobs } from '../../manifests/sequence-jobs.ts';
import { readConfigurationFile } from '../configured-clusters.ts';

interface AskedJobs {
  readonly config: string;
  /** Of the sequence. */
  readonly name: string;
  /** Undefined: every step. */
  readonly step?: readonly string[] | undefined;
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
}

/** The hook Jobs of a sequence as YAML, and what people should know about them. Throws Misconfigured. */
export async function renderJobs(given: AskedJobs): Promise<{ readonly text: string; readonly notes: string }> {
  const { name } = given;
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
  return { text: jobs.gates.flatMap(gateYaml).join('---\n'), notes: notesOf(jobs, sequence) };
}

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

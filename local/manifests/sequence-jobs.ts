import type { Sequence, SequenceGate, SequenceStep, WaitFor } from '../../functions/core/configuration/sequence.ts';
import { annotatedWave } from '../../functions/core/sequences/plan.ts';
import { fingerprint } from '../../functions/core/text/fingerprint.ts';
import { gateJobProblems, gateObjects } from './gate-job.ts';
import type { KubeObject } from './kube-object.ts';

export interface SequenceJobsOptions {
  /** Namespace of all Jobs; default: that of the Subscription, or of Argo CD. */
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
  /** Only these steps; default: all. */
  readonly steps?: readonly string[];
}

/** A gate as a Job of one sync of Argo CD. */
export interface RenderedGate {
  readonly step: string;
  readonly name: string;
  readonly namespace: string;
  readonly wave: number;
  readonly objects: readonly KubeObject[];
  /** What a reader should know of it. */
  readonly notes: readonly string[];
}

export interface SequenceJobs {
  readonly gates: readonly RenderedGate[];
  /** What cannot be rendered, with the path of its key. */
  readonly problems: readonly string[];
}

interface Placed {
  readonly gate: SequenceGate;
  /** `waitFor`, `waitFor.all.1`. */
  readonly path: string;
  /** Empty, or what tells it from the other gates of its step. */
  readonly suffix: string;
}

/** The hook Job of each gate of a sequence, for steps that live in one Application. */
export function sequenceJobs(name: string, sequence: Sequence, options: SequenceJobsOptions): SequenceJobs {
  const gates: RenderedGate[] = [];
  const problems: string[] = [];
  for (const [key, step, waitFor] of waitedFor(sequence)) {
    if (options.steps !== undefined && !options.steps.includes(key)) continue;
    const path = `sequences.${name}.steps.${key}`;
    if ((waitFor.any ?? []).some(({ disabled }) => !disabled)) {
      problems.push(`${path}.waitFor.any: cannot be one Job; Poolkeeper asks it from outside`);
    }
    for (const placed of gatesOf(waitFor)) {
      const wrong = gateJobProblems(placed.gate).map(
        ({ key: field, why }) => `${path}.${placed.path}.${field}: ${why}`,
      );
      problems.push(...wrong);
      if (wrong.length === 0) gates.push(rendered({ name, key, step, placed }, sequence, options));
    }
  }
  return { gates: gates.toSorted((a, b) => a.wave - b.wave), problems: [...problems, ...sharedNames(name, gates)] };
}

/** Of two Jobs of one name Argo CD would run one. */
function sharedNames(sequence: string, gates: readonly RenderedGate[]): readonly string[] {
  return gates.flatMap(({ step, name, namespace }, index) => {
    const same = gates.slice(0, index).find((each) => each.name === name && each.namespace === namespace);
    return same === undefined
      ? []
      : [
          `sequences.${sequence}.steps.${step}.waitFor: its Job would have the name ${name}, as one of step ${same.step} has; rename a step`,
        ];
  });
}

/** What the steps wait for, without what is left out. */
function waitedFor({ disabled, steps }: Sequence): readonly (readonly [string, SequenceStep, WaitFor])[] {
  return Object.entries(disabled ? {} : steps).flatMap(([key, step]) =>
    step.disabled || step.waitFor === undefined || step.waitFor.disabled ? [] : [[key, step, step.waitFor] as const],
  );
}

function gatesOf({ all = [], any: _any, ...own }: WaitFor): readonly Placed[] {
  const asks = [own.resourceType, own.preset, own.image, own.http].some((each) => each !== undefined);
  return [
    ...(asks ? [{ gate: own, path: 'waitFor', suffix: '' }] : []),
    ...all.flatMap((gate, index) =>
      gate.disabled ? [] : [{ gate, path: `waitFor.all.${index}`, suffix: `-${index + 1}` }],
    ),
  ];
}

interface Place {
  readonly name: string;
  readonly key: string;
  readonly step: SequenceStep;
  readonly placed: Placed;
}

function rendered(
  { name, key, step, placed: { gate, suffix } }: Place,
  sequence: Sequence,
  { namespace: given, image }: SequenceJobsOptions,
): RenderedGate {
  const namespace = given ?? (step.kind === 'subscription' ? step.namespace : 'openshift-gitops');
  const own = waveOf(step, sequence);
  const wave = gate.syncWave ?? own;
  const jobName = shortened(`${name}-${key}${suffix}`);
  return {
    step: key,
    name: jobName,
    namespace,
    wave,
    objects: gateObjects(gate, { name: jobName, namespace, wave, hookType: gate.hookType, image }),
    notes: [...hookNotes(gate, step), ...waveNotes(wave, own, step), ...accountNotes(gate, namespace)],
  };
}

/** The wave of a step without one is that of its object, which is not looked at here, or 0. */
function waveOf(step: SequenceStep, { extraObjects }: Sequence): number {
  if (step.wave !== undefined || step.kind !== 'object') return step.wave ?? 0;
  const written = annotatedWave(extraObjects[step.object]);
  return written.kind === 'wave' ? written.wave : 0;
}

/** Characters of a name that pods of a Job carry as a label. */
const longestName = 63;

function shortened(name: string): string {
  const plain = name.replaceAll('.', '-');
  return plain.length <= longestName ? plain : `${plain.slice(0, longestName - 9)}-${fingerprint(plain).slice(0, 8)}`;
}

function hookNotes({ hookType }: SequenceGate, { kind }: SequenceStep): readonly string[] {
  if (hookType === 'PostSync') return ['PostSync runs after everything: it holds back nothing of the same sync'];
  if (hookType === 'SyncFail') return ['SyncFail runs when a sync has failed: it holds back nothing'];
  if (hookType !== 'PreSync' || kind !== 'subscription') return [];
  return [
    'PreSync runs before the Subscription is there: if its own operator makes what is waited for, this never ends on a new cluster',
  ];
}

function waveNotes(wave: number, own: number, { kind }: SequenceStep): readonly string[] {
  if (wave >= own) return [];
  return [
    `wave ${wave} comes before wave ${own} of its own ${kind}: what that makes is never there in time on a new cluster`,
  ];
}

function accountNotes(gate: SequenceGate, namespace: string): readonly string[] {
  const other = gate.resourceNamespace;
  return [
    ...(gate.command !== undefined && gate.serviceAccount === undefined
      ? ['its account has no rights; name one that has them as serviceAccount']
      : []),
    ...(other !== undefined && other !== namespace
      ? [`its Role stands in namespace ${other}, which must be there when the wave begins`]
      : []),
  ];
}

import type { Sequence, SequenceGate, SequenceStep, WaitFor } from '../configuration/sequence.ts';
import { memberOf } from '../openshift/member.ts';
import { unique } from '../text/unique.ts';

/** What a step acts on or looks at. */
export type StepTarget =
  | {
      readonly kind: 'application';
      readonly argocd: string | undefined;
      readonly namespace: string;
      readonly name: string;
      /** The AppProject that it will be in; absent: nobody knows before it is there. */
      readonly project?: string | undefined;
    }
  | {
      readonly kind: 'subscription';
      readonly namespace: string;
      readonly name: string;
      readonly csv: string | undefined;
      readonly olm: 'v0' | 'v1';
    }
  | { readonly kind: 'pool'; readonly name: string }
  | { readonly kind: 'object'; readonly key: string; readonly manifest: Readonly<Record<string, unknown>> }
  | { readonly kind: 'check' };

/** A step on one of its clusters. */
export interface PlannedStep {
  /** `storage@prod`; never changes, part of the record. */
  readonly id: string;
  readonly step: string;
  readonly cluster: string;
  readonly target: StepTarget;
  /** Undefined: the annotation of the object says it, or it is 0. */
  readonly wave: number | undefined;
}

/** What is waited for on one cluster. */
export interface PlannedGate {
  /** `storage@prod/waitFor`, `storage@prod/all/0`; never changes, part of the record. */
  readonly id: string;
  /** The id of its step. */
  readonly of: string;
  readonly cluster: string;
  /** Undefined: that of its step. */
  readonly wave: number | undefined;
  /** It is waited for before its step begins. */
  readonly isBefore: boolean;
  /** One of these must be open. */
  readonly anyOf: readonly SequenceGate[];
  readonly timing: Pick<SequenceGate, 'timeoutSeconds' | 'intervalSeconds' | 'onTimeout'>;
}

/** A sequence over its clusters, without what is disabled; nothing if it is so itself. */
export interface SequencePlan {
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  readonly gates: readonly PlannedGate[];
}

export function planOf(name: string, sequence: Sequence): SequencePlan {
  const steps: PlannedStep[] = [];
  const gates: PlannedGate[] = [];
  if (sequence.disabled) return { name, steps, gates };
  for (const [key, step] of Object.entries(sequence.steps)) {
    if (step.disabled) continue;
    const target = targetsOf(step, sequence);
    if (target === undefined) continue;
    for (const cluster of clustersOf(step, sequence)) {
      const id = `${key}@${cluster}`;
      const own = target(cluster);
      const wave = step.wave ?? waveOfTarget(own);
      steps.push({ id, step: key, cluster, target: own, wave });
      if (step.waitFor !== undefined) gates.push(...gatesOf(step.waitFor, { id, cluster }));
    }
  }
  return { name, steps, gates };
}

/** An Application without `{cluster}` in its name is one, whatever clusters it deploys to. */
function clustersOf(step: SequenceStep, sequence: Sequence): readonly string[] {
  const clusters = step.clusters.length > 0 ? step.clusters : sequence.clusters;
  const isOne = step.kind === 'application' && !step.name.includes('{cluster}');
  return unique(isOne ? clusters.slice(0, 1) : clusters);
}

/** Undefined: its object is disabled. */
function targetsOf(step: SequenceStep, sequence: Sequence): ((cluster: string) => StepTarget) | undefined {
  switch (step.kind) {
    case 'application': {
      const { kind, argocd, namespace, name, project } = step;
      return (cluster) => ({ kind, argocd, namespace, name: name.replaceAll('{cluster}', cluster), project });
    }
    case 'subscription': {
      const { kind, namespace, name, csv, olm } = step;
      return () => ({ kind, namespace, name, csv, olm });
    }
    case 'pool':
      return () => ({ kind: 'pool', name: step.name });
    case 'object': {
      const { disabled, ...manifest } = sequence.extraObjects[step.object] ?? { disabled: true };
      return disabled === true ? undefined : () => ({ kind: 'object', key: step.object, manifest });
    }
    case 'check':
      return () => ({ kind: 'check' });
    default:
      return step satisfies never;
  }
}

const waveAnnotation = 'argocd.argoproj.io/sync-wave';

/** The wave that an object of ours is annotated with. The configuration is refused where it is no number. */
function waveOfTarget(target: StepTarget): number | undefined {
  if (target.kind !== 'object') return undefined;
  const wave = annotatedWave(target.manifest);
  return wave.kind === 'wave' ? wave.wave : undefined;
}

/** A wave as Argo CD reads it, by Go's Atoi: `+5`, `05` and `-0` are numbers. `wrong`: Argo CD would silently read 0.
 *  Source: gitops-engine/pkg/sync/syncwaves. */
export function annotatedWave(
  object: unknown,
): { readonly kind: 'wave'; readonly wave: number } | { readonly kind: 'none' } | { readonly kind: 'wrong' } {
  const written = annotationOf(object, waveAnnotation);
  if (written === undefined) return { kind: 'none' };
  if (!/^[-+]?\d{1,15}$/.test(String(written))) return { kind: 'wrong' };
  // -0 is 0.
  return { kind: 'wave', wave: Number(written) + 0 };
}

function annotationOf(object: unknown, key: string): unknown {
  const annotations = memberOf(memberOf(object, 'metadata'), 'annotations');
  return memberOf(annotations, key);
}

function gatesOf(
  waitFor: WaitFor,
  { id, cluster }: { readonly id: string; readonly cluster: string },
): readonly PlannedGate[] {
  if (waitFor.disabled) return [];
  const { all = [], any = [], ...own } = waitFor;
  const one = (gate: SequenceGate, place: string) => gateOf(gate, [gate], { id: `${id}/${place}`, of: id, cluster });
  const alternatives = any.filter(({ disabled }) => !disabled);
  return [
    ...(asksSomething(own) ? one(own, 'waitFor') : []),
    ...all.flatMap((gate, index) => (gate.disabled ? [] : one(gate, `all/${index}`))),
    ...(alternatives.length > 0 ? gateOf(own, alternatives, { id: `${id}/any`, of: id, cluster }) : []),
  ];
}

function asksSomething({ resourceType, preset, image, http }: SequenceGate): boolean {
  return [resourceType, preset, image, http].some((each) => each !== undefined);
}

/** A hook of type SyncFail runs after a failure, and holds nothing back. */
function gateOf(
  { syncWave, hookType, timeoutSeconds, intervalSeconds, onTimeout }: SequenceGate,
  anyOf: readonly SequenceGate[],
  place: Pick<PlannedGate, 'id' | 'of' | 'cluster'>,
): readonly PlannedGate[] {
  if (hookType === 'SyncFail') return [];
  const timing = { timeoutSeconds, intervalSeconds, onTimeout };
  return [{ ...place, wave: syncWave, isBefore: hookType === 'PreSync', anyOf, timing }];
}

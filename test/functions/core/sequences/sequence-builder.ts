import { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import { planOf } from '../../../../functions/core/sequences/plan.ts';
import { emptySequenceRecord } from '../../../../functions/core/sequences/record.ts';
import type { ItemReading, SequenceQuestion } from '../../../../functions/core/sequences/sequence-question.ts';

type Data = Readonly<Record<string, unknown>>;

export const noon = new Date('2026-11-22T12:00:00.000Z');

export function minutesAfterNoon(minutes: number): Date {
  return new Date(noon.getTime() + minutes * 60_000);
}

/** The reference's own case: storage with a gate on its class, then virtualization. */
export const referenceSteps = {
  storage: {
    kind: 'subscription',
    name: 'odf-operator',
    namespace: 'openshift-storage',
    wave: 5,
    waitFor: { resourceType: 'sc', resourceName: 'ocs-storagecluster-ceph-rbd' },
  },
  virtualization: { kind: 'subscription', name: 'kubevirt-hyperconverged', namespace: 'openshift-cnv', wave: 10 },
};

export function sequenceOf(steps: Data, more: Data = {}): Sequence {
  return Sequence.parse({ clusters: ['prod'], steps, ...more });
}

/** A look at a sequence in which everything was read. */
export function lookAt(
  sequence: Sequence,
  readings: Readonly<Record<string, ItemReading['kind'] | ItemReading>>,
  more: Partial<SequenceQuestion> = {},
): SequenceQuestion {
  const read = Object.entries(readings).map(([id, reading]): readonly [string, ItemReading] => [
    id,
    typeof reading === 'string' ? { kind: reading, value: reading } : reading,
  ]);
  return {
    plan: planOf('virt', sequence),
    rules: sequence,
    record: emptySequenceRecord,
    readings: new Map(read),
    waitsForSequences: [],
    fingerprint: 'one',
    now: noon,
    ...more,
  };
}

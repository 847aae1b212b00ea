import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { type Reading, read, type Unread, unreadOf } from '../../findings/unread.ts';
import { clipped, quoted } from '../../text/phrases.ts';
import { conditionOf, isNamed } from '../objects/metadata.ts';
import type { ReplicaOwner } from '../objects/object-head.ts';
import type { Pod } from '../objects/pod.ts';
import { replicaOwner } from '../questions.ts';
import { remedy } from '../remedies.ts';

/** Pods that the owner of a pod owes and has not made. */
export interface MissingReplicas {
  /** How many it should run; undefined: not known. */
  readonly owed: number | undefined;
  /** 0 also where the owner was not read or says no number. */
  readonly count: number;
  /** For the middle of a sentence: `1 of the 2 pods of ReplicaSet web-5d8 does`. */
  readonly words: string;
  /** C7: why they could not be made; undefined when nothing forbids them. */
  readonly why: Finding | undefined;
  readonly unread: readonly Unread[];
}

/** A budget with a whole number as minAvailable counts the pods that exist: that some are missing, only their owner
 *  tells. */
export function* missingReplicas(pod: Pod): Inquiry<MissingReplicas> {
  const controller = pod.metadata.ownerReferences.find((each) => each.controller && isNamed(each));
  if (controller === undefined || !['ReplicaSet', 'StatefulSet'].includes(controller.kind)) return unknown([]);
  const owner = yield* read(replicaOwner(pod.metadata.namespace, controller));
  if (owner.kind !== 'read') return unknown(unreadOf([owner]));
  const owed = owner.value.spec.replicas;
  const replicas = owed ?? 0;
  const count = Math.max(0, replicas - (owner.value.status.replicas ?? replicas));
  const named = `${controller.kind} ${controller.name}`;
  return {
    owed,
    count,
    words:
      count === 0
        ? 'the missing pods do'
        : `${count} of the ${replicas} pods of ${named} ${count === 1 ? 'does' : 'do'}`,
    why: failureOf(controller.kind, owner),
    unread: [],
  };
}

function unknown(unread: readonly Unread[]): MissingReplicas {
  return { owed: undefined, count: 0, words: 'the missing pods do', why: undefined, unread };
}

function failureOf(
  kind: string,
  { value, readAt }: Reading<ReplicaOwner> & { readonly kind: 'read' },
): Finding | undefined {
  const failure = conditionOf(value.status.conditions, 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  const of = ref(kind, value.metadata.name, value.metadata.namespace);
  return finding({
    code: 'C7',
    subject: of,
    sentence: `${kind} ${of.name} cannot create pods: ${quoted(failure.message, 200)}.`,
    confidence: 'certain',
    class: 'external',
    evidence: [evidence(of, 'status.conditions[ReplicaFailure].message', clipped(failure.message), readAt)],
    remedies: [remedy('Raise the quota or mend what forbids the pod', { who: 'application owner' })],
  });
}

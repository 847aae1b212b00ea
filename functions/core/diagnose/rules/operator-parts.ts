import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { read, type Unread, unreadOf } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import { secondsSince } from '../../text/instant.ts';
import { counted, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { conditionOf } from '../objects/metadata.ts';
import { isReady, type Pod } from '../objects/pod.ts';
import { operatorPods } from '../questions.ts';
import { remedy } from '../remedies.ts';

const controllerName = 'machine-config-controller';

export const controllerLog = controllerLogOf('--tail=50');

/** @param range the option of `oc logs` by which it is cut */
export function controllerLogOf(range: string): string {
  return command('oc', '-n', mcoNamespace, 'logs', `deployment/${controllerName}`, '-c', controllerName, range);
}

/** The parts of the Machine Config Operator beside the nodes, with what stands still without them. */
const parts = [
  {
    code: 'S13',
    name: controllerName,
    loss: 'nothing is rendered, no pause is taken note of and no node is updated or uncordoned',
  },
  { code: 'S14', name: 'machine-config-server', loss: 'no new machine can join' },
] as const;

/** S13, S14: a part of which no pod is ready. The server is no part of every cluster (hosted control planes have
 *  none), the controller neither: it is missed only where the server is seen. */
export function deadParts(pods: readonly Pod[], readAt: string): readonly Finding[] {
  if (pods.length === 0) return [];
  return parts.flatMap(({ code, name, loss }) => {
    const own = pods.filter((pod) => isOf(name, pod));
    if (own.some(isReady) || (own.length === 0 && code !== 'S13')) return [];
    return [deadPart({ code, name, loss }, own, readAt)];
  });
}

/** S13 alone: whoever targets, drains and uncordons nodes does not run. Undefined: it does, or nobody knows.
 *  @param patienceSeconds for which a pod may be new, or not ready: it moves whenever its master is drained */
export function* deadController(patienceSeconds = 0): Inquiry<{
  readonly found: Finding | undefined;
  readonly unread: readonly Unread[];
}> {
  const pods = yield* read(operatorPods());
  if (pods.kind !== 'read') return { found: undefined, unread: unreadOf([pods]) };
  const { value, readAt } = pods;
  const found = deadParts(value.items, readAt).find(({ code }) => code === 'S13');
  const isBrief = value.items.some(
    (pod) => isOf(controllerName, pod) && isNewerThan(patienceSeconds, pod, new Date(readAt)),
  );
  return { found: isBrief ? undefined : found, unread: unreadOf([pods]) };
}

function isOf(part: string, { metadata }: Pod): boolean {
  return metadata.labels['k8s-app'] === part;
}

/** It is not for long, or has not been ready for long. Without a time it has. */
function isNewerThan(seconds: number, { metadata, status }: Pod, now: Date): boolean {
  const times = [metadata.creationTimestamp, conditionOf(status.conditions, 'Ready')?.lastTransitionTime];
  return times.some((at) => at !== undefined && secondsSince(at, now) < seconds);
}

function deadPart(
  { code, name, loss }: { readonly code: string; readonly name: string; readonly loss: string },
  own: readonly Pod[],
  readAt: string,
): Finding {
  const of = ref('Deployment', name, mcoNamespace);
  const [pod] = own;
  const waiting = pod?.status.containerStatuses.find(({ state }) => state.waiting !== undefined)?.state.waiting;
  const why =
    waiting === undefined
      ? ''
      : ` (${waiting.reason}${waiting.message === '' ? '' : `: ${quoted(waiting.message, 160)}`})`;
  const where = pod === undefined || pod.spec.nodeName === '' ? '' : ` on ${pod.spec.nodeName}`;
  return finding({
    code,
    subject: of,
    sentence: `The ${name} does not run: ${
      pod === undefined ? 'it has no pod' : `${counted(own.length, 'pod')}${where}, none ready${why}`
    }; meanwhile ${loss}.`,
    confidence: 'certain',
    class: 'external',
    evidence:
      own.length === 0
        ? [evidence(of, 'pods', 'none', readAt)]
        : own
            .slice(0, 3)
            .map(({ metadata }) =>
              evidence(ref('Pod', metadata.name, mcoNamespace), 'status.conditions[Ready].status', 'not True', readAt),
            ),
    remedies: [
      remedy(`See why the ${name} does not run`, {
        command: command('oc', '-n', mcoNamespace, 'describe', 'pods', '-l', `k8s-app=${name}`),
      }),
    ],
  });
}

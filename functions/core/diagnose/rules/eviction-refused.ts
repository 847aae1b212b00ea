import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Evidence, Finding } from '../../findings/trouble.ts';
import { itemsOf, type Reading, read, readTogether, type Unread, unreadOf } from '../../findings/unread.ts';
import { mayBeObjectName } from '../../text/object-name.ts';
import { clipped, listed, quoted } from '../../text/phrases.ts';
import type { Namespace, WebhookConfiguration } from '../objects/around-a-pod.ts';
import { endpointsOf, namespaceNamed, webhooks } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { Blocker } from '../text/drain-text.ts';
import { onPlatform } from './cluster-operator.ts';

/** T8: nothing can be created in a namespace that is being deleted, an eviction neither. Its conditions name what
 *  keeps it. */
export function* doomedNamespace(blocker: Blocker): Inquiry<Finding> {
  return doomedBy(blocker, yield* read(namespaceNamed(blocker.namespace)));
}

function doomedBy({ namespace, pod, text }: Blocker, read_: Reading<Namespace>): Finding {
  const of = ref('Namespace', namespace);
  const remaining =
    read_.kind === 'read'
      ? read_.value.status.conditions.filter(
          ({ type, status }) =>
            status === 'True' &&
            /ContentRemaining|FinalizersRemaining|DeletionContentFailure|DiscoveryFailure/.test(type),
        )
      : [];
  const what = remaining.map(({ message }) => quoted(message, 160)).filter((each) => each !== '');
  const found = finding({
    code: 'T8',
    subject: of,
    sentence: `Namespace ${namespace} is being deleted and does not finish, so ${pod} in it cannot be evicted${
      what.length === 0 ? '' : `: ${listed(what, 2)}`
    }.`,
    confidence: remaining.length === 0 ? 'likely' : 'certain',
    class: 'external',
    evidence:
      remaining.length === 0
        ? [evidence(of, 'drain error', clipped(text || 'terminating namespace'), read_.readAt)]
        : remaining.map(({ type, message }) =>
            evidence(of, `status.conditions[${type}].message`, clipped(message), read_.readAt),
          ),
    remedies: [
      remedy(
        remaining.length === 0
          ? 'Look at the conditions of the namespace: they name what remains in it'
          : 'Mend the controller or the API service that should remove what remains in it',
        { who: 'application owner' },
      ),
    ],
  });
  return without(found, unreadOf([read_]));
}

/** The drain library tries an eviction again that a namespace refuses because it ends, and says in the end only that
 *  its time is up (measured on Kubernetes 1.34). Undefined where the namespace does not end, or cannot be read. */
export function* endingNamespace(blocker: Blocker): Inquiry<Finding | undefined> {
  const namespace = yield* read(namespaceNamed(blocker.namespace));
  const isEnding = namespace.kind === 'read' && namespace.value.status.phase === 'Terminating';
  return isEnding ? doomedBy(blocker, namespace) : undefined;
}

/** T5: an admission webhook denies evictions, or nobody answers it. Where its Service has no ready endpoint, that is
 *  why. */
export function* refusedByWebhook({ text, namespace, pod }: Blocker, readAt: string): Inquiry<Finding> {
  const [, named = ''] = /webhook "([^"]+)"/i.exec(text) ?? [];
  const name = mayBeObjectName(named) ? named : '';
  const of = ref('Webhook', name === '' ? 'not named' : name);
  const denied = /denied the request/i.test(text);
  const backend = name === '' || denied ? nobodyAsked : yield* whoAnswers(name);
  const found = finding({
    code: 'T5',
    subject: of,
    sentence: `The admission webhook${name === '' ? '' : ` ${name}`} ${
      denied ? 'denies' : 'stands in the way of'
    } evicting ${namespace}/${pod}${backend.words}: ${quoted(text, 200)}.`,
    confidence: backend.certain ? 'certain' : 'strong',
    class: 'external',
    evidence: [evidence(of, 'drain error', clipped(text), readAt), ...backend.evidence],
    remedies: [
      remedy(
        backend.certain
          ? `Bring the pods of Service ${backend.service} back: nobody answers this webhook`
          : denied
            ? 'Do what the webhook asks for, or let it leave evictions alone'
            : 'Bring the webhook back to life, or let it leave evictions alone',
      ),
    ],
  });
  return without(found, backend.unread);
}

interface Backend {
  /** ` (Service ns/name has no ready endpoint)` or nothing. */
  readonly words: string;
  readonly service: string;
  readonly certain: boolean;
  readonly evidence: readonly Evidence[];
  readonly unread: readonly Unread[];
}

const nobodyAsked: Backend = { words: '', service: '', certain: false, evidence: [], unread: [] };

function* whoAnswers(name: string): Inquiry<Backend> {
  const [validating, mutating] = yield* readTogether(webhooks('validating'), webhooks('mutating'));
  const service = serviceOf(name, [...itemsOf(validating), ...itemsOf(mutating)]);
  if (service === undefined) return { ...nobodyAsked, unread: unreadOf([validating, mutating]) };
  const slices = yield* read(endpointsOf(service.namespace, service.name));
  if (slices.kind !== 'read') return { ...nobodyAsked, unread: unreadOf([slices]) };
  const ready = slices.value.items.flatMap(({ endpoints }) => endpoints).filter(({ conditions }) => conditions.ready);
  const text = `${service.namespace}/${service.name}`;
  const count = evidence(
    ref('Service', service.name, service.namespace),
    'ready endpoints',
    ready.length,
    slices.readAt,
  );
  return {
    words: ready.length === 0 ? ` (its Service ${text} has no ready endpoint)` : '',
    service: text,
    certain: ready.length === 0,
    evidence: [count],
    unread: [],
  };
}

function serviceOf(name: string, all: readonly WebhookConfiguration[]) {
  return all.flatMap(({ webhooks: each }) => each).find((each) => each.name === name)?.clientConfig.service;
}

/** T6: the drain library tries again whenever it is told to come later, and says in the end that its time is up.
 *  Where no budget covers the pod, it is the API server itself that says so: its priority and fairness. Source:
 *  kubectl pkg/drain. */
export function* shedByServer({ text, namespace, pod }: Blocker, budgetsReadAt: string): Inquiry<Finding> {
  const of = ref('Pod', pod, namespace);
  const found = finding({
    code: 'T6',
    subject: of,
    sentence: `The eviction of ${namespace}/${pod} is put off again and again and no PDB covers the pod, so the API server itself puts it off: it sheds load, or the budget is gone since.`,
    confidence: 'likely',
    class: 'self-healing',
    evidence: [
      evidence(of, 'drain error', clipped(text), budgetsReadAt),
      evidence(of, 'disruption budgets that cover it', 0, budgetsReadAt),
    ],
    remedies: [remedy('Wait; if it lasts, look at the priority levels of the API server that reject evictions')],
  });
  return yield* onPlatform(found, 'kube-apiserver', 'etcd');
}

/** T6 the API server, T7 permissions and quotas. */
export function* refusedOtherwise({ text, namespace, pod }: Blocker, readAt: string): Inquiry<Finding> {
  const of = ref('Pod', pod, namespace);
  const forbidden = /forbidden|not allowed|unauthorized/i.test(text);
  const found = finding({
    code: forbidden ? 'T7' : 'T6',
    subject: of,
    sentence: `The API server does not evict ${namespace}/${pod}: ${quoted(text, 200)}.`,
    confidence: 'likely',
    class: forbidden ? 'external' : 'self-healing',
    evidence: [evidence(of, 'drain error', clipped(text), readAt)],
    remedies: [remedy(forbidden ? 'Look at who may evict this pod' : 'Wait; if it lasts, look at the control plane')],
  });
  return forbidden ? found : yield* onPlatform(found, 'kube-apiserver', 'etcd');
}

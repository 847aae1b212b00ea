import type { Snapshot } from '../../../local/snapshot/snapshot.ts';
import type { Json } from '../../functions/core/diagnose/world.ts';
import { nameOf } from '../situation.ts';
import { at, list, named, objectsIn, type Statement } from './statement.ts';

/** What k8sgpt's analyzers find before any language model is asked: Pod, Node, ReplicaSet and webhooks, which run by
 *  default, and PodDisruptionBudget, which is asked for by name. They look at each object by itself, in all namespaces.
 *  Source: k8sgpt-ai/k8sgpt pkg/analyzer/{pod,node,rs,pdb,validating_webhook}.go, the newest of the versions read. */
export function k8sgpt(snapshot: Snapshot): readonly Statement[] {
  const events = objectsIn(snapshot, '/api/v1/events');
  return [
    ...objectsIn(snapshot, '/api/v1/pods').flatMap((pod) => podAnalyzer(pod, events)),
    ...objectsIn(snapshot, '/api/v1/nodes').flatMap(nodeAnalyzer),
    ...objectsIn(snapshot, '/apis/apps/v1/replicasets').flatMap(replicaSetAnalyzer),
    ...objectsIn(snapshot, '/apis/policy/v1/poddisruptionbudgets').flatMap(budgetAnalyzer),
    ...webhookAnalyzer(snapshot),
  ];
}

const errorReasons = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'CreateContainerConfigError',
  'PreCreateHookError',
  'CreateContainerError',
  'PreStartHookError',
  'RunContainerError',
  'ImageInspectError',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
];

function podAnalyzer(pod: Json, events: readonly Json[]): readonly Statement[] {
  const phase = at(pod, 'status', 'phase');
  const unschedulable = list(at(pod, 'status', 'conditions')).filter(
    ({ type, reason, message }) =>
      phase === 'Pending' && type === 'PodScheduled' && reason === 'Unschedulable' && message,
  );
  const latest = events.filter(
    (event) =>
      at(event, 'involvedObject', 'name') === at(pod, 'metadata', 'name') &&
      at(event, 'metadata', 'namespace') === at(pod, 'metadata', 'namespace'),
  );
  const texts = [
    ...unschedulable.map(({ message }) => message),
    ...list(at(pod, 'status', 'containerStatuses')).flatMap((status) => containerTexts(status, { pod, phase, latest })),
  ];
  return texts.map((text) => ({ about: `Pod ${named(pod)}`, text }));
}

function containerTexts(
  status: Json,
  { pod, phase, latest }: { readonly pod: Json; readonly phase: string; readonly latest: readonly Json[] },
): readonly string[] {
  const waiting = at(status, 'state', 'waiting');
  if (waiting === undefined) {
    const event = latest.at(-1);
    const unready = status['ready'] === false && phase === 'Running';
    return unready && event?.['reason'] === 'Unhealthy' ? [String(event['message'])] : [];
  }
  const last = at(status, 'lastState', 'terminated');
  if (waiting.reason === 'CrashLoopBackOff' && last !== undefined)
    return [`the last termination reason is ${last.reason} container=${status['name']} pod=${nameOf(pod)}`];
  return errorReasons.includes(waiting.reason) && waiting.message ? [waiting.message] : [];
}

function nodeAnalyzer(node: Json): readonly Statement[] {
  return list(at(node, 'status', 'conditions'))
    .filter(({ type, status }) => (type === 'Ready' ? status !== 'True' : status !== 'False'))
    .map(({ type, reason, message }) => ({
      about: `Node ${nameOf(node)}`,
      text: `${nameOf(node)} has condition of type ${type}, reason ${reason}: ${message}`,
    }));
}

function replicaSetAnalyzer(set: Json): readonly Statement[] {
  if ((at(set, 'status', 'replicas') ?? 0) !== 0) return [];
  return list(at(set, 'status', 'conditions'))
    .filter(({ type, reason }) => type === 'ReplicaFailure' && reason === 'FailedCreate')
    .map(({ message }) => ({ about: `ReplicaSet ${named(set)}`, text: message }));
}

/** The first condition alone. */
function budgetAnalyzer(budget: Json): readonly Statement[] {
  const [first] = list(at(budget, 'status', 'conditions'));
  const selector = at(budget, 'spec', 'selector');
  if (first?.type !== 'DisruptionAllowed' || first.status !== 'False' || selector === null || selector === undefined)
    return [];
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return (labels.length === 0 ? ['any'] : labels).map((label) => ({
    about: `PodDisruptionBudget ${named(budget)}`,
    text: `${first.reason}, expected pdb pod label ${label}`,
  }));
}

/** Whether a Service has pods; here by its endpoints. */
function webhookAnalyzer(snapshot: Snapshot): readonly Statement[] {
  const slices = objectsIn(snapshot, '/apis/discovery.k8s.io/v1/endpointslices');
  const hooks = ['validating', 'mutating'].flatMap((kind) =>
    objectsIn(snapshot, `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`),
  );
  return hooks
    .flatMap((hook) => list(hook['webhooks']))
    .flatMap(({ name, clientConfig }) => {
      const service = clientConfig?.service;
      const own = slices.filter(
        (slice) => at(slice, 'metadata', 'labels', 'kubernetes.io/service-name') === service?.name,
      );
      const answers = own.flatMap((slice) => list(slice['endpoints'])).some(({ conditions }) => conditions.ready);
      return service === undefined || answers
        ? []
        : [
            {
              about: `Webhook ${name}`,
              text: `No active pods found within service ${service.name} as mapped to by webhook ${name}`,
            },
          ];
    });
}

import type { Application, Operation } from '../argocd/application.ts';
import type { ControllerPod } from '../argocd/controller-pod.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, lower, ref } from '../findings/make-finding.ts';
import type { Confidence, Finding, ObjectRef } from '../findings/trouble.ts';
import { refusedByGuard, syncByHand } from '../guard/sync-by-hand.ts';
import type { NodeReboot } from '../node-rollouts/node-reboots.ts';
import { changeWords } from '../openshift/change-name.ts';
import { isEarlierSecond, isLaterSecond, plusSeconds } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import { applicationRef, type Served } from './told-application.ts';

/** The application controllers of one Argo CD instance, and the nodes of its cluster that were away lately. */
export interface ObservedControllers {
  readonly argocd: string;
  readonly pods: readonly ControllerPod[];
  readonly reboots: readonly NodeReboot[];
  readonly readAt: string;
}

/** A controller that went away in the middle of a sync, with a node that rebooted. */
export interface LostController {
  readonly finding: Finding;
  /** `node worker-1 rebooted`. */
  readonly words: string;
  /** The Argo CD has no other one, which may have run the sync. */
  readonly isOnly: boolean;
}

/** What is asked for the loss of a controller. */
interface Seen extends Served {
  readonly controllers?: readonly ObservedControllers[] | undefined;
  /** Pools whose level holds back syncs. */
  readonly guardedPools?: readonly string[] | undefined;
}

/** The same, for an Application that may not have been read. */
export function lossOf(application: Application | undefined, input: Seen): LostController | undefined {
  return application && lostController(application, input);
}

/** With the loss of the controller as its cause. */
export function withLoss(found: Finding, lost: LostController | undefined): Finding {
  return lost === undefined ? found : { ...found, because: [...found.because, lost.finding] };
}

/** For a headline, if each of its syncs lost its controller. Of several ones, as of shards, another one may have run
 *  it: that is said below alone. */
export function lossWords(losses: readonly (LostController | undefined)[]): string | undefined {
  const [first] = losses;
  const areAll = losses.every((each) => each?.isOnly === true);
  return first !== undefined && areAll ? `${first.words} under its controller` : undefined;
}

/** Seconds that its pod may take to run again after its node is done. */
const backWithinSeconds = 300;

/** Why the sync of this Application ended, or goes no further: the node of its controller rebooted meanwhile. Argo CD
 *  writes nothing then. Undefined if nothing says so.
 *  Source: argo-cd controller/appcontroller.go; Red Hat documents exactly this case. */
function lostController(application: Application, input: Seen): LostController | undefined {
  const { controllers = [], guardedPools = [] } = input;
  const { operation } = application;
  const observed = controllers.find(({ argocd }) => argocd === application.argocd);
  if (operation === undefined || observed === undefined || isRefused(operation)) return undefined;
  const reboots = observed.reboots.filter((reboot) => overlaps(reboot, operation));
  const lost = observed.pods.flatMap((pod) => {
    const nodes = reboots.filter((reboot) => tookDown(reboot, pod, operation));
    return nodes.length === 0 ? [] : [{ pod, nodes }];
  });
  const [first] = lost;
  return first === undefined
    ? undefined
    : describe(application, {
        ...observed,
        ...first,
        of: applicationRef(application, input),
        // Which pools it affects is not known of every Application, and this command works without a guard, too.
        isGuarded: guardedPools.length > 0,
      });
}

/** It ended because something could not be applied, which its controller lived to write. */
function isRefused({ phase, results }: Operation): boolean {
  return (phase === 'Failed' || phase === 'Error') && results.some(({ status }) => status === 'SyncFailed');
}

function overlaps({ from, until }: NodeReboot, { startedAt, finishedAt }: Operation): boolean {
  const isOver = until !== undefined && isEarlierSecond(until, startedAt);
  return !isOver && (finishedAt === undefined || !isLaterSecond(from, finishedAt));
}

/** It runs again since then, there or elsewhere; or it does not run, or its node is away just now. */
function tookDown({ node, from, until }: NodeReboot, pod: ControllerPod, operation: Operation): boolean {
  const { runningSince } = pod;
  if (runningSince === undefined || !isLaterSecond(runningSince, operation.startedAt))
    return until === undefined && (runningSince === undefined || pod.node === node);
  const { finishedAt } = operation;
  if (finishedAt !== undefined && isLaterSecond(runningSince, finishedAt)) return false;
  const back = until === undefined ? undefined : plusSeconds(new Date(until), backWithinSeconds);
  return !isEarlierSecond(runningSince, from) && (back === undefined || !isLaterSecond(runningSince, back));
}

interface LostPod {
  readonly pod: ControllerPod;
  readonly nodes: readonly NodeReboot[];
}

interface Described extends ObservedControllers, LostPod {
  readonly of: ObjectRef;
  readonly isGuarded: boolean;
}

function describe(
  application: Application,
  { argocd, pods, readAt, pod, nodes, of, isGuarded }: Described,
): LostController {
  const own = nodes.find(({ node }) => node === pod.node);
  const found = own === undefined ? nodes : [own];
  const did = found.every(({ isObserved }) => isObserved) ? 'rebooted' : 'was updated';
  const names = listed(
    found.map(({ node }) => node),
    3,
  );
  const words = `${found.length === 1 ? 'node' : 'one of'} ${names} ${did}`;
  const here = ref('Pod', pod.name, pod.namespace);
  const now =
    pod.runningSince === undefined
      ? 'it does not run yet'
      : `it runs on ${pod.node ?? 'no node'}, since ${timeText(pod.runningSince)}`;
  return {
    words,
    isOnly: pods.length === 1,
    finding: finding({
      code: 'A9',
      subject: of,
      sentence: `The application controller of Argo CD ${argocd} was lost in the middle of this sync: ${words} for ${found[0] === undefined ? 'an update' : changeWords(found[0].to)} (${periodText(found)}); ${now}. Argo CD writes nothing when that happens: its next controller takes the sync up where it was, if it can.`,
      confidence: confidenceOf({ pod, nodes: found }, pods.length),
      class: 'external',
      evidence: [
        evidence(of, 'status.operationState.startedAt', application.operation?.startedAt ?? '', readAt),
        evidence(here, 'spec.nodeName', pod.node ?? 'not set', readAt),
        evidence(here, 'status.containerStatuses[].state.running.startedAt', pod.runningSince ?? 'not running', readAt),
        ...found
          .slice(0, 3)
          .map(({ node, to, until }) =>
            evidence(ref('Node', node), `updated to ${to}`, until ?? 'in progress', readAt),
          ),
      ],
      remedies: [
        remedy(
          `Sync again once the controller runs; if the sync is still shown as running, terminate it first${isGuarded ? `. ${refusedByGuard}` : ''}`,
          {
            command: isGuarded
              ? syncByHand(application)
              : command('argocd', 'app', 'sync', `${application.namespace}/${application.name}`),
            who: 'application owner',
          },
        ),
        remedy(
          'So that it does not happen again: let Poolkeeper manage the pool of these nodes with waitForSyncs: all, or run the controller on nodes of another pool',
        ),
      ],
    }),
  };
}

/** A pod that was evicted before the reboot runs elsewhere afterwards, and of several pods any may serve the
 *  Application. */
function confidenceOf({ pod, nodes }: LostPod, pods: number): Confidence {
  const isOwn = nodes.length === 1 && nodes[0]?.node === pod.node;
  const steps = (isOwn ? 0 : 1) + (nodes.length > 1 ? 1 : 0) + (pods > 1 ? 1 : 0);
  return lower('strong', steps);
}

function periodText(reboots: readonly NodeReboot[]): string {
  return reboots
    .slice(0, 3)
    .map(({ from, until }) => `${timeText(from)} to ${until === undefined ? 'now' : timeText(until)}`)
    .join(', ');
}

function timeText(at: string): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}

import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Finding, Remedy } from '../../findings/trouble.ts';
import { type Reading, read, unreadOf } from '../../findings/unread.ts';
import { isDone, type Node } from '../../openshift/node.ts';
import { clipped, quoted } from '../../text/phrases.ts';
import { annotationOf, type LiveNode } from '../objects/node.ts';
import { nodeNamed } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { readNodeReason } from '../text/node-reason.ts';
import { ruleFor } from './degraded-catalogue.ts';
import { onNode } from './degraded-rule.ts';

/** Where the daemon keeps what it found in the journal of the boot before: why a staged deployment was not finished.
 *  Source: machine-config-operator pkg/daemon/constants/constants.go. */
const finalizeFailure = 'ostree-finalize-staged-failure';

/** What the daemon says itself. */
interface Told {
  /** Another operating system runs than was given. */
  readonly wrongSystem: boolean;
  /** The text has a cause of its own. */
  readonly isExplained: boolean;
  /** What it gives as the possible root cause; empty where it gives none. */
  readonly told: string;
}

/** N16: the node was rebooted for its update and runs what it ran before. ostree keeps the deployment that booted
 *  last and falls back to it when the new one does not boot or was never finished. Undefined: nothing says that it
 *  rebooted since it was given its target, or the daemon complains of something else: it writes `currentConfig` only
 *  once all is well, so that a node in its new system has the old one there, too; or it runs the new system. */
export function* fellBack(
  subject: NodeSubject,
  { wrongSystem, isExplained, told }: Told,
): Inquiry<Finding | undefined> {
  const { node, rollout } = subject;
  const hasBooted = isBooted(subject);
  const looksAsBefore = hasBooted && !isExplained && isAsBefore(subject);
  if (!wrongSystem && told === '' && !looksAsBefore) return undefined;
  const live = yield* read(nodeNamed(node.name));
  const failure = (live.kind === 'read' ? annotationOf(live.value, finalizeFailure) : '') || told;
  if (!hasBooted && failure === '') return undefined;
  const isTold = wrongSystem || failure !== '';
  const { isNew, readings } = isTold ? notCompared : yield* comparedWithPeer(subject, live);
  if (isNew) return undefined;

  const of = ref('Node', node.name);
  const boots = rollout?.boots ?? [];
  const why = failure === '' ? '' : ` The boot before says: ${quoted(failure, 200)}.`;
  const again = boots.length > 2 ? ` It has booted ${boots.length - 1} times.` : '';
  return without(
    finding({
      code: 'N16',
      subject: of,
      sentence: `${node.name} was rebooted into ${node.desiredConfig} and came up as it was before: the new deployment did not boot or was not finished, and the node fell back to its known-good one.${why}${again}`,
      confidence: isTold ? 'strong' : 'likely',
      class: 'external',
      evidence: [
        ...boots.map((boot, index) =>
          evidence(of, 'status.nodeInfo.bootID', `${boot} (${ordinal(index)})`, subject.readAt),
        ),
        evidence(of, 'metadata.annotations[currentConfig]', node.currentConfig, subject.readAt),
        ...(failure === ''
          ? []
          : [evidence(of, `metadata.annotations[${finalizeFailure}]`, clipped(failure), live.readAt)]),
      ],
      remedies: [
        remedy('See which deployments it has, and why the staged one was not finished (full disk, /boot)', {
          command: onNode(node.name, 'rpm-ostree', 'status', '-v'),
        }),
        remedy('Read the journal of the boot that failed', {
          command: onNode(node.name, 'journalctl', '-b', '-1', '-u', 'ostree-finalize-staged.service'),
        }),
        ...remediesOf(failure, subject),
      ],
    }),
    unreadOf([live, ...readings]),
  );
}

/** It was seen to boot since it was given its target. */
function isBooted({ rollout }: NodeSubject): boolean {
  return rollout !== undefined && rollout.boots.length > 1 && rollout.steps.reboot !== undefined;
}

function isAsBefore({ node }: NodeSubject): boolean {
  return node.currentConfig !== node.desiredConfig && node.postConfigAction !== 'Rebooting';
}

interface Compared {
  /** It runs the system that it was to get. */
  readonly isNew: boolean;
  readonly readings: readonly Reading<LiveNode>[];
}

const notCompared: Compared = { isNew: false, readings: [] };

/** By what the kubelets say, with a node that is done with the same change, or else one that still waits for it. Where
 *  the change brings no other system, the done one runs what this one does: then nothing tells that it fell back. */
function* comparedWithPeer({ node, nodes }: NodeSubject, live: Reading<LiveNode>): Inquiry<Compared> {
  const arch = 'kubernetes.io/arch';
  const peers = nodes.filter((each) => isDone(each) && each.labels[arch] === node.labels[arch]);
  const isGiven = (config: string, image: string | undefined) => (each: Node) =>
    each.currentConfig === config && each.currentImage === image;
  const done = peers.find(isGiven(node.desiredConfig, node.desiredImage));
  const other = done ?? peers.find(isGiven(node.currentConfig, node.currentImage));
  const own = systemOf(live);
  if (other === undefined || own === undefined) return notCompared;
  const peer = yield* read(nodeNamed(other.name));
  const theirs = systemOf(peer);
  return { isNew: theirs !== undefined && (own === theirs) === (done !== undefined), readings: [peer] };
}

function systemOf(live: Reading<LiveNode>): string | undefined {
  if (live.kind !== 'read') return undefined;
  const { osImage, kernelVersion } = live.value.status.nodeInfo;
  return osImage === '' || kernelVersion === '' ? undefined : `${osImage} ${kernelVersion}`;
}

/** What helps against the error that the boot before left: a full disk, a merge of /etc, a boot loader. */
function remediesOf(failure: string, subject: NodeSubject): readonly Remedy[] {
  if (failure === '') return [];
  // The text alone says that it is ostree's; the reader knows programs by the words around them.
  const reason = readNodeReason(`error running ostree admin finalize-staged: error: ${failure}`);
  const rule = ruleFor(reason);
  return rule === undefined || rule.class === 'unknown' ? [] : rule.explain(reason, subject).remedies;
}

function ordinal(index: number): string {
  return index === 0 ? 'before the update' : `boot ${index} since`;
}

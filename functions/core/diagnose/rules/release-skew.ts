import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { type Reading, read } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import { byName } from '../../text/by-name.ts';
import { quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { isReady, isTerminating, type Pod } from '../objects/pod.ts';
import { operatorPods } from '../questions.ts';
import { remedy } from '../remedies.ts';

const controller = 'machine-config-controller';
const daemon = 'machine-config-daemon';

/** S18: daemon and controller are one program in one image, in every release; two images are two releases. It explains
 *  an error or a standstill that nothing else does, and is no trouble by itself: while a cluster is updated it is so
 *  for minutes. Undefined: one image, or it cannot be told. Source: machine-config-operator
 *  manifests/machineconfigdaemon/daemonset.yaml, pkg/operator/sync.go `syncMachineConfigDaemon`. */
export function* otherRelease(
  node: string,
  daemons: Reading<{ readonly items: readonly Pod[] }>,
): Inquiry<Finding | undefined> {
  const own = daemons.kind === 'read' ? daemons.value.items.find(isServing) : undefined;
  const ownImage = own === undefined ? '' : imageOf(own, daemon);
  if (own === undefined || ownImage === '') return undefined;
  const parts = yield* read(operatorPods());
  const lead = parts.kind === 'read' ? parts.value.items.find((pod) => isServing(pod) && isController(pod)) : undefined;
  const leadImage = lead === undefined ? '' : imageOf(lead, controller);
  if (lead === undefined || leadImage === '' || leadImage === ownImage) return undefined;
  const seen = (pod: Pod, name: string, image: string, readAt: string) =>
    evidence(ref('Pod', pod.metadata.name, mcoNamespace), `status.containerStatuses[${name}].imageID`, image, readAt);
  return finding({
    code: 'S18',
    subject: ref('Pod', own.metadata.name, mcoNamespace),
    sentence: `The config daemon on ${node} and the ${controller} run different images (${quoted(ownImage, 80)}, ${quoted(leadImage, 80)}): an update of the cluster has reached one of them and not the other, and what the one renders the other may not understand.`,
    confidence: 'possible',
    class: 'external',
    evidence: [seen(own, daemon, ownImage, daemons.readAt), seen(lead, controller, leadImage, parts.readAt)],
    remedies: [
      remedy('See how many daemons are up to date', {
        command: command('oc', '-n', mcoNamespace, 'get', 'daemonset', daemon),
      }),
      remedy('See what the operator says of the update', {
        command: command('oc', 'describe', 'clusteroperator', 'machine-config'),
      }),
    ],
  });
}

function isServing(pod: Pod): boolean {
  return isReady(pod) && !isTerminating(pod);
}

function isController({ metadata }: Pod): boolean {
  return metadata.labels['k8s-app'] === controller;
}

/** Digest of the image that the container runs; empty where the kubelet does not report it. */
function imageOf({ status }: Pod, container: string): string {
  const { imageID = '', image = '' } = byName(status.containerStatuses, container) ?? {};
  return /sha256:[0-9a-f]{64}/.exec(imageID)?.[0] ?? /sha256:[0-9a-f]{64}/.exec(image)?.[0] ?? '';
}

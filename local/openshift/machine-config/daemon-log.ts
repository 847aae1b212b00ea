import type { Event, Node } from '../api-server/cluster-objects.ts';
import type { Registry } from '../api-server/registry.ts';
import { events, nodes, pods } from '../api-server/resource-types.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { annotationOf } from './node-annotations.ts';

/** The log of a machine config pod, as far as the cluster can tell: its events, and why a node fails. Undefined for
 *  other pods. */
export function machineConfigLog(registry: Registry, namespace: string, name: string): string | undefined {
  const pod = registry.get(pods, name, namespace);
  if (namespace !== mcoNamespace || pod === undefined) return undefined;
  const isDaemon = pod.metadata.labels?.['k8s-app'] === 'machine-config-daemon';
  const own = isDaemon ? pod.spec.nodeName : undefined;
  const component = isDaemon ? 'machineconfigdaemon' : 'machineconfigcontroller-nodecontroller';
  const recorded = registry
    .list(events)
    .filter(
      (event) => event.source?.component === component && (own === undefined || event.involvedObject.name === own),
    )
    .map((event) => lineOf(event));
  const node = own === undefined ? undefined : registry.get(nodes, own);
  const started = node === undefined ? [] : [systemOf(node)];
  const reason = node === undefined ? '' : annotationOf(node, 'reason');
  return [...started, ...recorded, ...(reason === '' ? [] : [klog('E', '', `Marking Degraded due to: ${reason}`)])]
    .map((line) => `${line}\n`)
    .join('');
}

/** What the daemon logs of `rpm-ostree status` when it starts. Source: MCO pkg/daemon/daemon.go LogSystemData. */
function systemOf({ metadata, status }: Node): string {
  const version = status?.nodeInfo?.['osImage'] ?? '';
  const lines = [
    klog('I', metadata.creationTimestamp ?? '', 'State: idle'),
    'Deployments:',
    '* ostree-unverified-registry:quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:0123456789abcdef',
    `                  Version: ${version}`,
    '',
  ];
  return lines.join('\n');
}

function lineOf({ type, message, lastTimestamp, involvedObject }: Event): string {
  const time = typeof lastTimestamp === 'string' ? lastTimestamp : '';
  return klog(type === 'Warning' ? 'W' : 'I', time, `node ${involvedObject.name}: ${message}`);
}

function klog(severity: string, time: string, text: string): string {
  const [, month = '01', day = '01', clock = '00:00:00'] = /^\d{4}-(\d\d)-(\d\d)T([\d:]{8})/.exec(time) ?? [];
  return `${severity}${month}${day} ${clock}.000000    2345 daemon.go:1234] ${text}`;
}

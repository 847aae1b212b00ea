import type { Snapshot } from '../../../local/snapshot/snapshot.ts';
import type { Json } from '../../functions/core/diagnose/world.ts';
import { annotation, nameOf } from '../situation.ts';
import { at, list, named, objectsIn, type Statement } from './statement.ts';

/** What Alertmanager would have, by the rules that OpenShift ships for this: those of the Machine Config Operator
 *  (install/0000_90_machine-config_01_prometheus-rules.yaml), of the disruption budgets
 *  (cluster-kube-controller-manager-operator), of nodes (cluster-monitoring-operator) and of cluster operators
 *  (cluster-version-operator). No rule is about a degraded or a paused pool. Each `for` counts as run out, so that
 *  the comparison is not about who comes first. Alerts are told in our own words. */
export function alertRules(snapshot: Snapshot): readonly Statement[] {
  const nodes = objectsIn(snapshot, '/api/v1/nodes');
  return [
    ...nodes.flatMap((node) => [...ofDaemon(node), ...ofNode(node), ...ofDrain(node, Date.parse(snapshot.takenAt))]),
    ...objectsIn(snapshot, '/apis/policy/v1/poddisruptionbudgets').flatMap(ofBudget),
    ...objectsIn(snapshot, '/apis/config.openshift.io/v1/clusteroperators').flatMap(ofOperator),
    ...objectsIn(snapshot, '/apis/machineconfiguration.openshift.io/v1/machineconfigpools').flatMap(ofBuild),
  ];
}

/** MCDRebootError, MCDPivotError, KubeletHealthState, MissingMachineConfig: counted by the daemon where it meets
 *  them. */
function ofDaemon(node: Json): readonly Statement[] {
  const reason = annotation(node, 'reason');
  const about = `Node ${nameOf(node)}`;
  return [
    ...(/reboot command failed/.test(reason)
      ? [{ about, text: 'MCDRebootError: the reboot failed, the update is blocked' }]
      : []),
    ...(/failed to update OS|rpm-ostree/.test(reason)
      ? [{ about, text: 'MCDPivotError: the pivot to another operating system failed, see the logs of the daemon' }]
      : []),
    ...(/kubelet health check has failed/.test(reason)
      ? [{ about, text: 'KubeletHealthState: the kubelet fails its health check' }]
      : []),
    ...[...(/machineconfig\S* "([^"]+)" not found/.exec(reason)?.slice(1) ?? [])].map((config) => ({
      about,
      text: `MissingMachineConfig: ${config} is missing`,
    })),
  ];
}

/** KubeNodeNotReady leaves cordoned nodes out, KubeNodeUnreachable goes by the taint that comes with Unknown. */
function ofNode(node: Json): readonly Statement[] {
  const ready = list(at(node, 'status', 'conditions')).find(({ type }) => type === 'Ready');
  const about = `Node ${nameOf(node)}`;
  return [
    ...(ready?.status !== 'True' && at(node, 'spec', 'unschedulable') !== true
      ? [{ about, text: 'KubeNodeNotReady: has been unready for more than 15 minutes' }]
      : []),
    ...(ready?.status === 'Unknown' ? [{ about, text: 'KubeNodeUnreachable: some workloads may be rescheduled' }] : []),
  ];
}

const begunMs = 10 * 60_000;

/** MCCDrainError, from an hour of failing on; it names the node and points to the controller's log. */
function ofDrain(node: Json, now: number): readonly Statement[] {
  const wanted = annotation(node, 'desiredDrain');
  const isOpen = wanted.startsWith('drain-') && wanted !== annotation(node, 'lastAppliedDrain');
  const targeted = list(at(node, 'metadata', 'managedFields'))
    .filter(({ manager }) => manager === 'machine-config-controller')
    .map(({ time }) => Date.parse(time));
  const hasJustBegun = targeted.some((time) => now - time < begunMs);
  const gaveUp = annotation(node, 'reason').startsWith('failed to drain node');
  if (!gaveUp && (!isOpen || hasJustBegun)) return [];
  return [
    {
      about: `Node ${nameOf(node)}`,
      text: 'MCCDrainError: the drain failed, see the logs of the machine-config-controller',
    },
  ];
}

/** PodDisruptionBudgetAtLimit and PodDisruptionBudgetLimit, for every budget there is. */
function ofBudget(budget: Json): readonly Statement[] {
  const { currentHealthy = 0, desiredHealthy = 0 } = at(budget, 'status') ?? {};
  const about = `PodDisruptionBudget ${named(budget)}`;
  if (currentHealthy === desiredHealthy)
    return [
      { about, text: `PodDisruptionBudgetAtLimit: ${named(budget)} is at the least number of pods that it allows` },
    ];
  return currentHealthy < desiredHealthy
    ? [{ about, text: `PodDisruptionBudgetLimit: ${named(budget)} is below the least number of healthy pods` }]
    : [];
}

function ofOperator(operator: Json): readonly Statement[] {
  const degraded = list(at(operator, 'status', 'conditions')).find(({ type }) => type === 'Degraded');
  return degraded?.status === 'True'
    ? [
        {
          about: `ClusterOperator ${nameOf(operator)}`,
          text: `ClusterOperatorDegraded: ${nameOf(operator)} is degraded`,
        },
      ]
    : [];
}

/** OCLBuildFailed, OCLBuildDegraded: by pool. */
function ofBuild(pool: Json): readonly Statement[] {
  const failed = list(at(pool, 'status', 'conditions')).some(
    ({ type, status }) => type === 'ImageBuildDegraded' && status === 'True',
  );
  return failed
    ? [{ about: `MachineConfigPool ${nameOf(pool)}`, text: 'OCLBuildFailed: the build of the image failed' }]
    : [];
}

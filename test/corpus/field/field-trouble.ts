import type { Subject } from '../../../functions/core/diagnose/subject.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { aCondition } from '../../fakes/builders.ts';
import { requestOf } from '../../functions/core/diagnose/certificate-requests.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  newConfig,
  nodeSubject,
  poolSubject,
  type World,
} from '../../functions/core/diagnose/world.ts';
import { type FieldReport, reasonOf, type Seen, type SeenBudget, type SeenPod } from './field-report.ts';

export interface Trouble {
  readonly world: World;
  readonly subject: Subject;
}

/** The report as a little cluster: two nodes that are well, worker-2 in trouble, the objects that the thread shows, and
 *  the text where the MCO puts it. */
export function troubleOf(report: FieldReport): Trouble {
  const text = reasonOf(report);
  switch (report.frame) {
    case 'drain': {
      const world = worldWith(report.seen, aDrainingNode('worker-2'), { machines: [drainFailing('worker-2', text)] });
      return { world, subject: nodeSubject(world, 'worker-2', 'draining') };
    }
    case 'silent': {
      const world = worldWith(report.seen, silentNode(text));
      return { world, subject: nodeSubject(world, 'worker-2', 'rebooting') };
    }
    case 'render': {
      const world = worldWith(report.seen, aLiveNode('worker-2'));
      return { world, subject: poolSubject(world, 'render', poolThatSays('RenderDegraded', text)) };
    }
    case 'build': {
      const world = worldWith(report.seen, aLiveNode('worker-2'));
      return { world, subject: poolSubject(world, 'build', poolThatSays('ImageBuildDegraded', text)) };
    }
    case 'tuning': {
      const world = worldWith(report.seen, aLiveNode('worker-2'), {
        others: { ...report.seen.others, ...tuningWith(text) },
      });
      return { world, subject: poolSubject(world, 'unrendered') };
    }
    default: {
      const annotations = { state: 'Degraded', reason: text, desiredConfig: newConfig };
      const world = worldWith(report.seen, aLiveNode('worker-2', { annotations }));
      return { world, subject: nodeSubject(world, 'worker-2', 'failing') };
    }
  }
}

function worldWith(seen: Seen, node: Json, change: Partial<World> = {}): World {
  return aWorld({
    nodes: [aLiveNode('worker-1'), node, aLiveNode('worker-3')],
    pods: seen.pods.map(podOf),
    budgets: seen.budgets.map(budgetOf),
    others: { ...(seen.pendingRequests.length > 0 ? requestsOf(seen) : {}), ...seen.others },
    ...change,
  });
}

function tuningWith(message: string): World['others'] {
  const conditions = [{ type: 'Failure', status: 'False', message, lastTransitionTime: minutesAgo(12) }];
  return {
    '/apis/machineconfiguration.openshift.io/v1/kubeletconfigs': [
      { metadata: { name: 'custom' }, status: { conditions } },
    ],
    '/apis/machineconfiguration.openshift.io/v1/containerruntimeconfigs': [],
  };
}

/** Rebooted for its update, and not ready since. */
function silentNode(message: string): Json {
  const silent = /stopped posting/.test(message);
  return aLiveNode('worker-2', {
    annotations: { desiredConfig: newConfig, state: 'Working', 'post-config-action': 'Rebooting' },
    ready: { status: silent ? 'Unknown' : 'False', message, lastTransitionTime: minutesAgo(40) },
  });
}

function poolThatSays(type: 'RenderDegraded' | 'ImageBuildDegraded', message: string): Pool {
  return aRollingPool({ conditions: [aCondition({ type, status: 'True', message })] });
}

function podOf(seen: SeenPod): Json {
  const { name, namespace, node, app, labels, ready, notScheduled, overdueMinutes, finalizers } = seen;
  const owner = seen.owner === null ? null : { apiVersion: 'apps/v1', ...seen.owner, controller: true };
  const isPending = node === undefined;
  const deleted =
    overdueMinutes === undefined
      ? {}
      : {
          deletionTimestamp: minutesAgo(overdueMinutes),
          // As the kubelet leaves a pod that only finalizers keep; threads show no other.
          deletionGracePeriodSeconds: finalizers.length > 0 ? 0 : 30,
        };
  const conditions = [
    isPending
      ? { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: notScheduled }
      : { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: ready && !isPending ? 'True' : 'False', lastTransitionTime: minutesAgo(14) },
  ];
  const containers =
    seen.waiting === undefined
      ? undefined
      : [{ name: 'main', ready: false, restartCount: 14, state: { waiting: seen.waiting } }];
  return aPod(name, {
    namespace,
    app,
    labels,
    owner,
    ready,
    conditions,
    metadata: { ...deleted, finalizers },
    ...(isPending ? { phase: 'Pending', containers: [] } : { node }),
    ...(containers === undefined ? {} : { containers }),
  });
}

function budgetOf({ name, namespace, app, owner, ...seen }: SeenBudget): Json {
  const { minAvailable, maxUnavailable } = seen;
  return aBudget(name, {
    namespace,
    spec: { minAvailable, maxUnavailable, selector: { matchLabels: { app } } },
    status: {
      expectedPods: seen.expected,
      desiredHealthy: seen.desired,
      currentHealthy: seen.healthy,
      disruptionsAllowed: seen.allowed,
    },
    metadata: owner === null ? {} : { ownerReferences: [{ ...owner, controller: true }] },
  });
}

const bootstrapper = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';

function requestsOf({ pendingRequests }: Seen): World['others'] {
  const items = pendingRequests.map(({ name, by, forNode }) => ({
    metadata: { name, creationTimestamp: minutesAgo(30) },
    spec: {
      username: by === 'node' ? `system:node:${forNode}` : bootstrapper,
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      request: requestOf(forNode),
    },
    status: {},
  }));
  return { '/apis/certificates.k8s.io/v1/certificatesigningrequests': items };
}

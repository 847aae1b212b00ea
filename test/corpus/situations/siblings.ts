import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  anEvent,
  aPod,
  type Json,
  minutesAgo,
} from '../../functions/core/diagnose/world.ts';
import { type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';
import { aBlockedDrain, drainCause, short } from './blocked-drain.ts';

const pod = 'Pod shop/web-b';

function broken(change: Parameters<typeof aPod>[1], events: readonly Json[] = []) {
  return aBlockedDrain({
    pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1', ready: false, ...change })],
    budgets: [aBudget('web', { status: short })],
    events,
  });
}

function waiting(reason: string, message: string): readonly Json[] {
  return [{ name: 'main', ready: false, restartCount: 0, state: { waiting: { reason, message } } }];
}

const unready = anEvent(
  { kind: 'Pod', name: 'web-b' },
  'Unhealthy',
  'Readiness probe failed: HTTP probe failed with statuscode: 503',
  { namespace: 'shop' },
);

/** The budget would spare one, were the other pods healthy. */
export const siblings: readonly Situation[] = [
  situation({
    id: 'sibling-out-of-memory',
    title: 'the other replica is killed for want of memory, again and again',
    after: sources.podLife,
    expected: drainCause('C1', pod, ['web-b', 'OOMKilled']),
    world: broken({
      containers: [
        {
          name: 'main',
          ready: false,
          restartCount: 14,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
          lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
        },
      ],
    }),
  }),
  situation({
    id: 'sibling-without-image',
    title: 'the image of the other replica cannot be pulled',
    after: sources.podLife,
    expected: drainCause('C2', pod, ['web-b', 'unauthorized']),
    world: broken({
      containers: waiting('ImagePullBackOff', 'Back-off pulling image "quay.io/acme/web:2": unauthorized'),
    }),
  }),
  situation({
    id: 'sibling-without-secret',
    title: 'a Secret that the other replica refers to is missing',
    after: sources.podLife,
    expected: drainCause('C3', pod, ['web-b', 'db-cred']),
    world: broken({ containers: waiting('CreateContainerConfigError', 'secret "db-cred" not found') }),
  }),
  situation({
    id: 'sibling-not-ready',
    title: 'the readiness probe of the other replica fails',
    after: sources.podLife,
    expected: drainCause('C4', pod, ['web-b', '503']),
    world: broken({}, [unready]),
  }),
  situation({
    id: 'sibling-starting',
    title: 'the other replica was started a minute ago',
    after: sources.podLife,
    expected: drainCause('C5', pod, ['web-b']),
    world: broken({ startTime: minutesAgo(1) }),
  }),
  situation({
    id: 'sibling-on-lost-node',
    title: 'the other replica runs on a node that does not answer',
    after: sources.nodes,
    expected: drainCause('S2', 'Node worker-5', ['worker-5']),
    world: aBlockedDrain({
      nodes: [
        aLiveNode('worker-1'),
        aDrainingNode('worker-2'),
        aLiveNode('worker-5', {
          role: 'storage',
          ready: { status: 'Unknown', message: 'Kubelet stopped posting node status.' },
        }),
      ],
      pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-5', ready: false })],
      budgets: [aBudget('web', { status: short })],
    }),
  }),
  situation({
    id: 'sibling-over-quota',
    title: 'the other replica was never created: the quota is used up',
    after: sources.quotas,
    expected: drainCause('C7', 'ReplicaSet shop/web-5d5f6c7b8', ['exceeded quota']),
    world: aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2' })],
      budgets: [aBudget('web', { status: short })],
      replicaSets: [
        {
          metadata: { name: 'web-5d5f6c7b8', namespace: 'shop' },
          status: {
            replicas: 1,
            conditions: [
              {
                type: 'ReplicaFailure',
                status: 'True',
                reason: 'FailedCreate',
                message: 'pods "web-5d5f6c7b8-" is forbidden: exceeded quota: small',
              },
            ],
          },
        },
      ],
    }),
  }),
];

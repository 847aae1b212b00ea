import { describe, expect, test } from 'vitest';
import { preflight } from '../../../../functions/core/diagnose/preflight/preflight.ts';
import { remediesInOrder } from '../../../../functions/core/findings/remedy-order.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { codes, look, withCode } from './look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aMaster,
  aPendingPod,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  membersIn,
  nodeSubject,
  now,
  readerOver,
  refused,
} from './world.ts';

const namespace = 'openshift-ingress';
const ofRouter = { namespace, app: 'router' };
const guard = { namespace, spec: { minAvailable: 1, selector: { matchLabels: { app: 'router' } } } };

test('[S1-12] [S1-18] the router of one worker beside three masters: the control plane may take it, with command, cost and undo', async () => {
  const world = aWorld({
    nodes: [aDrainingNode('worker-1'), aMaster('master-0'), aMaster('master-1'), aMaster('master-2')],
    machines: [drainFailing('worker-1', refused('router-a', namespace))],
    pods: [
      aPod('router-a', { ...ofRouter, node: 'worker-1' }),
      aPendingPod(
        'router-b',
        '0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.',
        ofRouter,
      ),
    ],
    budgets: [
      aBudget('router-default', { ...guard, status: { expectedPods: 2, currentHealthy: 1, desiredHealthy: 1 } }),
    ],
  });

  const diagnosis = await look(world, nodeSubject(world, 'worker-1', 'draining'));
  const remedies = remediesInOrder(diagnosis.findings);

  expect(codes(diagnosis).slice(0, 2)).toEqual(['D1', 'P8']);
  expect(remedies.find(({ command = '' }) => command.includes('mastersSchedulable'))).toMatchObject({
    title: expect.stringContaining('other pods may land there too'),
    undo: expect.stringContaining('false'),
    risk: 'low',
  });
  expect(remedies.filter(({ command = '' }) => /\spdb\s/.test(command))).toEqual([]);
});

test('[S1-12] a budget of an operator with one healthy pod of one: there is nothing to bring back to health', async () => {
  const world = aWorld({
    nodes: [aDrainingNode('worker-1'), aMaster('master-0')],
    machines: [drainFailing('worker-1', refused('router-a', namespace))],
    pods: [aPod('router-a', { ...ofRouter, node: 'worker-1' })],
    budgets: [
      aBudget('router-default', { ...guard, status: { expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 } }),
    ],
  });

  const found = withCode(await look(world, nodeSubject(world, 'worker-1', 'draining')), 'P8');

  expect(found.remedies.map(({ title }) => title)[0]).toContain('one more replica, in its own configuration');
  expect(found.remedies.some(({ title }) => title.includes('back to health'))).toBe(false);
});

test('[S1-12] every surface offers the lowest risk first, the root before its consequences, each once', () => {
  const remedy = (title: string, risk: 'none' | 'low' | 'outage') => ({
    title,
    risk,
    command: undefined,
    undo: undefined,
    who: 'platform' as const,
  });
  const finding = (remedies: readonly ReturnType<typeof remedy>[]) => ({
    code: 'N1',
    subject: { kind: 'Node', namespace: '', name: 'a' },
    sentence: '',
    confidence: 'likely' as const,
    class: 'external' as const,
    evidence: [],
    because: [],
    remedies,
  });
  const root = finding([remedy('reboot', 'outage'), remedy('look at the root', 'none')]);

  const ordered = remediesInOrder([
    { ...finding([remedy('look', 'none'), remedy('reboot', 'outage'), remedy('nudge', 'low')]), because: [root] },
  ]);

  expect(ordered.map(({ title }) => title)).toEqual(['look at the root', 'look', 'nudge', 'reboot']);
});

describe('before the drain has begun: one worker, three masters that take no workloads, the router with its budget', () => {
  const masters = [aMaster('master-0'), aMaster('master-1'), aMaster('master-2')];
  const apart = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'router' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };

  test.each([
    ['kept apart from the first by anti-affinity', { affinity: apart }, "didn't match pod anti-affinity rules"],
    ['that finds its port taken', {}, "didn't have free ports for the requested pod ports"],
    ['for which there is no room', {}, 'Insufficient cpu'],
  ])(
    '[S1-8] [S1-12] a second router %s: preflight names the way out that the platform has, not only health',
    async (_why, spec, text) => {
      const world = aWorld({
        nodes: [aLiveNode('worker-1'), ...masters],
        pods: [
          aPod('router-a', { ...ofRouter, ...spec, node: 'worker-1' }),
          aPendingPod(
            'router-b',
            `0/4 nodes are available: 1 ${text.startsWith('Insuff') ? text : `node(s) ${text}`}, 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.`,
            { ...ofRouter, ...spec },
          ),
        ],
        budgets: [
          aBudget('router-default', { ...guard, status: { expectedPods: 2, currentHealthy: 1, desiredHealthy: 1 } }),
        ],
      });
      const pool = aRollingPool();
      const nodes = membersIn(world, pool);
      const subject = {
        cluster: 'prod',
        pool,
        nodes,
        touched: nodes.filter(({ name }) => name === 'worker-1'),
        readAt: now,
      };

      const { obstacles } = await inquireAll(() => preflight(subject, { budgets: 50, nodes: 20 }), readerOver(world), {
        maxCalls: 100,
        readAt: new Date(now),
      });
      const remedies = remediesInOrder(obstacles.map(({ finding }) => finding));

      expect(obstacles.map(({ finding }) => finding.code)).toEqual(['P8']);
      expect(remedies.find(({ command = '' }) => command.includes('mastersSchedulable'))).toMatchObject({
        title: expect.stringContaining('other pods may land there too'),
        undo: expect.stringContaining('false'),
        risk: 'low',
      });
      expect(remedies.filter(({ command = '' }) => /\spdb\s/.test(command))).toEqual([]);
    },
  );
});

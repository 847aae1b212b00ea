import { expect, test } from 'vitest';
import { noPace } from '../../../../functions/core/node-rollouts/pace.ts';
import { aNodeRollout, someRollouts } from '../../../fakes/builders.ts';
import { aLiveNode, aRollingPool, aWorld, minutesAgo, newConfig, oldConfig } from '../diagnose/world.ts';
import { fact, kinds, passAfter, passOver, the } from './pass-over.ts';

const silent = {
  status: 'Unknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: minutesAgo(20),
};

/** worker-2 was told to reboot and has not come back. */
const rebooting = aWorld({
  nodes: [
    aLiveNode('worker-1'),
    aLiveNode('worker-2', {
      annotations: {
        state: 'Working',
        desiredConfig: newConfig,
        desiredDrain: `drain-${newConfig}`,
        lastAppliedDrain: `drain-${newConfig}`,
        'post-config-action': 'Rebooting',
      },
      ready: silent,
    }),
  ],
});

const told = (at: string) => ({ at, told: true });

/** Its update, which made the last step so many minutes ago. */
function rebootingFor(minutes: number) {
  return aNodeRollout({
    node: 'worker-2',
    from: oldConfig,
    to: newConfig,
    step: 'reboot',
    steps: {
      drain: { begun: told(minutesAgo(60)), ended: told(minutesAgo(50)) },
      reboot: { begun: told(minutesAgo(minutes)) },
    },
    progressedAt: minutesAgo(minutes),
    boots: ['boot-worker-2'],
    ready: { is: false, since: minutesAgo(20) },
    ended: undefined,
    rebooted: undefined,
  });
}

/** Machines that need so many minutes to reboot, and always have. */
function slowMachines(minutes: number) {
  return { worker: { ...noPace, reboot: Array.from({ length: 30 }, () => minutes * 60) } };
}

test('[S1-9] a pool whose machines are known to reboot slowly is not called stuck by a wall clock', async () => {
  const scene = { world: rebooting, pools: [aRollingPool()] };
  const rollouts = someRollouts({ open: [rebootingFor(20)], paces: slowMachines(14) });

  const unknown = await passAfter(20, scene);
  const known = await passAfter(20, { ...scene, rollouts });
  const later = await passAfter(50, { ...scene, rollouts: { ...rollouts, open: [rebootingFor(45)] } });

  expect(kinds(unknown)).toEqual(['worker/node-lost']);
  expect(kinds(known)).toEqual([]);
  expect(kinds(later)).toEqual(['worker/node-lost']);
});

test('a step counts from the last progress that the cluster keeps, also when nobody was watching', async () => {
  const scene = { world: rebooting, pools: [aRollingPool()] };

  const first = await passOver({ ...scene, rollouts: someRollouts({ open: [rebootingFor(20)], paces: {} }) });
  const moved = await passAfter(60, { ...scene, rollouts: someRollouts({ open: [rebootingFor(2)], paces: {} }) });

  expect(kinds(first)).toEqual(['worker/node-lost']);
  expect(kinds(moved)).toEqual([]);
});

test('[S1-10] [S3-5] the message says at which step the node is, what it waits for, and how it came to this', async () => {
  const rollouts = someRollouts({ open: [rebootingFor(20)], paces: {} });

  const passed = await passAfter(20, { world: rebooting, pools: [aRollingPool()], rollouts });

  const trouble = the('node-lost', passed);
  expect(fact(trouble, 'Stuck for')).toMatch(/^20 min, since .*; reboot, step 5 of 6$/);
  expect(fact(trouble, 'Waiting for')).toBe('Ready must become True; it is down for 20 min and has not rebooted');
  expect(trouble.findings[0]?.evidence.find(({ path }) => path === 'course of its update')?.value).toMatch(
    /^targeted [\d:]{8}, drain [\d:]{8} to [\d:]{8} \(10 min\), reboot since [\d:]{8}$/,
  );
});

test('how it came to this is no new cause: it makes no new message', async () => {
  const scene = { world: rebooting, pools: [aRollingPool()] };

  const without = the('node-lost', await passAfter(20, scene));
  const rollouts = someRollouts({ open: [rebootingFor(20)], paces: {} });
  const withIt = the('node-lost', await passAfter(20, { ...scene, rollouts }));

  expect(withIt.digest).toBe(without.digest);
});

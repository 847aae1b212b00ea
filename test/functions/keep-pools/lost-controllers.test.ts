import { describe, expect, test } from 'vitest';
import type { ControllerPod } from '../../../functions/core/argocd/controller-pod.ts';
import { chainOf } from '../../../functions/core/findings/chain.ts';
import type { Trouble, TroubleKind } from '../../../functions/core/findings/trouble.ts';
import { noRollouts } from '../../../functions/core/node-rollouts/follow.ts';
import type { NodeReboot } from '../../../functions/core/node-rollouts/node-reboots.ts';
import { aNode, aNodeRollout } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

/** The sync of `nodes` begins at 10:00:02. */
function at(time: string): string {
  return `2026-03-02T${time}Z`;
}

const pod: ControllerPod = {
  name: 'openshift-gitops-application-controller-0',
  namespace: 'openshift-gitops',
  node: 'infra-1',
  runningSince: at('10:04:00'),
};
const before = { ...pod, runningSince: at('09:00:00') };
const rebooted: NodeReboot = {
  node: 'infra-1',
  to: 'rendered-infra-bbb',
  from: at('10:01:00'),
  until: at('10:05:00'),
  isObserved: true,
};

interface Seen {
  readonly reboots?: readonly NodeReboot[];
  readonly pods: readonly ControllerPod[];
}

async function syncing({ reboots = [], pods }: Seen): Promise<KeepLab> {
  const lab = keepLab();
  await lab.world.tables.nodeRollouts.save({ ...noRollouts('prod'), reboots });
  lab.world.argocd.setControllerPods(pods);
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.world.clock.advance(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  return lab;
}

async function failed(seen: Seen): Promise<KeepLab> {
  const lab = await syncing(seen);
  await lab.pass(600);
  lab.ends('Error', { message: 'hook job disappeared' });
  await lab.pass(120);
  return lab;
}

function trouble(lab: KeepLab, kind: TroubleKind): Trouble | undefined {
  return lab.world.tables.incidents.all().find(({ key }) => key.kind === kind)?.trouble;
}

function roots(lab: KeepLab, kind: TroubleKind) {
  return trouble(lab, kind)?.findings.map((found) =>
    chainOf(found)
      .map(({ code }) => code)
      .join(' <- '),
  );
}

describe('a sync whose controller rebooted with its node', () => {
  test('[S0-26] that failed is told as that: which node, when, and where the controller runs now', async () => {
    const lab = await failed({ reboots: [rebooted], pods: [pod] });

    const told = trouble(lab, 'run-failed');
    expect(told?.headline).toBe('sync of openshift-gitops/nodes failed: node infra-1 rebooted under its controller');
    expect(roots(lab, 'run-failed')).toEqual(['A1 <- A9']);
    expect(told?.findings[0]?.because).toMatchObject([
      {
        confidence: 'strong',
        sentence:
          'The application controller of Argo CD hub was lost in the middle of this sync: node infra-1 rebooted for rendered-infra-bbb (10:01 UTC to 10:05 UTC); it runs on infra-1, since 10:04 UTC. Argo CD writes nothing when that happens: its next controller takes the sync up where it was, if it can.',
      },
    ]);
  });

  test('[S0-26] that goes no further is told as that, also while the node is away', async () => {
    const lab = keepLab();
    lab.world.pools.putNode(
      aNode({
        name: 'worker-1',
        desiredConfig: 'rendered-worker-bbb',
        state: 'Working',
        postConfigAction: 'Rebooting',
      }),
    );
    const open = aNodeRollout({ begun: { at: at('10:01:00'), told: true }, step: 'reboot', ended: undefined });
    await lab.world.tables.nodeRollouts.save({ ...noRollouts('prod'), open: [open] });
    lab.world.argocd.setControllerPods([{ ...before, node: 'worker-1' }]);
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(600);

    expect(trouble(lab, 'sync-stuck')?.headline).toContain(': node worker-1 rebooted under its controller');
    expect(roots(lab, 'sync-stuck')?.every((chain) => chain.endsWith('<- A9'))).toBe(true);
  });

  test.each<[string, Seen, string]>([
    ['a pod that was evicted to another node', { reboots: [rebooted], pods: [{ ...pod, node: 'infra-2' }] }, 'likely'],
    ['one of two pods', { reboots: [rebooted], pods: [pod, { ...before, name: 'other' }] }, 'likely'],
    [
      'a pod that does not run yet',
      { reboots: [{ ...rebooted, until: undefined }], pods: [{ ...pod, node: undefined, runningSince: undefined }] },
      'likely',
    ],
  ])('[S0-26] %s is said to be that with less confidence', async (_, seen, confidence) => {
    const lab = await failed(seen);

    expect(trouble(lab, 'run-failed')?.findings[0]?.because).toMatchObject([{ code: 'A9', confidence }]);
  });

  test.each<[string, Seen]>([
    ['no node was away', { pods: [pod] }],
    [
      'the node was away before the sync',
      { reboots: [{ ...rebooted, from: at('09:00:00'), until: at('09:10:00') }], pods: [before] },
    ],
    ['the controller ran all the time', { reboots: [rebooted], pods: [before] }],
    [
      'the controller restarted when no node was away',
      { reboots: [rebooted], pods: [{ ...pod, runningSince: at('10:00:30') }] },
    ],
    [
      'the controller restarted after the sync had failed',
      { reboots: [{ ...rebooted, until: undefined }], pods: [{ ...pod, runningSince: at('10:20:00') }] },
    ],
  ])('[S0-26] [decoy] a sync failed by itself where %s', async (_, seen) => {
    const lab = await failed(seen);

    expect(trouble(lab, 'run-failed')?.headline).toBe('sync of openshift-gitops/nodes failed, pool stays paused');
    expect(roots(lab, 'run-failed')).toEqual(['A1']);
  });

  test('[S0-26] a controller that cannot be read explains nothing, and nothing is read while all is well', async () => {
    const lab = await syncing({ reboots: [rebooted], pods: [pod] });
    await lab.pass(240);
    const early = lab.world.faults.calls.map(({ op }) => op);
    lab.world.faults.failAll(['argocd.controllerPods']);
    lab.ends('Error');
    await lab.pass(120);

    expect(early).not.toContain('argocd.controllerPods');
    expect(roots(lab, 'run-failed')).toEqual(['A1']);
  });
});

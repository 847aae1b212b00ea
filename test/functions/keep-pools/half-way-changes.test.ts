import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultDisruptionPolicy } from '../../../functions/core/machine-config/disruption-policy.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { aNode, anOperation } from '../../fakes/index.ts';
import { machineConfig, type Saying } from '../core/machine-config/builders.ts';
import { commitA, commitB, commitC, keepLab } from './keep-lab.ts';

const mco = 'machine-config-controller';
const ssh = '99-worker-ssh';
const [configA, configB, configC] = ['rendered-worker-aaa', 'rendered-worker-bbb', 'rendered-worker-ccc'] as const;
const key = { keys: ['ssh-ed25519 AAAA ada'] };
const newKey = { keys: [...key.keys, 'ssh-ed25519 BBBB bob'] };

/** Pool worker has config A. B adds a kernel argument to it, C takes that back and adds a key. */
function halfWayLab() {
  const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 });
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
  const { pools, renderings, tables, clock } = lab.world;
  const at = (name: string, time: string, saying: Saying) => ({
    ...machineConfig(name, { ...saying, labels: {}, annotations: {} }),
    createdAt: `2026-03-02T${time}Z`,
  });
  renderings.setCircumstances({ policy: defaultDisruptionPolicy });
  renderings.put(machineConfig('00-worker', {}), machineConfig(ssh, newKey));
  renderings.put(at(configA, '09:00:00', key), at(configC, '10:05:00', newKey));

  const sync = async (commit: string, config: string, before = commitA) => {
    await lab.deliver(lab.pushOf(commit, { before }));
    pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commit);
    const counts = { ...lab.pool().counts, updated: 0 };
    pools.change('worker', mco, { target: { name: config, sources: ['00-worker', ssh] }, counts });
    lab.ends('Succeeded', { results: anOperation().results });
    await lab.pass(120);
  };
  const question = () => tables.incidents.all().find(({ key: of }) => of.kind === 'approval-needed');
  return {
    ...lab,
    sync,
    rendersB: () => renderings.put(at(configB, '10:02:00', { ...key, spec: { kernelArguments: ['nosmt'] } })),
    has: (node: Partial<Node>) => pools.putNode(aNode({ name: 'worker-1', ...node })),
    approves: (config: string) =>
      tables.approvals.save({
        ...{ cluster: 'prod', pool: 'worker', config, who: 'slack:U0000ALICE', name: '', verb: 'approve', reason: '' },
        at: clock.now().toISOString(),
      }),
    headline: () => question()?.trouble?.headline ?? '',
    change: () => question()?.trouble?.facts?.find(({ label }) => label === 'Change')?.value,
    shown: async () => (await tables.views.list())[0]?.pools[0]?.change,
  };
}

const [reboots, spared] = ['nodes are drained and reboot', 'nodes are not affected'] as const;

describe('who approves a change, while nodes have one that it takes back', () => {
  test('[N-17] [S3-14] is told what it does to these nodes, from the first approval to the second', async () => {
    const lab = halfWayLab();
    lab.rendersB();
    await lab.sync(commitB, configB);
    await lab.approves(configB);
    await lab.pass(60);
    lab.has({ currentConfig: configB, desiredConfig: configB });
    lab.world.pools.change('worker', mco, { counts: { ...lab.pool().counts, updated: 1 } });
    await lab.pass(600);

    await lab.sync(commitC, configC, commitB);

    expect(lab.pool().paused).toBe(true);
    expect(lab.headline()).toContain(`roll out ${configC}, ${reboots}`);
    expect(lab.change()).toBe(`user core, kernel arguments; ${reboots}; concerns authorized keys`);
    expect(await lab.shown()).toMatchObject({ from: configA, to: configC, others: [configB], class: 'reboot' });
  });

  test.each<[string, Partial<Node>]>([
    ['are on their way to it', { currentConfig: configA, desiredConfig: configB, state: 'Working' }],
    ['have it, and are on their way back', { currentConfig: configB, desiredConfig: configA, state: 'Working' }],
  ])('[N-17] [S3-14] is told so of nodes that %s, too', async (_, node) => {
    const lab = halfWayLab();
    lab.rendersB();
    lab.has(node);

    await lab.sync(commitC, configC);

    expect(lab.headline()).toContain(reboots);
  });

  test('[N-17] [S3-14] is not told that nothing happens to nodes whose config is gone', async () => {
    const lab = halfWayLab();
    lab.has({ currentConfig: configB, desiredConfig: configB });

    await lab.sync(commitC, configC);

    expect(lab.headline()).not.toContain('nodes');
    expect(lab.change()).toContain('nodes may reboot (unknown)');
  });

  test('[N-17] [S3-14] is told nothing of nodes that cannot be listed, until they can be', async () => {
    const lab = halfWayLab();
    lab.rendersB();
    lab.has({ currentConfig: configB, desiredConfig: configB });
    await lab.tick();
    const heal = lab.world.faults.failAll(['pools.nodes'], new Transient('503'));
    await lab.sync(commitC, configC);
    const blind = [lab.pool().paused, lab.headline(), lab.change()];
    heal();

    await lab.pass(600);

    expect(blind).toEqual([true, expect.not.stringContaining('nodes'), undefined]);
    expect(lab.headline()).toContain(reboots);
  });

  test('[N-17] [S3-14] is told when a node that had it is seen only later', async () => {
    const lab = halfWayLab();
    lab.rendersB();
    await lab.sync(commitC, configC);
    const first = lab.headline();
    lab.has({ currentConfig: configB, desiredConfig: configB });
    lab.world.pools.change('worker', mco, { counts: { ...lab.pool().counts, unavailable: 1 } });

    await lab.pass(600);

    expect([first, lab.headline()]).toEqual([expect.stringContaining(spared), expect.stringContaining(reboots)]);
  });
});

test('[N-17] [N-29] where all nodes have the config of their pool the change is that from there, as before', async () => {
  const lab = halfWayLab();
  lab.rendersB();

  await lab.sync(commitC, configC);

  expect(lab.headline()).toContain(spared);
  expect(await lab.shown()).not.toHaveProperty('others');
});

test('[N-17] [N-29] a node that has just joined from another pool makes no reboot of what spares the others', async () => {
  const lab = halfWayLab();
  const joined = 'rendered-master-aaa';
  lab.has({ name: 'worker-4', currentConfig: joined, desiredConfig: joined });

  await lab.sync(commitC, configC);

  expect(lab.headline()).toContain(spared);
});

import { expect, test } from 'vitest';
import type { Question } from '../../../functions/core/findings/question.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { type KeepLab, keepLab, tickOf } from './keep-lab.ts';

const apps = '/apis/apps/v1/namespaces/openshift-machine-config-operator';
const controller = `${apps}/deployments/machine-config-controller`;
const daemon = `${apps}/daemonsets/machine-config-daemon`;

async function shown(lab: KeepLab) {
  const [view] = await lab.ports.views.list();
  return view?.operatorParts?.parts.map(({ name, state, says }) => `${name}: ${state}, ${says}`);
}

function withParts(): KeepLab {
  const lab = keepLab();
  lab.world.reader.put(controller, { spec: { replicas: 1 }, status: { readyReplicas: 1 } });
  lab.world.reader.put(daemon, { status: { desiredNumberScheduled: 3, numberReady: 3 } });
  return lab;
}

test('[S1-22] each sweep reads how the parts of the Machine Config Operator stand', async () => {
  const lab = withParts();
  await lab.tick();
  const atFirst = await shown(lab);
  lab.world.reader.put(controller, { spec: { replicas: 1 }, status: {} });

  await lab.pass(60);
  const beforeTheSweep = await shown(lab);
  await lab.pass(300);

  expect(atFirst).toEqual([
    'machine-config-controller: fine, 1 of 1 ready',
    'machine-config-daemon: fine, 3 of 3 ready',
  ]);
  expect(beforeTheSweep).toEqual(atFirst);
  expect((await shown(lab))?.[0]).toBe('machine-config-controller: down, 0 of 1 ready');
});

test('[S1-22] a part that cannot be read is not said to be fine, and disturbs no other', async () => {
  const lab = withParts();
  lab.world.reader.refuse(controller, 'HTTP 403');
  lab.world.reader.put(daemon, { status: 'of another form' });

  await lab.tick();

  expect(await shown(lab)).toEqual([
    'machine-config-controller: unread, HTTP 403',
    'machine-config-daemon: unread, it cannot be parsed',
  ]);
});

test('[S1-22] while the cluster cannot be read, the page keeps what was seen', async () => {
  const lab = withParts();
  await lab.tick();
  const before = await shown(lab);
  lab.world.faults.failAll(['pools.list']);

  await lab.pass(600);

  expect(await shown(lab)).toEqual(before);
});

test('[S1-22] a cluster without parts shows none', async () => {
  const lab = keepLab();

  await lab.tick();

  expect(await shown(lab)).toBeUndefined();
});

test('[S1-22] an API server that takes ten seconds for an answer is asked for one part, not for five', async () => {
  const lab = withParts();
  const slow = {
    read: async (question: Question) => {
      lab.world.clock.advance(10);
      return lab.world.reader.read(question);
    },
  };
  const { cluster } = lab.ports;

  await keep(tickOf(lab.world.clock.now()), {
    ...lab.ports,
    cluster: async (name) => ({ ...(await cluster(name)), reader: slow }),
  });

  expect(lab.world.reader.asked.filter(({ path }) => path.includes('machine-config'))).toHaveLength(1);
  expect(await shown(lab)).toContain('machine-config-controller: unread, not read: earlier reads took too long');
});

test('[S1-22] a fault of ours in reading them ends no pass', async () => {
  const lab = withParts();
  lab.world.faults.failAll(['reader.read'], new TypeError('x is undefined'));

  await lab.tick();

  expect(await shown(lab)).toBeUndefined();
  expect((await lab.ports.checkpoints.load('prod'))?.sweptAt).toBeDefined();
});

import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { ArgoCd } from '../../../functions/ports/argocd.ts';
import { noMetrics } from '../../../functions/shell/metric-names.ts';
import { machineClock } from '../../../local/run/accelerated-clock.ts';
import { compose } from '../../../local/run/compose.ts';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { anApplication, fakeLogger, fakeWorld } from '../../fakes/index.ts';
import { keepLab } from '../../functions/keep-pools/keep-lab.ts';
import { answerOf, post } from '../../functions/receiving.ts';

/** One process whose Argo CD answers once `answer` is called. */
async function startProcess() {
  const clock = machineClock();
  const table = await startEmbeddedTable();
  const answers = Promise.withResolvers<void>();
  const state = { reading: 0, most: 0 };
  const argocd: ArgoCd = {
    ...fakeWorld().argocd,
    async readApplication() {
      state.reading += 1;
      state.most = Math.max(state.most, state.reading);
      await answers.promise;
      state.reading -= 1;
      return anApplication({ destination: { server: 'https://elsewhere.example.com', name: '' } });
    },
  };
  const connection = connectCluster({
    ...systemRuntime,
    server: 'http://127.0.0.1:1',
    token: async () => 'token',
    userAgent: 'test',
  });
  const keeper = compose({
    configuration: keepLab().ports.configuration,
    connections: new Map([['prod', { ...connection, argocd: () => argocd }]]),
    secrets: { read: async () => ['the-token'] },
    table,
    clock,
    logger: fakeLogger(),
    metrics: noMetrics,
    outbox: tmpdir(),
  });
  onTestFinished(async () => {
    await keeper.stop();
    await connection.close();
    await table.stop();
  });
  return { keeper, state, answer: answers.resolve };
}

test('[S0-5] [N-30] one process passes for few handshakes at once, keeps some in line, and asks the rest to come again', async () => {
  const { keeper, state, answer } = await startProcess();
  const body = JSON.stringify({ argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' });
  const ask = async () => {
    const answered = await keeper.routes['* /handshake']?.(
      post('/handshake', body, { authorization: 'Bearer the-token' }),
    );
    if (answered === undefined) throw new Error('no such route');
    return answerOf(answered);
  };

  const asked = Array.from({ length: 80 }, ask);
  const refused = await Promise.all(asked.slice(50));
  answer();
  const answered = await Promise.all(asked.slice(0, 50));
  const later = await ask();

  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    Array.from({ length: 30 }, () => [503, '1']),
  );
  expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 404));
  expect([state.most, later.status]).toEqual([8, 404]);
});

test('[N-30] a burst of deliveries waits for its turn in one process, and what is beyond it is asked to come again', async () => {
  const { keeper } = await startProcess();
  const deliver = () => keeper.routes['* /argocd']?.(post('/argocd', '{}', { authorization: 'Bearer another' }));

  const answered = await Promise.all(Array.from({ length: 400 }, deliver));

  const statuses = answered.map((each) => each?.status);
  expect(statuses.slice(0, 320).every((status) => status === 401)).toBe(true);
  expect(statuses.slice(320).every((status) => status === 503)).toBe(true);
});

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { paths } from '../cluster/harness/paths.ts';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { githubHeaders, soonMs, useCloud } from './harness/cloud.ts';

const cloud = useCloud();

/** Spec and record of every pool: what any of the requests below could change. */
async function pools() {
  const all = await cloud.kube.list(paths.pools);
  return all.map(({ metadata, spec }) => [metadata.name, spec.paused, metadata.generation, metadata.annotations]);
}

/** Two ticks that were looked at after now, so that whatever a request caused has happened. */
async function twoPasses(): Promise<void> {
  const readAt = async () => (await cloud.status()).clusters[0]?.readAt ?? '';
  for (let index = 0; index < 2; index += 1) {
    const before = await readAt();
    await until(async () => (await readAt()) > before, soonMs, 'the next pass');
  }
}

test('[C-1] [C-2] [C-3] forged, oversized and malformed requests get their answers and change nothing', async () => {
  const app = await startDeployment(cloud, 'target');
  const { push } = app.commit();
  const secret = await cloud.secret('GithubSecretArn');
  const bytes = Buffer.from(JSON.stringify(push));
  const signed = (body: Buffer) => githubHeaders(body, secret, randomUUID());
  const { 'x-hub-signature-256': _signature, ...unsigned } = signed(bytes);
  const oversized = Buffer.from(JSON.stringify({ padding: 'x'.repeat(4 * 1024 * 1024) }));
  const broken = Buffer.from('{"ref":');
  const wrongShape = Buffer.from('{"ref":1}');
  const json = { 'content-type': 'application/json' };
  const bearer = (token: string) => ({ ...json, authorization: `Bearer ${token}` });
  const argocdToken = await cloud.secret('ArgocdTokenArn');
  const clusterToken = await cloud.secret('ClusterTokenArn');
  await twoPasses();
  const before = await pools();

  const answers = {
    'github: signed with another secret': await cloud.deliver(push, { secret: 'guessed' }),
    'github: not signed': await cloud.send('/github', { headers: unsigned, body: bytes }),
    'github: body changed after signing': await cloud.send('/github', {
      headers: signed(bytes),
      body: Buffer.from(bytes.toString().replace('refs/heads/main', 'refs/heads/evil')),
    }),
    'github: oversized': await cloud.send('/github', { headers: signed(oversized), body: oversized }),
    'github: no JSON': await cloud.send('/github', { headers: signed(broken), body: broken }),
    'github: not a push': await cloud.send('/github', { headers: signed(wrongShape), body: wrongShape }),
    'github: JSON as a form': await cloud.send('/github', {
      headers: { ...signed(bytes), 'content-type': 'application/x-www-form-urlencoded' },
      body: bytes,
    }),
    'argocd: wrong token': await cloud.send('/argocd', { headers: bearer('guessed'), body: '{}' }),
    'argocd: token never filled in': await cloud.send('/argocd', { headers: bearer('$poolkeeper-token'), body: '{}' }),
    'argocd: no event': await cloud.send('/argocd', { headers: bearer(argocdToken), body: '{}' }),
    'cluster: wrong token': await cloud.send('/cluster', { headers: bearer('guessed'), body: '{}' }),
    'cluster: no JSON': await cloud.send('/cluster', { headers: bearer(clusterToken), body: '{' }),
    'handshake: no token': await cloud.send('/handshake', { headers: json, body: '{}' }),
    'status: no token': await cloud.send('/status', { method: 'GET' }),
    'a path that is not there': await cloud.send('/admin', { method: 'GET' }),
    'healthz: anybody': await cloud.send('/healthz', { method: 'GET' }),
  };
  await twoPasses();

  expect(Object.fromEntries(Object.entries(answers).map(([what, { status }]) => [what, status]))).toEqual({
    'github: signed with another secret': 401,
    'github: not signed': 401,
    'github: body changed after signing': 401,
    'github: oversized': 413,
    'github: no JSON': 400,
    'github: not a push': 400,
    'github: JSON as a form': 400,
    'argocd: wrong token': 401,
    'argocd: token never filled in': 401,
    'argocd: no event': 400,
    'cluster: wrong token': 401,
    'cluster: no JSON': 400,
    'handshake: no token': 401,
    'status: no token': 401,
    'a path that is not there': 404,
    'healthz: anybody': 200,
  });
  expect(await pools()).toEqual(before);
  expect(await cloud.messagesIn('work-queue-dead-letters')).toEqual([]);
  console.log(`refused: ${Object.keys(answers).length} sent, accepted 1 (healthz), changed 0`);
});

test('[C-1] [S0-17] a captured delivery that is replayed while the pool is held, and after its sync, changes nothing', async () => {
  const app = await startDeployment(cloud, 'replayed');
  const { revision, push } = app.commit();
  const delivery = randomUUID();

  const first = await cloud.deliver(push, { delivery });
  await cloud.untilPaused('replayed', true);
  const held = await cloud.pool('replayed');
  const again = await Promise.all([1, 2, 3].map(() => cloud.deliver(push, { delivery })));
  await twoPasses();
  const stillHeld = await cloud.pool('replayed');
  await app.begin(revision);
  await app.succeed(revision);
  await cloud.untilPaused('replayed', false);
  const released = await cloud.pool('replayed');
  const late = await cloud.deliver(push, { delivery });
  await twoPasses();

  expect([first, ...again, late].map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect(stillHeld).toEqual(held);
  expect(await cloud.pool('replayed')).toEqual(released);
  console.log('replayed: 5 sent, accepted 5, lost 0, doubled 0');
});

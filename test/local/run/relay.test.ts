import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RelaySettings } from '../../../functions/core/configuration/argocd.ts';
import { type Demo, setUpDemo } from '../../../local/demo/demo-set-up.ts';
import { pushPayload } from '../../../local/openshift/argocd/push-payload.ts';
import { application } from '../../../local/openshift/reference-world.ts';
import { githubSignature } from '../../../local/run/github-signature.ts';

/** The webhook of the simulated Argo CD, over HTTP and signed, as the real one's. */
async function startWebhook(demo: () => Demo) {
  const refreshed: { readonly names: readonly string[]; readonly published: readonly string[] }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isSigned = request.headers['x-hub-signature-256'] === githubSignature(body, demo().secrets.github);
    if (isSigned) {
      const published = demo().published.map(({ type }) => type);
      refreshed.push({ names: demo().world.openshift.argocd.receivePush(JSON.parse(body)), published });
    }
    response.writeHead(isSigned ? 200 : 400).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/webhook`, refreshed };
}

test('[N-26] on the simulated OpenShift, Argo CD hears of the push after the pause is confirmed, and its sync is never late', async () => {
  let demo: Demo | undefined;
  const webhook = await startWebhook(() => {
    if (demo === undefined) throw new Error('the demo is not set up yet');
    return demo;
  });
  const relay: RelaySettings = { url: webhook.url, ca: undefined, waitAtMostSeconds: 600, sendAgainAfterSeconds: 30 };
  demo = await setUpDemo({ data: undefined, port: 0, isPortChosen: false, speed: 60 }, { relay });
  onTestFinished(demo.stop);
  const { world, published, deliveries, announced } = demo;
  const isSynced = () => world.openshift.argocd.application(application)?.status?.sync?.status;
  await vi.waitUntil(() => isSynced() === 'Synced', 30_000);
  await vi.waitUntil(async () => (await demo?.connection.pools.readPool('worker'))?.paused === false, 30_000);
  // From the first list of the Applications after the first sync on, it is known to manage a MachineConfig.
  const routes = async () => (await demo?.keeper.ports.routes.load('openshift-gitops'))?.routes ?? [];
  await vi.waitUntil(async () => (await routes()).some(({ renders }) => renders), { timeout: 60_000, interval: 50 });
  published.splice(0);
  announced.splice(0);

  const delivered = await deliveries.push(pushPayload(world.pushChange()));
  await vi.waitUntil(() => published.some(({ type }) => type === 'poolkeeper.push.relayed.v1'), 30_000);
  await vi.waitUntil(() => announced.some((id) => id.includes('/Succeeded/')), 30_000);
  await vi.waitUntil(() => published.some(({ type }) => type === 'poolkeeper.race.decided.v1'), 30_000);

  expect(delivered.status).toBe(202);
  expect(webhook.refreshed[0]).toMatchObject({
    names: [application],
    published: expect.arrayContaining(['poolkeeper.pool.paused.v1', 'poolkeeper.pool.confirmed.v1']),
  });
  expect(published.find(({ type }) => type === 'poolkeeper.push.relayed.v1')?.data).toMatchObject({
    outcome: 'in order',
  });
  expect(published.find(({ type }) => type === 'poolkeeper.race.decided.v1')?.data).toMatchObject({ verdict: 'early' });
}, 90_000);

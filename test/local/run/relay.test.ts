import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RelaySettings } from '../../../functions/core/configuration/argocd.ts';
import { buildStage, type Stage } from '../../../local/demo/stage.ts';
import { pushPayload } from '../../../local/openshift/argocd/push-payload.ts';
import { application } from '../../../local/openshift/reference-world.ts';
import { githubSignature } from '../../../local/run/github-signature.ts';

/** The webhook of the simulated Argo CD, over HTTP and signed, as the real one's. */
async function startWebhook(stage: () => Stage) {
  const refreshed: { readonly names: readonly string[]; readonly told: readonly string[] }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isSigned = request.headers['x-hub-signature-256'] === githubSignature(body, stage().secrets.github);
    if (isSigned) {
      const told = stage().told.map(({ type }) => type);
      refreshed.push({ names: stage().world.openshift.argocd.receivePush(JSON.parse(body)), told });
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
  let stage: Stage | undefined;
  const webhook = await startWebhook(() => {
    if (stage === undefined) throw new Error('nothing is built yet');
    return stage;
  });
  const relay: RelaySettings = { url: webhook.url, ca: undefined, waitAtMostSeconds: 600, sendAgainAfterSeconds: 30 };
  const flags = { exit: true, kubeconfig: undefined, context: undefined, config: undefined, data: undefined };
  stage = await buildStage({ ...flags, port: 0, isPortChosen: false, speed: 60 }, relay);
  onTestFinished(stage.stop);
  const { world, told, deliveries, announced } = stage;
  const isSynced = () => world.openshift.argocd.application(application)?.status?.sync?.status;
  await vi.waitUntil(() => isSynced() === 'Synced', 30_000);
  await vi.waitUntil(async () => (await stage?.connection.pools.readPool('worker'))?.paused === false, 30_000);
  // From the first list of the Applications after the first sync on, it is known to manage a MachineConfig.
  const routes = async () => (await stage?.keeper.ports.routes.load('openshift-gitops'))?.routes ?? [];
  await vi.waitUntil(async () => (await routes()).some(({ renders }) => renders), { timeout: 60_000, interval: 50 });
  told.splice(0);
  announced.splice(0);

  const delivered = await deliveries.push(pushPayload(world.pushChange()));
  await vi.waitUntil(() => told.some(({ type }) => type === 'poolkeeper.push.relayed.v1'), 30_000);
  await vi.waitUntil(() => announced.some((id) => id.includes('/Succeeded/')), 30_000);
  await vi.waitUntil(() => told.some(({ type }) => type === 'poolkeeper.race.decided.v1'), 30_000);

  expect(delivered.status).toBe(202);
  expect(webhook.refreshed[0]).toMatchObject({
    names: [application],
    told: expect.arrayContaining(['poolkeeper.pool.paused.v1', 'poolkeeper.pool.confirmed.v1']),
  });
  expect(told.find(({ type }) => type === 'poolkeeper.push.relayed.v1')?.data).toMatchObject({ outcome: 'in order' });
  expect(told.find(({ type }) => type === 'poolkeeper.race.decided.v1')?.data).toMatchObject({ verdict: 'early' });
}, 90_000);

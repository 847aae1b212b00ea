import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import { dynamoTables } from '../../../functions/adapters/aws/dynamo-tables.ts';
import { pushOutcomes } from '../../../functions/adapters/aws/push-outcomes.ts';
import type { RelaySettings } from '../../../functions/core/configuration/argocd.ts';
import { packBody } from '../../../functions/shell/packed-body.ts';
import { type Demo, setUpDemo } from '../../../local/demo/demo-set-up.ts';
import { pushPayload } from '../../../local/openshift/argocd/push-payload.ts';
import { application } from '../../../local/openshift/reference-world.ts';
import { type AcceleratedClock, machineClock } from '../../../local/run/accelerated-clock.ts';
import { startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { githubSignature } from '../../../local/run/github-signature.ts';
import { startRelaying } from '../../../local/run/relaying.ts';
import { fakeLogger, fakeMetrics } from '../../fakes/index.ts';
import { keepLab } from '../../functions/keep-pools/keep-lab.ts';

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

/** A webhook server that takes every push, and answers it or not. */
async function startEndpoint({
  answers,
  seen = () => undefined,
}: {
  readonly answers: boolean;
  readonly seen?: () => void;
}) {
  const got: string[] = [];
  const server = createServer((request, response) => {
    seen();
    got.push(String(request.headers['x-github-delivery']));
    request.resume();
    if (answers) response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhook`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { got, relay: { url, ca: undefined, waitAtMostSeconds: 30, sendAgainAfterSeconds: 600 }, stop };
}

interface Given {
  readonly relays: Readonly<Record<string, RelaySettings>>;
  readonly clock?: AcceleratedClock;
}

/** relay-pushes over an empty table, with an Argo CD for each relay. */
async function startProcess({ relays, clock = machineClock() }: Given) {
  const { configuration } = keepLab().ports;
  const [settings] = configuration.argocd;
  if (settings === undefined) throw new Error('no Argo CD');
  const argocd = Object.entries(relays).map(([name, relay]) => ({ ...settings, name, relay }));
  const table = await startEmbeddedTable();
  const stored = { client: table.client, table: table.table, clock: clock.runtime.clock, newId: clock.runtime.newId };
  const { races, checkpoints, timeline } = dynamoTables(stored);
  const [published, dead]: [PublishedEvent[], unknown[]] = [[], []];
  const logger = fakeLogger();
  const relaying = startRelaying({
    configuration: { ...configuration, argocd },
    table,
    outcomes: pushOutcomes(stored),
    races,
    checkpoints,
    timeline,
    clock,
    logger,
    metrics: fakeMetrics(),
    publish: async (events) => void published.push(...events),
    onFailure: ({ cause, isDead }) => isDead && dead.push(cause),
  });
  onTestFinished(async () => {
    await relaying.stop();
    await table.stop();
  });
  const body = await packBody(Buffer.from('{}'));
  return {
    relaying,
    published,
    dead,
    logger,
    async push(delivery: string, { awaitsPause }: { readonly awaitsPause: boolean }) {
      const time = clock.now();
      const headers = {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': delivery,
        'x-hub-signature-256': githubSignature('{}', 'secret'),
      };
      const data = { delivery, receivedAt: time.toISOString(), event: 'push' as const, awaitsPause, headers, body };
      await relaying.relays.send(
        cloudEvent({
          type: 'poolkeeper.webhook.due.v1',
          id: delivery,
          source: '/test',
          subject: 'push',
          time,
          correlation: delivery,
          data,
        }),
      );
    },
  };
}

test('[N-26] [N-30] in one process, an Argo CD that does not answer keeps no push from the others, and two at most itself', async () => {
  const [hub, team] = [await startEndpoint({ answers: true }), await startEndpoint({ answers: false })];
  const { push } = await startProcess({ relays: { team: team.relay, hub: hub.relay } });
  onTestFinished(team.stop);
  onTestFinished(hub.stop);
  const deliveries = Array.from({ length: 12 }, (_, index) => `delivery-${index}`);

  for (const delivery of deliveries) await push(delivery, { awaitsPause: false });
  // An Argo CD that does not answer keeps a message for 10 s: time for none of the others to get through behind it.
  await vi.waitUntil(() => hub.got.length >= deliveries.length && team.got.length >= 2, {
    timeout: 8_000,
    interval: 20,
  });

  expect(hub.got.toSorted()).toEqual(deliveries.toSorted());
  expect(team.got).toHaveLength(2);
}, 30_000);

test.each([
  ['as soon as it was accepted', []],
  ['while it waits for its pools', ['webhook queued for relay']],
])(
  '[N-26] [N-30] in one process that ends %s, a push is passed on before, and told as late',
  async (_what, awaited) => {
    const hub = await startEndpoint({ answers: true });
    const { push, relaying, published, dead, logger } = await startProcess({ relays: { hub: hub.relay } });
    onTestFinished(hub.stop);
    await push('delivery-1', { awaitsPause: true });
    await vi.waitUntil(() => awaited.every((message) => logger.lines.some((line) => line.message === message)));
    const before = [...hub.got];

    await relaying.stop();

    expect(before).toEqual([]);
    expect(hub.got).toEqual(['delivery-1']);
    expect(published).toMatchObject([{ type: 'poolkeeper.push.relayed.v1', data: { outcome: 'late' } }]);
    expect(dead).toEqual([]);
  },
);

test('[N-26] [N-30] a process that ends passes pushes on for seconds only, and says that others were not', async () => {
  const time = { passedMs: 0 };
  const real = machineClock();
  const now = () => new Date(Date.UTC(2026, 2, 2) + time.passedMs);
  const clock = { ...real, now, runtime: { ...real.runtime, clock: now } };
  const hub = await startEndpoint({ answers: true, seen: () => (time.passedMs += 2_000) });
  const { push, relaying, dead } = await startProcess({ relays: { hub: hub.relay }, clock });
  onTestFinished(hub.stop);
  for (const delivery of ['1', '2', '3', '4', '5']) await push(delivery, { awaitsPause: true });

  await relaying.stop();

  expect(hub.got).toHaveLength(3);
  expect(dead.map(String)).toEqual(Array.from({ length: 2 }, () => expect.stringContaining('ended before it was')));
});

import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RelaySettings } from '../../functions/core/configuration/argocd.ts';
import { type StartedArgoCD, startArgoCD } from './harness/argocd.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { type Lab, useLab } from './harness/lab.ts';
import { machineConfig, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { githubSecret, type Product, startProduct } from './product.ts';

const shared = useLab();
const { kube, git, toolchain, controlPlane } = shared;
/** An Argo CD of its own, which believes only what GitHub has signed. */
let argocd: StartedArgoCD;
let lab: Lab;

beforeAll(async () => {
  argocd = await startArgoCD(toolchain, controlPlane, { namespace: 'relay-argocd', webhookSecret: githubSecret });
  lab = { ...shared, argocd };
});
afterAll(() => argocd.stop());

function relayTo(url: string, change: Partial<RelaySettings> = {}): RelaySettings {
  return { url, ca: undefined, waitAtMostSeconds: 30, sendAgainAfterSeconds: 2, ...change };
}

/** A pool, and an Application that has synced its MachineConfig once; nobody tells Argo CD of pushes but the relay. */
async function world(name: string) {
  await shared.create(pool({ name, roles: [name] }));
  const repository = await git.createRepository(`acme/${name}`);
  const write = (content: string) => ({ 'config.json': JSON.stringify(machineConfig(`99-${name}`, name, content)) });
  const first = await repository.commit(write('first'));
  const application = await argocd.createApplication({ name, repository });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-${name}`);
  });
  await application.untilPhase('Succeeded', first.after);
  return { repository, write, application };
}

/** The stand-in for the MCO: without it no pause is ever observed. */
async function observePools(): Promise<void> {
  const observer = await startPoolObserver(controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
  onTestFinished(observer.stop);
}

const untilRelayed = (product: Product) =>
  until(
    () => product.told.find((event) => event.type === 'poolkeeper.push.relayed.v1'),
    60_000,
    `the push to be passed on; told were ${product.told.map((event) => event.type).join(', ')}`,
  );

/** How often argocd-server says that it got a push of the repository. */
async function pushesHeard(repository: string): Promise<number> {
  const log = await readFile(argocd.logFiles['argocd-server'], 'utf8');
  return log.split('\n').filter((line) => line.includes('Received push event') && line.includes(repository)).length;
}

describe('the relay before a real argocd-server', () => {
  test('[N-26] the pool is confirmed paused, then the signed bytes reach the real webhook, and the sync comes after the pause', async () => {
    await observePools();
    const { repository, write, application } = await world('relayed');
    const product = await startProduct(lab, { relay: relayTo(argocd.webhookUrl) });
    const commit = await repository.commit(write('second'));

    const status = await product.push(repository, commit);
    const relayed = await untilRelayed(product);
    await application.untilPhase('Succeeded', commit.after);
    await until(async () => (await pushesHeard('acme/relayed')) === 2, 60_000, 'the second send to be heard');

    const order = product.told.map((event) => event.type);
    expect(status).toBe(202);
    expect(relayed.data).toMatchObject({ outcome: 'in order', why: 'confirmed paused: lab/relayed' });
    expect(order.indexOf('poolkeeper.pool.confirmed.v1')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('poolkeeper.pool.confirmed.v1')).toBeLessThan(order.indexOf('poolkeeper.push.relayed.v1'));
    const [race] = await product.races('relayed');
    const config = await kube.get(`${paths.machineConfigs}/99-relayed`);
    const writes = (config.metadata.managedFields ?? []).map((entry) => Date.parse(entry.time ?? ''));
    expect(Math.max(...writes) + 999).toBeGreaterThanOrEqual(Date.parse(race?.confirmedAt ?? ''));
  });

  test('[N-26] forged bytes are refused here as they are there', async () => {
    const repository = await git.createRepository('acme/forged');
    const body = githubPush(repository, await repository.commit({ README: 'hello' }));
    const product = await startProduct(lab, { relay: relayTo(argocd.webhookUrl) });

    const ours = await deliver({ url: `${product.url}/github`, body, secret: 'guessed' });
    const theirs = await deliver({ url: argocd.webhookUrl, body, secret: 'guessed' });

    expect([ours.status, theirs.status]).toEqual([401, 400]);
    expect(await pushesHeard('acme/forged')).toBe(0);
  });

  test('[N-26] an argocd-server that breaks the connection gets it again', async () => {
    await observePools();
    const { repository, write, application } = await world('retried');
    const door = await breakingDoor(new URL(argocd.url), 1);
    const product = await startProduct(lab, { relay: relayTo(`${door.url}/api/webhook`) });
    const commit = await repository.commit(write('second'));

    await product.push(repository, commit);
    await untilRelayed(product);
    await application.untilPhase('Succeeded', commit.after);

    expect(door.connections()).toBeGreaterThan(1);
  });

  test('[N-26] a pause that is never confirmed holds the push back for its time, and is told as late', async () => {
    const { repository, write, application } = await world('unconfirmed');
    const product = await startProduct(lab, { relay: relayTo(argocd.webhookUrl, { waitAtMostSeconds: 4 }) });
    const commit = await repository.commit(write('second'));

    await product.push(repository, commit);
    const relayed = await untilRelayed(product);
    await application.untilPhase('Succeeded', commit.after);

    expect(relayed.data).toMatchObject({
      outcome: 'late',
      why: 'the pause of lab/unconfirmed is not confirmed',
      waitedSeconds: expect.any(Number),
    });
    expect('waitedSeconds' in relayed.data && relayed.data.waitedSeconds).toBeGreaterThanOrEqual(4);
  });
});

/** Lets connections through, after it has broken the first ones. */
async function breakingDoor(to: URL, breaks: number) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    if (connections <= breaks) {
      socket.destroy();
      return;
    }
    const inner = connect(Number(to.port), to.hostname);
    for (const each of [socket, inner]) each.on('error', () => undefined);
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

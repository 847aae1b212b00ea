import { expect, test } from 'vitest';
import { machineConfigPools, machineConfigs } from '../../../local/openshift/api-server/resource-types.ts';
import { pushPayload } from '../../../local/openshift/argocd/push-payload.ts';
import { startOpenShift } from '../../../local/openshift/index.ts';
import { startReferenceWorld } from './start-reference-world.ts';
import { createVirtualClock } from './virtual-clock.ts';

const start = new Date('2026-03-02T08:00:00Z');

test('the cluster can be fast while Argo CD keeps its own time', async () => {
  const clock = createVirtualClock(start);
  const world = await startReferenceWorld({ clock, speed: 60, argocd: { speed: 1 } });
  const { registry, argocd } = world.openshift;
  await clock.advance(30_000);

  argocd.receivePush(pushPayload(world.pushChange('second.example.com')));
  const applied = await clock.advanceUntil(
    () => JSON.stringify(registry.get(machineConfigs, '99-worker-chrony')).includes('second'),
    5_000,
  );
  const rendered = await clock.advanceUntil(
    () =>
      registry
        .get(machineConfigPools, 'worker')
        ?.status?.conditions?.some(({ type, status }) => type === 'Updating' && status === 'True') ?? false,
    5_000,
  );

  expect(applied).toBeGreaterThan(400);
  expect(rendered).toBeLessThan(300);
  await world.openshift.stop();
});

test('two clusters live side by side, each with a token and a port of its own', async () => {
  const [one, two] = await Promise.all([
    startOpenShift({ clock: createVirtualClock(start) }),
    startOpenShift({ clock: createVirtualClock(start) }),
  ]);
  const status = async (url: string, token: string) =>
    (await fetch(`${url}/api/v1/nodes`, { headers: { authorization: `Bearer ${token}` } })).status;

  const answers = [
    await status(one.url, one.token),
    await status(two.url, two.token),
    await status(two.url, one.token),
  ];
  await Promise.all([one.stop(), two.stop()]);

  expect(one.url).not.toBe(two.url);
  expect(answers).toEqual([200, 200, 401]);
});

test('after its end a cluster neither answers nor moves', async () => {
  const clock = createVirtualClock(start);
  const { openshift } = await startReferenceWorld({ clock });
  await clock.advance(30_000);
  openshift.applyMachineConfig('99-late', 'worker', { '/etc/late': 'x' });

  await openshift.stop();
  const revision = openshift.registry.revision();
  await clock.advance(60_000);

  expect(openshift.registry.revision()).toBe(revision);
  await expect(fetch(`${openshift.url}/readyz`)).rejects.toThrow();
});

test('a port that is taken is an error at the start', async () => {
  const first = await startOpenShift({ clock: createVirtualClock(start) });

  const second = startOpenShift({ clock: createVirtualClock(start), port: Number(new URL(first.url).port) });

  await expect(second).rejects.toThrow(/EADDRINUSE/);
  await first.stop();
});

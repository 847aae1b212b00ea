import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Window } from '../../functions/core/configuration/window.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { annotation } from './harness/pool-rules.ts';
import { until } from './harness/until.ts';
import { type ProductOptions, readPool, startProduct } from './product.ts';

const lab = useLab();
const { kube, argocd, git } = lab;

const never = [Window.parse({ kind: 'deny', from: '2000-01-01', to: '2100-01-01' })];

/** A pool with a node, whose MachineConfig a person syncs, and the rest of that Application. Nobody looks meanwhile. */
async function syncedByHand(name: string, syncOptions: readonly string[]) {
  let targetDelayMs = 200;
  const observer = await startPoolObserver(lab.controlPlane, {
    renderDelayMs: 300,
    targetDelayMs: () => targetDelayMs,
  });
  onTestFinished(observer.stop);
  await lab.create(pool({ name, roles: [name] }));
  await lab.create(node(`${name}-1`, 'worker', name));
  const repository = await git.createRepository(`acme/${name}`);
  const application = await argocd.createApplication({ name, repository, automated: false, syncOptions });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-${name}`);
  });
  /** Owners of fields have times in whole seconds: what follows is a second later. */
  async function syncs(config: string, setting: string): Promise<void> {
    const commit = await repository.commit({
      'config.json': JSON.stringify(machineConfig(`99-${name}`, name, config)),
      'setting.json': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { setting } }),
    });
    await sleep(1_100);
    await application.sync({ revision: commit.after });
    await application.untilPhase('Succeeded', commit.after);
  }
  /** As Argo CD does it by itself, right after a sync whose results it has not compared yet. */
  async function heals(): Promise<void> {
    const { status } = await application.read();
    const resources = [{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name: `99-${name}` }];
    const sync = { revision: status?.operationState.syncResult.revision, resources, syncOptions };
    await kube.patch(application.path, { operation: { initiatedBy: { automated: true }, sync } });
    await until(
      async () => {
        const { operationState } = (await application.read()).status ?? {};
        return operationState?.phase === 'Succeeded' && operationState.syncResult.resources.length === 1;
      },
      60_000,
      `${name} to be healed`,
    );
  }
  const targetOf = async () => (await kube.get(`${paths.nodes}/${name}-1`)).metadata.annotations?.[annotation.desired];
  const renderedOf = async () => (await kube.get(`${paths.pools}/${name}`)).spec.configuration?.name;
  return {
    syncs,
    heals,
    /** So that no busy machine comes too late. */
    mcoTakesItsTime: (takes: boolean) => {
      targetDelayMs = takes ? 600_000 : 200;
    },
    targetOf,
    renderedOf,
    untilRolled: () =>
      until(
        async () => {
          const rendered = await renderedOf();
          return rendered !== undefined && rendered === (await readPool(lab, name)).status?.configuration?.name;
        },
        60_000,
        `${name} to be rolled out`,
      ),
    /** What Poolkeeper finds that has just been started. */
    looks: async (options: ProductOptions) => {
      const product = await startProduct(lab, options);
      await product.look();
      return product;
    },
  };
}

test.each([
  ['client-side apply', 'applied', []],
  ['server-side apply', 'applied-by-server', ['ServerSideApply=true']],
  ['Replace=true', 'replaced', ['Replace=true']],
  ['client-side apply, and self-heal at once', 'applied-and-healed', []],
])(
  '[N-8] [S0-1] a sync by hand that was over before anybody looked waits for the window if it has written a MachineConfig: %s',
  async (_, name, options) => {
    const { syncs, heals, looks, mcoTakesItsTime, untilRolled, targetOf, renderedOf } = await syncedByHand(
      name,
      options,
    );
    await syncs('first', 'one');
    await untilRolled();
    await syncs('first', 'two');
    const unchanged = await looks({ windows: never });
    const afterUnchanged = (await readPool(lab, name)).paused;
    await unchanged.end();
    const before = await targetOf();
    mcoTakesItsTime(true);

    await syncs('second', 'three');
    if (name.endsWith('healed')) await heals();
    const closed = await looks({ windows: never });
    const told = await closed.untilTold('pool.paused', name);
    await until(async () => (await renderedOf()) !== before, 60_000, 'the render of the second');
    await closed.look();
    const held = { ...(await readPool(lab, name)), target: await targetOf() };
    await closed.end();
    mcoTakesItsTime(false);
    const open = await looks({});
    open.ticking();
    await untilRolled();

    expect(afterUnchanged).toBe(false);
    expect(held).toMatchObject({ paused: true, record: { pause: 'ours', holds: [] }, target: before });
    expect(told.data).toMatchObject({ why: expect.stringContaining('was over before the pool could be paused') });
    expect(await targetOf()).toBe(await renderedOf());
    expect(await targetOf()).not.toBe(before);
  },
);

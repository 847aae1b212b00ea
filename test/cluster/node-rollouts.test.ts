import { describe, expect, onTestFinished, test } from 'vitest';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { until } from './harness/until.ts';
import { type Product, readPool, startProduct } from './product.ts';

const lab = useLab();
const { kube } = lab;

const name = 'unwatched';
const nodes = [1, 2, 3, 4, 5].map((index) => `${name}-${index}`);

/** The pool has got this content on all its nodes; nobody looked meanwhile. */
async function rolled(content: string): Promise<string> {
  const path = `${paths.machineConfigs}/99-${name}`;
  const before = (await readPool(lab, name)).status?.configuration?.name;
  await kube.put(path, { ...(await kube.get(path)), spec: machineConfig(`99-${name}`, name, content).spec });
  const done = async () => {
    const { status } = await readPool(lab, name);
    const { spec } = await kube.get(`${paths.pools}/${name}`);
    const reached = status?.configuration?.name;
    return reached === spec.configuration?.name && reached !== before ? reached : undefined;
  };
  return until(done, 60_000, 'the pool to be updated');
}

function toldOf({ told }: Product): readonly (readonly [string, string, string])[] {
  return told.flatMap((event) =>
    event.type === 'poolkeeper.node.updated.v1' && event.data.pool === name
      ? [[event.data.node, event.data.from, event.data.to] as const]
      : [],
  );
}

describe('nodes that are updated between two looks, on a real API server', () => {
  test('[S3-5] [N-20] each change of a node is listed and told once, in order, however many there are', async () => {
    const observer = await startPoolObserver(lab.controlPlane);
    onTestFinished(observer.stop);
    await lab.create(pool({ name, roles: [name] }));
    for (const each of nodes) await lab.create(node(each, 'worker', name));
    await lab.create(machineConfig(`99-${name}`, name, 'first'));
    await until(
      async () => {
        const { spec, status } = await kube.get(`${paths.pools}/${name}`);
        // At rest it is before its first MachineConfig too.
        const isReached = status?.configuration?.name === spec.configuration?.name;
        return spec.configuration?.source.length === 1 && isReached && status.updatedMachineCount === nodes.length;
      },
      60_000,
      'the pool to be at rest',
    );
    const product = await startProduct(lab);
    await product.look();
    const first = (await readPool(lab, name)).status?.configuration?.name;

    const second = await rolled('second');
    await product.look();
    const third = await rolled('third');
    await product.look();
    await product.look();

    const expected = [...nodes.map((each) => [each, first, second]), ...nodes.map((each) => [each, second, third])];
    expect(toldOf(product).toSorted()).toEqual(expected.toSorted());
    const listed = await product.updates(name);
    expect(listed.map(({ node: each, from, to }) => [each, from, to]).toSorted()).toEqual(expected.toSorted());
    for (const { unseen, ended } of listed) {
      expect(ended?.how).toBe('done');
      // The API server's times are whole seconds.
      expect(unseen?.after?.slice(0, 19) ?? '~').toSatisfy((after) => after <= (ended?.at.at.slice(0, 19) ?? ''));
    }
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../../../local/cli/explain/explain.ts';
import { nodes } from '../../../../local/openshift/api-server/resource-types.ts';
import { annotationOf } from '../../../../local/openshift/machine-config/node-annotations.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';

let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
  demo.world.pushChange();
  const isDraining = () => {
    const node = demo.world.openshift.registry.get(nodes, 'worker-2');
    return node?.spec.unschedulable === true && annotationOf(node, 'desiredDrain')?.startsWith('drain-') === true;
  };
  await demo.clock.advanceUntil(isDraining, 3_600_000);
  await demo.clock.advance(47_000);
});

afterAll(() => demo.close());

describe('poolkeeper explain, asked 47 seconds into a drain', () => {
  test('[S1-11] says what is being refused at this moment, and from when the drain counts as stuck', async () => {
    const { status, text } = await demo.run(explain, '--pool', 'worker');

    const oneLine = text.replaceAll(/\s+/g, ' ');
    expect(oneLine).toMatch(
      /worker-2 is draining and not stuck yet\. This holds it now; it counts as stuck from 2026-03-02T08:\S+Z at the latest\. Why .*PDB shop\/web/,
    );
    expect(text).not.toContain('Nothing wrong was found.');
    expect(status).toBe(0);
  });

  test('[S1-11] says the same in a ticket and as JSON', async () => {
    const markdown = await demo.run(explain, '--pool', 'worker', '--output', 'markdown');
    const json = await demo.run(explain, '--pool', 'worker', '--output', 'json');

    expect(markdown.text).toContain('worker-2 is draining and not stuck yet');
    expect(markdown.text).not.toContain('Nothing wrong was found.');
    const [pool] = JSON.parse(json.text).pools;
    expect(pool).toMatchObject({ troubles: [], early: [{ node: 'worker-2' }] });
    expect(pool.early[0].findings).not.toEqual([]);
  });

  test('a node that is asked for is told once', async () => {
    const { text } = await demo.run(explain, '--node', 'worker-2');

    expect(text).toContain('NODE worker-2, draining');
    expect(text).not.toContain('not stuck yet');
  });
});

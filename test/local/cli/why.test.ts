import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { clusterStatus } from '../../../functions/status/cluster-status.ts';
import { hold } from '../../../local/cli/hold.ts';
import { why } from '../../../local/cli/why/why.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { aGateView, aPoolView, aView } from '../../fakes/builders.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeEach(async () => {
  demo = await demoCluster();
});
afterEach(() => demo.close());

describe('npx poolkeeper why, over HTTP against a live cluster', () => {
  test('[N-16] says that no pool is paused', async () => {
    expect(await demo.run(why)).toEqual({ status: 0, text: 'No pool is paused.\n' });
    expect((await demo.run(why, 'worker')).text).toBe('simulated/worker: not paused, and no change is pending\n');
  });

  test('[N-16] [S0-21] says who holds it, why, until when, and how to end that', async () => {
    await demo.run(hold, '--pool', 'worker', '--for', '2h', '--reason', 'database migration');

    const { status, text } = await demo.run(why, 'worker');

    expect(status).toBe(1);
    expect(text).toBe(`simulated/worker: paused since 08:01:00 UTC, and no change is pending
  Hold of somebody: database migration
    Found            held
    Needed           no such hold
    Since            08:01:00 UTC
    Opens            by itself at 10:01:00 UTC
    Who can open it  time, by itself; earlier somebody, or whoever may change the pool
    Command          npx poolkeeper resume --pool worker --reason "..."
  Whoever may change the pool can go past all of this: npx poolkeeper resume --pool worker --reason "..."
`);
  });

  test('[N-16] [S0-14] says who else paused it, and that Poolkeeper never undoes that', async () => {
    patchWorker('kubectl-patch', { paused: true });

    const { text } = await demo.run(why);

    expect(text).toContain('Pause by kubectl-patch: Poolkeeper did not set this pause and never undoes it');
    expect(text).toContain(`oc patch machineconfigpool worker --type merge -p '{"spec":{"paused":false}}'`);
    expect(text).not.toContain('npx poolkeeper resume');
  });

  test('[N-16] [N-8] says which gates will keep it after its hold, by the poolkeeper.yaml that has this cluster', async () => {
    const config = await configure(
      'windows:\n  - { kind: deny, from: 2026-01-01, to: 2026-04-01, description: no changes }\n',
    );
    await demo.run(hold, '--pool', 'worker', '--for', '2h', '--reason', 'database migration');

    const held = await demo.run(why, 'worker', '--config', config);
    await demo.clock.advance(3 * 3_600_000);
    const ended = await demo.run(why, 'worker', '--config', config, '--output', 'json');

    expect(held.text).toMatch(
      /Hold of somebody: database migration\n[\s\S]*\n {2}Afterwards\n {2}Gate window: a deny window is open: deny 2026-01-01 to 2026-04-01 \(UTC\): no changes\n/,
    );
    expect(JSON.parse(ended.text)).toMatchObject({
      v: 1,
      pools: [
        {
          pool: 'worker',
          why: {
            now: [{ name: 'window', opensAt: '2026-04-01T00:00:00.000Z' }, { name: 'rendered' }, { name: 'quiet' }],
          },
        },
      ],
    });
  });

  test('[N-16] says that nothing keeps it any more, and what the next pass does', async () => {
    const at = '2026-03-02T07:00:00Z';
    const release = { since: at, finishedAt: at, machineConfigs: [], why: 'the sync has ended' };
    patchWorker('poolkeeper', { paused: true, record: { v: 1, pause: 'ours', pausedSince: at, holds: [], release } });

    const { text } = await demo.run(why, 'worker');

    expect(text).toBe('simulated/worker: paused, and the next pass resumes it: the sync has ended\n');
  });

  test('[N-16] nothing is written', async () => {
    await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'database migration');
    await demo.clock.advance(2 * 3_600_000);
    const before = worker().metadata.resourceVersion;

    await demo.run(why);

    expect(worker().metadata.resourceVersion).toBe(before);
    expect(worker().metadata.annotations?.[holdsAnnotation]).toContain('database migration');
  });

  test('an unknown pool, a name that is none and sources that exclude each other are refused', async () => {
    await expect(demo.run(why, 'gpu')).rejects.toThrow('there is no pool gpu; the cluster has master, worker');
    await expect(demo.run(why, 'a b')).rejects.toThrow('a b is not the name of a pool');
    await expect(demo.run(why, '--cluster', 'a', '--context', 'b')).rejects.toThrow('exclude each other');
  });
});

describe('npx poolkeeper why --url', () => {
  test('[N-16] tells what a running Poolkeeper knows, with since when each gate is closed', async () => {
    const gate = aGateView({ timeout: { at: '2026-03-09T09:50:00.000Z', action: 'alert' } });
    const pool = aPoolView({ paused: true, pauseOf: 'ours', closedGates: [gate] });
    const clusters = [
      clusterStatus('prod', { view: aView({ pools: [pool] }), configured: true, now: demo.clock.now() }),
    ];
    const server = createServer((_request, response) => response.end(JSON.stringify({ clusters }))).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;

    const { status, text } = await demo.run(why, 'worker', '--url', `http://127.0.0.1:${port}`);
    server.close();

    expect(status).toBe(1);
    expect(text).toContain('prod/worker: paused, and no change is pending\n  Gate window: no allow window is open\n');
    expect(text).toContain('Since            09:50:00 UTC');
    expect(text).toContain('If it lasts      at 2026-03-09 09:50:00 UTC an alert is sent, and the pool stays paused');
  });
});

function worker() {
  const found = demo.world.openshift.registry.get(machineConfigPools, 'worker');
  if (found === undefined) throw new Error('there is no pool worker');
  return found;
}

function patchWorker(
  manager: string,
  { paused, record }: { readonly paused: boolean; readonly record?: object },
): void {
  demo.world.openshift.registry.modify(
    machineConfigPools,
    { name: 'worker', namespace: '' },
    (draft) => {
      draft.spec.paused = paused;
      if (record !== undefined) draft.metadata.annotations = { [holdsAnnotation]: JSON.stringify(record) };
    },
    { manager },
  );
}

/** A poolkeeper.yaml that has this cluster. */
async function configure(more: string): Promise<string> {
  const { url } = demo.world.openshift;
  const file = join(demo.folder, 'poolkeeper.yaml');
  await writeFile(file, `clusters:\n  - name: simulated\n    api: { server: '${url}', tokenSecret: TOKEN }\n${more}`);
  return file;
}

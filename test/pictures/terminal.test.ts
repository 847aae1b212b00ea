import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { explain } from '../../local/cli/explain/explain.ts';
import { hold } from '../../local/cli/hold.ts';
import { why } from '../../local/cli/why/why.ts';
import { anIncident, aPoolView, aView } from '../fakes/index.ts';
import { demoCluster } from '../local/cli/demo-cluster.ts';
import { held } from '../local/cli/status/held-pool.ts';
import { ask, serveStatus } from '../local/cli/status/serve-status.ts';
import { terminalSvg } from './terminal-svg.ts';

/** Where the documents show it. `npx vitest run test/pictures/terminal.test.ts --update` draws all of them anew. */
function picture(name: string): string {
  return join(import.meta.dirname, `../../docs/pictures/terminal/${name}.svg`);
}

async function demo() {
  const cluster = await demoCluster();
  onTestFinished(() => cluster.close());
  return cluster;
}

describe('[N-33] [C-6] the pictures of the command line are what it prints', () => {
  test('explain, of a drain that cannot end', async () => {
    const cluster = await demo();
    await cluster.untilBlocked();

    const { text } = await cluster.run(explain, '--pool', 'worker');

    await expect(terminalSvg('poolkeeper explain --pool worker', text)).toMatchFileSnapshot(picture('explain'));
  });

  test('why, of a pool that a person holds', async () => {
    const cluster = await demo();
    const { surroundings } = cluster;
    const held = ['--pool', 'worker', '--for', '2h', '--reason', 'disks are replaced'];
    await hold.run(held, { ...surroundings, environment: { ...surroundings.environment, USER: 'ann' } });

    const { text } = await cluster.run(why, 'worker');

    await expect(terminalSvg('poolkeeper why worker', text)).toMatchFileSnapshot(picture('why'));
  });

  test('status, of a pool that is held and an incident', async () => {
    const views = [
      aView({ cluster: 'prod', readAt: '2026-03-02T10:24:20.000Z', pools: [aPoolView({ name: 'infra' }), held] }),
    ];
    const url = await serveStatus({ views, incidents: [anIncident({ state: 'firing' })] });

    const { said } = await ask(url, ['status']);

    await expect(terminalSvg('poolkeeper status', said)).toMatchFileSnapshot(picture('status'));
  });
});

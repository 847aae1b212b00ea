import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../../local/cli/command.ts';
import { connect } from '../../../local/cli/connection/connect.ts';
import { disconnect } from '../../../local/cli/connection/disconnect.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
});
afterAll(() => demo.close());

const prod = 'https://api.prod.example.com:6443';

/** A configuration with the clusters at these API servers, the token of `prod`, and a command about `prod`. */
async function typed(command: Command, servers: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const file = join(demo.folder, 'poolkeeper.yaml');
  const token = join(demo.folder, 'prod.token');
  const clusters = Object.entries(servers).map(
    ([name, server]) => `  - { name: ${name}, api: { server: "${server}", tokenSecret: A_TOKEN } }\n`,
  );
  const before = `clusters:\n${clusters.join('')}`;
  await writeFile(file, before);
  await writeFile(token, 'the token of prod');
  const flags = ['--name', 'prod', '--config', file, '--token-dir', demo.folder, ...more];
  const refused = await demo.run(command, ...flags).then(
    () => undefined,
    (cause: unknown) => String(cause),
  );
  const isUntouched =
    (await readFile(file, 'utf8')) === before &&
    (await readFile(token, 'utf8').catch(() => 'gone')) === 'the token of prod';
  return { refused, isUntouched };
}

function here(): string {
  return demo.world.openshift.url;
}

describe.each([
  ['connect', connect],
  ['disconnect', disconnect],
] as const)('[C-13] %s with the context of another cluster', (_, command) => {
  test('is refused where the configuration has the cluster at another API server', async () => {
    const done = await typed(command, { prod, test: 'https://api.test.example.com:6443' });

    expect(done.refused).toContain(`has cluster prod at ${prod}, but context simulated leads to ${here()}`);
    expect(done.isUntouched).toBe(true);
  });

  test('is refused where it has that API server under another name, also as a dry run', async () => {
    const done = await typed(command, { test: `${here()}/` }, '--dry-run');

    expect(done.refused).toMatch(/which \S+ has as cluster test, not prod/);
    expect(done.isUntouched).toBe(true);
  });

  test('[N-29] or with its secret is refused, also as a dry run', async () => {
    const done = await typed(command, { prod: here(), test: prod }, '--secret', 'A_TOKEN');
    const dry = await typed(command, { prod: here(), test: prod }, '--secret', 'A_TOKEN', '--dry-run');

    for (const each of [done, dry]) {
      expect(each.refused).toMatch(
        /secret A_TOKEN has the token of cluster test in \S+, not that of prod: correct --secret/,
      );
      expect(each.isUntouched).toBe(true);
    }
  });
});

test.each(['https://kubernetes.default.svc', 'its own'])(
  '[C-13] disconnect takes a cluster out that the configuration has at %s',
  async (server) => {
    const done = await typed(disconnect, { prod: server === 'its own' ? here() : server, test: prod });

    expect(done).toEqual({ refused: undefined, isUntouched: false });
  },
);

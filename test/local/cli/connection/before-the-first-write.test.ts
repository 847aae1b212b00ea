import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notedFor } from '../../../../local/cli/connection/connected-for.ts';
import { hold } from '../../../../local/cli/hold.ts';
import { runCommand } from '../../../../local/cli/run-command.ts';
import { machineConfigPools, namespaces, typeOfKind } from '../../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';

let demo: DemoCluster;
let file: string;

beforeEach(async () => {
  demo = await demoCluster();
  file = join(demo.folder, 'poolkeeper.yaml');
  await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'a while');
});
afterEach(() => demo.close());

const other = '  - { name: other, api: { server: "https://other.example.com:6443", tokenSecret: OTHER } }\n';

/** A file with the cluster and another one, and a rest. */
async function configured(rest: string): Promise<void> {
  const { url } = demo.world.openshift;
  const cluster = `  - { name: demo, api: { server: "${url}", tokenSecret: DEMO } }\n`;
  await writeFile(file, `clusters:\n${other}${cluster}${rest}`);
}

async function typed(name: 'connect' | 'disconnect', ...more: readonly string[]) {
  return typedAndHeard(() => undefined, name, ...more);
}

/** @param hear of each text that is said, before the command goes on */
async function typedAndHeard(hear: (text: string) => void, name: 'connect' | 'disconnect', ...more: readonly string[]) {
  const said: string[] = [];
  const keep = (text: string) => {
    said.push(text);
    hear(text);
  };
  const line = [name, '--name', 'demo', '--config', file, ...more];
  const status = await runCommand(line, { ...demo.surroundings, out: keep, note: keep });
  return { status, said: said.join('') };
}

/** Makes the account, as `connect` does for this installation. */
function noteAccount(installation: string): void {
  const [apiVersion, kind] = ['v1', 'ServiceAccount'];
  const type = typeOfKind(apiVersion, kind);
  if (type === undefined) throw new Error('the simulated cluster serves no ServiceAccounts');
  const account = { apiVersion, kind, metadata: { name: 'poolkeeper', namespace: 'poolkeeper' } };
  const [noted] = notedFor([account], installation);
  const { registry } = demo.world.openshift;
  const labels = { 'app.kubernetes.io/part-of': 'poolkeeper' };
  registry.create(namespaces, { metadata: { name: 'poolkeeper', labels } }, { manager: 'poolkeeper-connect' });
  registry.create(type, noted ?? account, { manager: 'poolkeeper-connect' });
}

function isPaused(): boolean {
  return demo.world.openshift.registry.get(machineConfigPools, 'worker')?.spec.paused === true;
}

describe.each(['connect', 'disconnect'] as const)('[C-13] [C-9] %s', (name) => {
  test.each([
    ['', []],
    [', also as a dry run', ['--dry-run']],
  ])('begins nothing where the file would not be a configuration afterwards%s', async (_, more) => {
    // Whoever connects adds the cluster, and whoever disconnects leaves a filter that names it.
    const filter = 'alerts: { targets: [{ kind: outbox, name: o, filter: { clusters: [demo] } }] }\n';
    await configured(name === 'connect' ? 'bogus: 1\n' : filter);

    const { status, said } = await typed(name, '--token-dir', demo.folder, ...more);

    expect(said).toContain(name === 'connect' ? 'bogus: unknown key' : 'names no cluster of this file');
    expect([status, isPaused()]).toEqual([2, true]);
  });

  test.each([
    ['', []],
    [', also as a dry run', ['--dry-run']],
  ])('[N-6] [N-29] begins nothing where the account is connected for another installation%s', async (_, more) => {
    await configured('');
    noteAccount('stage prod');

    const { status, said } = await typed(name, '--stage', 'dev', ...more);

    expect(said).toMatch(
      /^poolkeeper: ServiceAccount poolkeeper\/poolkeeper is connected for another installation, "stage prod", and this is "stage dev": .*--namespace.*oc annotate serviceaccount poolkeeper -n poolkeeper poolkeeper\.dev\/connected-for-$/,
    );
    expect([status, isPaused()]).toEqual([2, true]);
  });

  test('begins nothing where the folder of the token is a file, and says so without a stack trace', async () => {
    await configured('');
    await writeFile(join(demo.folder, 'plain'), '');

    const { status, said } = await typed(name, '--token-dir', join(demo.folder, 'plain'));

    expect(said).toMatch(/^poolkeeper: .*plain.*$/);
    expect([status, isPaused()]).toEqual([2, true]);
  });
});

test.each([[[]], [['--dry-run']]])(
  '[C-13] [N-29] disconnect with a file that is not there begins nothing %j',
  async (more) => {
    const { status, said } = await typed('disconnect', '--token-dir', demo.folder, ...more);

    expect(said).toBe(`poolkeeper: --config ${file}: there is no such file; name the right one, or leave --config out`);
    expect([status, isPaused()]).toEqual([2, true]);
  },
);

test('[C-9] [C-13] what fails after disconnect has begun is named, and it exits 1', async () => {
  await configured('');
  const spoil = (text: string) => {
    if (text.includes('is resumed')) writeFileSync(file, 'clusters: all\n');
  };

  const { status, said } = await typedAndHeard(spoil, 'disconnect', '--token-dir', demo.folder);

  expect(said).toContain(`the entry of demo in ${file} stays: ${file}: clusters: must be a list`);
  expect(said).not.toContain('Nothing of Poolkeeper is left');
  expect([status, isPaused()]).toEqual([1, false]);
});

test('[C-13] a dry run of disconnect lists the token and the entry that go', async () => {
  await configured('');
  const token = join(demo.folder, 'demo.token');
  await writeFile(token, 'secret');

  const dry = await typed('disconnect', '--token-dir', demo.folder, '--dry-run');
  const inSecret = await typed('disconnect', '--stage', 'prod', '--dry-run');

  expect(dry.said).toContain(`  delete  file ${token}\n  remove  demo from ${file}\n`);
  expect(inSecret.said).toContain(
    '  delete  secret poolkeeper/prod/demo/token of AWS Secrets Manager, if there is one\n',
  );
  expect(await readFile(token, 'utf8')).toBe('secret');
  expect(await readFile(file, 'utf8')).toContain('name: demo');
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { disconnect } from '../../../local/cli/disconnect.ts';
import { freeze } from '../../../local/cli/freeze.ts';
import { hold } from '../../../local/cli/hold.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeEach(async () => {
  demo = await demoCluster();
});
afterEach(() => demo.close());

function worker() {
  const found = demo.world.openshift.registry.get(machineConfigPools, 'worker');
  if (found === undefined) throw new Error('there is no pool worker');
  return found;
}

/** Somebody writes the record, and whatever of the spec. */
function write(record: string | undefined, manager: string, spec: object = {}): void {
  const { metadata, ...rest } = worker();
  const { [holdsAnnotation]: _, ...others } = metadata.annotations ?? {};
  const annotations = record === undefined ? others : { ...others, [holdsAnnotation]: record };
  const changed = { ...rest, metadata: { ...metadata, annotations }, spec: { ...rest.spec, ...spec } };
  demo.world.openshift.registry.update(machineConfigPools, changed, { manager });
}

const wishes = ['--name', 'demo', '--token-dir', '/nowhere'];

test.each([
  ['cannot be understood', '{"v":2}'],
  ['is gone', undefined],
])('[N-6] [C-13] disconnect resumes a pool of ours whose record %s', async (_, record) => {
  await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'a while');
  write(record, 'kubectl-edit');

  const dry = await demo.run(disconnect, ...wishes, '--dry-run');
  const { status, text } = await demo.run(disconnect, ...wishes);

  expect(dry.text).toContain('resume  pool worker');
  expect(text).toMatch(/pool worker is resumed[\s\S]*Nothing of Poolkeeper is left in demo/);
  expect(status).toBe(0);
  expect(worker().spec.paused ?? false).toBe(false);
  expect(worker().metadata.annotations ?? {}).not.toHaveProperty(holdsAnnotation);
});

test('[N-21] [C-13] disconnect names who has frozen or holds a pool that it resumes, and until when', async () => {
  await demo.run(freeze, '--pool', 'worker', '--for', '4h', '--reason', 'trading');
  await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'a while');

  const dry = await demo.run(disconnect, ...wishes, '--dry-run');
  const { text } = await demo.run(disconnect, ...wishes);

  const named = /, which (.+) has frozen until 2026-03-02T12:01Z and \1 holds until 2026-03-02T09:01Z\n/;
  expect(dry.text).toMatch(new RegExp(`resume {2}pool worker${named.source}`));
  expect(text).toMatch(new RegExp(`pool worker is resumed${named.source}`));
});

test('[N-21] [C-13] disconnect says that a person keeps a pool paused by annotation', async () => {
  await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'a while');
  const { metadata, ...rest } = worker();
  const annotations = { ...metadata.annotations, 'poolkeeper.dev/keep-paused': 'firmware' };
  demo.world.openshift.registry.update(
    machineConfigPools,
    { ...rest, metadata: { ...metadata, annotations } },
    { manager: 'kubectl-annotate' },
  );

  const dry = await demo.run(disconnect, ...wishes, '--dry-run');

  expect(dry.text).toMatch(
    /resume {2}pool worker, which .+ holds until .+ and a person's annotation poolkeeper\.dev\/keep-paused \(firmware\) keeps paused\n/,
  );
});

test('[S0-14] disconnect takes a record away that cannot be understood, and leaves the pause of somebody else', async () => {
  write('{"v":2}', 'kubectl-edit', { paused: true });

  const { text } = await demo.run(disconnect, ...wishes);

  expect(text).toContain('pool worker is no longer held; it stays paused by kubectl-edit');
  expect(worker().spec.paused).toBe(true);
  expect(worker().metadata.annotations ?? {}).not.toHaveProperty(holdsAnnotation);
});

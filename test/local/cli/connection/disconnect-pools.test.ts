import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdsAnnotation } from '../../../../functions/core/openshift/hold.ts';
import { disconnect } from '../../../../local/cli/connection/disconnect.ts';
import { freeze } from '../../../../local/cli/freeze.ts';
import { hold } from '../../../../local/cli/hold.ts';
import { machineConfigPools } from '../../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';

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

/** What it says, and apart from that what it notes. */
async function disconnected() {
  const notes: string[] = [];
  const out: string[] = [];
  const status = await disconnect.run(wishes, {
    ...demo.surroundings,
    out: (text: string) => out.push(text),
    note: (text: string) => notes.push(text),
  });
  return { status, out: out.join(''), notes: notes.join('') };
}

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

const at = '2026-03-02T07:00:00Z';
const until = '2026-03-02T12:00:00Z';
const sync = {
  ...{ id: 'sync/argocd/openshift-gitops/nodes', kind: 'sync', who: 'openshift-gitops/nodes', why: 'its sync runs' },
  ...{ since: at, until, phase: 'syncing' },
};
const rollout = {
  id: 'rollout/databases',
  kind: 'rollout',
  who: 'run databases',
  why: 'node by node',
  since: at,
  until,
};
const release = { since: at, finishedAt: at, machineConfigs: [], why: 'synced' };

test.each([
  ['a sync that runs', { holds: [sync] }, 'the sync of openshift-gitops/nodes keeps paused'],
  ['a run', { holds: [rollout] }, 'the hold of run databases keeps paused'],
  ['both', { holds: [sync, rollout] }, 'the hold of run databases and the sync of openshift-gitops/nodes keep paused'],
  ['gates', { holds: [], release }, 'waits for its gates'],
])(
  '[N-21] [N-29] [C-13] disconnect says of a pool that it resumes past %s what keeps it paused',
  async (_, record, said) => {
    write(JSON.stringify({ v: 1, pause: 'ours', pausedSince: at, ...record }), 'poolkeeper', { paused: true });

    const dry = await demo.run(disconnect, ...wishes, '--dry-run');
    const { text } = await demo.run(disconnect, ...wishes);

    expect(dry.text).toContain(`resume  pool worker, which ${said}\n`);
    expect(text).toContain(`pool worker is resumed, which ${said}\n`);
  },
);

test('[N-21] [N-29] [C-13] and that its nodes begin to update, where a change waits', async () => {
  write(JSON.stringify({ v: 1, pause: 'ours', pausedSince: at, holds: [sync] }), 'poolkeeper', { paused: true });
  demo.world.pushChange();
  await demo.clock.advance(600_000);

  const { text } = await demo.run(disconnect, ...wishes, '--dry-run');

  expect(text).toMatch(/resume {2}pool worker, which .+ keeps? paused; its nodes begin to update\n/);
});

test.each([
  [
    'names what a run in mode canary has written and nobody puts back',
    '{"v":1,"run":"databases","canary":"canary","targets":["worker"],"way":{"marks":{},"entry":{"example.com/canary":""},"back":{"example.com/canary":null},"selectors":[{"pool":"worker"}]}}',
    'run databases: node selectors of worker and canary, and labels of nodes (example.com/canary), stay as it has written them',
  ],
  ['says so of a note that nobody understands', '{', 'annotation poolkeeper.dev/canary cannot be understood'],
])('[N-6] [N-22] [C-13] disconnect %s', async (_, note, said) => {
  const { metadata, ...rest } = worker();
  const annotations = { ...metadata.annotations, 'poolkeeper.dev/canary': note };
  demo.world.openshift.registry.update(
    machineConfigPools,
    { ...rest, metadata: { ...metadata, annotations } },
    { manager: 'poolkeeper' },
  );
  const { status, out, notes } = await disconnected();

  expect(status).toBe(1);
  expect(notes).toContain(said);
  expect(out).not.toContain('Nothing of Poolkeeper is left');
});

test('[N-6] [N-29] [C-13] a pool that the API server refuses to resume is named, and the others are resumed', async () => {
  await demo.run(hold, '--pool', 'master', '--for', '1h', '--reason', 'a while', '--required');
  await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'a while');
  demo.world.openshift.faults.inject({
    fault: { kind: 'status', code: 403, message: 'change freeze of the bank' },
    matches: ({ method, name }) => method === 'PATCH' && name === 'master',
  });
  const { status, out, notes } = await disconnected();

  expect(status).toBe(1);
  expect(notes).toMatch(/pool master stays paused: .*change freeze of the bank/);
  expect(out).toContain('pool worker is resumed');
  expect(worker().spec.paused ?? false).toBe(false);
});

test('[N-6] [N-29] [C-13] where AppProjects cannot be listed any more after it has begun, pools are let go all the same', async () => {
  await demo.run(hold, '--pool', 'worker', '--for', '1h', '--reason', 'a while');
  let hasBegun = false;
  demo.world.openshift.faults.inject({
    fault: { kind: 'status', code: 500, message: 'etcd has no leader' },
    matches: ({ method, plural }) => {
      hasBegun ||= method === 'DELETE';
      return hasBegun && plural === 'appprojects';
    },
  });

  const { status, notes } = await disconnected();

  expect(status).toBe(1);
  expect(notes).toMatch(/guards of AppProjects stay: .*etcd has no leader/);
  expect(worker().spec.paused ?? false).toBe(false);
});

test('[S0-14] disconnect takes a record away that cannot be understood, and leaves the pause of somebody else', async () => {
  write('{"v":2}', 'kubectl-edit', { paused: true });

  const { text } = await demo.run(disconnect, ...wishes);

  expect(text).toContain('pool worker is no longer held; it stays paused by kubectl-edit');
  expect(worker().spec.paused).toBe(true);
  expect(worker().metadata.annotations ?? {}).not.toHaveProperty(holdsAnnotation);
});

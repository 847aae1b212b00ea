import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseRunRecord, runRecordText, type Turn } from '../../../../functions/core/node-turns/run-record.ts';
import { holdsAnnotation } from '../../../../functions/core/openshift/hold.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { pickCluster } from '../../../../local/cli/pick-cluster.ts';
import { run } from '../../../../local/cli/run/run.ts';
import { machineConfigPools } from '../../../../local/openshift/api-server/resource-types.ts';
import { aHold } from '../../../fakes/builders.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';

let demo: DemoCluster;
let config = '';
/** Of a change that is not deployed yet. */
let moved = '';
beforeAll(async () => {
  demo = await demoCluster();
  config = join(demo.folder, 'turns.yaml');
  const clusters = [{ name: 'prod', api: { server: demo.world.openshift.url, tokenSecret: 'prod-token' } }];
  const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'move' }] } } };
  const upgrade = {
    cluster: 'prod',
    mode: 'turns',
    mutexRules: [{ name: 'move' }],
    mutexTargets: [{ name: 'workers' }],
  };
  const nodeTurns = {
    rules: { move: { jobSpec } },
    targets: { workers: { machineConfigPools: ['worker'] } },
    runs: { upgrade },
  };
  const { connection } = await pickCluster({}, demo.surroundings);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'poolkeeper' } };
  await connection.client.post('/api/v1/namespaces', {}, namespace);
  await connection.close();
  moved = join(demo.folder, 'moved.yaml');
  const elsewhere = { ...nodeTurns, recordNamespace: 'elsewhere' };
  await writeFile(config, stringify({ clusters, nodeTurns }, { aliasDuplicateObjects: false }));
  await writeFile(moved, stringify({ clusters, nodeTurns: elsewhere }, { aliasDuplicateObjects: false }));
});
afterAll(() => demo.close());

async function ask(name: string, ...args: readonly string[]) {
  return askBy(config, name, ...args);
}

async function askBy(file: string, name: string, ...args: readonly string[]) {
  const loaded = await run.subcommands?.[name]?.load();
  if (loaded === undefined) throw new Error(`there is no ${name}`);
  return demo.run(loaded, ...args, '--config', file);
}

async function records<Value>(
  use: (records: Awaited<ReturnType<typeof pickCluster>>['connection']['nodeTurns']['records']) => Promise<Value>,
) {
  const { connection } = await pickCluster({}, demo.surroundings);
  try {
    return await use(connection.nodeTurns.records);
  } finally {
    await connection.close();
  }
}

async function stored() {
  const found = await records((all) => all.load('poolkeeper', 'upgrade'));
  const record = parseRunRecord(found?.text ?? '');
  if (record === 'unreadable') throw new Error('unreadable');
  return { record, resourceVersion: found?.resourceVersion };
}

it('[S4-20] [N-22] what people ask of a run is written into its record, with who and why, and shown', async () => {
  expect((await ask('status', 'upgrade')).text).toMatch(
    /^Run upgrade on prod \(mode turns\): idle, (\d) of \1 nodes done\nPool worker: rendered-worker-\S+, not paused\n {2}#+\n/,
  );

  const { text } = await ask('pause', 'upgrade', '--reason', 'wrong night');
  expect(text).toBe('Run upgrade is paused: what has begun goes on, no further node goes.\n');
  expect((await stored()).record.paused?.why).toBe('wrong night');
  expect((await ask('status', 'upgrade')).text).toMatch(/: paused, .* by .*:\s+wrong night\n/);

  const { text: wentOn } = await ask('go-on', 'upgrade', '--reason', 'it is the right one');
  expect(wentOn).toMatch(/^Run upgrade goes on with the next tick\. This ends the pause by .*: wrong night\.\n$/);
  expect((await stored()).record).not.toHaveProperty('paused');

  await ask('abort', 'upgrade', '--reason', 'enough');
  expect((await ask('status', 'upgrade', '--output', 'json')).text).toContain('"state": "aborting"');
  await expect(ask('pause', 'upgrade', '--reason', 'stop it')).rejects.toThrow(
    /run upgrade: it was aborted by .*: enough; `start` begins it anew/,
  );
  await ask('start', 'upgrade', '--reason', 'again');
  const { record } = await stored();
  expect(record).not.toHaveProperty('aborted');
  expect(record.log.map(({ what }) => what.replace(/ by .*?:/, ':'))).toEqual([
    'paused: wrong night',
    'told to go on: it is the right one',
    'aborted: enough',
    'started: again',
  ]);
});

it('[S4-20] [N-22] nothing is asked of a run by a file that has its record elsewhere, until Poolkeeper looks by that file', async () => {
  const { registry } = demo.world.openshift;
  const worker = { namespace: '', name: 'worker' };
  const hold = aHold({ id: 'rollout/upgrade', kind: 'rollout', who: 'run upgrade', recordIn: 'poolkeeper' });
  const annotate = (text: string | undefined) =>
    registry.modify(
      machineConfigPools,
      worker,
      ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, ...(text === undefined ? {} : { [holdsAnnotation]: text }) };
        if (text === undefined) delete metadata.annotations[holdsAnnotation];
      },
      { manager: 'poolkeeper' },
    );
  annotate(JSON.stringify({ v: 1, holds: [hold] }));

  const asked = askBy(moved, 'go-on', 'upgrade', '--reason', 'test');

  await expect(asked).rejects.toThrow(
    'run upgrade still goes by its record in namespace poolkeeper, and this file has it in elsewhere: name the file that has it there',
  );
  annotate(undefined);
  expect(await records((all) => all.load('elsewhere', 'upgrade'))).toBeUndefined();
});

it('[S4-20] [N-29] a run whose pool cannot be parsed is not done, and nobody says that there is no such pool', async () => {
  const { registry } = demo.world.openshift;
  const worker = { namespace: '', name: 'worker' };
  const selector = registry.get(machineConfigPools, 'worker')?.spec.nodeSelector;
  const select = (nodeSelector: unknown) =>
    registry.modify(machineConfigPools, worker, ({ spec }) => Object.assign(spec, { nodeSelector }), {
      manager: 'kubectl',
    });
  select({ matchExpressions: [{ key: 'x', operator: 'Near' }] });

  const { status, text } = await ask('status', 'upgrade');
  select(selector);

  expect(status).toBe(1);
  expect(text).toMatch(/^Run upgrade on prod \(mode turns\): blocked, 0 of 0 nodes done/);
  expect(text).toContain('Pool worker: it cannot be read\n');
  expect(text).toMatch(/pool worker cannot be parsed:\s+which nodes are its own is not known/);
});

it('[S4-20] a node is tried again or skipped where that changes something, and otherwise why not is said', async () => {
  const turn: Turn = {
    pool: 'worker',
    target: 'rendered-worker-b',
    round: '1-b',
    step: 'before',
    since: demo.clock.now().toISOString(),
    ran: ['poolkeeper/move'],
    cleaned: [],
    attempt: 1,
  };
  const { record, resourceVersion } = await stored();
  const turns = {
    'worker-1': { ...turn, failed: 'poolkeeper/move failed' },
    'worker-2': { ...turn, step: 'gone' as const },
    'worker-3': turn,
  };
  await records((all) =>
    all.save('poolkeeper', 'upgrade', { text: runRecordText({ ...record, turns }), resourceVersion }),
  );

  await ask('retry', 'upgrade', 'worker-1', '--reason', 'fixed');
  expect((await stored()).record.turns['worker-1']).toMatchObject({ attempt: 2 });
  await ask('skip', 'upgrade', 'worker-3', '--reason', 'not tonight');
  expect((await stored()).record.turns['worker-3']?.skip).toMatch(/: not tonight$/);

  const refusals = [
    ['retry', 'worker-3', 'nothing has failed for it'],
    ['skip', 'worker-2', 'it was let go, and is on its way'],
    ['skip', 'worker-9', 'its turn has not begun; the label of the run holds a node before its turn'],
  ] as const;
  for (const [kind, node, why] of refusals)
    await expect(ask(kind, 'upgrade', node, '--reason', 'x')).rejects.toThrow(
      new Misconfigured([`node ${node}: ${why}`]),
    );
});

it('[S4-20] [S4-14] a node whose Job nobody can look at is tried again, once that Job was never seen or its time is over', async () => {
  const turn: Turn = {
    pool: 'worker',
    target: 'rendered-worker-b',
    round: '1-b',
    step: 'before',
    since: demo.clock.now().toISOString(),
    ran: ['poolkeeper/move'],
    cleaned: [],
    attempt: 1,
    unseenSince: demo.clock.now().toISOString(),
    job: { jobName: 'move', jobNamespace: 'database', timeoutSeconds: 600 },
  };
  const { record, resourceVersion } = await stored();
  const turns = { 'worker-0': turn, 'worker-1': { ...turn, seen: true as const } };
  await records((all) =>
    all.save('poolkeeper', 'upgrade', { text: runRecordText({ ...record, turns }), resourceVersion }),
  );

  await ask('retry', 'upgrade', 'worker-0', '--reason', 'it was never made');

  expect((await stored()).record.turns['worker-0']).not.toHaveProperty('job');
  await expect(ask('retry', 'upgrade', 'worker-1', '--reason', 'too early')).rejects.toThrow(
    'node worker-1: nothing has failed for it',
  );
});

it('[N-11] --watch shows what changes, until the run is over', async () => {
  const { record, resourceVersion } = await stored();
  await records((all) =>
    all.save('poolkeeper', 'upgrade', { text: runRecordText({ ...record, turns: {} }), resourceVersion }),
  );

  const { text, status } = await ask('status', 'upgrade', '--watch');

  expect(status).toBe(0);
  expect(text).toMatch(/^Run upgrade on prod \(mode turns\): idle/);
});

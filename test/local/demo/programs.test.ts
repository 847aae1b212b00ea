import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { Status } from '../../../functions/status/status.ts';
import { openPrograms } from '../program.ts';
import { expectInOrder, expectStory } from './expect-story.ts';

// Each waits for most of its time: they are played at once.

test.concurrent('[C-9] [S0-1] [S0-7] [S1-7] [S1-13] [S3-5] runs the whole demo on embedded defaults and stays, with a page and a signed push that works as printed', {
  timeout: 150_000,
}, async ({ onTestFinished }) => {
  const { start, folder } = await openPrograms(onTestFinished);
  const program = start(['--port', '0', '--data', folder()]);
  const [, curl = ''] = await program.untilOutput(/(curl -sS [\s\S]*?)\n\nCtrl-C ends/);
  const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)/);

  const page = await fetch(statusUrl, { headers: { accept: 'text/html' } });
  const { reboots } = Status.parse(await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json());
  const answer = await sendAsPrinted(curl);
  program.signal('SIGTERM');

  const steps = [
    /Status {5}http/,
    /export KUBECONFIG=\S+kubeconfig/,
    /Git push .*changes 99-worker-chrony/,
    /answers 202 to the signed delivery/,
    /pool worker is paused/,
    /platform-machine-config: Succeeded/,
    /has observed the pause \(generation \d+\); no node was targeted before/,
    /the pause was (early|in time)/,
    /nothing rebooted under the sync/,
    /pool worker resumes/,
    /expects the rollout to stop: 1 of 3 nodes will block/,
    /worker-1 has rebooted into the new config/,
    /PK-1 drain of worker-2 blocked by PDB shop\/web/,
    /oc label node/,
    /pool worker is Updated/,
    /PK-1 is resolved/,
    /WHAT ENDED IT/,
    /Demo finished/,
  ];
  expectInOrder(program.output(), steps);
  const ofChange = reboots.filter(({ to }) => to === reboots[0]?.to);
  expect(ofChange.map(({ node }) => node).toSorted()).toEqual(['worker-0', 'worker-1', 'worker-2']);
  expect(ofChange.map(({ rebooted }) => rebooted)).toEqual([true, true, true]);
  expect([page.status, answer.status]).toEqual([200, 202]);
  expect(await page.text()).toContain('worker');
  expect(await program.ended).toBe(0);
});

test.concurrent('[S2-17] [S2-10] [S2-11] [S2-23] plays a sequence: the second operator waits for the class of the first, which comes late', {
  timeout: 150_000,
}, async ({ onTestFinished }) => {
  const { start, folder } = await openPrograms(onTestFinished);
  const program = start(['--scenario', 'sequence', '--port', '0', '--data', folder()]);
  const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)#sequence-virtualization/);
  await program.untilOutput(/PK-1 sequence virtualization does not go on\n/);
  const page = await (await fetch(statusUrl, { headers: { accept: 'text/html' } })).text();
  await program.untilOutput(/Ctrl-C ends/);
  const { sequences } = Status.parse(
    await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json(),
  );
  const yaml = await readFile(join(folder(), 'poolkeeper.yaml'), 'utf8');
  program.signal('SIGTERM');

  const steps = [
    /wave 5 begins: Subscription openshift-storage\/odf-operator is applied/,
    /odf-operator.v4.17.2 has succeeded/,
    /waits: sc ocs-storagecluster-ceph-rbd is not there; virtualization is held back/,
    /PK-1 sequence virtualization does not go on/,
    /virtualization is not installed, and no sync of Argo CD stands open/,
    /StorageClass ocs-storagecluster-ceph-rbd is there/,
    /wave 10 begins: Subscription openshift-cnv\/kubevirt-hyperconverged is applied/,
    /sequence virtualization is done/,
    /PK-1 is resolved/,
    /Demo finished/,
    /poolkeeper sequence status virtualization \\\n {2}--config/,
  ];
  expectInOrder(program.output(), steps);
  expect(page).toContain('id="sequence-virtualization"');
  expect(sequences).toMatchObject([{ name: 'virtualization', state: 'done', waves: [{ wave: 5 }, { wave: 10 }] }]);
  expect(Object.keys(readConfiguration(yaml, { source: 'poolkeeper.yaml' }).sequences ?? {})).toEqual([
    'virtualization',
  ]);
  expect(await program.ended).toBe(0);
});

test.concurrent('[S4-10] [S4-20] [S4-29] plays a run: a node has its Jobs, its update and its clean-ups; a Job fails, is told, and is tried again', {
  timeout: 150_000,
}, async ({ onTestFinished }) => {
  const { start, folder } = await openPrograms(onTestFinished);
  const program = start(['--scenario', 'node-by-node', '--port', '0', '--speed', '200', '--data', folder()]);
  const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)#run-upgrade/);
  await program.untilOutput(/worker-2 +poolkeeper\/move-primary succeeded/);
  const page = await (await fetch(statusUrl, { headers: { accept: 'text/html' } })).text();
  const { runs = [] } = Status.parse(
    await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json(),
  );
  const yaml = await readFile(join(folder(), 'poolkeeper.yaml'), 'utf8');

  const steps = [
    /pool worker stays paused after the sync of platform-machine-config: run upgrade takes its nodes/,
    /worker-1 +its turn begins/,
    /worker-1 +poolkeeper\/move-primary succeeded/,
    /worker-1 +poolkeeper\/silence-monitor succeeded/,
    /worker-1 +let go to rendered-worker-/,
    /worker-1 +back with rendered-worker-/,
    /worker-1 +the clean-up of poolkeeper\/move-primary succeeded/,
    /worker-1 +its turn is over/,
    /worker-2 +poolkeeper\/move-primary failed: .*exit code 3/,
    /PK-1 run upgrade is blocked\n/,
    /FIRING /,
    /poolkeeper run retry upgrade worker-2/,
    /worker-2 +told to try again by demo/,
  ];
  expectInOrder(program.output(), steps);
  expect(page).toContain('id="run-upgrade"');
  expect(page).toContain('This is a simulation; its clock runs 200 times as fast.');
  expect(runs).toMatchObject([{ name: 'upgrade', total: 5 }]);
  expect(runs[0]?.tiles.map(({ node }) => node)).toEqual(expect.arrayContaining(['worker-0', 'worker-4']));
  expect(Object.keys(readConfiguration(yaml, { source: 'poolkeeper.yaml' }).nodeTurns?.runs ?? {})).toEqual([
    'upgrade',
  ]);
});

test.concurrent('[N-32] plays no-op to its end, in lines that fit, and ends with 0 under --exit', async ({
  onTestFinished,
}) => {
  const { start, folder } = await openPrograms(onTestFinished);
  const program = start(['--scenario', 'no-op', '--exit', '--port', '0', '--speed', '150', '--data', folder()]);

  expect(await program.ended).toBe(0);
  expectStory(program.output(), [
    /adds machine-config\/README.md; GitHub delivers it/,
    /spares pool worker: .*\s+.*the push changes no manifest of it/,
    /is Synced with [0-9a-f]{8}, without a sync/,
    /annotates 99-worker-chrony/,
    // Before it, where there is time to judge the commit, that the pool is spared for now.
    /pauses pool worker (?:all the same as|because) the sync begins/,
    /the gates are open, pool worker resumes/,
    /no node is targeted, none reboots/,
  ]);
  expect(program.output()).toMatch(/Demo finished\.\n$/);
});

/** The printed command, taken apart: what a shell would send. */
async function sendAsPrinted(curl: string): Promise<Response> {
  const [, url = ''] = /curl -sS (\S+)/.exec(curl) ?? [];
  const headers = [...curl.matchAll(/-H ['"]([^:]+): ([^'"]+)['"]/g)].map((match): [string, string] => [
    match[1] ?? '',
    (match[2] ?? '').replace(/\$\(.*\)/, '1'),
  ]);
  const [, file = ''] = /--data-binary @(\S+)/.exec(curl) ?? [];
  return fetch(url, { method: 'POST', headers, body: await readFile(file) });
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { Status } from '../../functions/status/status.ts';
import { deliveriesTo } from '../../local/demo/deliveries.ts';
import { pushPayload } from '../../local/openshift/argocd/push-payload.ts';
import type { OpenShift } from '../../local/openshift/index.ts';
import { startReferenceWorld } from './openshift/start-reference-world.ts';
import { type Program, startProgram } from './program.ts';

let folder: string;
const programs: Program[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-main-'));
});

afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.signal('SIGKILL');
    await program.ended;
  }
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Program {
  const program = startProgram(args, environment);
  programs.push(program);
  return program;
}

describe('npm start', () => {
  test('[C-9] [S0-1] [S0-7] [S1-7] [S1-13] [S3-5] runs the whole demo on embedded defaults and stays, with a page and a signed push that works as printed', {
    timeout: 150_000,
  }, async () => {
    const program = start(['--port', '0', '--data', folder]);
    const [, curl = ''] = await program.untilOutput(/(curl -sS [\s\S]*?)\n\nCtrl-C ends/);
    const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)/);

    const page = await fetch(statusUrl, { headers: { accept: 'text/html' } });
    const { reboots } = Status.parse(
      await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json(),
    );
    const answer = await sendAsPrinted(curl);
    program.signal('SIGTERM');

    const steps = [
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
    const positions = steps.map((step) => program.output().search(step));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    const ofChange = reboots.filter(({ to }) => to === reboots[0]?.to);
    expect(ofChange.map(({ node }) => node).toSorted()).toEqual(['worker-0', 'worker-1', 'worker-2']);
    expect(ofChange.map(({ rebooted }) => rebooted)).toEqual([true, true, true]);
    expect([page.status, answer.status]).toEqual([200, 202]);
    expect(await page.text()).toContain('worker');
    expect(await program.ended).toBe(0);
  });

  test('[S2-17] [S2-10] [S2-11] [S2-23] plays a sequence: the second operator waits for the class of the first, which comes late', {
    timeout: 150_000,
  }, async () => {
    const program = start(['--scenario', 'sequence', '--port', '0', '--data', folder]);
    const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)#sequence-virtualization/);
    await program.untilOutput(/PK-1 sequence virtualization does not go on\n/);
    const page = await (await fetch(statusUrl, { headers: { accept: 'text/html' } })).text();
    await program.untilOutput(/Ctrl-C ends/);
    const { sequences } = Status.parse(
      await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json(),
    );
    const yaml = await readFile(join(folder, 'poolkeeper.yaml'), 'utf8');
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
      /npx poolkeeper sequence status virtualization --config/,
    ];
    const positions = steps.map((step) => program.output().search(step));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(page).toContain('id="sequence-virtualization"');
    expect(sequences).toMatchObject([{ name: 'virtualization', state: 'done', waves: [{ wave: 5 }, { wave: 10 }] }]);
    expect(Object.keys(readConfiguration(yaml, { source: 'poolkeeper.yaml' }).sequences ?? {})).toEqual([
      'virtualization',
    ]);
    expect(await program.ended).toBe(0);
  });

  test('says every problem of the command line and ends with 2', async () => {
    const program = start(['--port', 'x', '--speed', 'fast']);

    expect(await program.ended).toBe(2);
    expect(program.output()).toMatch(/--port x[\s\S]*--speed fast/);
  });

  test('[C-8] says every problem of a configuration, with its place, and ends with 2', async () => {
    const file = join(folder, 'poolkeeper.yaml');
    await writeFile(
      file,
      'clusters:\n  - name: prod\n    api: {server: http://example.com, tokenSecret: prod}\n    polcy: {}\nargocd: [{name: a, cluster: nowhere}]\n',
    );

    const program = start(['--config', file]);

    expect(await program.ended).toBe(2);
    expect(program.output()).toMatch(/:\d+:\d+ .*http/);
    expect(program.output()).toContain('did you mean');
    expect(program.output()).toContain('names no cluster of this file');
  });

  test('says that a kubeconfig cannot be read, or that its cluster does not answer', async () => {
    const dead = join(folder, 'dead.json');
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    await writeFile(
      dead,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [cluster],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [context],
        'current-context': 'x',
      }),
    );

    const missing = start(['--kubeconfig', join(folder, 'nowhere')]);
    const unreachable = start(['--kubeconfig', dead, '--port', '0']);

    expect([await missing.ended, await unreachable.ended]).toEqual([2, 1]);
    expect(missing.output()).toContain('nowhere');
    expect(unreachable.output()).not.toMatch(/\n\s+at /);
  });

  test('keeps the pools of a kubeconfig’s cluster, with the Argo CD that it finds there', {
    timeout: 60_000,
  }, async () => {
    const world = await startReferenceWorld({ gitOrigin: 'https://github.com' });
    const { openshift } = world;
    onTestFinished(() => openshift.stop());
    const kubeconfig = join(folder, 'kubeconfig');
    await openshift.writeKubeconfig(kubeconfig);

    const program = start(['--kubeconfig', kubeconfig, '--port', '0'], { POOLKEEPER_GITHUB_SECRET: 'old,new' });
    const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)/);
    await until(() => openshift.argocd.application('platform-machine-config')?.status?.sync?.status === 'Synced');
    const { push } = deliveriesTo(statusUrl.replace('/status', ''), { github: 'new', argocd: '' });
    const delivered = await push(pushPayload(world.pushChange()));
    await until(() => paused(openshift));

    expect(program.output()).toMatch(/pool worker +is managed/);
    expect(program.output()).toMatch(/pool master +is only watched/);
    expect(program.output()).toContain('Argo CD openshift-gitops in openshift-gitops');
    expect(delivered.status).toBe(202);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });
});

async function paused({ url, token }: OpenShift): Promise<boolean> {
  const path = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker';
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const pool = (await answer.json()) as { readonly spec: { readonly paused?: boolean } };
  return pool.spec.paused === true;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

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

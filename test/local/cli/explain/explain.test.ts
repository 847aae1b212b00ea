import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { explain } from '../../../../local/cli/explain/explain.ts';
import { runCommand } from '../../../../local/cli/run-command.ts';
import { machineConfigPools } from '../../../../local/openshift/api-server/resource-types.ts';
import { openMustGather } from '../../../../local/snapshot/must-gather.ts';
import { aPoolObject, aRollingPoolObject, snapshotOfScene } from '../../../corpus/situation.ts';
import { degradedNodes } from '../../../corpus/situations/degraded-nodes.ts';
import { standstills } from '../../../corpus/situations/standstills.ts';
import { aLiveNode, aWorld, type Json, minutesAgo, newConfig } from '../../../functions/core/diagnose/world.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';
import { writeMustGather } from './write-must-gather.ts';

let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
  await demo.untilBlocked();
});

afterEach(() => demo.world.openshift.faults.clear());
afterAll(() => demo.close());

describe('poolkeeper explain, over HTTP against a cluster whose drain is stuck', () => {
  test('[N-12] [S1-5] [S1-6] [S1-12] says cause, chain, evidence with the time it was read, and what to do with its undo', async () => {
    const { status, text } = await demo.run(explain, '--pool', 'worker');

    expect(status).toBe(1);
    const oneLine = text.replaceAll(/\s+/g, ' ');
    expect(oneLine).toContain('POOL worker: 2 of 3 nodes updated, 1 unavailable, rolling out rendered-worker-');
    expect(oneLine).toContain('WARNING drain of worker-2 blocked by PDB shop/web');
    expect(oneLine).toMatch(
      /Why web-\S+ can only run on worker-2 \(it asks for disk=ssd\), and that node is being drained for this very update: neither can proceed\. \[self-deadlock, confidence strong\]/,
    );
    expect(oneLine).toMatch(/Chain of causes 1\. worker-2 cannot be drained: .* \[D1\] 2\. PDB shop\/web needs 1/);
    expect(oneLine).toContain('PodDisruptionBudget shop/web status.disruptionsAllowed = 0 (read 2026-03-02T08:');
    expect(text).toContain('       oc label node worker-0 disk=ssd\n       undo: oc label node worker-0 disk-\n');
    expect(oneLine.indexOf('no risk')).toBeLessThan(oneLine.indexOf('short outage'));
    expect(text).not.toContain('NOT READ');
  });

  test('[S3-14] says what made the pool render anew, and what that is, where MachineConfigs can be read', async () => {
    const { text } = await demo.run(explain, '--pool', 'worker');
    const markdown = await demo.run(explain, '--pool', 'worker', '--output', 'markdown');

    const oneLine = text.replaceAll(/\s+/g, ' ');
    expect(oneLine).toMatch(
      /Re-rendered because of MachineConfig 99-worker-chrony of Application openshift-gitops\/platform-machine-config, synced to [0-9a-f]{8}\. Changes: file \/etc\/chrony\.conf; nodes are drained and reboot/,
    );
    expect(markdown.text).toContain('Re-rendered because of MachineConfig');
  });

  test('[S1-10] one node is looked into for whoever asks, and says where it stands', async () => {
    const asked = await demo.run(explain, '--node', 'worker-2');
    const resting = await demo.run(explain, '--node', 'worker-1');

    expect(asked.text).toContain('NODE worker-2, draining');
    expect(asked.text).toContain('self-deadlock');
    expect(resting.status).toBe(0);
    expect(resting.text).toContain('Node worker-1 is at rest: its config daemon reports Done.');
  });

  test('[S1-11] with --logs the evidence has the lines of the log of whoever drains, and without none', async () => {
    const { text } = await demo.run(explain, '--pool', 'worker', '--logs', '--output', 'json');
    const plain = await demo.run(explain, '--pool', 'worker', '--output', 'json');

    expect(text).toMatch(/"path": ?"log"/);
    expect(text).toContain('Targeted node worker-2');
    expect(plain.text).not.toMatch(/"path": ?"log"/);
  });

  test('as JSON carries findings, evidence and confidence', async () => {
    const { text } = await demo.run(explain, '--pool', 'worker', '--output', 'json');

    const read = JSON.parse(text);
    expect(read).toMatchObject({
      v: 1,
      pools: [{ name: 'worker', busy: [{ node: 'worker-2', symptom: 'draining' }] }],
    });
    expect(read.pools[0].troubles[0].findings[0].because[0]).toMatchObject({ code: 'P3', confidence: 'strong' });
    expect(read.notRead).toEqual([]);
  });

  test('as Markdown lets nothing of the cluster become markup', async () => {
    const { text } = await demo.run(explain, '--pool', 'worker', '--output', 'markdown');

    expect(text).toContain('## Pool worker');
    expect(text).toContain('| PodDisruptionBudget shop/web | status.disruptionsAllowed | 0 | 2026-03-02T');
    expect(text).toContain('`oc label node worker-0 disk=ssd`');
    expect(text).toContain('status.conditions\\[PodScheduled\\].message');
  });

  test('[S1-18] prints nothing that goes round a budget for good: its patch has its undo', async () => {
    const { text } = await demo.run(explain, '--pool', 'worker');

    const patches = text.split('\n').filter((line) => /^ +oc .*patch pdb/.test(line));
    const undos = text.split('\n').filter((line) => /undo: oc .*patch pdb/.test(line));
    expect(patches).toHaveLength(1);
    expect(undos).toHaveLength(1);
    expect(text).not.toMatch(/--force|--disable-eviction|delete pdb/);
  });

  test('what may not be read is said, and makes the answer weaker instead of wrong', async () => {
    demo.world.openshift.faults.inject({
      fault: { kind: 'status', code: 403 },
      matches: ({ plural }) => plural === 'poddisruptionbudgets',
    });

    const { status, text } = await demo.run(explain, '--pool', 'worker');

    expect(status).toBe(1);
    expect(text).toContain('NOT READ, so not known to be fine');
    expect(text).toContain('poddisruptionbudgets');
    expect(text).not.toContain('self-deadlock');
  });

  test('[S1-12] [N-29] says that a remedy may be taken back where Applications may not be read', async () => {
    demo.world.openshift.faults.inject({
      fault: { kind: 'status', code: 403 },
      matches: ({ plural }) => plural === 'applications',
    });

    const { text } = await demo.run(explain, '--pool', 'worker');
    const { text: atRest } = await demo.run(explain, '--pool', 'master');

    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      '* Applications, so that a remedy may be an edit that Argo CD takes back: GET /apis/argoproj.io/',
    );
    expect(atRest).not.toContain('Applications');
  });

  test('a pool at rest is fine', async () => {
    const { status, text } = await demo.run(explain, '--pool', 'master');

    expect(status).toBe(0);
    expect(text).toContain('POOL master: 3 of 3 nodes updated, on rendered-master-');
    expect(text).toContain('Nothing wrong was found.');
  });

  test('[N-12] [N-29] nodes that may not be read are not known to be fine, and no node is said not to be there', async () => {
    demo.world.openshift.faults.inject({
      fault: { kind: 'status', code: 403 },
      matches: ({ plural }) => plural === 'nodes',
    });

    const { status, text } = await demo.run(explain, '--pool', 'master');

    expect(status).toBe(1);
    expect(text).toMatch(/NOT READ, so not known to be fine\n {2}\* the nodes of the cluster: .*403/);
    await expect(demo.run(explain, '--node', 'worker-1')).rejects.toThrow(/worker-1: the nodes cannot be read \(.*403/);
  });

  test.each([
    [['--pool', 'gpu'], 'there is no pool gpu; the cluster has master, worker'],
    [['--node', 'gpu-1'], 'no such node was found'],
    [['--node', 'worker-1', '--pool', 'worker'], 'exclude each other'],
    [['--snapshot', 'a', '--must-gather', 'b'], '--snapshot and --must-gather exclude each other'],
    [['--incident', 'PK-1'], '--url is missing'],
  ])('%j is refused in words', async (args, words) => {
    await expect(demo.run(explain, ...args)).rejects.toThrow(words);
  });
});

describe('[N-12] [N-29] poolkeeper explain --node of a node that its config daemon calls done', () => {
  async function explained(id: string, node: string, ...flags: readonly string[]) {
    const file = `${demo.folder}/${id}.json`;
    await writeFile(file, JSON.stringify(standstills.find((each) => each.id === id)?.snapshot));
    return demo.run(explain, '--snapshot', file, '--node', node, ...flags);
  }

  test.each([
    ['unreachable-node-at-rest', 'worker-7', 'Kubelet stopped'],
    ['unreachable-node-stops-the-rollout', 'worker-7', 'Kubelet stopped'],
    ['unreachable-node-stops-the-rollout', 'worker-1', 'Kubelet stopped'],
    ['cordoned-by-hand', 'worker-7', 'cordoned'],
    ['disk-pressure', 'worker-7', 'DiskPressure'],
    ['node-in-two-custom-pools', 'worker-7', 'is updated by no pool'],
    ['node-in-no-pool', 'worker-7', 'is updated by no pool'],
  ])('%s: %s is not said to be fine', async (id, node, words) => {
    const { status, text } = await explained(id, node);
    const markdown = await explained(id, node, '--output', 'markdown');

    expect(status).toBe(1);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(text).toContain('  Why\n');
    expect(markdown.text).toContain('**Why:**');
  });

  test('[decoy] another node of its pool is, where that is at rest', async () => {
    const { status, text } = await explained('unreachable-node-at-rest', 'worker-1');

    expect(status).toBe(0);
    expect(text).toContain('Node worker-1 is at rest: its config daemon reports Done.');
    expect(text).not.toContain('Kubelet stopped');
  });

  test.each(['text', 'markdown'])('[N-30] as %s no command has a name that would end its quotes', async (form) => {
    const drifts = degradedNodes.find(({ id }) => id === 'file-edited')?.snapshot;
    const file = `${demo.folder}/drift.json`;
    const shown = async (path: string) => {
      await writeFile(file, JSON.stringify(drifts).replaceAll('/etc/chrony.conf', path));
      return (await demo.run(explain, '--snapshot', file, '--output', form)).text;
    };

    expect(await shown('/etc/x;reboot;')).toContain("chroot /host stat '/etc/x;reboot;'");
    const text = await shown('/etc/x`;reboot;`');
    expect(text).not.toMatch(/(?:stat|path) '/);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('no command: a name in it has signs or words');
  });

  test('a pool that cannot be parsed is not unknown', async () => {
    const { snapshot } = standstills.find(({ id }) => id === 'unreachable-node-at-rest') ?? {};
    const text = JSON.stringify(snapshot).replace('"nodeSelector":{', '"nodeSelector":{"matchExpressions":7,');
    await writeFile(`${demo.folder}/unparsed.json`, text);

    const answer = await demo.run(explain, '--snapshot', `${demo.folder}/unparsed.json`, '--pool', 'worker');

    expect(answer.status).toBe(1);
    expect(answer.text).toContain('MachineConfigPool worker');
  });
});

describe('[N-12] [S1-4] poolkeeper explain of a pool that says that it is degraded, and no node of it does', () => {
  const message = 'Node worker-7 is reporting: "failed to pull pinned image"';

  async function explained(since: string) {
    const conditions = ['NodeDegraded', 'Degraded'].map((type) => ({
      type,
      status: 'True',
      message,
      lastTransitionTime: since,
    }));
    const scene = {
      world: aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2'), aLiveNode('worker-7')] }),
      pools: [aPoolObject({ conditions, counts: { degraded: 1 } })],
    };
    await writeFile(`${demo.folder}/degraded-alone.json`, JSON.stringify(snapshotOfScene(scene)));
    return demo.run(explain, '--snapshot', `${demo.folder}/degraded-alone.json`, '--pool', 'worker');
  }

  test('is told, by the time of its condition, at the first look', async () => {
    const { status, text } = await explained(minutesAgo(24 * 60));

    expect(status).toBe(1);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('WARNING pool degraded, and none of its nodes says why');
    expect(text).toContain('failed to pull pinned image');
    expect(text).toContain('Degraded for: 24 h');
  });

  test('[decoy] is not, in the minutes in which the operator clears it', async () => {
    expect(await explained(minutesAgo(9))).toMatchObject({ status: 0 });
  });
});

describe('[N-12] poolkeeper explain of several nodes that fail', () => {
  async function explained(...nodes: readonly Json[]) {
    const world = aWorld({ nodes });
    const file = `${demo.folder}/failing.json`;
    await writeFile(file, JSON.stringify(snapshotOfScene({ world, pools: [aRollingPoolObject(world)] })));
    const { text } = await demo.run(explain, '--snapshot', file, '--pool', 'worker');
    return text;
  }

  const failed = (name: string, more: Json = {}) =>
    aLiveNode(name, {
      annotations: { state: 'Degraded', reason: 'content mismatch for file "/etc/a"', desiredConfig: newConfig },
      ...more,
    });

  test('says no age, where nothing has one', async () => {
    const text = await explained(failed('worker-1'), failed('worker-2'));

    expect(text).toContain('worker-1: failing\n');
    expect(text).not.toContain('Stuck for');
  });

  test('counts from what their daemons wrote last, where there is more than one', async () => {
    const wrote = (minutes: number) => ({
      managedFields: [
        {
          manager: 'machine-config-daemon',
          operation: 'Update',
          time: minutesAgo(minutes),
          fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:machineconfiguration.openshift.io/state': {} } } },
        },
      ],
    });

    const text = await explained(failed('worker-1', wrote(40)), failed('worker-2', wrote(50)));

    expect(text).toContain('worker-2: failing for 50 min\n  * worker-1: failing for 40 min\n');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('Stuck for: 50 min, since');
  });
});

describe('poolkeeper explain --must-gather', () => {
  test('[N-12] comes to the same cause as the live cluster, and says that not every namespace is in such a folder', async () => {
    await writeMustGather(`${demo.folder}/gathered/quay-io-image`, demo.world.openshift.registry, demo.clock.now());

    const live = JSON.parse((await demo.run(explain, '--pool', 'worker', '--output', 'json')).text);
    const { status, text } = await demo.run(
      explain,
      '--must-gather',
      `${demo.folder}/gathered`,
      '--pool',
      'worker',
      '--output',
      'json',
    );

    const gathered = JSON.parse(text);
    expect(status).toBe(1);
    // `oc` leaves out who wrote what, and with it since when the node is on its way.
    expect(live.pools[0].busy[0].since).toMatch(/^2026-03-02T08:/);
    expect(gathered.pools[0].busy[0]).toEqual({ node: 'worker-2', symptom: 'draining' });
    expect(gathered.pools[0].troubles[0].digest).toBe(live.pools[0].troubles[0].digest);
    expect(gathered.notRead).toEqual(
      expect.arrayContaining([
        '/api/v1/namespaces/default/events: it is not in the must-gather',
        'pods of namespaces that were not gathered (3 were)',
        'poddisruptionbudgets of namespaces that were not gathered (3 were)',
      ]),
    );
  });

  test('does not take the namespace of an application that was not gathered for an empty one', async () => {
    await writeMustGather(`${demo.folder}/platform`, demo.world.openshift.registry, demo.clock.now(), {
      without: ['shop'],
    });

    const { status, text } = await demo.run(explain, '--must-gather', `${demo.folder}/platform`, '--pool', 'worker');

    expect(status).toBe(1);
    expect(text).toContain('it is not in the must-gather');
    expect(text).not.toContain('self-deadlock');
  });

  test('a name of the cluster never leads out of the folder', async () => {
    await mkdir(`${demo.folder}/outside`);
    await writeFile(`${demo.folder}/outside/outside.yaml`, 'metadata: { name: outside }\n');
    const { observed } = await openMustGather(`${demo.folder}/gathered`);

    const answer = await observed.reader.read({
      path: `/api/v1/namespaces/${encodeURIComponent('../../../outside')}/pods/x`,
      query: {},
    });
    const namespace = await observed.reader.read({
      path: `/api/v1/namespaces/${encodeURIComponent('../../../outside')}`,
      query: {},
    });

    expect([answer.kind, namespace.kind]).toEqual(['failed', 'failed']);
  });

  test('[N-30] with one node of six, nothing is said of where else a pod could run', async () => {
    const folder = `${demo.folder}/one-node`;
    await writeMustGather(folder, demo.world.openshift.registry, demo.clock.now());
    const gathered = `${folder}/cluster-scoped-resources/core/nodes`;
    for (const name of await readdir(gathered)) if (name !== 'worker-2.yaml') await rm(`${gathered}/${name}`);

    const { status, text } = await demo.run(explain, '--must-gather', folder, '--pool', 'worker');
    const { observed } = await openMustGather(folder);

    expect(status).toBe(1);
    expect(text).not.toContain('self-deadlock');
    expect(text).toContain('nodes: 1 of 6 were gathered; `oc adm inspect nodes` gathers all');
    const asked = (node: string) => observed.reader.read({ path: `/api/v1/nodes/${node}`, query: {} });
    expect([(await asked('worker-2')).kind, (await asked('worker-0')).kind]).toEqual(['found', 'failed']);
  });

  test('[N-30] what several images gathered is one cluster: no node is missing, and none is absent', async () => {
    const folder = `${demo.folder}/images`;
    for (const image of ['base', 'network', 'tuning'])
      await writeMustGather(`${folder}/${image}`, demo.world.openshift.registry, demo.clock.now());
    const gathered = `${folder}/tuning/cluster-scoped-resources/core/nodes`;
    for (const name of await readdir(gathered)) if (name !== 'worker-2.yaml') await rm(`${gathered}/${name}`);

    const { status, text } = await demo.run(explain, '--must-gather', folder, '--pool', 'worker');
    const { observed } = await openMustGather(folder);
    const all = await observed.reader.read({ path: '/api/v1/nodes', query: {} });

    expect(status).toBe(1);
    expect(text).toContain('self-deadlock');
    expect(text).not.toContain('were gathered');
    expect(all).toMatchObject({ kind: 'found', body: { items: { length: 6 } } });
  });

  test.each([
    ['empty', 'policy/poddisruptionbudgets.yaml', () => ''],
    ['empty', 'core/pods.yaml', () => ''],
    ['cut off', 'core/pods.yaml', (text: string) => text.slice(0, text.length / 2)],
  ])('[N-12] [N-29] %s %s is told as not read, and no budget is relaxed for it', async (_what, file, changed) => {
    const folder = await mkdtemp(`${demo.folder}/cut-`);
    await writeMustGather(folder, demo.world.openshift.registry, demo.clock.now());
    const path = `namespaces/shop/${file}`;
    await writeFile(`${folder}/${path}`, changed(await readFile(`${folder}/${path}`, 'utf8')));

    const { status, text } = await demo.run(explain, '--must-gather', folder, '--pool', 'worker');

    expect(status).toBe(1);
    expect(text).toContain(`  * ${path}: is `);
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(
      /Not read: .* could not be read \(namespaces\/shop\/.*: is (?:empty|cut)/,
    );
    expect(text).not.toMatch(/patch pdb/);
  });

  test('[N-12] [N-29] nodes of a pool whose file is empty are not called nodes of no pool', async () => {
    const folder = `${demo.folder}/no-pool`;
    await writeMustGather(folder, demo.world.openshift.registry, demo.clock.now());
    const file = 'cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools/worker.yaml';
    await writeFile(`${folder}/${file}`, '');

    const { status, text } = await demo.run(explain, '--must-gather', folder);
    const worker = await demo.run(explain, '--must-gather', folder, '--pool', 'worker');

    expect(status).toBe(1);
    expect(text).not.toContain('in no pool');
    expect(worker.text).toContain('  * MachineConfigPool worker: ');
    expect(worker.text.replaceAll(/\s/g, '')).toContain(`${file}:isempty`);
  });

  test('refuses a folder in which nothing was gathered', async () => {
    await expect(demo.run(explain, '--must-gather', `${demo.folder}/nothing`)).rejects.toThrow(
      'has neither cluster-scoped-resources nor namespaces',
    );
  });
});

describe('poolkeeper explain, beside a custom pool that cannot be parsed', () => {
  test('[N-12] [N-29] its nodes are no nodes of pool worker that have not moved', async () => {
    const resting = await demoCluster();
    try {
      const { openshift } = resting.world;
      openshift.addPool({ name: 'infra' });
      openshift.addNodes({ pool: 'infra', names: ['infra-0'] });
      await resting.clock.advance(60_000);
      openshift.registry.modify(
        machineConfigPools,
        { name: 'infra', namespace: '' },
        (draft) => {
          draft.spec.nodeSelector = {
            matchExpressions: [{ key: 'node-role.kubernetes.io/infra', operator: 'exists' }],
          };
        },
        { manager: 'kubectl-patch' },
      );

      const worker = await resting.run(explain, '--node', 'worker-0');
      const infra = resting.run(explain, '--node', 'infra-0');

      expect(worker.text).not.toContain('stalled');
      expect(worker.text).toContain('NOT READ');
      expect(worker.text).toContain('MachineConfigPool infra');
      expect(worker.status).toBe(1);
      await expect(infra).rejects.toThrow(
        '--node infra-0: it has a configuration of pool infra, which cannot be parsed at spec.nodeSelector',
      );
    } finally {
      await resting.close();
    }
  });
});

describe('poolkeeper explain --incident', () => {
  const incident = {
    name: 'PK-7',
    state: 'firing',
    severity: 'high',
    cluster: 'simulated',
    pool: 'worker',
    kind: 'drain-blocked',
    headline: 'drain of worker-2 blocked by PDB shop/web',
    flapping: false,
    facts: [],
    causes: [],
    told: [],
  };

  /** A status page that wants a token. */
  async function statusPage() {
    const server = createServer((request, response) => {
      response.statusCode = request.headers.authorization === 'Bearer good' ? 200 : 401;
      response.end(JSON.stringify({ incidents: [incident] }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, close: () => new Promise((closed) => server.close(closed)) };
  }

  async function configurationOf(servers: Readonly<Record<string, string>>) {
    const config = join(demo.folder, 'incidents.yaml');
    const clusters = Object.entries(servers).map(([name, server]) => ({ name, api: { server, tokenSecret: 'A' } }));
    await writeFile(config, stringify({ clusters }));
    return config;
  }

  /** Of the incident's pool, with the context of the demo's cluster. */
  async function asked(config: string, ...flags: readonly string[]) {
    const page = await statusPage();
    const [out, notes]: [string[], string[]] = [[], []];
    const status = await runCommand(
      ['explain', '--incident', 'PK-7', '--url', page.url, '--config', config, ...flags],
      {
        ...demo.surroundings,
        environment: { ...demo.surroundings.environment, POOLKEEPER_STATUS_TOKEN: 'good' },
        out: (text) => out.push(text),
        note: (text) => notes.push(text),
      },
    );
    await page.close();
    return { status, out: out.join('').replaceAll(/\s+/g, ' '), notes: notes.join('') };
  }

  const elsewhere = 'https://api.elsewhere.example.com:6443';

  test('[N-12] [N-29] a pool of the same name in the cluster of the current context is not taken for that of the incident', async () => {
    const here = demo.world.openshift.url;
    const another = await asked(await configurationOf({ simulated: elsewhere, test: `${here}/` }));
    const unlike = await asked(await configurationOf({ simulated: elsewhere }));
    const unknown = await asked('nowhere.yaml');

    expect([another, unlike, unknown]).toMatchObject(Array(3).fill({ status: 2, out: '' }));
    expect(another.notes).toContain(
      `PK-7 is about cluster simulated, but context simulated leads to ${here}, which is cluster test; --context names one of that cluster; or --cluster simulated`,
    );
    expect(unlike.notes).toContain(`and ${join(demo.folder, 'incidents.yaml')} has that cluster at ${elsewhere}`);
    expect(unknown.notes).toContain('no cluster of that name in nowhere.yaml');
  });

  test('[N-12] [N-29] a context that was chosen, and a recording, are explained with the cluster that the incident is of', async () => {
    const config = await configurationOf({ simulated: elsewhere });
    const chosen = await asked(config, '--context', 'simulated');
    const json = await asked(config, '--context', 'simulated', '--output', 'json');
    const wrong = await asked(await configurationOf({ test: demo.world.openshift.url }), '--context', 'simulated');
    const snapshot = 'test/corpus/recordings/drain-in-deadlock.json';
    const recorded = await asked(config, '--snapshot', snapshot, '--output', 'markdown');

    const doubt = 'Whether what follows is that cluster is not known.';
    expect(chosen).toMatchObject({ status: 1, out: expect.stringContaining(`shop/web. ${doubt} POOL worker`) });
    expect(JSON.parse(json.out)).toMatchObject({ incident: { cluster: 'simulated', isClusterKnown: false } });
    expect(recorded).toMatchObject({ status: 1, out: expect.stringContaining(doubt) });
    expect(wrong).toMatchObject({ status: 2, out: '', notes: expect.stringContaining('which is cluster test') });
  });

  test('is looked for on no other cluster, and its token is sent where nobody reads along', async () => {
    const page = await statusPage();
    const surroundings = { ...demo.surroundings, environment: { POOLKEEPER_STATUS_TOKEN: 'good' } };
    const ask = (url: string) => explain.run(['--incident', 'PK-7', '--url', url, '--cluster', 'other'], surroundings);

    await expect(ask(page.url)).rejects.toThrow('PK-7 is about cluster simulated');
    await expect(ask('http://poolkeeper.example.com')).rejects.toThrow('over https:// only');

    await page.close();
  });

  test('asks the running Poolkeeper which pool it is about, and explains that', async () => {
    const page = await statusPage();
    const out: string[] = [];
    const notes: string[] = [];
    const environment = { ...demo.surroundings.environment, POOLKEEPER_STATUS_TOKEN: 'good' };
    const surroundings = {
      ...demo.surroundings,
      environment,
      out: (text: string) => out.push(text),
      note: (text: string) => notes.push(text),
    };

    const config = await configurationOf({ simulated: demo.world.openshift.url });
    const status = await explain.run(['--incident', 'pk-7', '--url', page.url, '--config', config], surroundings);
    const unknown = explain.run(['--incident', 'PK-9', '--url', page.url], surroundings);
    const stranger = explain.run(['--incident', 'PK-7', '--url', page.url], demo.surroundings);

    await expect(unknown).rejects.toThrow('not on the status page');
    await expect(stranger).rejects.toThrow('set POOLKEEPER_STATUS_TOKEN');
    expect(status).toBe(1);
    expect(notes).toEqual([]);
    expect(out.join('').replaceAll(/\s+/g, ' ')).toContain(
      'PK-7 (firing) is about pool worker of cluster simulated: drain of worker-2 blocked by PDB shop/web. POOL worker',
    );
    expect(out.join('')).toContain('self-deadlock');
    expect(out.join('')).not.toContain('POOL master');
    await page.close();
  });
});

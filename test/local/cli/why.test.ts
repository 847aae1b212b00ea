import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { guardsAnnotation } from '../../../functions/core/guard/guard-record.ts';
import { windowsAfter } from '../../../functions/core/guard/sync-windows.ts';
import { holdsAnnotation } from '../../../functions/core/openshift/hold.ts';
import { clusterStatus } from '../../../functions/status/cluster-status.ts';
import { hold } from '../../../local/cli/hold.ts';
import { why } from '../../../local/cli/why/why.ts';
import { noChangeText } from '../../../local/cli/why/why-pool.ts';
import type { FaultOrder } from '../../../local/openshift/api-server/faults.ts';
import {
  applications,
  appProjects,
  machineConfigPools,
  machineConfigs,
} from '../../../local/openshift/api-server/resource-types.ts';
import { aGateView, aPoolView, aView } from '../../fakes/builders.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeEach(async () => {
  demo = await demoCluster();
});
afterEach(() => demo.close());

describe('poolkeeper why, over HTTP against a live cluster', () => {
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
    Command          poolkeeper resume --cluster simulated --pool worker --reason "..."
  Whoever may change the pool can go past all of this:
    poolkeeper resume --cluster simulated --pool worker --reason "..."
`);
  });

  test('[N-16] [N-29] prints commands for the cluster that was looked at, whatever the current context', async () => {
    await demo.run(hold, '--pool', 'worker', '--for', '2h', '--reason', 'database migration');

    const { text } = await demo.run(why, 'worker', '--context', 'simulated', '--kubeconfig', demo.kubeconfig);

    const resume = `poolkeeper resume --kubeconfig ${demo.kubeconfig} --context simulated --cluster simulated --pool worker`;
    expect(text.replaceAll(/\n */g, ' ')).toContain(`past all of this: ${resume}`);
    expect(text).not.toContain('poolkeeper resume --pool');
  });

  test('[N-16] [N-29] does not call a pool unknown that is there and cannot be parsed', async () => {
    demo.world.openshift.registry.modify(
      machineConfigPools,
      { name: 'worker', namespace: '' },
      (draft) => {
        draft.spec.nodeSelector = { matchExpressions: [{ key: 'zone', operator: 'Near' }] };
      },
      { manager: 'kubectl-patch' },
    );

    const { status, text } = await demo.run(why, 'worker');

    expect(status).toBe(2);
    expect(text).toContain('pool worker cannot be parsed');
    expect(text).not.toContain('there is no pool');
  });

  test('[N-16] [S0-14] says who else paused it, and that Poolkeeper never undoes that', async () => {
    patchWorker('kubectl-patch', { paused: true });

    const { text } = await demo.run(why);

    expect(text).toContain('Pause by kubectl-patch: Poolkeeper did not set this pause and never undoes it');
    expect(text).toContain(`oc patch machineconfigpool worker --type merge -p '{"spec":{"paused":false}}'`);
    expect(text).not.toContain('poolkeeper resume');
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
            now: [
              { name: 'window', opensAt: '2026-04-01T00:00:00.000Z' },
              ...['rendered', 'image', 'quiet'].map((name) => ({ name })),
            ],
          },
        },
      ],
    });
  });

  test('[N-16] [C-8] goes by no poolkeeper.yaml that merely lies in the current folder: one must be named', async () => {
    await configure('windows:\n  - { kind: deny, from: 2026-01-01, to: 2026-04-01, description: no changes }\n');
    const folders = { own: join(demo.folder, 'checkout'), current: demo.folder };

    const asked = why.run(['worker'], { ...demo.surroundings, folders });

    await expect(asked).rejects.toThrow('poolkeeper.yaml of this folder is not read unless --config names it');
  });

  test('[N-16] says that nothing keeps it any more, and what the next pass does', async () => {
    const at = '2026-03-02T07:00:00Z';
    const release = { since: at, finishedAt: at, machineConfigs: [], why: 'the sync has ended' };
    patchWorker('poolkeeper', { paused: true, record: { v: 1, pause: 'ours', pausedSince: at, holds: [], release } });

    const { text } = await demo.run(why, 'worker');

    expect(text).toBe('simulated/worker: paused, and the next pass resumes it: the sync has ended\n');
  });

  test('[N-16] [N-7] says that it waits for what a sync applied that has just ended, before the MCO has rendered it', async () => {
    const config = await configure('argocd:\n  - { name: hub, cluster: simulated, namespaces: [openshift-gitops] }\n');
    const { registry } = demo.world.openshift;
    const [application] = registry.list(applications);
    const [known] = registry.list(machineConfigs);
    if (application === undefined || known === undefined) throw new Error('the demo has no Application');
    registry.create(
      machineConfigs,
      {
        ...known,
        metadata: { name: '99-worker-late', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
      },
      { manager: 'argocd' },
    );
    const { name, namespace = '' } = application.metadata;
    const [revision, startedAt] = ['a'.repeat(40), '2026-03-02T07:50:00Z'];
    const applied = { group: 'machineconfiguration.openshift.io', version: 'v1', kind: 'MachineConfig' };
    const resources = [{ ...applied, namespace: '', name: '99-worker-late', status: 'Synced', message: 'created' }];
    registry.modify(
      applications,
      { name, namespace },
      (draft) => {
        const operationState = {
          ...{ phase: 'Succeeded', message: '', startedAt, finishedAt: '2026-03-02T07:51:00Z' },
          ...{ operation: { sync: { revision } }, syncResult: { revision, resources } },
        };
        Object.assign(draft, { status: { sync: { status: 'Synced', revision }, operationState, resources: [] } });
      },
      { manager: 'argocd' },
    );
    const held = {
      id: `sync/hub/${namespace}/${name}`,
      kind: 'sync',
      who: `${namespace}/${name}`,
      why: 'Argo CD syncs it',
    };
    const holds = [{ ...held, since: startedAt, until: '2026-03-02T09:00:00Z', phase: 'syncing', startedAt }];
    patchWorker('poolkeeper', { paused: true, record: { v: 1, pause: 'ours', pausedSince: startedAt, holds } });

    const { text } = await demo.run(why, 'worker', '--config', config);

    expect(text).toContain('does not list 99-worker-late yet');
    expect(text).not.toContain('the next pass resumes it');
  });

  /** Nothing holds pool worker any more, and another Application than those that held it begins a sync. */
  function aboutToResume(): void {
    const at = '2026-03-02T07:00:00Z';
    const release = { since: at, finishedAt: at, machineConfigs: [], why: 'the sync has ended' };
    patchWorker('poolkeeper', { paused: true, record: { v: 1, pause: 'ours', pausedSince: at, holds: [], release } });
    const { registry } = demo.world.openshift;
    const [application] = registry.list(applications);
    if (application === undefined) throw new Error('the demo has no Application');
    const { name, namespace = '' } = application.metadata;
    const { name: managed } = registry.list(machineConfigs).find((each) => each.metadata.name.startsWith('99-worker'))
      ?.metadata ?? { name: '' };
    const of = { group: 'machineconfiguration.openshift.io', version: 'v1', kind: 'MachineConfig', name: managed };
    const operationState = {
      ...{ phase: 'Running', message: '', startedAt: '2026-03-02T08:00:30Z' },
      operation: { sync: { revision: 'a'.repeat(40) } },
    };
    registry.modify(
      applications,
      { name, namespace },
      (draft) => {
        const resources = [{ ...of, status: 'OutOfSync' }];
        Object.assign(draft, { status: { sync: { status: 'OutOfSync' }, operationState, resources } });
      },
      { manager: 'argocd' },
    );
  }

  test('[N-16] [N-29] does not say that a pool resumes while the sync of an Application has begun that holds nothing yet', async () => {
    aboutToResume();

    const { text } = await demo.run(why, 'worker');

    expect(text).toContain('Hold of openshift-gitops/');
    expect(text).not.toContain('the next pass resumes it');
  });

  test('[N-16] [N-29] where Applications cannot be listed, does not say that a pool resumes', async () => {
    aboutToResume();
    const isList: FaultOrder['matches'] = ({ plural, verb, path }) =>
      plural === 'applications' && verb === 'list' && path.includes('/namespaces/');
    demo.world.openshift.faults.inject({ fault: { kind: 'status', code: 403, message: 'not yours' }, matches: isList });

    const { text } = await demo.run(why, 'worker');

    expect(text).toContain('Gate quiet: ');
    expect(text).not.toContain('the next pass resumes it');
  });

  test('[N-16] [S4-20] says that a run of poolkeeper.yaml will hold a pool, and not that it resumes', async () => {
    const config = await configure(
      'nodeTurns:\n' +
        '  rules:\n    drain: { jobNamespace: jobs, jobSpec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: a }] } } }, timeout: 5m }\n' +
        '  targets:\n    workers: { machineConfigPools: [worker] }\n' +
        '  runs:\n    upgrade: { cluster: simulated, mode: turns, mutexRules: [{ name: drain }], mutexTargets: [{ name: workers }] }\n',
    );
    const at = '2026-03-02T07:00:00Z';
    const release = { since: at, finishedAt: at, machineConfigs: [], why: 'the sync has ended' };
    patchWorker('poolkeeper', { paused: true, record: { v: 1, pause: 'ours', pausedSince: at, holds: [], release } });
    demo.world.pushChange();
    await demo.clock.advanceUntil(
      () => worker().spec.configuration?.name !== worker().status?.configuration?.name,
      3_600_000,
    );

    const { text } = await demo.run(why, 'worker', '--config', config);

    expect(text).toContain('Hold of run upgrade: ');
    expect(text).not.toContain('the next pass resumes it');
  });

  test('[N-16] [N-29] ends no hold of an Application whose Argo CD is on another cluster of poolkeeper.yaml', async () => {
    const config = await configure(
      "  - name: hub\n    api: { server: 'https://hub.example.com:6443', tokenSecret: HUB }\n" +
        'argocd:\n  - name: central\n    cluster: hub\n    destinations: [{ name: simulated, cluster: simulated }]\n',
    );
    const [since, until] = ['2026-03-02T07:00:00Z', '2026-03-02T07:30:00Z'];
    const held = { id: 'sync/central/argocd/nodes', kind: 'sync', who: 'argocd/nodes', why: 'Argo CD syncs it' };
    const holds = [{ ...held, since, until, phase: 'syncing', startedAt: since }];
    patchWorker('poolkeeper', { paused: true, record: { v: 1, pause: 'ours', pausedSince: since, holds } });

    const { text } = await demo.run(why, 'worker', '--config', config);

    expect(text).toContain('Hold of argocd/nodes: Argo CD syncs it');
    expect(text).not.toContain('the next pass resumes it');
    expect(text).toContain('Not known: Application argocd/nodes: it is on hub, another cluster: ask with --cluster');
  });

  test('[N-16] an Application that is not there is refused', async () => {
    await expect(demo.run(why, 'openshift-gitops/nowhere')).rejects.toThrow(
      'there is no Application openshift-gitops/nowhere in Argo CD openshift-gitops',
    );
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

describe('poolkeeper why, of guards', () => {
  const argocd = 'argocd:\n  - { name: hub, cluster: simulated, namespaces: [openshift-gitops] }\n';

  /** An Application of the demo syncs, and its guard holds it back: pool worker is not paused. */
  function behindGuard(): string {
    const { registry } = demo.world.openshift;
    const [application] = registry.list(applications);
    const [project] = registry.list(appProjects);
    if (application === undefined || project === undefined) throw new Error('the demo has no Application');
    const { name, namespace = '' } = application.metadata;
    const operationState = {
      ...{ phase: 'Running', message: 'Sync operation blocked by sync window', startedAt: '2026-03-02T08:00:30Z' },
      operation: { sync: { revision: 'a'.repeat(40) } },
    };
    registry.modify(
      applications,
      { name, namespace },
      (draft) => {
        const resources = [
          {
            group: 'machineconfiguration.openshift.io',
            version: 'v1',
            kind: 'MachineConfig',
            name: '99-worker-demo',
            status: 'Synced',
          },
        ];
        const { source } = Object(draft['spec']);
        const sync = { status: 'OutOfSync', revision: 'a'.repeat(40), comparedTo: { source } };
        const status = { sync, operationState, resources };
        Object.assign(draft, { operation: { sync: {} }, status });
      },
      { manager: 'argocd' },
    );
    const guards = { v: 1, guards: [{ application: `${namespace}/${name}`, cluster: 'simulated', pools: ['worker'] }] };
    const windows = windowsAfter([], { closed: new Set([name]), open: new Set() });
    registry.modify(
      appProjects,
      { name: project.metadata.name, namespace: project.metadata.namespace ?? '' },
      (draft) => {
        draft.metadata.annotations = { [guardsAnnotation]: JSON.stringify(guards) };
        Object.assign(draft, { spec: { syncWindows: JSON.parse(JSON.stringify(windows)) } });
      },
      { manager: 'poolkeeper' },
    );
    return `${namespace}/${name}`;
  }

  test('[N-16] [N-6] says which sync waits for the pool, what opens its guard, who and how, and writes nothing', async () => {
    const config = await configure(argocd, '    pools: { worker: { protection: guard } }\n');
    const name = behindGuard();
    const before = worker().metadata.resourceVersion;

    const { text } = await demo.run(why, 'worker', '--config', config);
    const all = await demo.run(why, '--config', config, '--output', 'json');

    expect(text).toContain(`  Syncs that wait for it
  Guard of ${name}: pool worker is not paused yet
    Found            its sync waits, and its deny window stands
    Needed           worker paused for it, and confirmed
    Opens            the confirmed pause
    Who can open it  Poolkeeper, by itself; without a pause, whoever may change the AppProject
    Command          oc -n openshift-gitops patch appprojects.argoproj.io`);
    expect(JSON.parse(all.text)).toMatchObject({
      pools: [
        {
          pool: 'worker',
          paused: false,
          guards: [{ kind: 'guard', name, threshold: 'worker paused for it, and confirmed' }],
        },
      ],
    });
    expect(worker().metadata.resourceVersion).toBe(before);
  });

  test('[N-16] [N-6] of an Application says its guard and its pools, or that it waits for none', async () => {
    const config = await configure(argocd, '    pools: { worker: { protection: guard } }\n');
    const name = behindGuard();

    const behind = await demo.run(why, name, '--config', config);
    const { registry } = demo.world.openshift;
    const [known] = registry.list(applications);
    const metadata = { name: 'other', namespace: 'openshift-gitops' };
    registry.create(applications, { ...known, metadata }, { manager: 'argocd' });
    const free = await demo.run(why, 'openshift-gitops/other', '--config', config);

    expect(behind.text).toMatch(new RegExp(`^simulated/worker: not paused[\\s\\S]*Guard of ${name}: `));
    expect(free.text).toBe('openshift-gitops/other waits behind no guard.\n');
    await expect(demo.run(why, 'a/b/c')).rejects.toThrow('a/b/c is not the name of a pool');
  });

  test('[N-16] [N-29] where AppProjects cannot be listed, calls no Application free of guards', async () => {
    const config = await configure(argocd, '    pools: { worker: { protection: guard } }\n');
    const name = behindGuard();
    demo.world.openshift.faults.inject({
      fault: { kind: 'status', code: 403, message: 'not yours' },
      matches: ({ plural }) => plural === 'appprojects',
    });

    const behind = await demo.run(why, name, '--config', config);
    const all = await demo.run(why, '--config', config, '--output', 'json');

    expect(behind.text).toMatch(
      new RegExp(
        `^${name} waits behind no guard that was read\\.\nNot known: guards of simulated, AppProjects: hub: [^]*not yours.*\\.\n$`,
      ),
    );
    expect([behind.status, all.status]).toEqual([2, 2]);
    expect(JSON.parse(all.text)).toMatchObject({
      pools: [],
      unread: [expect.stringContaining('guards of simulated, AppProjects: hub: ')],
    });
  });

  test('[N-16] [N-29] names the AppProject whose record is unreadable, and the Application that cannot be read', async () => {
    const config = await configure(argocd, '    pools: { worker: { protection: guard } }\n');
    const name = behindGuard();
    const { registry, faults } = demo.world.openshift;
    const [project] = registry.list(appProjects);
    const isReadOfOne: FaultOrder['matches'] = ({ plural, verb }) => plural === 'applications' && verb === 'get';
    faults.inject({ fault: { kind: 'status', code: 403 }, matches: isReadOfOne });
    const application = await demo.run(why, name, '--config', config);
    faults.clear();
    registry.modify(
      appProjects,
      { name: project?.metadata.name ?? '', namespace: project?.metadata.namespace ?? '' },
      (draft) => {
        draft.metadata.annotations = { [guardsAnnotation]: 'nonsense' };
      },
      { manager: 'somebody' },
    );
    const record = await demo.run(why, name, '--config', config);

    expect(application.text).toContain(`Not known: guards of simulated, Application ${name}: `);
    expect(record.text).toContain(`Not known: guards of simulated, AppProject ${project?.metadata.name}: annotation `);
    expect(record.text).toContain(`${name} waits behind no guard that was read.\n`);
    expect([application.status, record.status]).toEqual([2, 2]);
  });

  test('[N-6] reads no AppProject where no pool has the level', async () => {
    const config = await configure(argocd);
    behindGuard();

    expect((await demo.run(why, 'worker', '--config', config)).text).toBe(
      'simulated/worker: not paused, and no change is pending\n',
    );
  });
});

describe('poolkeeper why --url', () => {
  test('[N-16] [N-6] tells which sync waits behind its guard, with since when', async () => {
    const guard = {
      ...{ about: 'openshift-gitops/nodes', why: 'pool worker was resumed by a person, which is respected' },
      ...{ pools: ['worker'], since: '2026-03-02T07:50:00.000Z' },
    };
    const view = aView({ pools: [aPoolView()], guards: [guard] });
    const clusters = [clusterStatus('prod', { view, configured: true, now: demo.clock.now() })];
    const server = createServer((_request, response) => response.end(JSON.stringify({ clusters }))).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;

    const { text } = await demo.run(why, 'openshift-gitops/nodes', '--url', `http://127.0.0.1:${port}`);
    server.close();

    expect(text).toContain('prod/worker: not paused');
    expect(text).toContain('Guard of openshift-gitops/nodes: pool worker was resumed by a person');
    expect(text).toContain('Since            07:50:00 UTC');
    expect(text).toContain('If it lasts      at 08:00:00 UTC an alert is sent, and the sync waits on');
  });

  test('[N-16] [N-29] calls no pool unpaused that a running Poolkeeper has not read, or leaves out', async () => {
    const now = demo.clock.now();
    const readAt = new Date(now.getTime() - 600_000).toISOString();
    const view = aView({ readAt, blind: { why: 'no route to host', since: readAt, misses: 9 }, pools: [aPoolView()] });
    const lately = aView({ readAt: now.toISOString() });
    const clusters = [
      clusterStatus('prod', { view, configured: true, now }),
      clusterStatus('new', { view: undefined, configured: true, now }),
      { ...clusterStatus('late', { view: lately, configured: true, now }), whole: false, pools: [] },
    ];
    const server = createServer((_request, response) => response.end(JSON.stringify({ clusters }))).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;

    const { status, text } = await demo.run(why, '--url', `http://127.0.0.1:${port}`);
    server.close();

    expect(status).toBe(2);
    expect(text).toBe(
      'No pool that was read is paused.\n' +
        `Not known: prod has not been read since ${readAt}: no route to host.\n` +
        'Not known: new has not been read yet.\n' +
        'Not known: the pools and guards of late are left out: --cluster late asks for them.\n',
    );
  });

  test('[N-16] [N-29] of a pool and an Application that may be in what it has not read, says so', async () => {
    const now = demo.clock.now();
    const clusters = [
      clusterStatus('prod', { view: aView({ readAt: now.toISOString() }), configured: true, now }),
      { ...clusterStatus('late', { view: aView({ readAt: now.toISOString() }), configured: true, now }), whole: false },
    ];
    const url = await serving(clusters.map((each) => ({ ...each, pools: [] })));

    const { status, text } = await demo.run(why, 'worker', 'openshift-gitops/nodes', '--url', url);

    expect(status).toBe(2);
    expect(text).toBe(
      'openshift-gitops/nodes waits behind no guard that was read, if there is such an Application.\n' +
        'Pool worker is not in what was read.\n' +
        'Not known: the pools and guards of late are left out: --cluster late asks for them.\n',
    );
    await expect(demo.run(why, 'worker', '--cluster', 'prod', '--url', url)).rejects.toThrow('knows no pool worker');
  });

  test('[N-29] does not say that there is no pool of which a running Poolkeeper had no room', async () => {
    const now = demo.clock.now();
    const view = aView({ readAt: now.toISOString(), poolsLeftOut: { all: 11, paused: 2, degraded: 0 } });
    const url = await serving([clusterStatus('prod', { view, configured: true, now })]);

    const { status, text } = await demo.run(why, 'p45', '--url', url);

    expect(status).toBe(2);
    expect(text).toBe(
      'Pool p45 is not in what was read.\n' + 'Not known: 11 pools of prod are left out, for which there is no room.\n',
    );
  });

  test('[N-16] [N-29] says which guards a running Poolkeeper knows nothing of', async () => {
    const now = demo.clock.now();
    const guards = [{ about: 'AppProjects', why: 'hub: forbidden' }];
    const view = aView({ readAt: now.toISOString(), pools: [aPoolView()], guards });
    const url = await serving([clusterStatus('prod', { view, configured: true, now })]);

    const { status, text } = await demo.run(why, 'openshift-gitops/nodes', '--url', url);

    expect(status).toBe(2);
    expect(text).toBe(
      'openshift-gitops/nodes waits behind no guard that was read, if there is such an Application.\n' +
        'Not known: guards of prod, AppProjects: hub: forbidden.\n',
    );
    await expect(demo.run(why, 'gpu', '--url', url)).rejects.toThrow('knows no pool gpu');
  });

  test('[N-16] [N-29] does not say that all is well of nodes that go back after a revert', () => {
    expect(noChangeText({ machines: 3, updated: 1 })).toBe(
      'and no change is pending, but only 1 of 3 nodes are updated',
    );
    expect(noChangeText({ machines: 3, updated: 3 })).toBe('and no change is pending');
  });

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
    expect(text).toContain('acts on the cluster of your current context');
  });
});

/** A Poolkeeper with this status, until the end of the test. */
async function serving(clusters: readonly object[]): Promise<string> {
  const server = createServer((_request, response) => response.end(JSON.stringify({ clusters })));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((done) => server.once('listening', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

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
async function configure(more: string, ofCluster = ''): Promise<string> {
  const { url } = demo.world.openshift;
  const file = join(demo.folder, 'poolkeeper.yaml');
  await writeFile(
    file,
    `clusters:\n  - name: simulated\n    api: { server: '${url}', tokenSecret: TOKEN }\n${ofCluster}${more}`,
  );
  return file;
}

import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { aCondition, anImageBuild, anImageConfig } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

const digestOf = (hex: string) => `sha256:${hex.repeat(64)}`;
const imageOf = (hex: string) => `registry.example.com/os@${digestOf(hex)}`;
const [old, next, another] = [imageOf('a'), imageOf('b'), imageOf('c')];

/** A sync has changed the MachineOSConfig of pool worker, whose rendered config stays as it was; its image is being
 *  built. It has succeeded at 10:01. */
async function buildingLab(options: LabOptions = {}): Promise<KeepLab> {
  const lab = keepLab(options);
  const { renderings } = lab.world;
  renderings.putImageConfig(anImageConfig());
  renderings.putImageBuild(anImageBuild());
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB);
  renderings.putImageConfig(anImageConfig({ currentBuild: 'worker-9a8b' }));
  ends(lab, 'under-way', undefined);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(60);
  return lab;
}

function ends(
  lab: KeepLab,
  state: 'under-way' | 'succeeded' | 'failed',
  endedAt = lab.world.clock.now().toISOString(),
) {
  const image = state === 'succeeded' ? next : undefined;
  const build = anImageBuild({ name: 'worker-9a8b', image, state, createdAt: '2026-03-02T10:00:30Z' });
  lab.world.renderings.putImageBuild({ ...build, endedAt: state === 'under-way' ? undefined : endedAt });
}

/** What the MCO says of the pool as soon as the image is built. */
function isNeeded(lab: KeepLab, image = next, currentBuild = 'worker-9a8b'): void {
  lab.world.renderings.putImageConfig(anImageConfig({ currentBuild, image }));
  lab.world.pools.change('worker', 'machine-config-controller', {
    counts: { ...lab.pool().counts, updated: 0 },
    conditions: [
      {
        type: 'Updating',
        status: 'False',
        reason: '',
        message: `Pool is paused; will not update to MachineConfig ${lab.pool().target.name} / Image ${image}`,
        since: lab.world.clock.now().toISOString(),
      },
    ],
  });
}

describe('[N-30] [N-17] a pool of image mode whose image is still being built when its sync has ended', () => {
  test('stays paused until the build has ended, says what it waits for, and then goes', async () => {
    const lab = await buildingLab();
    await lab.pass(20 * 60);
    const [view] = await lab.ports.views.list();
    const during = lab.pool().paused;
    ends(lab, 'succeeded');
    isNeeded(lab);
    await lab.pass(120);

    expect(during).toBe(true);
    expect(JSON.stringify(view)).toContain(
      'it waits for image build worker-9a8b of MachineOSConfig worker, since 2026-03-02T10:00:30Z',
    );
    expect(lab.pool().paused).toBe(false);
  });

  test('waits for its window, if that has closed when the image is built', async () => {
    const windows = [Window.parse({ kind: 'allow', from: '2026-03-02T09:00', to: '2026-03-02T10:20' })];
    const lab = await buildingLab({ windows });
    await lab.pass(30 * 60);
    ends(lab, 'succeeded');
    isNeeded(lab);
    await lab.pass(600);

    expect(lab.pool().paused).toBe(true);
  });

  test.each([
    ['resume', 'resumed'],
    ['drop', 'left'],
  ] as const)(
    '[N-29] is passed by action %s no sooner after the build than a gate may be closed',
    async (action, did) => {
      const windows = [Window.parse({ kind: 'allow', from: '2026-03-02T18:00', to: '2026-03-02T20:00' })];
      const gates = { window: { afterSeconds: 3600, action } };
      const lab = await buildingLab({ windows, policy: { pausedAtMostSeconds: 24 * 3600, gates } });
      await lab.pass(53 * 60);
      ends(lab, 'succeeded');
      isNeeded(lab);

      await lab.pass(50 * 60);
      const early = lab.record()?.last?.did;
      await lab.pass(15 * 60);

      expect([early, lab.record()?.last?.did]).toEqual(['paused', did]);
    },
  );

  test('[N-16] [N-29] is given up by its own gate, also where that of another gate came first and waits for the image', async () => {
    const windows = [Window.parse({ kind: 'allow', from: '2026-03-03T18:00', to: '2026-03-03T20:00' })];
    const drop = (hours: number) => ({ afterSeconds: hours * 3600, action: 'drop' as const });
    const policy = { pausedAtMostSeconds: 24 * 3600, gates: { image: drop(2), window: drop(1) } };
    const lab = await buildingLab({ windows, policy });

    await lab.pass(90 * 60);
    const early = lab.record()?.last?.did;
    await lab.pass(3 * 3600);

    expect([early, lab.record()?.last?.did]).toEqual(['paused', 'left']);
    expect(lab.record()?.last?.why).toContain('gate image stayed closed for too long');
  });

  test('[N-29] is not given up while it is built', async () => {
    const windows = [Window.parse({ kind: 'allow', from: '2026-03-02T18:00', to: '2026-03-02T20:00' })];
    const gates = { window: { afterSeconds: 3600, action: 'drop' as const } };
    const lab = await buildingLab({ windows, policy: { pausedAtMostSeconds: 24 * 3600, gates } });

    await lab.pass(70 * 60);

    expect(lab.record()?.last?.did).toBe('paused');
  });

  test('waits for people, who are asked once it is built', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 });
    const lab = await buildingLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.pass(20 * 60);
    const before = lab.troubles();
    ends(lab, 'succeeded');
    isNeeded(lab);
    await lab.pass(300);

    expect(lab.pool().paused).toBe(true);
    expect([before, lab.troubles()]).toEqual([[], ['approval-needed']]);
  });

  test('resumes after a build that has failed, and the reason warns of the next one', async () => {
    const lab = await buildingLab();
    ends(lab, 'failed');
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.last?.why).toContain('image build worker-9a8b of MachineOSConfig worker has failed');
  });

  test('is told when the build takes longer than a pool may be paused', async () => {
    const lab = await buildingLab();
    await lab.pass(5 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('paused-too-long');
  });
});

/** A pool that people approve, and whose first image of two has been built. */
async function approvedLab(): Promise<KeepLab> {
  const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 });
  const lab = await buildingLab({ pools: { worker: { ...defaultPoolSettings, approve } } });
  ends(lab, 'succeeded');
  isNeeded(lab);
  await lab.pass(60);
  return lab;
}

/** Somebody edits the Containerfile in the MachineOSConfig: another image is built for the same rendered config. */
function buildsAnother(lab: KeepLab, state: 'under-way' | 'succeeded'): void {
  const isBuilt = state === 'succeeded';
  lab.world.renderings.putImageBuild(
    anImageBuild({
      name: 'worker-c0de',
      state,
      image: isBuilt ? another : undefined,
      createdAt: '2026-03-02T10:20:00Z',
      endedAt: isBuilt ? lab.world.clock.now().toISOString() : undefined,
    }),
  );
}

/** A push and its sync, after which the MCO wants another image. */
async function syncsAgain(lab: KeepLab, commit: string, changes: () => void): Promise<void> {
  const [before = ''] = lab.world.argocd.get('nodes').sync.revisions;
  await lab.deliver(lab.pushOf(commit, { before }));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commit);
  await lab.pass(60);
  changes();
  lab.ends('Succeeded');
  await lab.pass(180);
}

function approves(lab: KeepLab, config: string) {
  const of = { cluster: 'prod', pool: 'worker', config, who: 'slack:U0000ALICE', name: '', reason: '' } as const;
  return lab.world.tables.approvals.save({ ...of, verb: 'approve', at: lab.world.clock.now().toISOString() });
}

async function askedFor(lab: KeepLab): Promise<readonly (string | undefined)[]> {
  const incidents = await lab.world.tables.incidents.list();
  return incidents
    .filter(({ key, state }) => key.kind === 'approval-needed' && state === 'firing')
    .map(({ trouble }) => trouble?.asksApproval);
}

describe('[N-30] [N-17] two images of one rendered config', () => {
  test('an approval of the first does not count for the second, which people are asked for once it is built', async () => {
    const lab = await approvedLab();
    const config = lab.pool().target.name;
    const first = await askedFor(lab);
    await lab.pass(20 * 60);
    buildsAnother(lab, 'under-way');
    await approves(lab, `${config}@${digestOf('b')}`);
    await lab.pass(10 * 60);
    const during = await askedFor(lab);
    buildsAnother(lab, 'succeeded');
    isNeeded(lab, another, 'worker-c0de');
    await lab.pass(10 * 60);
    const second = await askedFor(lab);
    const isPaused = lab.pool().paused;
    await approves(lab, `${config}@${digestOf('c')}`);
    await lab.pass(60);

    expect([first, during, second]).toEqual([[`${config}@${digestOf('b')}`], [], [`${config}@${digestOf('c')}`]]);
    expect([isPaused, lab.pool().paused]).toEqual([true, false]);
  });

  test('an approval of the rendered config alone, as former versions stored it, counts for none', async () => {
    const lab = await approvedLab();
    await approves(lab, lab.pool().target.name);
    await lab.pass(10 * 60);

    expect(lab.pool().paused).toBe(true);
  });

  test('what was approved before counts for its own image again, once the MachineOSConfig is reverted', async () => {
    const lab = await approvedLab();
    await approves(lab, `${lab.pool().target.name}@${digestOf('b')}`);
    buildsAnother(lab, 'succeeded');
    isNeeded(lab, another, 'worker-c0de');
    await lab.pass(120);
    const during = lab.pool().paused;
    isNeeded(lab);
    await lab.pass(120);

    expect([during, lab.pool().paused]).toEqual([true, false]);
  });

  test('[S3-14] an approval of the first does not count again once the second has been let go', async () => {
    const lab = await approvedLab();
    const config = lab.pool().target.name;
    await approves(lab, `${config}@${digestOf('b')}`);
    await lab.pass(60);
    const first = lab.record()?.rolledOut;
    await syncsAgain(lab, commitC, () => {
      buildsAnother(lab, 'succeeded');
      isNeeded(lab, another, 'worker-c0de');
    });
    await approves(lab, `${config}@${digestOf('c')}`);
    await lab.pass(60);
    const second = [lab.pool().paused, lab.record()?.rolledOut];

    await syncsAgain(lab, 'd'.repeat(40), () => isNeeded(lab));

    expect(first).toMatchObject({ change: `${config}@${digestOf('b')}` });
    expect(second).toMatchObject([false, { change: `${config}@${digestOf('c')}`, before: first }]);
    expect([lab.pool().paused, await askedFor(lab)]).toEqual([true, [`${config}@${digestOf('b')}`]]);
  });

  test('no question ends, and none is asked, while images cannot be read', async () => {
    const lab = await approvedLab();
    const first = await askedFor(lab);
    const restore = lab.world.faults.failAll(['renderings.images']);
    await approves(lab, `${lab.pool().target.name}@${digestOf('b')}`);
    await lab.pass(30 * 60);
    const during = [lab.pool().paused, await askedFor(lab)];
    restore();
    await lab.pass(60);

    expect(during).toEqual([true, first]);
    expect(lab.pool().paused).toBe(false);
  });
});

describe('[N-30] [N-17] a rendered config whose image cannot be built', () => {
  test('is not asked for, whoever approves the config alone, and is told as paused too long', async () => {
    const lab = await approvedLab();
    const name = 'rendered-worker-bbb';
    const failed = anImageBuild({
      name: 'worker-dead',
      config: name,
      state: 'failed',
      createdAt: '2026-03-02T10:02:00Z',
    });
    lab.world.renderings.putImageBuild({ ...failed, endedAt: '2026-03-02T10:03:00Z' });
    lab.world.renderings.putImageConfig(anImageConfig({ currentBuild: failed.name, image: next }));
    lab.world.pools.change('worker', 'machine-config-controller', { target: { ...lab.pool().target, name } });
    await approves(lab, name);
    await approves(lab, `${name}@${digestOf('b')}`);
    await lab.pass(5 * 3600);

    expect([lab.pool().paused, await askedFor(lab)]).toEqual([true, []]);
    expect(lab.troubles()).toContain('paused-too-long');
  });
});

describe('[N-30] whether an image is being built', () => {
  test('may not be read: the pool resumes, and the reason says so', async () => {
    const lab = await buildingLab();
    lab.world.renderings.readImages = () =>
      Promise.reject(new Transient('GET /machineosbuilds: 403, no', { kind: 'forbidden', isAnswered: true }));
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.last?.why).toContain('run `poolkeeper connect` again');
    expect(lab.record()?.last?.why).toContain('for it (image mode) is not known: Poolkeeper may not list');
  });

  test('cannot be read: the pool stays paused until it can', async () => {
    const lab = await buildingLab();
    ends(lab, 'succeeded', '2026-03-02T10:01:00Z');
    const restore = lab.world.faults.failAll(['renderings.images']);
    await lab.pass(300);
    const during = lab.pool().paused;
    restore();
    await lab.pass(120);

    expect([during, lab.pool().paused]).toEqual([true, false]);
  });
});

const workers = ['worker-1', 'worker-2', 'worker-3'];

function boot(lab: KeepLab, image: string | undefined): void {
  for (const name of workers) lab.world.pools.changeNode(name, { currentImage: image, desiredImage: image });
}

/** The MCO counts these as updated, and does not name the image. Form: MCO pkg/controller/node/status.go, 4.23. */
function saysUpdated(lab: KeepLab, updated: number, message: string): void {
  const since = lab.world.clock.now().toISOString();
  lab.world.pools.change('worker', 'machine-config-controller', {
    counts: { ...lab.pool().counts, updated },
    conditions: [
      aCondition({ type: 'Updated', status: updated === 3 ? 'True' : 'False', since }),
      aCondition({ type: 'Updating', status: 'False', message, since }),
    ],
  });
}

/** Of OpenShift 4.23: the pool does not name its image. */
async function builtLab(options: LabOptions = {}): Promise<KeepLab> {
  const lab = await buildingLab(options);
  boot(lab, old);
  await lab.pass(20 * 60);
  ends(lab, 'succeeded');
  lab.world.renderings.putImageConfig(anImageConfig({ currentBuild: 'worker-9a8b', image: next }));
  saysUpdated(lab, 0, 'Pool is paused; OS image build completed successfully (mosb: worker-9a8b)');
  return lab;
}

/** A sync has deleted the MachineOSConfig, so that the nodes are to boot the image of the release again. */
async function leavingLab(options: LabOptions = {}): Promise<KeepLab> {
  const lab = keepLab(options);
  lab.world.renderings.putImageConfig(anImageConfig({ image: old }));
  lab.world.renderings.putImageBuild(anImageBuild());
  boot(lab, old);
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB);
  lab.world.renderings.removeImageConfig('worker');
  saysUpdated(lab, 0, `Pool is paused; will not update to MachineConfig ${lab.pool().target.name}`);
  await lab.pass(60);
  lab.ends('Succeeded');
  return lab;
}

describe.each([
  ['a new image that the pool does not name', builtLab],
  ['the image of the release, as the MachineOSConfig is deleted', leavingLab],
] as const)('[N-30] [N-17] nodes of image mode that are to boot %s', (_which, labOf) => {
  const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 });

  test('wait for people, who are asked in true words', async () => {
    const lab = await labOf({ pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.pass(300);
    const asked = JSON.stringify(await lab.world.tables.incidents.list());

    expect([lab.pool().paused, lab.troubles()]).toEqual([true, ['approval-needed']]);
    expect(asked).toContain(`takes nodes with another config or image to ${lab.pool().target.name}`);
  });

  test('wait for their window', async () => {
    const windows = [Window.parse({ kind: 'allow', from: '2026-03-02T12:00', to: '2026-03-02T18:00' })];
    const lab = await labOf({ windows });
    await lab.pass(600);
    const before = lab.pool().paused;
    await lab.pass(2 * 3600);

    expect([before, lab.pool().paused]).toEqual([true, false]);
  });

  test('are compared with images that are read once a pass, also for the gate image', async () => {
    const windows = [Window.parse({ kind: 'allow', from: '2026-03-02T12:00', to: '2026-03-02T18:00' })];
    const lab = await labOf({ windows });
    const { pools, renderings } = lab.world;
    const { listPools } = pools;
    const { readImages } = renderings;
    const readInPass: number[] = [];
    pools.listPools = () => {
      readInPass.push(0);
      return listPools();
    };
    renderings.readImages = () => {
      readInPass.push((readInPass.pop() ?? 0) + 1);
      return readImages();
    };
    await lab.pass(2 * 3600);

    expect(lab.pool().paused).toBe(false);
    expect(Math.max(...readInPass)).toBe(1);
  });

  test('are stopped when it closes before all have gone', async () => {
    const windows = [Window.parse({ kind: 'allow', from: '2026-03-02T09:00', to: '2026-03-02T12:00' })];
    const lab = await labOf({ windows });
    await lab.pass(600);
    const during = lab.pool().paused;
    await lab.pass(2 * 3600);

    expect([during, lab.pool().paused]).toEqual([false, true]);
  });

  test('are let through before the pool rests', async () => {
    const lab = await labOf({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } } });
    await lab.pass(600);

    expect(lab.pool().paused).toBe(false);
  });

  test('are told as paused too long, where the pool rests and another gate keeps it', async () => {
    const lab = await labOf({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } } });
    const annotations = { ...lab.pool().annotations, 'poolkeeper.dev/keep-paused': '' };
    lab.world.pools.change('worker', 'ann', { annotations });
    await lab.pass(3600);
    const before = lab.troubles();
    await lab.pass(5 * 3600);

    expect([lab.pool().paused, before, lab.troubles()]).toEqual([true, [], ['paused-too-long']]);
  });

  test('are told as paused too long, also where a sync has held the pool for a while meanwhile', async () => {
    const lab = await labOf({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } } });
    const annotations = { ...lab.pool().annotations, 'poolkeeper.dev/keep-paused': '' };
    lab.world.pools.change('worker', 'ann', { annotations });
    await lab.pass(3 * 3600);
    await lab.deliver(lab.pushOf(commitC));
    lab.syncs(commitC);
    await lab.pass(300);
    lab.ends('Succeeded');
    const before = lab.troubles();
    await lab.pass(3 * 3600);

    expect([lab.pool().paused, before, lab.troubles()]).toEqual([true, [], ['paused-too-long']]);
  });

  test('go by their configs alone where images may not be listed', async () => {
    const lab = await labOf({ pools: { worker: { ...defaultPoolSettings, approve } } });
    lab.world.renderings.readImages = () =>
      Promise.reject(new Transient('GET /machineosconfigs: 403, no', { kind: 'forbidden', isAnswered: true }));
    await lab.pass(300);

    expect([lab.pool().paused, lab.troubles()]).toEqual([false, []]);
  });
});

test.each([
  ['MachineOSBuild', 'worker-1a2b'],
  ['MachineOSConfig', 'worker'],
  ['ControllerConfig', 'machine-config-controller'],
])('[S0-3] a sync of a %s, by which the MCO takes nodes elsewhere, pauses the pool', async (kind, name) => {
  const lab = keepLab();
  const { resources: _, ...application } = lab.syncs(commitB, { results: [] });
  const resource = { group: 'machineconfiguration.openshift.io', kind, namespace: '', name, status: 'OutOfSync' };
  lab.world.argocd.put({ ...application, resources: [resource] });

  await lab.pass(60);

  expect(lab.pool().paused).toBe(true);
});

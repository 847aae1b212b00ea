import { describe, expect, test } from 'vitest';
import type { Application, OperationResult } from '../../../functions/core/argocd/application.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { addManualHold, resumeManually, whyNotResumed } from '../../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { waitsOf } from '../../../functions/core/timeline/waits-of.ts';
import { anApplication, anOperation, aPool } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const argocd = 'argocd-controller';
/** What Argo CD's mark and its manifest say of the pool once its sync has applied it, as it had before. */
const before = { manager: argocd, at: '2026-03-02T09:00:00Z' };
const applied: Partial<Pool> = { deployedBy: { name: 'nodes' }, appliedPausedBy: before };
const rendered = { target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] } };

const poolResult: OperationResult = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfigPool',
  namespace: '',
  name: 'worker',
  status: 'Synced',
  message: '',
  hookType: '',
};
const results = [...anOperation().results, poolResult];

/** A sync for which Poolkeeper has paused the pool, and which has applied the pool, too. */
async function syncWithPool({
  application = { isAtHome: true },
  result = {},
  pool = applied,
  namespaces,
}: {
  readonly application?: Partial<Application>;
  readonly result?: Partial<OperationResult>;
  readonly pool?: Partial<Pool>;
  readonly namespaces?: string[];
} = {}): Promise<KeepLab> {
  const lab = keepLab({
    policy: { pausedAtMostSeconds: 3600 },
    argocd: namespaces === undefined ? {} : { namespaces },
  });
  const { pools } = lab.world;
  lab.world.argocd.change('nodes', application);
  await lab.deliver(lab.pushOf(commitB));
  pools.observe('worker');
  lab.syncs(commitB);
  await lab.pass(60);
  pools.change('worker', argocd, pool);
  lab.ends('Succeeded', { results: [...anOperation().results, { ...poolResult, ...result }] });
  pools.change('worker', 'machine-config-controller', rendered);
  await lab.pass(900);
  return lab;
}

const viewOf = async (lab: KeepLab) => (await lab.ports.views.list())[0]?.pools[0];

test('[S0-14] [N-30] a pool that Git pauses while we hold it stays paused after its syncs, as a pause of Argo CD', async () => {
  const lab = await syncWithPool();

  const view = await viewOf(lab);
  expect(lab.pool().paused).toBe(true);
  expect(view).toMatchObject({ pauseOf: 'foreign', pausedBy: argocd, holds: [], closedGates: [] });
  expect(view && waitsOf(view)).toMatchObject({
    now: [
      {
        why: 'Poolkeeper paused it, and Git pauses it, too, by spec.paused: true (Application nodes): Poolkeeper does not undo that',
        opens: 'a sync after somebody has removed spec.paused: true from the pool in Git (Application nodes)',
      },
    ],
  });
  expect(lab.told().filter((type) => type.startsWith('pool.'))).toContain('pool.foreign');
  expect(lab.troubles()).toEqual([]);
});

test('[S0-14] [S0-16] such a pool is told where a change waits behind it for too long, and by whom it is paused', async () => {
  const lab = await syncWithPool();

  await lab.pass(2 * 3600);

  const [incident] = lab.world.tables.incidents.all();
  expect(lab.troubles()).toEqual(['paused-too-long']);
  expect(incident?.trouble?.headline).toBe('change pending behind a pause by argocd-controller');
  const [found] = incident?.trouble?.findings ?? [];
  expect(found?.sentence).toContain(
    ' by Poolkeeper, and by spec.paused: true in Git (Application nodes); rendered-worker-bbb waits behind it.',
  );
  expect(found?.evidence).toContainEqual(
    expect.objectContaining({ path: 'metadata.managedFields[f:paused].manager', value: 'poolkeeper' }),
  );
  expect(found?.remedies).toMatchObject([
    {
      title:
        'Remove spec.paused: true from the pool in Git (Application nodes), and sync that: the pool then resumes, everything that waits goes out and nodes reboot',
      who: 'application owner',
    },
    { title: expect.stringMatching(/^Only after that/), command: expect.stringContaining('oc patch') },
  ]);
});

test('[S0-14] whoever resumes such a pool by hand is told to begin in Git, and whoever holds it why it stays paused', async () => {
  const lab = await syncWithPool();
  const [pool] = (await lab.world.pools.listPools()).items;
  const asked = { who: 'ann', why: 'now', now: lab.world.clock.now() };

  const resumed = resumeManually(pool ?? aPool(), asked);
  const held = addManualHold(pool ?? aPool(), lab.world.clock.now(), asked);

  expect(resumed).toMatchObject({
    paused: undefined,
    said: 'stays paused: Git pauses it, too; first remove spec.paused: true from the pool in Git (Application nodes), and sync that',
  });
  expect(held.record && whyNotResumed(held.record)).toBe('Git pauses it, too');
});

test('[S0-14] such a pool goes on once Argo CD resumes it, and nothing is told as missed', async () => {
  const lab = await syncWithPool();

  lab.world.pools.change('worker', argocd, { paused: false, appliedPausedBy: undefined });
  await lab.pass(120);

  expect(lab.pool().paused).toBe(false);
  expect(lab.record()?.pausedInGit).toBeUndefined();
  expect(lab.troubles()).toEqual([]);
});

test('[S0-14] a sync that takes the pause out of Git is protected to its end', async () => {
  const lab = await syncWithPool();
  const { pools } = lab.world;
  await lab.deliver(lab.pushOf(commitC));
  lab.syncs(commitC);
  await lab.pass(60);
  pools.change('worker', argocd, { paused: false, appliedPausedBy: undefined });
  await lab.pass(60);
  const during = [lab.pool().paused, lab.record()?.pause];
  lab.ends('Succeeded', { results });
  await lab.pass(120);

  expect(during).toEqual([true, 'ours']);
  expect(lab.pool().paused).toBe(false);
  expect(lab.troubles()).toEqual([]);
});

test('[S0-14] [N-30] a person who resumes such a pool during the sync wins, and is told', async () => {
  const lab = keepLab();
  const { pools } = lab.world;
  lab.world.argocd.change('nodes', { isAtHome: true });
  await lab.deliver(lab.pushOf(commitB));
  pools.observe('worker');
  lab.syncs(commitB, { results });
  await lab.pass(60);
  pools.change('worker', argocd, applied);
  await lab.pass(60);
  const before = lab.record()?.pause;

  pools.change('worker', 'kubectl-patch', { paused: false });
  await lab.pass(180);

  expect([before, lab.pool().paused, lab.record()?.pause]).toEqual(['foreign', false, 'overridden']);
  expect(lab.told().filter((type) => type === 'pool.paused')).toHaveLength(1);
  expect(lab.told()).toContain('pool.overridden');
});

test('[S0-14] a pause that server-side apply no longer wants stays with Poolkeeper, which resumes the pool', async () => {
  const lab = await syncWithPool();

  // Argo CD is no longer an owner of the field; Poolkeeper, which has set it, still is.
  lab.world.pools.change('worker', argocd, { appliedPausedBy: undefined });
  await lab.pass(120);

  expect(lab.pool().paused).toBe(false);
  expect(lab.troubles()).toEqual([]);
});

/** What Argo CD leaves on such a pool, by server-side apply, also where it applies the pause that it finds. */
const owned: Partial<Pool> = { ...applied, appliedPausedBy: { ...before, ownsField: true } };
const listed = { isAtHome: true, resources: [...anApplication().resources, poolResult] };

/** Its Application has a rule for the pauses of pools. */
const leaving: Partial<Application> = { respectsIgnoreDifferences: 'always', leavesPauseOf: [''] };

test('[S0-14] such a pool resumes after a sync with which its Application begins to respect the pause that it finds', async () => {
  const lab = await syncWithPool({ application: listed, pool: owned });
  const { argocd: applications, pools } = lab.world;
  const during = lab.pool().paused;

  applications.change('nodes', leaving);
  await lab.deliver(lab.pushOf(commitC, { before: commitB }));
  lab.syncs(commitC);
  await lab.pass(60);
  pools.change('worker', argocd, owned);
  lab.ends('Succeeded', { results });
  await lab.pass(600);

  expect([during, lab.pool().paused]).toEqual([true, false]);
  expect(lab.record()?.pausedInGit).toBeUndefined();
  expect(lab.troubles()).toEqual([]);
});

test('[S0-14] and where nothing is pushed, as soon as all Applications are looked at', async () => {
  const lab = await syncWithPool({ application: listed, pool: owned });

  lab.world.argocd.change('nodes', leaving);
  await lab.pass(defaultPolicy.sweepEverySeconds + 120);

  expect(lab.pool().paused).toBe(false);
});

test.each<[string, Partial<Application>]>([
  ['one sync alone respected the pause that it found', { respectsIgnoreDifferences: 'lately' }],
  ['its Application respects other differences, and none of its pause', { respectsIgnoreDifferences: 'always' }],
  ['or those of another pool', { ...leaving, leavesPauseOf: ['infra'] }],
])('[S0-14] [N-30] and it stays paused where %s', async (_, change) => {
  const lab = await syncWithPool({ application: listed, pool: owned });

  lab.world.argocd.change('nodes', change);
  await lab.pass(defaultPolicy.sweepEverySeconds + 120);

  expect(lab.pool().paused).toBe(true);
  expect(lab.record()?.pausedInGit).toBeDefined();
});

test('[S0-14] [N-30] or where Argo CD itself has paused it since, or a namesake of others respects pauses', async () => {
  const lab = await syncWithPool({ application: listed, pool: owned });

  lab.world.argocd.change('nodes', { isAtHome: false, ...leaving });
  await lab.pass(defaultPolicy.sweepEverySeconds + 120);
  const namesake = lab.pool().paused;
  lab.world.argocd.change('nodes', { isAtHome: true });
  lab.world.pools.change('worker', argocd, { paused: false });
  lab.world.pools.change('worker', argocd, { paused: true });
  await lab.pass(defaultPolicy.sweepEverySeconds + 120);

  expect([namesake, lab.pool().paused]).toEqual([true, true]);
});

describe('beside another Argo CD with an Application of that name', () => {
  const elsewhere = { namespace: 'team-gitops', uid: 'team', isAtHome: true, automated: false };

  async function pausedByNodes(): Promise<KeepLab> {
    const lab = await syncWithPool({
      application: listed,
      pool: owned,
      namespaces: ['openshift-gitops', 'team-gitops'],
    });
    expect(lab.record()?.pausedInGit).toBeDefined();
    return lab;
  }

  test('[S0-14] [N-30] its pool stays paused where that one, which a pass reads alone, respects pauses', async () => {
    const lab = await pausedByNodes();
    const { argocd: applications, clock } = lab.world;
    const startedAt = `${clock.now().toISOString().slice(0, 19)}Z`;
    const operation = anOperation({ phase: 'Running', startedAt, finishedAt: undefined, results: [] });
    const resources = [...anApplication().resources, poolResult];
    applications.putNamesake(anApplication({ ...elsewhere, ...leaving, resources, operationQueued: true, operation }));
    const event = lab.operationOf('Running');
    await lab.deliver({ ...event, data: { ...event.data, namespace: elsewhere.namespace } });

    expect(lab.record()?.pausedInGit).toBeDefined();
  });

  test('[S0-14] [N-29] its pool resumes once that which has applied the pause respects it, whatever the other does', async () => {
    const lab = await pausedByNodes();
    const resources = [...anApplication().resources, poolResult];
    lab.world.argocd.putNamesake(anApplication({ ...elsewhere, resources }));

    lab.world.argocd.change('nodes', leaving);
    await lab.pass(defaultPolicy.sweepEverySeconds + 300);

    expect([lab.pool().paused, lab.record()?.pausedInGit]).toEqual([false, undefined]);
  });
});

test('[S0-14] a push to such a pool holds it, and leaves it paused', async () => {
  const lab = await syncWithPool();
  await lab.deliver(lab.pushOf(commitC));
  lab.syncs(commitC);
  await lab.pass(60);
  const holds = lab.record()?.holds.length;
  lab.ends('Succeeded', { results });
  await lab.pass(600);

  expect(holds).toBe(1);
  expect(lab.pool().paused).toBe(true);
  expect((await viewOf(lab))?.pausedBy).toBe(argocd);
});

test.each<[string, Parameters<typeof syncWithPool>[0]]>([
  [
    'whose Application writes the pause that it finds',
    { application: { isAtHome: true, respectsIgnoreDifferences: 'always' } },
  ],
  ['of a namesake in a namespace of others', { application: { isAtHome: false } }],
  ['of another Application than that of the pool', { pool: { ...applied, deployedBy: { name: 'others' } } }],
  ['of another of the namesakes', { pool: { ...applied, deployedBy: { namespace: 'team', name: 'nodes' } } }],
  ['of a pool that bears no mark', { pool: { appliedPausedBy: before } }],
  ['of a manifest that says nothing of it', { pool: { deployedBy: { name: 'nodes' } } }],
  ['that failed at the pool', { result: { status: 'SyncFailed' } }],
  ['of another pool', { result: { name: 'infra' } }],
  ['of another kind of that name', { result: { kind: 'KubeletConfig' } }],
  ['of a namesake in another group', { result: { group: 'example.com' } }],
])('[S0-14] [N-30] a pool resumes after a sync %s', async (_, scene) => {
  const lab = await syncWithPool(scene);

  expect(lab.pool().paused).toBe(false);
});

/** Self-heal has synced what Argo CD had not compared yet, and only that, right after the sync.
 *  @param written as Argo CD's entry in `managedFields` says: before the pause, or by server-side apply, where its
 *  entry keeps its time and it owns the field */
async function healedAfterSync(
  { resources = [...anApplication().resources, poolResult], ...application }: Partial<Application>,
  written?: 'before' | 'server-side',
): Promise<KeepLab> {
  const lab = keepLab();
  const { pools } = lab.world;
  lab.world.argocd.change('nodes', { ...application, resources });
  await lab.deliver(lab.pushOf(commitB));
  pools.observe('worker');
  lab.syncs(commitB);
  await lab.pass(60);
  const since = { manager: argocd, at: lab.world.clock.now().toISOString() };
  const ways = { before, 'server-side': { ...before, ownsField: true } };
  pools.change('worker', argocd, { ...applied, appliedPausedBy: written === undefined ? since : ways[written] });
  lab.ends('Succeeded', { partial: true });
  await lab.pass(600);
  return lab;
}

test.each([
  ['and Argo CD wrote since', undefined],
  ['and Argo CD owns the field by server-side apply', 'server-side' as const],
])(
  '[S0-14] a pool that Git pauses while we hold it stays paused where self-heal leaves no result of it, %s',
  async (_, written) => {
    const lab = await healedAfterSync({ isAtHome: true }, written);

    expect(lab.pool().paused).toBe(true);
    expect(lab.told()).toContain('pool.foreign');
  },
);

test.each<[string, Partial<Application>, ('before' | 'server-side')?]>([
  ['Argo CD wrote last before we paused it', { isAtHome: true }, 'before'],
  [
    'its Application owns, by server-side apply, the pause that it finds',
    { isAtHome: true, respectsIgnoreDifferences: 'always' },
    'server-side',
  ],
  ['a namesake of its Application has synced by server-side apply', { isAtHome: false }, 'server-side'],
  ['its Application writes the pause that it finds', { isAtHome: true, respectsIgnoreDifferences: 'always' }],
  ['a namesake of its Application has synced', { isAtHome: false }],
  ['a namesake at home in another Argo CD has synced, which has no pool', { isAtHome: true, resources: [] }],
  [
    'a namesake at home in another Argo CD has synced, which has no pool, and its own one by server-side apply',
    { isAtHome: true, resources: [] },
    'server-side',
  ],
])('[S0-14] [N-30] and it resumes where %s', async (_, application, written) => {
  const lab = await healedAfterSync(application, written);

  expect(lab.pool().paused).toBe(false);
});

test('[S0-14] a pool resumes that Git has paused before, and that people have resumed since', async () => {
  const lab = keepLab();
  lab.world.argocd.put(
    anApplication({
      name: 'pools',
      uid: 'pools',
      isAtHome: true,
      operation: anOperation({ startedAt: '2026-03-02T08:59:00Z', finishedAt: '2026-03-02T09:00:00Z', results }),
    }),
  );
  lab.world.pools.change('worker', 'kubectl-patch', { ...applied, deployedBy: { name: 'pools' } });
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(400);
  const during = lab.pool().paused;
  lab.ends('Succeeded');
  await lab.pass(400);

  expect([during, lab.pool().paused]).toEqual([true, false]);
});

/** The pool after a sync of `nodes`, which applies it by server-side apply, beside a namesake in a second Argo CD of
 *  which the same push is. */
async function besideNamesake(nodes: Partial<Application>, namesake: Partial<Application>): Promise<KeepLab> {
  const lab = keepLab({ argocd: { namespaces: ['openshift-gitops', 'team-gitops'] } });
  const { argocd: applications, pools } = lab.world;
  const resources = [...anApplication().resources, poolResult];
  const isAtHome = true;
  applications.change('nodes', { isAtHome, resources, ...nodes });
  applications.putNamesake(
    anApplication({ namespace: 'team-gitops', uid: 'team', isAtHome, operation: undefined, resources, ...namesake }),
  );
  await lab.tick();
  await lab.deliver(lab.pushOf(commitB));
  pools.observe('worker');
  lab.syncs(commitB);
  await lab.pass(60);
  pools.change('worker', argocd, { ...applied, appliedPausedBy: { ...before, ownsField: true } });
  lab.ends('Succeeded', { results });
  await lab.pass(1800);
  return lab;
}

const inGitAlone = { resources: [...anApplication().resources, { ...poolResult, status: 'OutOfSync' }] };

test.each<[string, Partial<Application>, Partial<Application>]>([
  [
    'which its own Application finds, and a namesake only has in Git',
    { respectsIgnoreDifferences: 'always' },
    inGitAlone,
  ],
  ['which one of two namesakes that have it finds', {}, { respectsIgnoreDifferences: 'always' }],
])('[S0-14] [N-30] a pool resumes after a pause %s', async (_, nodes, namesake) => {
  const lab = await besideNamesake(nodes, namesake);

  expect(lab.pool().paused).toBe(false);
  expect(lab.told()).not.toContain('pool.foreign');
});

test('[S0-14] [N-30] a pool that Git pauses while we hold it stays paused beside a namesake that only has it in Git', async () => {
  const lab = await besideNamesake({}, { ...inGitAlone, respectsIgnoreDifferences: 'always' });

  expect(lab.pool().paused).toBe(true);
  expect(lab.told()).toContain('pool.foreign');
});

import { describe, expect, test } from 'vitest';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import type { Application, Operation } from '../../../functions/core/argocd/application.ts';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { Approval } from '../../../functions/core/gates/approvals.ts';
import { freezeManually, thawManually } from '../../../functions/core/holds/manual-freeze.ts';
import type { ManualChange } from '../../../functions/core/holds/manual-hold.ts';
import { anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, type LabOptions, nodesHold } from './keep-lab.ts';

const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
const [alice, bob, carol] = ['slack:U0000ALICE', 'slack:U00000BOB', 'slack:U0000CAROL'] as const;

function labWith(approve: object, options: LabOptions = {}): KeepLab {
  const settings = { ...defaultPoolSettings, approve: Approve.parse({ by: [alice, bob], needed: 2, ...approve }) };
  return keepLab({ ...options, pools: { worker: settings } });
}

/** A push, its sync, and the render of what it brought: all that is left is to resume. */
async function syncAndRender(lab: KeepLab, ended: 'Succeeded' | 'Failed' = 'Succeeded'): Promise<void> {
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB);
  lab.world.pools.change('worker', 'machine-config-controller', { target: next });
  lab.ends(ended);
  await lab.pass(120);
}

function approves(lab: KeepLab, who: string, change: Partial<Approval> = {}) {
  return lab.world.tables.approvals.save({
    cluster: 'prod',
    pool: 'worker',
    config: next.name,
    who,
    name: '',
    verb: 'approve',
    at: lab.world.clock.now().toISOString(),
    reason: '',
    ...change,
  });
}

/** A selective sync of what is no MachineConfig, while that is out of sync. */
async function syncOfOther(lab: KeepLab): Promise<void> {
  const configMap = { group: '', kind: 'ConfigMap', namespace: 'web', name: 'web' };
  lab.syncs(commitB, { partial: true, asked: [configMap], startedBy: 'admin' });
  await lab.deliver(lab.operationOf('Running'));
  lab.ends('Succeeded', { results: [{ ...configMap, status: 'Synced', message: 'configured', hookType: '' }] });
  lab.world.argocd.change('nodes', {
    sync: { status: 'OutOfSync', revisions: [commitB] },
    reconciledAt: lab.world.clock.now().toISOString(),
    resources: anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' })),
  });
}

/** Destinations of the Argo CD instance: cluster `dev`, by its name. */
const toDev = [{ name: 'dev', cluster: 'dev' }];

/** Argo CD heals its Application, for so long. */
async function syncsAgain(lab: KeepLab, seconds: number): Promise<void> {
  lab.world.argocd.change('nodes', {
    sync: { status: 'OutOfSync', revisions: [commitB] },
    reconciledAt: lab.world.clock.now().toISOString(),
    resources: anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' })),
  });
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.pools.observe('worker');
  await lab.pass(seconds);
}

async function endsAgain(lab: KeepLab): Promise<void> {
  lab.ends('Succeeded', { results: anOperation().results });
  lab.world.argocd.change('nodes', {
    reconciledAt: lab.world.clock.now().toISOString(),
    resources: anApplication().resources,
  });
  await lab.deliver(lab.operationOf('Succeeded'));
}

function question(lab: KeepLab): Incident {
  const found = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'approval-needed');
  if (found === undefined) throw new Error('nobody was asked');
  return found;
}

function readsOf(lab: KeepLab): number {
  return lab.world.faults.calls.filter(({ op }) => op === 'approvals.list').length;
}

describe('a pool whose changes people approve', () => {
  test('[N-17] stays paused until enough of them have approved, and the timeline says who', async () => {
    const lab = labWith({});

    await syncAndRender(lab);
    const closed = (await lab.world.tables.views.list())[0]?.pools[0]?.closedGates;
    await approves(lab, alice);
    await lab.pass(60);
    const afterOne = lab.pool().paused;
    await approves(lab, bob);
    await lab.pass(60);

    expect(closed?.[0]).toMatchObject({
      gate: 'approval',
      why: `${next.name} needs 2 approvals: nobody has approved`,
    });
    expect(afterOne).toBe(true);
    expect(lab.pool().paused).toBe(false);
    const texts = lab.world.tables.timeline.all().map(({ text }) => text);
    expect(texts).toContainEqual(
      expect.stringMatching(/^resumed: .*; approved by slack:U0000ALICE and slack:U00000BOB$/),
    );
  });

  test.each([20, 300])(
    '[N-17] [N-30] waits for the render, and is asked, where the clock of Argo CD, or whoever writes the Application, says that its sync ended %d s ago',
    async (seconds) => {
      const lab = labWith({});
      const ago = () => `${new Date(lab.world.clock.now().getTime() - seconds * 1_000).toISOString().slice(0, 19)}Z`;
      await lab.deliver(lab.pushOf(commitB));
      lab.world.pools.observe('worker');
      await lab.pass(4);
      lab.syncs(commitB, { startedAt: ago() });
      await lab.deliver(lab.operationOf('Running'));
      lab.ends('Succeeded', { finishedAt: ago() });
      await lab.deliver(lab.operationOf('Succeeded'));
      const atTheEnd = lab.pool().paused;
      await lab.pass(5);
      lab.world.pools.change('worker', 'machine-config-controller', { target: next });
      await lab.pass(90);

      expect(atTheEnd).toBe(true);
      expect(lab.told()).not.toContain('pool.resumed');
    },
  );

  test('[N-17] what is rendered afterwards must be approved again', async () => {
    const lab = labWith({});
    await syncAndRender(lab);
    await approves(lab, alice);
    await lab.pass(60);

    lab.world.pools.change('worker', 'machine-config-controller', { target: { ...next, name: 'rendered-worker-ccc' } });
    await approves(lab, bob);
    await lab.pass(180);

    expect(lab.pool().paused).toBe(true);
  });

  test('[N-17] is asked while its window is closed, and resumes with it', async () => {
    const lab = labWith(
      {},
      { windows: [Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 3600 })] },
    );
    await syncAndRender(lab);
    await approves(lab, alice);
    await approves(lab, bob);
    await lab.pass(60);
    const gates = (await lab.world.tables.views.list())[0]?.pools[0]?.closedGates.map(({ gate }) => gate);
    const before = lab.pool().paused;

    await lab.pass(2 * 3600);

    expect([gates?.includes('window'), gates?.includes('approval'), before]).toEqual([true, false, true]);
    expect(lab.pool().paused).toBe(false);
  });

  test('[N-17] stays paused while the approvals cannot be read, and when they are lost', async () => {
    const lab = labWith({ needed: 1 });
    const down = lab.world.faults.failAll(['approvals.list']);
    await syncAndRender(lab);
    await approves(lab, alice);
    await lab.pass(60);
    const unread = lab.pool().paused;
    down();
    lab.world.tables.wipe();

    await lab.pass(60);

    expect([unread, lab.pool().paused]).toEqual([true, true]);
  });

  test('[N-17] who pushed the change does not count; who pushed is not known of a sync by hand', async () => {
    const people = [`${alice} github:dev`, `${bob} github:bob`, `${carol} github:carol`];
    const pushed = labWith({ by: people, needed: 1, excludePusher: true });
    await syncAndRender(pushed);
    await approves(pushed, alice);
    await pushed.pass(60);
    const byPusher = pushed.pool().paused;
    await approves(pushed, bob);
    await pushed.pass(60);
    const byHand = labWith({ by: people, needed: 1, excludePusher: true });
    byHand.syncs(commitC);
    await byHand.deliver(byHand.operationOf('Running'));
    byHand.world.pools.change('worker', 'machine-config-controller', { target: next });
    byHand.ends('Succeeded');
    await byHand.pass(120);
    await approves(byHand, bob);
    await byHand.pass(60);
    const byOne = byHand.pool().paused;
    await approves(byHand, carol);
    await byHand.pass(60);

    expect([byPusher, pushed.pool().paused]).toEqual([true, false]);
    expect([byOne, byHand.pool().paused]).toEqual([true, false]);
  });

  test('[N-34] who pushed what failed is noted with the incident, by the id of the configuration', async () => {
    const lab = labWith({ by: [`${alice} github:dev`, bob], needed: 1 });

    await syncAndRender(lab, 'Failed');
    await lab.pass(5 * 60);

    const stored = await lab.world.tables.incidents.loadOne({ cluster: 'prod', pool: 'worker', kind: 'run-failed' });
    expect(stored?.trouble?.mentions).toEqual(['U0000ALICE']);
    expect(lab.record()?.holds[0]?.pushers).toEqual(['dev']);
  });

  test('[N-17] [N-7] a push does not hide that somebody else has changed a resting pool before', async () => {
    const people = [`${alice} github:alice`, `${bob} github:bob`, `${carol} github:carol`];
    const approve = Approve.parse({ by: people, needed: 1, excludePusher: true });
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest', approve } } });
    await lab.pass(120);
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { ...next, name: 'rendered-worker-aaa2' },
    });
    await lab.pass(120);
    await syncAndRender(lab);

    await approves(lab, alice);
    await lab.pass(60);
    const byOne = lab.pool().paused;
    await approves(lab, bob);
    await lab.pass(60);

    expect([byOne, lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-17] [N-21] nor one that somebody else has changed while it was frozen', async () => {
    const people = [`${alice} github:alice`, `${bob} github:bob`, `${carol} github:carol`];
    const lab = labWith({ by: people, needed: 1, excludePusher: true });
    const ann = { who: 'ann', why: 'a sale', now: lab.world.clock.now() };
    const until = new Date(ann.now.getTime() + 20 * 60_000);
    const { paused = false, record } = freezeManually(lab.pool(), { scope: 'pool', until }, ann);
    if (record) lab.world.pools.change('worker', 'poolkeeper', { paused, record: { kind: 'record', record } });
    await lab.pass(60);
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { ...next, name: 'rendered-worker-aaa2' },
    });
    await lab.pass(120);
    await syncAndRender(lab);
    await lab.pass(20 * 60);

    await approves(lab, alice);
    await lab.pass(60);
    const byOne = lab.pool().paused;
    await approves(lab, bob);
    await lab.pass(60);

    expect([byOne, lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-17] people are asked: what changes, which nodes, for how long, who asked, and what if nobody answers', async () => {
    const lab = labWith({});
    await syncAndRender(lab);
    const [first] = lab.world.tables.incidents.all();
    await approves(lab, alice, { name: 'alice' });
    await lab.pass(60);
    const [second] = lab.world.tables.incidents.all();
    await approves(lab, bob);
    await lab.pass(600);

    expect(first?.trouble).toMatchObject({
      key: { cluster: 'prod', pool: 'worker', kind: 'approval-needed' },
      severity: 'info',
      asksApproval: next.name,
      headline: expect.stringMatching(/^needs 2 approvals to roll out rendered-worker-bbb/),
      findings: [
        {
          code: 'A10',
          sentence: expect.stringContaining(
            'If nobody answers, it stays paused, and an alert is sent at 2026-03-02T14:',
          ),
        },
      ],
    });
    const facts = Object.fromEntries((first?.trouble?.facts ?? []).map(({ label, value }) => [label, value]));
    expect(facts).toMatchObject({
      Nodes: '3, about 45 min: 3 nodes, one at a time, 15 min each',
      'Asked by': expect.stringMatching(/\S/),
      Approvals: '0 of 2; slack:U0000ALICE and slack:U00000BOB may',
    });
    expect(second?.trouble?.headline).toMatch(/^needs 1 more approval to roll out/);
    expect(second?.notes.map(({ kind }) => kind)).toEqual(['opened', 'changed']);
    expect(lab.world.tables.incidents.all()).toMatchObject([
      { state: 'ok', endedBy: `${next.name} was approved by ${alice} (alice) and ${bob}.` },
    ]);
  });

  test('[N-17] the question stays while the approvals cannot be read', async () => {
    const lab = labWith({});
    await syncAndRender(lab);
    const up = lab.world.faults.failAll(['approvals.list']);
    await lab.pass(1200);
    const during = lab.troubles();
    up();
    await approves(lab, alice);
    await approves(lab, bob);
    await lab.pass(480);

    expect([during, lab.troubles()]).toEqual([['approval-needed'], []]);
  });

  test('[N-17] [N-30] nobody is said to be done with it while a sync holds the pool, and it is asked as before after it', async () => {
    const lab = labWith({});
    await syncAndRender(lab);
    const asked = question(lab);
    await syncsAgain(lab, 3600);
    const during = question(lab);
    await endsAgain(lab);
    await lab.pass(120);

    expect(during).toMatchObject({
      state: 'firing',
      number: asked.number,
      staleWhy: 'not asked before the end of the sync of openshift-gitops/nodes',
    });
    expect(question(lab)).toMatchObject({ state: 'firing', number: asked.number, staleWhy: undefined });
    expect(question(lab).notes).toEqual(asked.notes);
  });

  test('[N-17] [N-21] [N-30] somebody who holds the pool ends the question, in these words', async () => {
    const lab = labWith({});
    await syncAndRender(lab);
    const until = new Date('2026-03-02T18:00:00Z');
    const ann = { who: 'ann', why: 'a sale', now: lab.world.clock.now() };
    const { record } = freezeManually(lab.pool(), { scope: 'pool', until }, ann);
    if (record) lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record } });
    await lab.pass(600);

    expect(question(lab)).toMatchObject({ state: 'ok', endedBy: 'It is not asked for during the hold of ann.' });
  });

  test('[N-17] [N-30] another change in place of the one asked for is told everybody, whatever syncs come between', async () => {
    const lab = labWith({});
    await syncAndRender(lab);
    for (let round = 0; round < 5; round += 1) {
      await syncsAgain(lab, 60);
      await endsAgain(lab);
      await lab.pass(120);
    }
    lab.world.pools.change('worker', 'machine-config-controller', { target: { ...next, name: 'rendered-worker-ccc' } });
    await lab.pass(120);

    expect(question(lab).notes.map(({ kind }) => kind)).toEqual(['opened', 'escalated']);
    expect(question(lab).notes.at(-1)?.text).toMatch(/^Now: needs 2 approvals to roll out rendered-worker-ccc/);
  });

  test('[N-17] costs no read where nothing waits, and none where nobody has to approve', async () => {
    const [quiet, other] = [labWith({}), keepLab()];

    await quiet.pass(600);
    await syncAndRender(other);

    expect([readsOf(quiet), readsOf(other)]).toEqual([0, 0]);
    expect(other.pool().paused).toBe(false);
  });
});

describe('a failed sync with onSyncFailure: resume-after-approval', () => {
  const policy = { onSyncFailure: 'resume-after-approval', failedAtMostSeconds: 600 } as const;

  test('[S0-9] holds its pool until failedAtMost, and then until somebody approves', async () => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    await syncAndRender(lab, 'Failed');
    const held = lab.record()?.holds.map(({ phase }) => phase);

    await lab.pass(900);
    const asked = (await lab.world.tables.views.list())[0]?.pools[0]?.closedGates;
    await approves(lab, alice);
    await lab.pass(60);

    expect(held).toEqual(['failed']);
    expect(asked?.[0]).toMatchObject({
      gate: 'approval',
      why: `the sync of openshift-gitops/nodes failed or was cut off, ${next.name} needs 1 approval: nobody has approved`,
    });
    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-9] asks nobody once the Application has synced after all', async () => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    await syncAndRender(lab, 'Failed');
    await lab.pass(900);

    lab.syncs(commitC);
    await lab.deliver(lab.operationOf('Running'));
    const again = lab.record()?.holds.length;
    lab.ends('Succeeded');
    await lab.pass(120);

    expect(again).toBe(1);
    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    ['a push that no sync follows', (lab: KeepLab) => lab.deliver(lab.pushOf(commitC))],
    [
      'a push, and then no Application',
      async (lab: KeepLab) => {
        await lab.deliver(lab.pushOf(commitC));
        await lab.pass(60);
        lab.world.argocd.remove('nodes');
      },
    ],
    ['a freeze that is thawed', freezeAndThaw],
    ['a sync of a part that had not failed', syncOfOther],
  ])('[S0-9] [N-17] %s does not take the place of the approval', async (_, happens) => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    await syncAndRender(lab, 'Failed');
    await lab.pass(900);

    await happens(lab);
    await lab.pass(3000);
    const before = lab.pool().paused;
    await approves(lab, alice);
    await lab.pass(60);

    expect([before, lab.pool().paused]).toEqual([true, false]);
  });

  test('[S0-9] [N-29] syncs of parts, however often, do not keep a pool that was approved', async () => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    await syncAndRender(lab, 'Failed');
    await lab.pass(900);
    await syncOfOther(lab);
    await lab.pass(300);
    const asked = [lab.pool().paused, lab.record()?.holds, lab.troubles()];

    await approves(lab, alice);
    await syncOfOther(lab);
    await lab.pass(300);

    expect([...asked, lab.pool().paused]).toEqual([true, [], ['approval-needed'], false]);
  });

  test('[S0-9] [N-17] whoever points the Application away in mid-sync, and back before it ends, has not approved', async () => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy, argocd: { destinations: toDev } });
    const { destination } = lab.world.argocd.get('nodes');
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
    await lab.pass(120);
    lab.world.argocd.change('nodes', { destination });
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(900);

    expect([lab.pool().paused, lab.troubles()]).toEqual([true, ['approval-needed']]);
  });

  test('[S0-9] [N-17] whoever deletes or recreates the Application has not approved; one that is unreadable stays held', async () => {
    const ends: readonly ((lab: KeepLab) => void)[] = [
      (lab) => lab.world.argocd.remove('nodes'),
      (lab) => lab.world.argocd.change('nodes', { uid: 'another' }),
      (lab) => lab.world.argocd.spoil('nodes'),
    ];
    const paused = ends.map(async (end) => {
      const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
      await syncAndRender(lab, 'Failed');
      end(lab);
      await lab.pass(1800);
      const before = [lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)];
      await approves(lab, alice);
      await lab.pass(60);
      return [...before, lab.pool().paused];
    });

    expect(await Promise.all(paused)).toEqual([
      [true, [], false],
      [true, [], false],
      [true, ['failed'], true],
    ]);
  });

  test.each([
    ['after its sync failed', async () => {}],
    [
      'while it is synced again after that',
      async (lab: KeepLab) => {
        lab.syncs(commitC);
        await lab.deliver(lab.operationOf('Running'));
      },
    ],
  ])(
    '[S0-9] [N-17] whoever points the Application to another cluster %s has not approved, nor has its sync there',
    async (_, happens) => {
      const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy, argocd: { destinations: toDev } });
      await syncAndRender(lab, 'Failed');
      await happens(lab);

      lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
      await lab.pass(360);
      lab.syncs(commitC);
      await lab.pass(360);
      lab.ends('Succeeded');
      await lab.pass(900);
      const before = [lab.pool().paused, lab.record()?.holds];
      await approves(lab, alice);
      await lab.pass(60);

      expect([...before, lab.pool().paused]).toEqual([true, [], false]);
    },
  );

  test('[S0-9] [N-29] nobody is asked where a sync succeeded here after its Application was pointed away', async () => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy, argocd: { destinations: toDev } });
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
    lab.ends('Succeeded');

    await lab.pass(900);

    expect([lab.pool().paused, lab.troubles().includes('approval-needed')]).toEqual([false, false]);
  });

  test.each([
    ['fails there', 'Failed'],
    ['succeeds there', 'Succeeded'],
  ] as const)(
    '[S0-9] [N-17] nor has whoever points it away while the sync begins that a push brought, which is seen running and %s',
    async (_, ended) => {
      const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy, argocd: { destinations: toDev } });
      await lab.deliver(lab.pushOf(commitB));
      await lab.pass(60);
      lab.syncs(commitB);
      lab.world.pools.change('worker', 'machine-config-controller', { target: next });
      lab.world.argocd.change('nodes', { destination: { server: '', name: 'dev' } });
      await lab.pass(600);
      lab.ends(ended, { retryCount: ended === 'Succeeded' ? 1 : 0 });

      await lab.pass(900);
      const before = [lab.pool().paused, lab.troubles()];
      await approves(lab, alice);
      await lab.pass(60);

      expect([...before, lab.pool().paused]).toEqual([true, ['approval-needed'], false]);
    },
  );

  test.each<[string, (lab: KeepLab) => void]>([
    ['deletes the Application', (lab) => lab.world.argocd.remove('nodes')],
    [
      'puts another one in its place',
      (lab) => lab.world.argocd.change('nodes', { uid: 'another', operation: undefined, operationQueued: false }),
    ],
  ])('[S0-9] [N-17] whoever %s in the middle of its sync has not approved', async (_, happens) => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(60);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });

    happens(lab);
    await lab.pass(2 * 3600);
    const before = [lab.pool().paused, lab.record()?.holds];
    await approves(lab, alice);
    await lab.pass(60);

    expect([...before, lab.pool().paused]).toEqual([true, [], false]);
  });

  const earlier = anOperation({ startedAt: '2026-03-02T09:00:00Z', finishedAt: '2026-03-02T09:00:30Z' });
  const configMap = { group: '', kind: 'ConfigMap', namespace: 'web', name: 'web', status: 'Synced' };

  /** How the sync that was seen running ends, nobody sees. */
  const replaced: readonly (readonly [string, Partial<Application>])[] = [
    ['another one of its name', { uid: 'another', operation: undefined }],
    ['another one with an earlier status', { uid: 'another', operation: earlier }],
    ['itself without its status', { operation: undefined }],
    ['itself at an earlier status', { operation: earlier }],
    [
      'itself without its status, that is asked to sync and then is not',
      { operation: undefined, operationQueued: true },
    ],
  ];

  /** A sync that is seen running, of a push or not, and what it has rendered. */
  async function seenSyncing(options: { readonly isPushed?: boolean } = {}): Promise<KeepLab> {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    if (options.isPushed !== false) await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(60);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    return lab;
  }

  function replace(lab: KeepLab, by: Partial<Application>, status: 'Synced' | 'OutOfSync' = 'OutOfSync'): void {
    lab.world.argocd.change('nodes', {
      operationQueued: false,
      sync: { status, revisions: [commitC] },
      reconciledAt: lab.world.clock.now().toISOString(),
      resources: anApplication().resources.map((each) => ({ ...each, status })),
      ...by,
    });
  }

  async function syncsAgain(lab: KeepLab, change: Partial<Operation> = {}): Promise<void> {
    lab.syncs(commitC, change);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(60);
    lab.ends('Succeeded', change.partial === true ? { results: [{ ...configMap, message: '', hookType: '' }] } : {});
    if (change.partial === true)
      lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitC] } });
    await lab.pass(120);
  }

  for (const isPushed of [true, false])
    test.each(replaced)(
      `[S0-9] [N-17] whoever replaces the Application in the middle of its sync, ${isPushed ? 'after a push' : 'without a push'}, by %s, has not approved`,
      async (_, by) => {
        const lab = await seenSyncing({ isPushed });

        replace(lab, by);
        await lab.pass(60);
        replace(lab, { ...by, operationQueued: false });
        await lab.pass(2 * 3600);
        const before = [lab.pool().paused, lab.record()?.holds, lab.troubles()];
        const told = lab.world.tables.timeline.all().map(({ text }) => text);
        const asked = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'approval-needed');
        await approves(lab, alice);
        await lab.pass(60);

        expect([...before, lab.pool().paused]).toEqual([true, [], ['approval-needed'], false]);
        expect(told.join('\n')).toMatch(/(replaced|deleted and recreated) in the middle of its sync/);
        expect(JSON.stringify(asked?.trouble?.findings)).toContain('in the middle of its sync');
      },
    );

  test.each(replaced)(
    '[S0-9] [N-17] of an Application that is replaced in the middle of its sync by %s, a later sync of a part alone does not take the place of the approval, one of all does',
    async (_, by) => {
      const lab = await seenSyncing();

      replace(lab, by);
      await lab.pass(120);
      await syncsAgain(lab, { partial: true });
      await lab.pass(2 * 3600);
      const before = [lab.pool().paused, lab.troubles()];
      await syncsAgain(lab);

      expect([...before, lab.pool().paused]).toEqual([true, ['approval-needed'], false]);
    },
  );

  test.each(replaced)(
    '[S0-9] [N-29] nobody is asked where it syncs again after it was replaced by %s',
    async (_, by) => {
      const lab = await seenSyncing();

      replace(lab, by);
      await lab.pass(120);
      await syncsAgain(lab);

      expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
      expect(lab.world.tables.incidents.all().map(({ key }) => key.kind)).not.toContain('approval-needed');
    },
  );

  test.each(replaced)('[S0-9] [N-29] nor where it is Synced an hour after it was replaced by %s', async (_, by) => {
    const lab = await seenSyncing();

    replace(lab, by, 'Synced');
    await lab.pass(60);
    replace(lab, { ...by, operationQueued: false }, 'Synced');
    await lab.pass(2 * 3600);

    expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
    expect(lab.world.tables.incidents.all().map(({ key }) => key.kind)).not.toContain('approval-needed');
  });

  test('[S0-9] [N-17] a dry run in place of a sync that was seen running does not take the place of the approval', async () => {
    const lab = await seenSyncing();
    lab.syncs(commitB, { dryRun: true, phase: 'Succeeded', finishedAt: lab.world.clock.now().toISOString() });
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });

    await lab.pass(3600);
    const before = lab.pool().paused;
    lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
    await lab.pass(2 * 3600);

    expect([before, lab.pool().paused, lab.troubles()]).toEqual([true, true, ['approval-needed']]);
  });

  test('[S0-9] [N-29] a part that is synced after a dry run in place of its sync ends it without an approval', async () => {
    const lab = await seenSyncing();
    lab.syncs(commitB, { dryRun: true, phase: 'Succeeded', finishedAt: lab.world.clock.now().toISOString() });
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] }, automated: false });
    await lab.pass(120);

    await syncsAgain(lab, { partial: true });

    expect([lab.pool().paused, lab.record()?.release?.afterFailed]).toEqual([false, undefined]);
  });

  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'openshift-gitops', name: 'nodes' };

  describe.each([true, false])('where another Application writes it, which has synced: %s', (hasSynced) => {
    /** It follows the same branch. */
    async function seenSyncingBelow(): Promise<KeepLab> {
      const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
      const { sources } = lab.world.argocd.get('nodes');
      const sync = { status: 'Synced', revisions: [commitA] } as const;
      const resources = [{ ...child, status: 'Synced' }];
      lab.world.argocd.put(anApplication({ name: 'root', uid: 'root', sources, sync, resources }));
      await lab.tick();
      await lab.deliver(lab.pushOf(commitB));
      await lab.pass(10);
      if (hasSynced) {
        lab.syncs(commitB, {}, 'root');
        await lab.pass(5);
        lab.ends('Succeeded', {}, 'root');
        await lab.pass(5);
      }
      lab.syncs(commitB);
      await lab.deliver(lab.operationOf('Running'));
      await lab.pass(60);
      lab.world.pools.change('worker', 'machine-config-controller', { target: next });
      return lab;
    }

    test.each(replaced)(
      '[S0-9] [N-17] whoever replaces it in the middle of its sync by %s has not approved',
      async (_, by) => {
        const lab = await seenSyncingBelow();
        const { phase, via } = lab.record()?.holds.find(({ id }) => id === nodesHold) ?? {};

        replace(lab, by);
        await lab.pass(60);
        replace(lab, { ...by, operationQueued: false });
        await lab.pass(3 * 3600);

        expect({ phase, via: via?.name }).toEqual({ phase: 'syncing', via: 'root' });
        expect([lab.pool().paused, lab.record()?.holds, lab.troubles()]).toEqual([true, [], ['approval-needed']]);
      },
    );

    test.each(replaced)(
      '[S0-9] [N-29] nobody is asked where it syncs again after it was replaced by %s',
      async (_, by) => {
        const lab = await seenSyncingBelow();

        replace(lab, by);
        await lab.pass(120);
        lab.syncs(commitB);
        await lab.pass(60);
        lab.ends('Succeeded');
        await lab.pass(3600);

        expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
        expect(lab.world.tables.incidents.all().map(({ key }) => key.kind)).not.toContain('approval-needed');
      },
    );
  });

  test('[S0-9] [N-17] nobody has approved it where the Argo CD of a sync that was seen running is not configured any more', async () => {
    const lab = await seenSyncing();
    const { configuration } = lab.ports;
    const argocd = configuration.argocd.map((each) => ({ ...each, name: 'other' }));
    Object.assign(lab.ports, { configuration: { ...configuration, argocd } });
    lab.world.argocd.remove('nodes');

    await lab.pass(2 * 3600);
    const before = [lab.pool().paused, lab.record()?.holds, lab.troubles()];
    await approves(lab, alice);
    await lab.pass(60);

    expect([...before, lab.pool().paused]).toEqual([true, [], ['approval-needed'], false]);
  });

  test('[S0-9] [N-17] nor where the Application is made again later, and syncs a part alone', async () => {
    const lab = await seenSyncing();
    const application = lab.world.argocd.get('nodes');
    lab.world.argocd.remove('nodes');
    await lab.pass(300);
    lab.world.argocd.put(application);
    replace(lab, { uid: 'another', operation: undefined });
    await syncsAgain(lab, { partial: true });
    await lab.pass(3600);
    const before = [lab.pool().paused, lab.troubles()];
    await syncsAgain(lab);

    expect([...before, lab.pool().paused]).toEqual([true, ['approval-needed'], false]);
  });

  test.each<[string, (lab: KeepLab) => void | Promise<void>]>([
    [
      'is deleted after its sync has succeeded',
      async (lab) => {
        lab.syncs(commitB);
        await lab.pass(60);
        lab.ends('Succeeded');
        await lab.pass(60);
        lab.world.argocd.remove('nodes');
      },
    ],
    [
      'is replaced after its sync has succeeded',
      async (lab) => {
        lab.syncs(commitB);
        await lab.pass(60);
        lab.ends('Succeeded');
        await lab.pass(60);
        replace(lab, { uid: 'another', operation: undefined });
      },
    ],
    ['was never seen syncing, and is made again', (lab) => replace(lab, { uid: 'another', operation: undefined })],
    ['was never seen syncing, and loses its status', (lab) => replace(lab, { operation: undefined })],
    ['is not synced', () => {}],
    [
      'is synced by a controller that starts anew in the middle',
      async (lab) => {
        lab.syncs(commitB);
        await lab.pass(60);
        const { operation } = lab.world.argocd.get('nodes');
        lab.syncs(commitB, { ...operation, message: 'waiting for completion of hook' });
        await lab.pass(60);
        lab.ends('Succeeded');
      },
    ],
    [
      'cannot be read for a while in the middle of its sync',
      async (lab) => {
        lab.syncs(commitB);
        await lab.pass(60);
        lab.world.argocd.spoil('nodes');
        await lab.pass(2 * 3600);
        lab.world.argocd.mend('nodes');
        lab.ends('Succeeded');
      },
    ],
    [
      'heals itself before anybody has looked how its sync ended',
      async (lab) => {
        lab.syncs(commitB);
        await lab.pass(60);
        lab.syncs(commitB, { partial: true });
        await lab.pass(60);
        lab.ends('Succeeded');
      },
    ],
  ])('[S0-9] [N-29] nobody is asked where an Application %s', async (_, happens) => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);

    await happens(lab);
    await lab.pass(60);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    await lab.pass(3 * 3600);

    expect([lab.pool().paused, lab.record()?.holds ?? []]).toEqual([false, []]);
    expect(lab.world.tables.incidents.all().map(({ key }) => key.kind)).not.toContain('approval-needed');
  });

  test('[S0-9] [N-11] stays paused where nobody is named who may approve, and stays an incident until a person resumes it', async () => {
    const lab = keepLab({ policy });

    await syncAndRender(lab, 'Failed');
    await lab.pass(1800);
    const paused = [lab.pool().paused, lab.troubles()];
    const [incident] = lab.world.tables.incidents.all();
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(600);

    expect(paused).toEqual([true, ['run-failed']]);
    expect(incident?.trouble).toMatchObject({
      severity: 'high',
      headline: 'sync of openshift-gitops/nodes failed, and nobody may approve what it applied',
      findings: [
        {
          code: 'A1',
          remedies: [{}, {}, { command: 'poolkeeper resume --cluster prod --pool worker --reason ...' }],
        },
      ],
    });
    expect(lab.troubles()).toEqual([]);
  });

  test('[S0-9] [N-30] where nobody may approve, no resume is advised while the sync of another Application runs', async () => {
    const lab = keepLab({ policy });
    await syncAndRender(lab, 'Failed');
    await lab.pass(1800);
    const remedies = () => {
      const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-failed');
      return incident?.trouble?.findings[0]?.remedies.at(-1);
    };
    const alone = remedies();
    lab.world.argocd.put(anApplication({ name: 'others', uid: 'uid-others' }));
    lab.syncs(commitC, {}, 'others');
    await lab.pass(600);

    expect(alone).toMatchObject({
      command: 'poolkeeper resume --cluster prod --pool worker --reason ...',
      risk: 'outage',
    });
    expect(remedies()).toMatchObject({
      title:
        'Or, once nothing else holds it, let out what was applied as it is. A resume now would go past the sync of openshift-gitops/others, too',
      command: undefined,
    });
  });

  test('[S0-9] [N-21] [N-30] where nobody may approve, no resume is advised while a person keeps the pool paused', async () => {
    const lab = keepLab({ policy });
    await syncAndRender(lab, 'Failed');
    lab.world.pools.put({ ...lab.pool(), annotations: { 'poolkeeper.dev/keep-paused': 'anna: firmware' } });
    await lab.pass(1800);

    const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-failed');
    expect(incident?.trouble?.findings[0]?.remedies.at(-1)).toMatchObject({
      title: expect.stringMatching(/would go past a person's annotation .*keep-paused \(anna: firmware\), too$/),
      command: undefined,
    });
  });

  test.each([
    ['nobody may approve', undefined, 'stays paused until a sync succeeds or a person resumes it: nobody is named'],
    ['somebody may', { needed: 1, when: 'sync-failed' }, 'asks for approval at 2026-03-02T10:11:'],
  ] as const)('[S0-9] [N-11] says before what becomes of it: %s', async (_, approve, decision) => {
    const lab = approve === undefined ? keepLab({ policy }) : labWith(approve, { policy });

    await syncAndRender(lab, 'Failed');
    await lab.pass(60);

    const [incident] = lab.world.tables.incidents.all();
    expect(incident?.trouble?.facts.find(({ label }) => label === 'Decision')?.value).toContain(decision);
  });

  test('[S0-9] [N-11] its incident does not end as if a sync had succeeded, when people are asked', async () => {
    const lab = labWith({ needed: 1, when: 'sync-failed' }, { policy });
    await syncAndRender(lab, 'Failed');

    await lab.pass(1800);

    const failed = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-failed');
    expect(lab.troubles()).toEqual(['approval-needed']);
    expect(failed?.notes.at(-1)?.text).toContain('No sync of openshift-gitops/nodes is known to have succeeded');
  });
});

/** As a person does it with rights of their own on the pool. */
async function freezeAndThaw(lab: KeepLab): Promise<void> {
  const writes = ({ record }: ManualChange) => {
    if (record) lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record } });
  };
  const asked = () => ({ who: 'ann', why: 'storage migration', now: lab.world.clock.now() });
  writes(freezeManually(lab.pool(), { scope: 'pool', until: new Date('2026-03-03T10:00:00Z') }, asked()));
  await lab.pass(120);
  writes(thawManually(lab.pool(), { scope: 'pool' }, asked()));
}

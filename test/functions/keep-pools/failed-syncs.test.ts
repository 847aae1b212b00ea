import { describe, expect, test } from 'vitest';
import type { Application, ObjectName, OperationResult } from '../../../functions/core/argocd/application.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { emptyRecord } from '../../../functions/core/openshift/pool-record.ts';
import { aMachineConfig, anApplication, anOperation } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, type LabOptions, nodesHold } from './keep-lab.ts';

const failure = {
  group: 'machineconfiguration.openshift.io',
  kind: 'MachineConfig',
  namespace: '',
  name: '99-worker-ssh',
  status: 'SyncFailed',
  message: 'spec.config: invalid',
  hookType: '',
};

function nameOf({ group, kind, namespace, name }: typeof failure): ObjectName {
  return { group, kind, namespace, name };
}

/** A push of commit B, or not, whose sync failed half-way; the pool is held for it. */
async function failedSync(options: LabOptions = {}, isPushed = true): Promise<KeepLab> {
  const lab = keepLab(options);
  if (isPushed) await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  lab.world.clock.advance(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(5);
  lab.ends('Failed', { results: [failure] });
  await lab.deliver(lab.operationOf('Failed'));
  return lab;
}

/** With an Argo CD that knows cluster `dev`, by its name. */
const toDev: LabOptions = { argocd: { destinations: [{ name: 'dev', cluster: 'dev' }] } };
const dev = { destination: { server: '', name: 'dev' } };

/** Argo CD has been asked for a sync, and has not begun with it. */
async function requested(lab: KeepLab): Promise<void> {
  lab.world.argocd.change('nodes', { operationQueued: true });
  await lab.pass(60);
}

/** Argo CD does not show its last sync any more. */
function hide(lab: KeepLab, behind: string): void {
  if (behind === 'a dry run') {
    const sync = { status: 'OutOfSync', revisions: [commitB] } as const;
    lab.syncs(commitB, { dryRun: true, phase: 'Succeeded', finishedAt: lab.world.clock.now().toISOString() });
    lab.world.argocd.change('nodes', { sync });
    return;
  }
  // As `oc replace` leaves it: its status is no subresource.
  const sync = { status: '', revisions: [] } as const;
  const operation =
    behind === 'an earlier status of it' ? anOperation({ startedAt: '2026-03-02T09:00:00Z' }) : undefined;
  lab.world.argocd.change('nodes', { operation, operationQueued: false, sync, health: '', resources: [] });
}

/** What a tenant may write into an Application in place of a name or a path. */
const advice = 'ssh). As cluster-admin, run oc delete node worker-1 first (see';

test('[S1-12] [N-30] advice in place of what a failed sync names is shown as a text of others', async () => {
  const lab = keepLab();
  const [source] = anApplication().sources;
  lab.world.argocd.change('nodes', { sources: source === undefined ? [] : [{ ...source, path: advice }] });
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  const results = [failure, { ...failure, kind: advice, namespace: advice, name: advice, message: '' }];
  lab.ends('Failed', { results: results.toReversed(), message: 'one or more objects failed to apply' });

  await lab.deliver(lab.operationOf('Failed'));

  const told = lab.world.tables.incidents.all().flatMap(({ trouble }) => trouble?.findings ?? []);
  const words = [
    ...told.flatMap(({ sentence, remedies }) => [sentence, ...remedies.map(({ title }) => title)]),
    ...(lab.record()?.holds ?? []).map(({ why }) => why),
  ].join('\n');
  expect(words).toContain('99-worker-ssh');
  expect(words).toContain('Fix the cause in Git');
  expect(words.replaceAll(/"[^"\n]*"/g, '')).not.toContain('oc delete node');
});

test('[S1-13] [N-30] syncs of a tenant that failed before hide no later one of somebody else', async () => {
  const lab = keepLab();
  for (const name of ['one', 'two', 'three', 'four']) {
    lab.world.argocd.put(anApplication({ namespace: 'team-a', name, uid: name }));
    lab.syncs(commitB, {}, name);
    await lab.pass(360);
    lab.ends('Failed', { results: [failure] }, name);
    await lab.pass(60);
  }
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  lab.ends('Failed', { results: [failure] });

  await lab.deliver(lab.operationOf('Failed'));

  const [incident] = lab.world.tables.incidents.all().filter(({ trouble }) => trouble?.key.kind === 'run-failed');
  expect(incident?.trouble?.headline).toContain('openshift-gitops/nodes');
  expect(incident?.notes.at(-1)?.text).toContain('The sync of openshift-gitops/nodes failed');
});

/** An Application in Argo CD's own namespace whose sync fails. */
async function fails(lab: KeepLab, name: string, project?: string): Promise<void> {
  lab.world.argocd.put(anApplication({ name, uid: name, isAtHome: true, project }));
  lab.syncs(commitB, {}, name);
  await lab.pass(360);
  lab.ends('Failed', { results: [failure] }, name);
  await lab.pass(120);
}

function failedNotes(lab: KeepLab): readonly string[] {
  const incidents = lab.world.tables.incidents.all().filter(({ key }) => key.kind === 'run-failed');
  return incidents.flatMap(({ notes }) => notes.map(({ kind }) => kind));
}

test("[S1-13] [N-30] a failed sync of another AppProject in Argo CD's own namespace is told everybody, once", async () => {
  const lab = keepLab();
  await fails(lab, 'one', 'team-a');
  await fails(lab, 'two', 'team-a');
  const own = failedNotes(lab);

  await fails(lab, 'shop', 'team-b');
  await fails(lab, 'base');
  lab.world.argocd.spoil('one');
  lab.world.argocd.spoil('shop');
  await lab.pass(3600);

  expect(own).not.toContain('escalated');
  expect(failedNotes(lab).filter((kind) => kind === 'escalated')).toHaveLength(2);
  expect(lab.record()?.holds.map(({ who, project }) => `${who} ${project}`)).toEqual([
    'openshift-gitops/one team-a',
    'openshift-gitops/two team-a',
    'openshift-gitops/shop team-b',
    'openshift-gitops/base default',
  ]);
});

test('[S1-13] [N-18] [N-30] a failed sync whose Application names another AppProject every minute is told once', async () => {
  const lab = keepLab();
  await fails(lab, 'one', 'team-a');
  await fails(lab, 'two', 'team-a');

  for (let minute = 0; minute < 40; minute += 1) {
    lab.world.argocd.change('one', { project: `team-${minute}` });
    await lab.pass(60);
  }

  expect(failedNotes(lab)).toEqual(['opened', 'changed']);
});

test("[S1-13] [N-30] failed syncs of one AppProject in Argo CD's own namespace hide none of another there", async () => {
  const lab = keepLab();
  await fails(lab, 'shop', 'team-b');
  for (const name of ['one', 'two', 'three', 'four']) await fails(lab, name, 'team-a');

  const [incident] = lab.world.tables.incidents.all().filter(({ key }) => key.kind === 'run-failed');
  expect(incident?.trouble?.headline).toContain(
    'sync of openshift-gitops/four, openshift-gitops/shop and 3 more failed',
  );
});

test('[N-30] an AppProject of a namespace whose owner may write any says nothing', async () => {
  const lab = keepLab();
  for (const name of ['one', 'two']) {
    lab.world.argocd.put(anApplication({ namespace: 'team', name, uid: name, isAtHome: false, project: name }));
    lab.syncs(commitB, {}, name);
    await lab.pass(360);
    lab.ends('Failed', { results: [failure] }, name);
    await lab.pass(120);
  }

  expect(failedNotes(lab)).not.toContain('escalated');
});

test('[N-11] a hold of a version that noted no AppProject is read, and its pool is not written for that', async () => {
  const lab = keepLab();
  await fails(lab, 'one');
  const record = lab.record() ?? emptyRecord;
  const holds = record.holds.map(({ project: _, ...hold }) => hold);
  lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: { ...record, holds } } });

  const written = lab.world.pools.patches.length;
  await lab.pass(600);

  expect([lab.record()?.holds, lab.world.pools.patches.length]).toEqual([holds, written]);
});

test('[S1-13] [N-30] a sync that fails now is named, though those that failed before it began after it', async () => {
  const lab = keepLab();
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  for (const name of ['one', 'two', 'three', 'four']) {
    await lab.pass(60);
    lab.world.argocd.put(anApplication({ name, uid: name }));
    lab.syncs(commitB, {}, name);
    await lab.pass(360);
    lab.ends('Failed', { results: [failure] }, name);
    await lab.pass(60);
  }
  lab.ends('Failed', { results: [failure] });

  await lab.deliver(lab.operationOf('Failed'));

  const [incident] = lab.world.tables.incidents.all().filter(({ trouble }) => trouble?.key.kind === 'run-failed');
  expect(incident?.trouble?.headline).toContain('openshift-gitops/nodes');
  expect(incident?.notes.at(-1)?.text).toContain('The sync of openshift-gitops/nodes failed');
});

describe('a failed sync', () => {
  test('[S0-9] [N-29] a failed sync is not made good by what its Application syncs on another cluster', async () => {
    const lab = await failedSync(toDev);
    lab.world.argocd.change('nodes', dev);
    await lab.pass(120);
    lab.syncs(commitC);
    await lab.pass(120);
    lab.ends('Succeeded');

    await lab.pass(2 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([
      {
        phase: 'failed',
        why: 'a sync of openshift-gitops/nodes failed or was cut off, and it deploys to cluster dev now',
      },
    ]);
    const [incident] = lab.world.tables.incidents.all().filter(({ key }) => key.kind === 'run-failed');
    const remedies = incident?.trouble?.findings.flatMap((each) => each.remedies) ?? [];
    expect(remedies.map(({ title }) => title).join()).toContain('Let it deploy to this cluster again and sync it here');
    expect(remedies.map(({ command }) => command).join()).not.toContain('argocd app sync');
    expect(incident?.trouble?.findings).toMatchObject([
      {
        sentence:
          'A sync of openshift-gitops/nodes failed or was cut off, and the Application deploys to another cluster now.',
        confidence: 'likely',
      },
    ]);
  });

  test('[S0-9] [N-29] until when it is held by policy is said with the sync that is waited for elsewhere, which is told when it does not finish', async () => {
    const lab = await failedSync({ ...toDev, policy: { onSyncFailure: 'resume', failedAtMostSeconds: 3600 } });
    lab.world.argocd.change('nodes', dev);
    lab.syncs(commitC);
    await lab.pass(5 * 3600);

    const incidents = lab.world.tables.incidents.all().filter(({ state }) => state === 'firing');
    const failed = incidents.find(({ key }) => key.kind === 'run-failed')?.trouble;
    expect(incidents.map(({ key }) => key.kind)).toContain('sync-stuck');
    expect(failed?.facts.find(({ label }) => label === 'Decision')?.value).toContain(
      'not before the sync ends that runs on another cluster now',
    );
    expect(failed?.findings[0]?.sentence).toContain('A sync of openshift-gitops/nodes failed or was cut off');
  });

  test.each([
    ['dry run', { dryRun: true, results: [] }],
    ['sync of another part', { partial: true, asked: [{ ...nameOf(failure), name: '99-worker-other' }], results: [] }],
  ])(
    '[S0-9] [N-30] stays failed where a %s takes its place, and the sync of a later push does not come',
    async (_, change) => {
      const lab = await failedSync();
      lab.syncs(commitB, change);
      lab.ends('Succeeded', change);
      lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
      await lab.pass(60);

      await lab.deliver(lab.pushOf(commitC));
      await lab.pass(60);
      const awaited = lab.record()?.holds[0]?.phase;
      await lab.pass(1800);

      expect([awaited, lab.pool().paused, lab.record()?.holds[0]?.phase]).toEqual(['expected', true, 'failed']);
      expect(lab.troubles()).toEqual(['run-failed']);
    },
  );

  test('[S0-9] a sync that its Application runs on another cluster pauses no pool here', async () => {
    const lab = keepLab(toDev);
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);

    lab.world.argocd.change('nodes', dev);
    await lab.pass(60);
    lab.syncs(commitB);
    await lab.pass(120);

    expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
    const told = lab.world.tables.timeline.all().map(({ text }) => text);
    expect(told.join('\n')).toContain('openshift-gitops/nodes: it deploys to cluster dev now');
  });

  const byAnotherAddress = { server: 'https://api.prod.example.com:6443', name: '' };
  test.each([
    ['another address', byAnotherAddress],
    ['another cluster', { server: '', name: 'dev' }],
  ])(
    '[S0-9] [N-30] a sync that runs keeps its pool paused where it is pointed to %s meanwhile',
    async (_, destination) => {
      const lab = keepLab(toDev);
      await lab.deliver(lab.pushOf(commitB));
      await lab.pass(60);
      lab.syncs(commitB);
      await lab.pass(60);

      lab.world.argocd.change('nodes', { destination });
      await lab.pass(2 * 3600);
      const during = [lab.pool().paused, lab.record()?.holds[0]?.phase];
      lab.ends('Failed', { results: [failure] });
      await lab.pass(120);

      expect([...during, lab.pool().paused, lab.record()?.holds[0]?.phase]).toEqual([true, 'syncing', true, 'failed']);
    },
  );

  test.each([
    ['that nobody has seen before it was pointed there', async () => {}, 'Succeeded', []],
    ['that nobody has seen before, and that fails', async () => {}, 'Failed', ['failed']],
    ['that was seen only as requested', requested, 'Succeeded', ['failed']],
    ['that was seen only as requested, and that fails', requested, 'Failed', ['failed']],
  ] as const)(
    '[S0-9] [N-30] so does one %s, until it ends, and that it stands still is told',
    async (_, happens, ends, held) => {
      const lab = keepLab(toDev);
      await lab.deliver(lab.pushOf(commitB));
      await lab.pass(60);
      await happens(lab);
      lab.syncs(commitB);
      lab.world.argocd.change('nodes', dev);
      await lab.pass(3600);
      const during = [lab.pool().paused, lab.troubles(), lab.record()?.holds[0]?.why];
      lab.ends(ends, { results: [{ ...failure, status: ends === 'Failed' ? 'SyncFailed' : 'Synced' }] });
      await lab.pass(120);

      const why = 'Argo CD syncs openshift-gitops/nodes, and it deploys to cluster dev now';
      expect(during).toEqual([true, ['sync-stuck'], why]);
      expect([lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)]).toEqual([held.length > 0, held]);
    },
  );

  test('[S0-9] [N-29] one that nobody has seen, and that fails on another cluster before anybody sees it, leaves nothing failed here', async () => {
    const lab = keepLab(toDev);
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);
    lab.world.argocd.change('nodes', dev);
    lab.syncs(commitB);
    lab.ends('Failed', { results: [failure] });
    await lab.pass(120);

    expect([lab.pool().paused, lab.record()?.holds, lab.troubles()]).toEqual([false, [], []]);
  });

  test.each([
    ['in one go before anybody looks', async () => {}, {}, []],
    ['where it was seen running there', (lab: KeepLab) => lab.pass(60), {}, ['failed']],
    ['by a retry that may have run there', async () => {}, { retryCount: 1 }, ['failed']],
    ['and was of a part alone', async () => {}, { partial: true }, ['failed']],
  ] as const)(
    '[S0-9] [N-29] one operation may write on two clusters: what began here, and succeeds %s after its Application was pointed away',
    async (_, happens, change, held) => {
      const lab = keepLab(toDev);
      await lab.deliver(lab.pushOf(commitB));
      await lab.pass(60);
      lab.syncs(commitB);
      await lab.pass(60);
      lab.world.argocd.change('nodes', dev);
      await happens(lab);
      lab.ends('Succeeded', change);
      await lab.pass(600);

      expect([lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)]).toEqual([held.length > 0, held]);
    },
  );

  test.each([
    ['succeeds there by a retry', 'Succeeded', { retryCount: 1 }, false],
    ['fails there, until it succeeds there', 'Failed', { results: [failure] }, true],
  ] as const)(
    '[S0-9] [N-29] an awaited sync that was seen only where its Application has been pointed, and %s, holds no pool here for good',
    async (_, ends, change, isHeld) => {
      const lab = keepLab(toDev);
      await lab.deliver(lab.pushOf(commitB));
      await lab.pass(60);
      lab.world.argocd.change('nodes', dev);
      lab.world.clock.advance(3);
      lab.syncs(commitB);
      await lab.pass(120);
      lab.ends(ends, change);
      await lab.pass(300);
      const first = lab.pool().paused;
      lab.syncs(commitC);
      await lab.pass(120);
      lab.ends('Succeeded');
      await lab.pass(120);

      expect([first, lab.pool().paused, lab.troubles()]).toEqual([isHeld, false, []]);
    },
  );

  test.each([
    ['by the history of its Application', true, []],
    ['unless the history does not show it', false, ['failed']],
  ] as const)(
    '[S0-9] [N-29] what ended well here between two looks counts after a move to another cluster, %s',
    async (_, isInHistory, held) => {
      const lab = keepLab(toDev);
      await lab.deliver(lab.pushOf(commitB));
      await lab.pass(60);
      lab.syncs(commitB);
      await lab.pass(60);
      const { operation } = lab.world.argocd.get('nodes');
      lab.ends('Succeeded');
      lab.world.clock.advance(5);
      lab.world.argocd.change('nodes', {
        ...dev,
        ...(isInHistory ? { succeeded: [{ startedAt: operation?.startedAt ?? '', revisions: [commitB] }] } : {}),
      });
      lab.syncs(commitB);
      await lab.pass(60);
      lab.ends('Succeeded');
      await lab.pass(600);

      expect(lab.record()?.holds.map(({ phase }) => phase)).toEqual(held);
      expect(lab.pool().paused).toBe(held.length > 0);
    },
  );

  test('[S0-9] [N-30] what was seen running on another cluster, and ends here again, may be half applied on both, until a sync of all', async () => {
    const lab = keepLab(toDev);
    await splitSync(lab);
    const reconciledAt = lab.world.clock.now().toISOString();
    lab.world.argocd.change('nodes', { reconciledAt, sync: { status: 'Synced', revisions: [commitB] } });
    await lab.pass(600);
    const split = [lab.pool().paused, lab.record()?.holds[0]?.phase];
    lab.syncs(commitC);
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(120);

    expect([split, lab.pool().paused]).toEqual([[true, 'failed'], false]);
  });

  /** A sync of a push that is seen running here, before its Application is pointed to another cluster. */
  async function seenAndPointedAway(lab: KeepLab): Promise<Pick<Application, 'destination'>> {
    const { destination } = lab.world.argocd.get('nodes');
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.world.argocd.change('nodes', dev);
    return { destination };
  }

  /** Begun here, seen running on another cluster, and pointed back before its end. */
  async function splitSync(lab: KeepLab): Promise<void> {
    const { destination } = await seenAndPointedAway(lab);
    await lab.pass(120);
    lab.world.argocd.change('nodes', { destination });
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(60);
  }

  test('[S0-2] [N-29] a push to what may be half applied on two clusters is awaited', async () => {
    const lab = keepLab({ ...toDev, policy: { onSyncFailure: 'resume', failedAtMostSeconds: 300 } });
    await splitSync(lab);
    await lab.pass(120);

    await lab.deliver(lab.pushOf(commitC));
    await lab.pass(600);
    const during = [lab.pool().paused, lab.record()?.holds[0]?.phase];
    await lab.pass(1200);

    expect([during, lab.pool().paused]).toEqual([[true, 'expected'], false]);
  });

  test('[S0-9] [N-30] of two syncs that were seen running elsewhere, the later one that ends here is half applied, too', async () => {
    const lab = keepLab(toDev);
    const { destination } = await seenAndPointedAway(lab);
    await lab.pass(60);
    lab.ends('Failed', { results: [failure] });
    await lab.pass(60);
    lab.syncs(commitC);
    await lab.pass(60);
    lab.world.argocd.change('nodes', { destination });
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(120);

    expect([lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)]).toEqual([true, ['failed']]);
  });

  test('[S0-9] [N-29] a second push that moves an Application whose sync had ended well holds no pool here for good', async () => {
    const lab = keepLab(toDev);
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    lab.world.clock.advance(1);
    await lab.deliver(lab.pushOf(commitC));
    await lab.pass(60);
    lab.world.argocd.change('nodes', dev);
    lab.syncs(commitC);
    await lab.pass(120);
    lab.ends('Succeeded', { retryCount: 1 });
    await lab.pass(300);

    expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
  });

  test('[S0-9] [N-29] syncs on another cluster do not put off the end of a failed hold here', async () => {
    const lab = keepLab({ ...toDev, policy: { onSyncFailure: 'resume', failedAtMostSeconds: 900 } });
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Failed', { results: [failure] });
    await lab.pass(60);
    lab.world.argocd.change('nodes', dev);
    await lab.pass(600);
    lab.syncs(commitB);
    await lab.pass(120);
    lab.ends('Succeeded');
    await lab.pass(600);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-9] [N-30] what a sync has applied here that succeeded after its Application was pointed away is awaited', async () => {
    const name = '99-worker-new';
    const lab = keepLab(toDev);
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    await lab.pass(60);
    lab.world.argocd.change('nodes', dev);
    lab.world.pools.putMachineConfig(aMachineConfig({ name }));
    lab.ends('Succeeded', { results: [{ ...failure, name, status: 'Synced', message: 'created' }] });
    await lab.pass(120);

    expect([lab.pool().paused, lab.record()?.release?.machineConfigs]).toEqual([true, [name]]);
  });

  test.each([
    ['a full sync', {}],
    ['a sync of another part', { partial: true, asked: [{ ...nameOf(failure), name: '99-worker-other' }] }],
  ])('[S0-9] [N-30] a failed sync stays failed where %s begins here and succeeds elsewhere', async (_, change) => {
    const lab = await failedSync(toDev);
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
    await lab.pass(60);
    lab.syncs(commitB, change);
    await lab.pass(60);
    lab.world.argocd.change('nodes', dev);
    lab.ends('Succeeded', { results: [{ ...failure, status: 'Synced', message: 'configured' }] });
    await lab.pass(900);

    expect([lab.pool().paused, lab.record()?.holds]).toMatchObject([true, [{ phase: 'failed' }]]);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('[S0-9] [N-30] what a sync leaves that fails after its Application was pointed away is left here, too', async () => {
    const lab = keepLab(toDev);
    lab.world.argocd.change('nodes', { automated: false });
    const other = { ...failure, name: '99-worker-other' };
    const showsOutOfSync = () =>
      lab.world.argocd.change('nodes', {
        sync: { status: 'OutOfSync', revisions: [commitB] },
        reconciledAt: lab.world.clock.now().toISOString(),
        resources: [failure, other].map((each) => ({ ...each, status: 'OutOfSync' })),
      });
    lab.syncs(commitB, { partial: true, asked: [nameOf(failure)] });
    await lab.deliver(lab.operationOf('Running'));
    lab.ends('Failed', { results: [failure] });
    showsOutOfSync();
    await lab.pass(60);
    const ofPart = lab.record()?.holds[0]?.leftFailed;
    lab.syncs(commitB);
    await lab.pass(60);

    lab.world.argocd.change('nodes', dev);
    await lab.pass(60);
    lab.ends('Failed', { results: [{ ...failure, status: 'Synced' }, other] });
    showsOutOfSync();
    await lab.pass(120);

    expect(ofPart).toEqual([nameOf(failure)]);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
    expect(lab.record()?.holds[0]?.leftFailed).toBeUndefined();
  });

  test.each([
    ['replaced together with its status', { operation: undefined, operationQueued: false }],
    ['deleted and made again', { uid: 'another' }],
  ])(
    '[S0-9] [N-30] a sync whose Application is %s in the middle of it, for another cluster, was cut off',
    async (_, change) => {
      const lab = keepLab(toDev);
      lab.syncs(commitB);
      await lab.deliver(lab.operationOf('Running'));
      await lab.pass(60);

      lab.world.argocd.change('nodes', { ...dev, ...change });
      await lab.pass(300);

      expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
      expect(lab.troubles()).toContain('run-failed');
    },
  );

  test('[S0-9] [N-30] a sync that runs where its Application is pointed counts though Argo CD says that it began before the push', async () => {
    const lab = keepLab(toDev);
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(10);
    const startedAt = `${new Date(lab.world.clock.now().getTime() - 20_000).toISOString().slice(0, 19)}Z`;
    lab.syncs(commitB, { startedAt });
    lab.world.argocd.change('nodes', dev);
    await lab.pass(600);

    expect([lab.pool().paused, lab.record()?.holds.length]).toEqual([true, 1]);
  });

  test('[S0-12] a sync is awaited as long as any where nobody knows which cluster it deploys to', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    await lab.pass(60);

    lab.world.argocd.change('nodes', { destination: byAnotherAddress });
    await lab.pass(300);
    const during = lab.pool().paused;
    await lab.pass(2 * 3600);

    expect([during, lab.pool().paused]).toEqual([true, false]);
  });

  test('a failed sync still holds when the commit pushed after it is never synced', async () => {
    const lab = await failedSync();
    await lab.pass(60);
    await lab.deliver(lab.pushOf(commitC));

    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('a failed sync is not forgotten for a push that no sync follows by itself', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { automated: false });
    await lab.pass(60);

    await lab.deliver(lab.pushOf(commitC));

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
  });

  test('a sync that stays queued is not written on the pool again and again', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { operationQueued: true });
    await lab.pass(60);
    const patches = lab.world.pools.patches.length;

    await lab.pass(600);

    expect(lab.world.pools.patches).toHaveLength(patches);
  });

  test('what Argo CD showed as Synced before it compared the commit of a failed sync was not applied by it [S0-9]', async () => {
    const lab = keepLab();
    const [applied] = anApplication().resources;
    const later = { ...failure, name: '99-worker-later', status: 'Synced' };
    lab.world.argocd.change('nodes', { resources: [...anApplication().resources, later] });
    // A person starts it, which is faster than a comparison.
    lab.syncs(commitB, { startedBy: 'admin' });
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(5);
    lab.ends('Failed', { results: [{ ...failure, ...applied, status: 'Synced' }] });
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitA] } });
    await lab.deliver(lab.operationOf('Failed'));

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);

    const compared = {
      sync: { status: 'OutOfSync', revisions: [commitB] },
      reconciledAt: '2026-03-02T10:00:08Z',
    } as const;
    lab.world.argocd.change('nodes', {
      ...compared,
      resources: [
        { ...failure, status: 'Synced' },
        { ...later, status: 'OutOfSync' },
      ],
    });
    await lab.pass(20 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('run-failed');

    lab.world.argocd.change('nodes', { resources: [{ ...failure, status: 'Synced' }, later] });
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    ['that a push brought', true],
    ['that somebody started', false],
  ] as const)(
    '[S0-9] [N-29] a sync %s and that failed stays failed when a part of it is synced, until all is applied',
    async (_, isPushed) => {
      const configMap = { ...failure, group: '', kind: 'ConfigMap', namespace: 'web', name: 'web', status: 'Synced' };
      const lab = await failedSync({}, isPushed);
      await lab.pass(300);
      const part = async (result: typeof failure) => {
        lab.syncs(commitB, { partial: true, startedBy: 'admin' });
        await lab.pass(60);
        lab.ends('Succeeded', { results: [{ ...result, status: 'Synced', message: 'configured' }] });
        const reconciledAt = lab.world.clock.now().toISOString();
        const resources = [{ ...failure, status: 'OutOfSync' }, configMap];
        lab.world.argocd.change('nodes', {
          sync: { status: 'OutOfSync', revisions: [commitB] },
          reconciledAt,
          resources,
        });
      };
      await part(configMap);

      await lab.pass(3 * 3600);

      expect(lab.pool().paused).toBe(true);
      expect(lab.record()?.holds).toMatchObject([{ phase: 'failed', why: expect.stringContaining('only a part') }]);
      expect(lab.troubles()).toContain('run-failed');
      const [incident] = lab.world.tables.incidents.all();
      expect(JSON.stringify(incident?.trouble)).not.toContain('Succeeded');

      await part(failure);
      await lab.pass(30 * 60);

      expect(lab.pool().paused).toBe(false);
    },
  );

  test('[S0-9] [N-29] ends with a sync of all that is out of sync, also where that may not prune something', async () => {
    const left = { ...failure, name: '99-worker-old', status: 'PruneSkipped', message: 'ignored (requires pruning)' };
    const show = (status: string) =>
      lab.world.argocd.change('nodes', {
        sync: { status: 'OutOfSync', revisions: [commitB] },
        resources: [
          { ...failure, status },
          { ...left, status: 'OutOfSync' },
        ],
      });
    const lab = await failedSync();
    show('OutOfSync');
    await lab.pass(300);
    const failed = lab.record()?.holds;
    lab.syncs(commitB, { partial: true, startedBy: 'admin' });
    await lab.pass(60);
    lab.ends('Succeeded', { results: [left, { ...failure, status: 'Synced', message: 'configured' }] });
    show('Synced');

    await lab.pass(30 * 60);

    expect(failed).toMatchObject([{ phase: 'failed' }]);
    expect(lab.pool().paused).toBe(false);
  });

  describe('of a team that syncs part by part, while the rest is out of sync on purpose', () => {
    const other = { ...failure, name: '99-worker-chrony' };
    const rest = { ...failure, name: '99-worker-rest' };

    function partsLab(): {
      readonly lab: KeepLab;
      part(ends: 'Succeeded' | 'Failed', ...of: (typeof failure)[]): Promise<void>;
    } {
      const lab = keepLab();
      lab.world.argocd.change('nodes', { automated: false });
      return {
        lab,
        part: async (ends, ...of) => {
          lab.syncs(commitB, { partial: true, asked: of.map(nameOf), startedBy: 'admin' });
          await lab.deliver(lab.operationOf('Running'));
          await lab.pass(60);
          const status = ends === 'Failed' ? 'SyncFailed' : 'Synced';
          lab.ends(ends, { results: of.map((each) => ({ ...each, status, message: 'said by Argo CD' })) });
          lab.world.argocd.change('nodes', {
            sync: { status: 'OutOfSync', revisions: [commitB] },
            reconciledAt: lab.world.clock.now().toISOString(),
            resources: [failure, other, rest].map((each) => ({ ...nameOf(each), status: 'OutOfSync' })),
          });
          await lab.pass(10 * 60);
        },
      };
    }

    test('[S0-9] [N-29] a part that failed and then succeeds ends it', async () => {
      const { lab, part } = partsLab();
      await part('Failed', failure);
      const incident = () => lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-failed');

      expect(lab.record()?.holds).toMatchObject([{ phase: 'failed', leftFailed: [nameOf(failure)] }]);
      expect(incident()?.trouble?.findings[0]?.remedies.map(({ command }) => command)).toContain(
        'argocd app sync openshift-gitops/nodes --resource machineconfiguration.openshift.io:MachineConfig:99-worker-ssh',
      );

      await part('Succeeded', other);

      expect(lab.pool().paused).toBe(true);
      expect(lab.record()?.holds).toMatchObject([
        { phase: 'failed', why: expect.stringContaining('not been synced since: MachineConfig 99-worker-ssh') },
      ]);

      await part('Succeeded', failure);

      expect(lab.pool().paused).toBe(false);
      expect(incident()).toMatchObject({ state: 'ok' });
      expect(incident()?.notes.at(-1)?.text).toContain('Argo CD synced a part of openshift-gitops/nodes');
    });

    test('[S0-9] [N-29] of two parts that failed, both must succeed', async () => {
      const { lab, part } = partsLab();
      await part('Failed', failure);
      await part('Failed', other);
      await part('Succeeded', other);

      expect(lab.pool().paused).toBe(true);

      await part('Succeeded', failure);

      expect(lab.pool().paused).toBe(false);
    });
  });

  test('[S0-9] [N-29] one that failed stays failed for another push, of which a part alone is synced', async () => {
    const configMap = { ...failure, group: '', kind: 'ConfigMap', namespace: 'web', name: 'web', status: 'Synced' };
    const lab = await failedSync();
    await lab.pass(300);
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.world.clock.advance(2);
    lab.syncs(commitC, { partial: true, asked: [nameOf(configMap)], startedBy: 'admin' });
    await lab.pass(60);
    lab.ends('Succeeded', { results: [configMap] });
    lab.world.argocd.change('nodes', {
      sync: { status: 'OutOfSync', revisions: [commitC] },
      reconciledAt: lab.world.clock.now().toISOString(),
      resources: [{ ...failure, status: 'OutOfSync' }, configMap],
    });

    await lab.pass(3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('run-failed');
  });

  test('[S1-13] [N-29] one that failed once more after a person had resumed its pool is not said to run again', async () => {
    const lab = await failedSync();
    await lab.pass(300);
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.syncs(commitC);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(61);
    lab.world.pools.change('worker', 'oc', { paused: false });
    await lab.pass(61);
    lab.ends('Failed', { results: [failure] });
    await lab.deliver(lab.operationOf('Failed'));

    await lab.pass(600);

    const [incident] = lab.world.tables.incidents.all();
    expect(incident?.state).toBe('ok');
    expect(incident?.notes.at(-1)?.text).toContain(
      'Pool worker was resumed by oc; no sync of openshift-gitops/nodes has succeeded.',
    );
  });

  test('a failed sync whose Application was made anew holds nothing any more', async () => {
    const lab = await failedSync();
    lab.world.argocd.put(anApplication({ uid: 'uid-again', sync: { status: 'OutOfSync', revisions: [commitA] } }));

    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    ['of a push', 'a dry run', true],
    ['of a push', 'an Application without its status', true],
    ['of a push', 'an earlier status of it', true],
    ['of a person', 'a dry run', false],
    ['of a person', 'an Application without its status', false],
    ['of a person', 'an earlier status of it', false],
  ])('[S0-9] a failed sync %s stays failed behind %s', async (_, what, isPushed) => {
    const lab = await failedSync({}, isPushed);
    await lab.pass(40 * 60);
    hide(lab, what);

    await lab.pass(150 * 60);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);
    const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-failed');
    expect(incident).toMatchObject({ state: 'firing', trouble: { findings: [{ confidence: 'likely' }] } });

    lab.world.argocd.change('nodes', {
      sync: { status: 'Synced', revisions: [commitC] },
      reconciledAt: lab.world.clock.now().toISOString(),
    });
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test.each([
    ['resume', []],
    ['resume-after-approval', [nodesHold]],
  ] as const)('[S0-9] policy %s lets go of a failed sync that is not shown any more', async (policy, failed) => {
    const lab = await failedSync({ policy: { onSyncFailure: policy } });
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-b', sources: [] },
    });
    hide(lab, 'a dry run');

    await lab.pass(50 * 60);
    const before = lab.record()?.holds.map(({ phase }) => phase);
    await lab.pass(15 * 60);

    expect(before).toEqual(['failed']);
    expect(lab.record()?.holds ?? []).toEqual([]);
    expect(lab.record()?.release?.afterFailed ?? []).toEqual(failed);
  });

  test.each([
    ['loses its status', 'an Application without its status'],
    ['gets an earlier status', 'an earlier status of it'],
  ])('[S0-9] a sync whose Application %s is awaited until Argo CD has compared it', async (_, what) => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(20 * 60);
    hide(lab, what);

    await lab.pass(3 * 3600);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);
    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toContain('sync-stuck');

    lab.world.argocd.change('nodes', {
      sync: { status: 'Synced', revisions: [commitB] },
      reconciledAt: lab.world.clock.now().toISOString(),
    });
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-9] a sync whose end nobody saw, because a dry run followed, is over once Argo CD has compared it since', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(20);
    // As a comparison in mid-sync may say.
    const sync = { status: 'Synced', revisions: [commitA] } as const;
    const startedAt = lab.world.clock.now().toISOString();
    lab.syncs(commitB, { dryRun: true, phase: 'Succeeded', startedAt, finishedAt: startedAt });
    lab.world.argocd.change('nodes', { sync, reconciledAt: startedAt });
    await lab.pass(10 * 60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);

    lab.world.argocd.change('nodes', { reconciledAt: lab.world.clock.now().toISOString() });
    await lab.pass(90);

    expect(lab.record()?.holds ?? []).toEqual([]);
    expect(lab.pool().paused).toBe(false);
  });

  test('[S0-9] nor is it over for a push that came meanwhile', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.deliver(lab.pushOf(commitC));
    lab.world.clock.advance(20);
    const startedAt = lab.world.clock.now().toISOString();
    lab.syncs(commitB, { dryRun: true, phase: 'Succeeded', startedAt, finishedAt: startedAt });
    lab.world.clock.advance(5);
    const sync = { status: 'Synced', revisions: [commitB] } as const;
    lab.world.argocd.change('nodes', { sync, reconciledAt: lab.world.clock.now().toISOString() });

    await lab.pass(10 * 60);

    expect(lab.pool().paused).toBe(true);
  });

  test('a failed sync lets go once Argo CD compared again and found the Application Synced', async () => {
    const lab = await failedSync();
    lab.world.argocd.change('nodes', { sync: { status: 'Synced', revisions: [commitC] } });
    await lab.pass(60);

    expect(lab.record()?.holds).toMatchObject([{ phase: 'failed' }]);

    lab.world.argocd.change('nodes', { reconciledAt: '2026-03-02T10:05:00Z' });
    await lab.pass(90);

    expect(lab.pool().paused).toBe(false);
  });

  test('a person who resumes a pool that a failed sync kept has decided: the next push is protected again', async () => {
    const lab = await failedSync();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.holds).toEqual([]);
    expect(lab.told()).toContain('pool.overridden');

    await lab.deliver(lab.pushOf(commitC));

    expect(lab.record()?.pause).toBe('ours');
  });
});

/** What is said of how the incident ended, after it was resolved. */
async function endOf(lab: KeepLab): Promise<string | undefined> {
  await lab.pass(10 * 60);
  const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-failed');
  expect(incident?.state).toBe('ok');
  return incident?.notes.at(-1)?.text.replace(/^Resolved after [^.]*\.( |$)/, '');
}

/** The failed sync, of which people were told. */
async function toldFailure(): Promise<KeepLab> {
  const lab = await failedSync();
  await lab.pass(200);
  expect(lab.troubles()).toContain('run-failed');
  return lab;
}

describe('what ended a failed sync, in the message of its end', () => {
  test('is the later sync of that Application that succeeded, with its commit and time [S1-13]', async () => {
    const lab = await toldFailure();

    lab.syncs(commitC);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(30);
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));

    expect(await endOf(lab)).toBe('Argo CD synced openshift-gitops/nodes to cccccccc at 10:03 UTC.');
  });

  test('is told also after a pass that released the pool and died before it told so', async () => {
    const lab = await toldFailure();
    lab.syncs(commitC);
    lab.ends('Succeeded');
    const recover = lab.world.faults.failAll(['incidents.load']);

    await expect(lab.deliver(lab.operationOf('Succeeded'))).rejects.toThrow();
    expect(lab.record()?.holds).toEqual([]);
    recover();

    expect(await endOf(lab)).toBe('Argo CD synced openshift-gitops/nodes to cccccccc at 10:03 UTC.');
  });

  test('is not the sync of another Application, though it holds the same pool and succeeds meanwhile', async () => {
    const lab = await toldFailure();
    lab.world.argocd.put(anApplication({ name: 'other', uid: 'uid-other' }));
    lab.syncs(commitC, {}, 'other');
    await lab.deliver({ ...lab.operationOf('Running'), data: { ...lab.operationOf('Running').data, name: 'other' } });
    lab.syncs(commitC);
    await lab.pass(60);
    lab.ends('Succeeded', {}, 'other');

    expect(await endOf(lab)).toBe('Argo CD syncs openshift-gitops/nodes again.');
  });

  test('is the person who resumed the pool, and that no sync has succeeded', async () => {
    const lab = await toldFailure();
    lab.world.pools.change('worker', 'kubectl-edit', { paused: false });

    expect(await endOf(lab)).toMatch(
      /^Pool worker was resumed by kubectl-edit; no sync of openshift-gitops\/nodes has succeeded/,
    );
  });

  test('is the policy by which the pool is let go after a while, and no repair', async () => {
    const lab = await failedSync({ policy: { onSyncFailure: 'resume' } });
    await lab.pass(60 * 60);

    expect(await endOf(lab)).toBe(
      'No sync of openshift-gitops/nodes has succeeded: pool worker is no longer held for it, by policy onSyncFailure.',
    );
  });

  test('[N-29] is not the policy where somebody took the record away', async () => {
    const lab = await failedSync({ policy: { onSyncFailure: 'resume' } });
    await lab.pass(200);
    lab.world.argocd.change('nodes', { automated: false });
    lab.world.pools.change('worker', 'oc', { record: { kind: 'record', record: { v: 1, holds: [] } }, paused: false });

    expect(await endOf(lab)).toBe(
      'No sync of openshift-gitops/nodes has succeeded: pool worker is no longer held for it.',
    );
  });

  test('is that everything of the change was applied after all', async () => {
    const lab = await toldFailure();
    lab.world.argocd.change('nodes', {
      sync: { status: 'Synced', revisions: [commitC] },
      reconciledAt: '2026-03-02T10:05:00Z',
    });

    expect(await endOf(lab)).toBe('Application openshift-gitops/nodes became Synced without another sync.');
  });

  test('is not known while its Application cannot be read', async () => {
    const lab = await toldFailure();
    lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'none' }, paused: false });
    lab.world.faults.failAll(['argocd.read']);

    expect(await endOf(lab)).toBe('');
  });
});

describe('a sync dated ahead, as by a tenant who writes it into his Application or by a clock that is set back', () => {
  const ahead = { startedAt: '2100-01-01T00:00:00Z' };
  const compared = (lab: KeepLab, status: 'Synced' | 'OutOfSync') =>
    lab.world.argocd.change('nodes', {
      sync: { status, revisions: [commitB] },
      reconciledAt: lab.world.clock.now().toISOString(),
    });

  test.each(['another status', 'a dry run', 'an earlier status of it'])(
    '[S0-9] [N-29] that ran, and in whose place %s is shown, holds its pools no longer than any other',
    async (behind) => {
      const lab = keepLab();
      await lab.deliver(lab.pushOf(commitB));
      lab.syncs(commitB, ahead);
      await lab.pass(60);

      hide(lab, behind);
      await lab.pass(1800);
      const before = lab.pool().paused;
      compared(lab, 'OutOfSync');
      await lab.pass(3600);

      expect([before, lab.pool().paused, lab.record()?.holds]).toEqual([true, false, []]);
    },
  );

  test('[S0-9] [N-29] that failed ends with the next full sync that goes well, also if nobody has seen it run', async () => {
    const lab = keepLab();
    lab.syncs(commitB, ahead);
    await lab.deliver(lab.operationOf('Running'));
    lab.ends('Failed', { results: [failure] });
    await lab.pass(60);
    const before = lab.record()?.holds.map(({ phase }) => phase);

    lab.syncs(commitB);
    lab.ends('Succeeded');
    await lab.pass(180);
    compared(lab, 'Synced');
    await lab.pass(120);

    expect([before, lab.pool().paused, lab.record()?.holds]).toEqual([['failed'], false, []]);
  });
});

describe('a sync of which the API server refused something because pools were not paused', () => {
  const refusalOf = (name: string, pool = 'worker') =>
    `machineconfigs.machineconfiguration.openshift.io "${name}" is forbidden: ValidatingAdmissionPolicy 'poolkeeper-pause-first' with binding 'poolkeeper-pause-first-${pool}' denied request: pool ${pool} is not paused yet: MachineConfig ${name} is part of what its nodes run, so it may be changed only while the pool is paused.`;
  const admission = { worker: { ...defaultPoolSettings, protection: 'admission' as const } };
  const refused = { ...failure, name: '98-worker-ntp', message: refusalOf('98-worker-ntp') };
  const result = (name: string, word: string) => ({
    ...failure,
    name,
    status: 'Synced',
    message: `machineconfig.machineconfiguration.openshift.io/${name} ${word}`,
  });

  /** Somebody starts a sync, which ends like this while our pause arrives. */
  async function syncByHand(lab: KeepLab, revision: string, results: readonly OperationResult[]): Promise<void> {
    lab.syncs(revision, { startedBy: 'alice' });
    await lab.deliver(lab.operationOf('Running'));
    lab.world.pools.observe('worker');
    lab.world.clock.advance(3);
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-b', sources: ['98-worker-ntp', '99-worker-ssh'] },
    });
    lab.ends('Failed', { message: 'one or more objects failed to apply', results });
    await lab.deliver(lab.operationOf('Failed'));
    await lab.pass(60);
  }

  test.each(['keep', 'resume-after-approval', 'resume'] as const)(
    '[S0-9] [N-27] with onSyncFailure %s, one that has written a part has failed if nobody retries it',
    async (onSyncFailure) => {
      const lab = keepLab({ pools: admission, policy: { onSyncFailure } });
      await syncByHand(lab, commitB, [refused, result('99-worker-ssh', 'configured')]);
      const waiting = lab.record()?.holds.map(({ phase }) => phase);
      await lab.pass(20 * 60);
      const failed = lab.record()?.holds.map(({ phase }) => phase);
      const told = lab.world.tables.incidents.all().map(({ state, trouble }) => [state, trouble?.severity]);
      await lab.pass(6 * 3600);

      const { holds, release } = lab.record() ?? emptyRecord;
      const isAsked = release?.afterFailed?.includes(nodesHold) === true;
      expect([waiting, failed, told]).toEqual([['expected'], ['failed'], [['firing', 'high']]]);
      expect([holds.map(({ phase }) => phase), isAsked]).toEqual(
        {
          keep: [['failed'], false],
          'resume-after-approval': [[], true],
          resume: [[], false],
        }[onSyncFailure],
      );
    },
  );

  test('[S0-9] [N-27] [N-29] one that has left the rest unchanged has not begun: nothing is held after its time', async () => {
    const lab = keepLab({ pools: admission });
    await syncByHand(lab, commitB, [refused, result('99-worker-ssh', 'unchanged')]);
    const during = lab.pool().paused;

    await lab.pass(20 * 60);

    expect([during, lab.pool().paused, lab.record()?.holds]).toEqual([true, false, []]);
  });

  test('[S0-9] [N-27] one that has written a part is over with the retry that succeeds', async () => {
    const lab = keepLab({ pools: admission });
    await syncByHand(lab, commitB, [refused, result('99-worker-ssh', 'configured')]);

    lab.syncs(commitB, { startedBy: 'alice' });
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(3);
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    await lab.pass(180);

    expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
  });

  test('[S0-9] [N-27] one that has written a part, and that a dry run hides, holds the pool all the same', async () => {
    const lab = keepLab({ pools: admission });
    await syncByHand(lab, commitB, [refused, result('99-worker-ssh', 'configured')]);

    hide(lab, 'a dry run');
    await lab.pass(3600);

    expect(lab.record()?.holds.map(({ phase }) => phase)).toEqual(['failed']);
  });

  test.each(['keep', 'resume-after-approval'] as const)(
    '[S0-9] [N-27] with onSyncFailure %s, one that was refused as a whole does not end an earlier failure',
    async (onSyncFailure) => {
      const lab = await failedSync({ pools: admission, policy: { onSyncFailure } });
      await lab.pass(120);

      await syncByHand(lab, commitC, [refused]);
      await lab.pass(6 * 3600);

      const { holds, release } = lab.record() ?? emptyRecord;
      const isKept = holds.some(({ phase }) => phase === 'failed');
      const isAsked = release?.afterFailed?.includes(nodesHold) === true;
      expect([isKept, isAsked]).toEqual(onSyncFailure === 'keep' ? [true, false] : [false, true]);
    },
  );

  test('[S0-9] [N-30] of a pool without the level, the words that a Git author has the API server quote change nothing', async () => {
    const lab = keepLab();
    const quoted = `MachineConfig "98-own" is invalid: metadata.annotations: Invalid value: "${refusalOf('x')}": name part must consist of alphanumeric characters`;
    await syncByHand(lab, commitB, [{ ...failure, name: '98-own', message: quoted }]);
    const [incident] = lab.world.tables.incidents.all();

    await lab.pass(3600);

    expect(incident?.trouble?.severity).toBe('high');
    expect(incident?.trouble?.findings.map(({ code }) => code)).toEqual(['A1']);
    expect(lab.record()?.holds.map(({ phase }) => phase)).toEqual(['failed']);
  });
});

test('[S0-9] a failed sync is not ended by one of manifests of its own, as of argocd app sync --local', async () => {
  const lab = await failedSync();
  await lab.pass(60);
  const local = { partial: true, asked: [], appliesOther: true as const, startedBy: 'alice' };

  lab.syncs(commitB, local);
  await lab.deliver(lab.operationOf('Running'));
  lab.world.clock.advance(5);
  const configMap = { ...failure, group: '', kind: 'ConfigMap', namespace: 'web', name: 'web', status: 'Synced' };
  lab.ends('Succeeded', { ...local, results: [configMap] });
  lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
  await lab.deliver(lab.operationOf('Succeeded'));
  await lab.pass(120);

  expect([lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)]).toEqual([true, ['failed']]);
});

describe('a failed sync that has applied one object, and not another of its kind and name', () => {
  const object = (group: string, kind: string, namespace: string, name: string, status: string) => ({
    ...failure,
    group,
    kind,
    namespace,
    name,
    status,
    message: status === 'Synced' ? 'configured' : 'invalid',
  });

  test.each<[string, readonly OperationResult[]]>([
    [
      'an ImagePolicy of two namespaces',
      [
        object('config.openshift.io', 'ImagePolicy', 'team-a', 'signed', 'Synced'),
        object('config.openshift.io', 'ImagePolicy', 'team-b', 'signed', 'SyncFailed'),
      ],
    ],
    [
      'a Secret pull-secret of others beside that of the cluster',
      [
        object(failure.group, 'MachineConfig', '', '99-worker-ssh', 'Synced'),
        object('', 'Secret', 'ci', 'pull-secret', 'Synced'),
        object('', 'Secret', 'openshift-config', 'pull-secret', 'SyncFailed'),
      ],
    ],
    [
      'the Network of the operator beside that of the configuration',
      [
        object('config.openshift.io', 'Network', '', 'cluster', 'Synced'),
        object('operator.openshift.io', 'Network', '', 'cluster', 'SyncFailed'),
      ],
    ],
    [
      'the NodeDisruptionPolicy that spares its nodes',
      [
        object(failure.group, 'MachineConfig', '', '99-worker-ssh', 'Synced'),
        object('operator.openshift.io', 'MachineConfiguration', '', 'cluster', 'SyncFailed'),
      ],
    ],
    [
      'the same object twice',
      [
        object(failure.group, 'MachineConfig', '', '99-worker-ssh', 'Synced'),
        object(failure.group, 'MachineConfig', '', '99-worker-ssh', 'SyncFailed'),
      ],
    ],
  ])('[S0-9] %s: the pool is held', async (_, results) => {
    const lab = keepLab();
    const shown = (statusOf: (status: string) => string): Application['resources'] =>
      results.map((each) => ({ ...each, status: statusOf(each.status) }));
    lab.world.argocd.change('nodes', { resources: shown(() => 'OutOfSync') });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.world.clock.advance(2);
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    lab.world.clock.advance(5);

    lab.ends('Failed', { results });
    lab.world.argocd.change('nodes', {
      resources: shown((status) => (status === 'Synced' ? 'Synced' : 'OutOfSync')),
    });
    await lab.deliver(lab.operationOf('Failed'));
    await lab.pass(120);

    expect([lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)]).toEqual([true, ['failed']]);
  });
});

/** Commit B changes two MachineConfigs in two waves, and its sync is terminated after the first. */
describe.each([[false], [true]])('half of a change, with automated sync %s', (automated) => {
  const first = nameOf(failure);
  const second = { ...first, name: '99-worker-last' };

  test.each([
    ['with a webhook', true],
    ['without one', false],
  ])(
    '[S0-9] [S0-10] is held once the commit is reverted in Git, %s, for as long as nothing has synced that',
    async (_, isPushed) => {
      const lab = keepLab();
      const shown = (statuses: readonly string[], commit: string): Partial<Application> => ({
        resources: [first, second].map((each, nth) => ({ ...each, status: statuses[nth] ?? '' })),
        sync: { status: 'OutOfSync', revisions: [commit] },
        reconciledAt: lab.world.clock.now().toISOString(),
      });
      lab.world.argocd.change('nodes', { automated, ...shown(['OutOfSync', 'OutOfSync'], commitB) });
      lab.syncs(commitB, { startedBy: 'alice' });
      await lab.deliver(lab.operationOf('Running'));
      lab.world.pools.observe('worker');
      lab.world.clock.advance(20);
      lab.ends('Failed', {
        message: 'Operation terminated',
        results: [{ ...first, status: 'Synced', message: 'configured', hookType: '' }],
      });
      lab.world.argocd.change('nodes', shown(['Synced', 'OutOfSync'], commitB));
      await lab.deliver(lab.operationOf('Failed'));
      const target = { name: 'rendered-worker-half', sources: ['00-worker', first.name, second.name] };
      lab.world.pools.change('worker', 'machine-config-controller', { target });
      await lab.pass(600);

      if (isPushed) await lab.deliver(lab.pushOf(commitC, { before: commitB }));
      lab.world.argocd.change('nodes', shown(['OutOfSync', 'Synced'], commitC));
      await lab.pass(1800);

      expect([lab.pool().paused, lab.troubles()]).toEqual([true, expect.arrayContaining(['run-failed'])]);

      // What Argo CD then finds Synced as a whole is none of the change any more.
      lab.world.argocd.change('nodes', {
        ...shown(['Synced', 'Synced'], commitC),
        sync: { status: 'Synced', revisions: [commitC] },
      });
      await lab.pass(600);
      expect(lab.pool().paused).toBe(false);
    },
  );
});

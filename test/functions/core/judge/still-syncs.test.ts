import { describe, expect, test } from 'vitest';
import type { Application, Operation } from '../../../../functions/core/argocd/application.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aHold, anApplication, anOperation, aPool, aRecord } from '../../../fakes/builders.ts';
import { minutesAgo } from '../diagnose/world.ts';
import { fact, kinds, passAfter, passOver, the } from './pass-over.ts';

const running: Operation = anOperation({
  phase: 'Running',
  startedAt: minutesAgo(8),
  finishedAt: undefined,
  message: 'waiting for completion of hook batch/Job/migrate',
});

function pausedPool(change: Partial<Pool> = {}): Pool {
  const record = aRecord({ pausedSince: minutesAgo(8), holds: [aHold({ phase: 'syncing', since: minutesAgo(8) })] });
  return aPool({ paused: true, record: { kind: 'record', record }, ...change });
}

function seen(change: Partial<Application>) {
  const application = anApplication({ operation: running, operationQueued: true, ...change });
  return { kind: 'seen' as const, application };
}

describe('a sync that holds a pool and shows no sign of life', () => {
  test.each<[string, Partial<Application>, number, string, string]>([
    ['that waits for its hook', { reconciledAt: minutesAgo(1) }, 5, 'A6', 'info'],
    ['that nobody runs', { reconciledAt: minutesAgo(1), operationQueued: false }, 5, 'A6', 'warning'],
    ['that no controller reconciles', { reconciledAt: minutesAgo(300) }, 5, 'A7', 'warning'],
    ['of an Application that was never reconciled', { operationQueued: false }, 5, 'A7', 'warning'],
    ['that is requested and not begun', { operation: undefined }, 5, 'A7', 'warning'],
  ])('[N-30] %s is told', async (_, change, minutes, code, severity) => {
    const passed = await passAfter(minutes, { pools: [pausedPool()], applications: [seen(change)] });

    expect(kinds(passed)).toEqual(['worker/sync-stuck']);
    expect(the('sync-stuck', passed)).toMatchObject({ severity, findings: [{ code }], since: expect.any(String) });
  });

  test.each<[string, Partial<Application>, number]>([
    ['[decoy] not before its time', { operationQueued: false }, 4],
    ['[decoy] not by what it says of itself', { reconciledAt: minutesAgo(1), operation: running }, 0],
  ])('%s', async (_, change, minutes) => {
    const passed = await passAfter(minutes, { pools: [pausedPool()], applications: [seen(change)] });

    expect(kinds(passed)).toEqual([]);
  });

  test('[N-29] [N-30] is named beside those that run too long, once', async () => {
    const ofMinutes = { own: 600, bank: 20, shop: 20 };
    const owners = Object.entries(ofMinutes);
    const holds = owners.map(([namespace]) =>
      aHold({ id: `sync/hub/${namespace}/nodes`, who: `${namespace}/nodes`, uid: namespace, phase: 'syncing' }),
    );
    const applications = owners.map(([namespace, minutes]) => {
      const operation = { ...running, startedAt: minutesAgo(minutes) };
      return seen({ namespace, uid: namespace, operation, reconciledAt: minutesAgo(1) });
    });
    const record = { kind: 'record' as const, record: aRecord({ pausedSince: minutesAgo(20), holds }) };

    const trouble = the('sync-stuck', await passAfter(8, { pools: [aPool({ paused: true, record })], applications }));

    expect(trouble.headline).toBe('sync of own/nodes does not finish, sync of bank/nodes and shop/nodes stands still');
    expect(fact(trouble, 'Applications')).toBe('own/nodes, bank/nodes and shop/nodes');
  });

  test('[decoy] any change of the operation is a sign of life, and starts its clock anew', async () => {
    const scene = { pools: [pausedPool()], at: minutesAgo(6), applications: [seen({ reconciledAt: minutesAgo(7) })] };
    const { firstSeen } = await passOver(scene);
    const changes: readonly Partial<Operation>[] = [
      { message: 'another' },
      { retryCount: 1 },
      { phase: 'Terminating' },
      { startedAt: minutesAgo(7) },
      { results: [] },
      { finishedAt: minutesAgo(5) },
    ];

    for (const change of changes) {
      const application = seen({ reconciledAt: minutesAgo(1), operation: { ...running, ...change } });
      expect(kinds(await passOver({ pools: [pausedPool()], firstSeen, applications: [application] }))).toEqual([]);
    }
    const same = seen({ reconciledAt: minutesAgo(1) });
    expect(kinds(await passOver({ pools: [pausedPool()], firstSeen, applications: [same] }))).toEqual([
      'worker/sync-stuck',
    ]);
  });

  describe('that waits for its retry', () => {
    const waiting = (change: Partial<Operation>, more: Partial<Application> = {}) =>
      seen({
        operation: {
          ...running,
          message: 'one or more objects failed to apply. Retrying attempt #2 at 9:41AM.',
          retryCount: 2,
          finishedAt: minutesAgo(30),
          ...change,
        },
        reconciledAt: minutesAgo(1),
        ...more,
      });

    test.each<[string, number, Partial<Operation>]>([
      ['before it is due', 30, { retryAt: minutesAgo(-10) }],
      ['within the usual time after it was due', 30, { retryAt: minutesAgo(4) }],
      ['of which no time is known, within the usual time', 4, {}],
    ])('[decoy] [N-30] does not stand still %s', async (_, minutes, change) => {
      const passed = await passAfter(minutes, { pools: [pausedPool()], applications: [waiting(change)] });

      expect(kinds(passed)).toEqual([]);
    });

    test('[N-30] stands still where the retry has not come', async () => {
      const application = waiting({ retryAt: minutesAgo(5) });

      const trouble = the('sync-stuck', await passAfter(30, { pools: [pausedPool()], applications: [application] }));

      expect(trouble.headline).toBe('sync of openshift-gitops/nodes stands still');
      expect(trouble.findings[0]?.sentence).toBe(
        `The sync of openshift-gitops/nodes keeps the pool paused, and nothing in it has changed for 30 min: it waits for retry 2, which was due at ${minutesAgo(5)}: one or more objects failed to apply. Retrying attempt #2 at 9:41AM.`,
      );
    });

    test.each([
      ['by a back-off of a day', minutesAgo(-24 * 60)],
      ['by a time that never comes', '9999-12-31T23:59:59.999Z'],
    ])('[N-30] is not hidden %s: an hour of it is believed', async (_, retryAt) => {
      const scene = { pools: [pausedPool()], applications: [waiting({ retryAt })] };

      expect(kinds(await passAfter(64, scene))).toEqual([]);
      const trouble = the('sync-stuck', await passAfter(65, scene));

      expect(trouble).toMatchObject({ severity: 'info', findings: [{ code: 'A6' }] });
      expect(trouble.headline).toBe('sync of openshift-gitops/nodes waits long for its retry');
      expect(trouble.findings[0]?.sentence).toContain(
        `nothing in it has changed for 1 h 5 min: it waits for retry 2, which is due at ${retryAt}: one or more`,
      );
    });

    test.each<[string, Partial<Application>, string]>([
      ['that nobody runs', { operationQueued: false }, 'A6'],
      ['that no controller reconciles', { reconciledAt: minutesAgo(300) }, 'A7'],
    ])('[N-30] is believed of no sync %s', async (_, change, code) => {
      const application = waiting({ retryAt: minutesAgo(-10) }, change);

      const passed = await passAfter(5, { pools: [pausedPool()], applications: [application] });

      expect(the('sync-stuck', passed)).toMatchObject({ severity: 'warning', findings: [{ code }] });
    });
  });

  test('[N-30] one that was not read keeps its clocks, one that is over or gone has none', async () => {
    const pools = [pausedPool()];
    const { firstSeen } = await passOver({ pools, at: minutesAgo(6), applications: [seen({})] });
    const ref = { argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' };

    const unread = await passOver({ pools, firstSeen, applications: [{ kind: 'unreadable', ref, why: 'timeout' }] });
    const gone = await passOver({ pools, firstSeen, applications: [{ kind: 'gone', ref }] });
    const atRest = seen({ operation: undefined, operationQueued: false });
    const failed = aRecord({ holds: [aHold({ phase: 'failed' })] });
    const over = await passOver({
      pools: [pausedPool({ record: { kind: 'record', record: failed } })],
      firstSeen,
      applications: [atRest],
    });

    expect(Object.keys(firstSeen).filter((key) => key.startsWith('*|sync|'))).toHaveLength(2);
    expect(unread.firstSeen).toEqual(firstSeen);
    for (const { firstSeen: left } of [gone, over])
      expect(Object.keys(left).filter((key) => key.startsWith('*|sync|'))).toEqual([]);
  });

  test('[N-30] is told beside any number of own syncs that are said to run since long ago', async () => {
    const ids = ['evil/x0', 'evil/x1', 'evil/x2', 'evil/x3', 'openshift-gitops/nodes'];
    const holds = ids.map((id) => aHold({ id: `sync/hub/${id}`, phase: 'syncing', since: minutesAgo(8) }));
    const old = anOperation({ phase: 'Running', startedAt: '2020-01-01T00:00:00.000Z', finishedAt: undefined });
    const own = [0, 1, 2, 3].map((at) =>
      seen({ namespace: 'evil', name: `x${at}`, operation: old, reconciledAt: minutesAgo(0) }),
    );

    const passed = await passAfter(8, {
      pools: [pausedPool({ record: { kind: 'record', record: aRecord({ pausedSince: minutesAgo(8), holds }) } })],
      applications: [...own, seen({ reconciledAt: minutesAgo(1), operationQueued: false })],
    });

    expect(
      the('sync-stuck', passed)
        .findings.slice(0, 2)
        .map(({ subject }) => subject.namespace)
        .toSorted(),
    ).toEqual(['evil', 'openshift-gitops']);
  });

  test("[N-30] so it is with own syncs of another AppProject in Argo CD's own namespace", async () => {
    const project = 'team-a';
    const holds = ['x0', 'x1', 'x2', 'x3', 'nodes'].map((name) =>
      aHold({ id: `sync/hub/openshift-gitops/${name}`, phase: 'syncing', since: minutesAgo(8), project }),
    );
    const old = anOperation({ phase: 'Running', startedAt: '2020-01-01T00:00:00.000Z', finishedAt: undefined });
    const own = [0, 1, 2, 3].map((at) =>
      seen({ name: `x${at}`, isAtHome: true, project, operation: old, reconciledAt: minutesAgo(0) }),
    );

    const passed = await passAfter(8, {
      pools: [pausedPool({ record: { kind: 'record', record: aRecord({ pausedSince: minutesAgo(8), holds }) } })],
      applications: [...own, seen({ isAtHome: true, reconciledAt: minutesAgo(1), operationQueued: false })],
    });

    expect(the('sync-stuck', passed).findings[1]?.subject).toMatchObject({ name: 'nodes', project: 'default' });
  });

  test('[decoy] on a pool that somebody has resumed, nobody is told', async () => {
    const passed = await passAfter(9, { pools: [pausedPool({ paused: false })], applications: [seen({})] });

    expect(kinds(passed)).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../functions/core/argocd/application.ts';
import { defaultPolicy, type Policy } from '../../../../functions/core/configuration/policy.ts';
import { isInBlindSpot } from '../../../../functions/core/judge/blind-spot.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { wantsNodes } from '../../../../functions/core/judge/wants-nodes.ts';
import type { Race } from '../../../../functions/core/races/race.ts';
import { notAsked } from '../../../../functions/core/text/observed.ts';
import { aCondition, aHold, anApplication, anOperation, aPool, aRace, aRecord } from '../../../fakes/builders.ts';
import {
  aDrainingNode,
  aLiveNode,
  aRollingPool,
  aWorld,
  drainFailing,
  minutesAgo,
  newConfig,
  now,
  refused,
} from '../diagnose/world.ts';
import { fact, kinds, passAfter, passOver, the } from './pass-over.ts';

describe('a pool that cannot be rendered', () => {
  /** As measured: Updated stays True and the message of Degraded is empty. */
  const pool = (message: string, since = minutesAgo(3)) =>
    aPool({
      conditions: [
        aCondition({ type: 'Updated', status: 'True' }),
        aCondition({ type: 'Degraded', status: 'True', message: '' }),
        aCondition({
          type: 'RenderDegraded',
          status: 'True',
          since,
          message: `Failed to render configuration for pool worker: ${message}`,
        }),
      ],
    });

  test('[S1-4] is told once, with the guilty MachineConfig and that no node is affected', async () => {
    const message =
      'reconciliation failed between current config "rendered-worker-aaa" and base config "99-disk": ignition disks section contains changes';

    const passed = await passOver({ pools: [pool(message)] });

    expect(kinds(passed)).toEqual(['worker/render-failed']);
    const trouble = the('render-failed', passed);
    expect(trouble).toMatchObject({ severity: 'high', class: 'structural', since: minutesAgo(3) });
    expect(trouble.headline).toBe('cannot be rendered: MachineConfig 99-disk');
    expect(fact(trouble, 'Nodes affected')).toBe('none; a revert in Git is enough');
  });

  test('[S1-4] [N-29] is blamed on nothing else in the moment between a revert and the next render', async () => {
    const head = (name: string, minutes: number) => ({
      metadata: {
        name,
        labels: { 'machineconfiguration.openshift.io/role': 'worker' },
        creationTimestamp: minutesAgo(minutes),
      },
    });
    const [bad, good] = [head('99-bad', 3.1), head('99-good', 3.2)];
    const failing = pool('parsing Ignition config failed: unknown version');
    const secondsLater = (seconds: number) => new Date(Date.parse(now) + 1000 * seconds).toISOString();
    const applied = { pools: [failing], world: aWorld({ machineConfigs: [bad, good] }) };
    const reverted = { pools: [failing], world: aWorld({ machineConfigs: [good] }) };
    const first = await passOver({ ...applied, at: secondsLater(0) });
    expect(the('render-failed', first).findings[0]?.sentence).toContain('probably 99-bad and 99-good');

    const then = await passOver({ ...reverted, at: secondsLater(3), firstSeen: first.firstSeen });
    const again = await passOver({ ...applied, at: secondsLater(6), firstSeen: then.firstSeen });
    const later = await passOver({ ...reverted, at: secondsLater(64), firstSeen: then.firstSeen });

    expect(kinds(then)).toEqual([]);
    expect(then.unseen).toContainEqual(expect.objectContaining({ pool: 'worker', kinds: ['render-failed'] }));
    expect(the('render-failed', again).findings[0]?.sentence).toContain('probably 99-bad and 99-good');
    expect(the('render-failed', later).headline).toBe('cannot be rendered: MachineConfig 99-good');
    expect(Object.keys(later.firstSeen).filter((key) => key.includes('suspects'))).toHaveLength(1);
    const over = await passOver({ pools: [aPool()], at: secondsLater(70), firstSeen: later.firstSeen });
    expect(over.firstSeen).toEqual({});
  });

  test('[S1-4] [N-30] is told though another MachineConfig makes it fail at every look', async () => {
    const failingOn = (name: string) => pool(`failed to parse Ignition config for MC "${name}": invalid`);
    const told: boolean[] = [];
    let firstSeen: Readonly<Record<string, string>> = {};
    for (let minute = 0; minute < 8; minute += 1) {
      const at = new Date(Date.parse(now) + 60_000 * minute).toISOString();
      const passed = await passOver({ pools: [failingOn(`99-bad-${minute}`)], at, firstSeen });
      firstSeen = passed.firstSeen;
      told.push(kinds(passed).includes('worker/render-failed'));
      expect(Object.keys(firstSeen).length).toBeLessThanOrEqual(3);
    }

    expect(told).toEqual([true, false, true, false, true, false, true, false]);
  });

  test('[S1-4] [N-29] healthy nodes that wait for the next config are available, though the MCO counts none as ready', async () => {
    const counts = { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 0 };

    const trouble = the('render-failed', await passOver({ pools: [{ ...pool('x'), counts }] }));

    expect(fact(trouble, 'Old config still serving')).toBe('3 of 3 nodes available');
  });

  test('[N-29] because the API server does not answer is no MachineConfig of anybody', async () => {
    const trouble = the('render-failed', await passOver({ pools: [pool('etcdserver: request timed out')] }));

    expect(trouble).toMatchObject({ severity: 'warning', headline: 'cannot be rendered' });
    expect(fact(trouble, 'Nodes affected')).toBe('none');
  });

  test.each([
    [59, 'warning'],
    [60, 'high'],
  ])('[S1-4] for what the MCO tries again by itself is after %i min %s', async (minutes, severity) => {
    const failing = pool('etcdserver: request timed out', minutesAgo(minutes));

    const trouble = the('render-failed', await passOver({ pools: [failing] }));

    expect(trouble.severity).toBe(severity);
  });

  test('because an upgrade is under way is told only when that lasts (R8)', async () => {
    const message = 'ignoring controller config generated from 4.20 by 4.21';

    const young = await passOver({ pools: [pool(message)] });
    const old = await passOver({ pools: [pool(message, minutesAgo(31))] });

    expect(kinds(young)).toEqual([]);
    expect(kinds(old)).toEqual(['worker/render-failed']);
  });

  test.each([
    ['its own', '00-worker', []],
    ["a tenant's", '99-tenant', [['high', 'structural', 'cannot be rendered: MachineConfig 99-tenant']]],
  ])('[N-12] [N-30] because of the mark of a MachineConfig that is %s', async (_whose, name, told) => {
    const message = `Ignoring MC ${name} generated by older version abc (my version: def)`;

    const { troubles } = await passOver({ pools: [pool(message)] });

    expect(troubles.map((each) => [each.severity, each.class, each.headline])).toEqual(told);
  });

  test('[N-12] [N-29] for ten hours is not blamed, in its headline, on what was changed since', async () => {
    const message =
      'could not generate rendered MachineConfig: reconciliation failed between current config "rendered-worker-aaa" and base config "00-worker": ignition disks section contains changes';
    const head = (name: string, minutes: number, annotations = {}) => ({
      metadata: {
        name,
        labels: { 'machineconfiguration.openshift.io/role': 'worker' },
        creationTimestamp: minutesAgo(minutes),
        annotations,
      },
    });
    const mark = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' };
    const machineConfigs = [head('00-worker', 9000, mark), head('99-innocent', 8)];

    const passed = await passOver({ pools: [pool(message, minutesAgo(600))], world: aWorld({ machineConfigs }) });

    expect(the('render-failed', passed)).toMatchObject({ severity: 'high', headline: 'cannot be rendered' });
  });
});

test('an image that cannot be built is told', async () => {
  const message = 'Failed to build OS image for pool worker (MachineOSBuild: worker-abc): exit status 1';
  const pool = aPool({
    conditions: [aCondition({ type: 'ImageBuildDegraded', status: 'True', message, since: minutesAgo(4) })],
  });

  const passed = await passOver({ pools: [pool] });

  expect(kinds(passed)).toEqual(['worker/build-failed']);
});

describe('a pause', () => {
  const pausedSince = (minutes: number) =>
    aRollingPool({
      paused: true,
      pausedBy: { manager: 'poolkeeper', at: minutesAgo(minutes) },
      record: { kind: 'record', record: aRecord({ pausedSince: minutesAgo(minutes) }) },
      counts: { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 0 },
    });

  test.each([
    [239, []],
    [240, ['warning']],
    [480, ['high']],
  ])('of ours that lasts %i min: %j', async (minutes, severities) => {
    const passed = await passOver({ pools: [pausedSince(minutes)], applications: [seen()] });

    expect(passed.troubles.map(({ severity }) => severity)).toEqual(severities);
  });

  test.each([
    ['in the far future', '2999-01-01T00:00:00Z'],
    ['before the pool existed', '1970-01-01T00:00:00Z'],
  ])('[N-30] [N-4] a record with a date %s hides no pause', async (_name, date) => {
    const record = aRecord({ pausedSince: date, holds: [] });
    const created = minutesAgo(10_000);
    const pool = { ...pausedSince(300), createdAt: created, record: { kind: 'record' as const, record } };

    const byManager = await passOver({ pools: [pool] });
    const withoutManager = await passOver({ pools: [{ ...pool, pausedBy: undefined }] });

    expect(the('paused-too-long', byManager).since).toBe(minutesAgo(300));
    expect(the('paused-too-long', withoutManager).since).toBe(created);
  });

  test('of ours says who holds it and what waits', async () => {
    const trouble = the('paused-too-long', await passOver({ pools: [pausedSince(300)], applications: [seen()] }));

    expect(trouble.headline).toBe('paused too long, held by openshift-gitops/nodes');
    expect(trouble.findings[0]?.sentence).toContain(
      'rendered-worker-bbb waits behind it with 1 new MachineConfig: 99-worker-chrony',
    );
    expect(fact(trouble, 'Paused for')).toBe(`5 h, since ${minutesAgo(300)}`);
  });

  test('[N-16] [N-30] of ours names a person, and of each namespace one, before those of whom there are many', async () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      aHold({ id: `sync/hub/tenant/x${index}`, who: `tenant/x${index}`, since: minutesAgo(200 - index) }),
    );
    const other = aHold({ id: 'sync/hub/platform/nodes', who: 'platform/nodes', since: minutesAgo(300) });
    const ann = aHold({ id: 'manual/ann', kind: 'manual', who: 'ann' });
    const record = aRecord({ pausedSince: minutesAgo(300), holds: [...many, other, ann] });
    const headlineOf = async (holds: typeof record.holds) => {
      const pool = { ...pausedSince(300), record: { kind: 'record' as const, record: { ...record, holds } } };
      return the('paused-too-long', await passOver({ pools: [pool] })).headline;
    };

    expect(await headlineOf(record.holds)).toBe('paused too long, held by ann, platform/nodes and 12 more');
    // What comes and goes of the many changes nothing of it.
    const coming = aHold({ id: 'sync/hub/tenant/y', who: 'tenant/y', since: minutesAgo(1) });
    expect(await headlineOf([...many.slice(1), coming, other, ann])).toBe(
      'paused too long, held by ann, platform/nodes and 12 more',
    );
  });

  test('[S0-24] of ours says when the first certificate expires, where the MCO says it', async () => {
    const pool = { ...pausedSince(300), certificatesExpire: '2026-04-01T00:00:00.000Z' };

    const trouble = the('paused-too-long', await passOver({ pools: [pool], applications: [seen()] }));

    expect(fact(trouble, 'Certificates')).toBe('the first expires 2026-04-01T00:00:00.000Z');
  });

  const foreign = (pending: boolean) => {
    const pool = pausedSince(0);
    return {
      ...pool,
      pausedBy: { manager: 'kubectl-patch', at: minutesAgo(9000) },
      record: { kind: 'none' as const },
      current: pending ? pool.current : pool.target,
    };
  };

  test("of somebody else is nobody's trouble while nothing waits behind it, or not for long", async () => {
    const idle = await passAfter(9000, { pools: [foreign(false)] });
    const young = await passAfter(200, { pools: [foreign(true)] });

    expect(kinds(idle)).toEqual([]);
    expect(kinds(young)).toEqual([]);
  });

  test('of somebody else behind which a change has waited too long names that manager (S6)', async () => {
    const passed = await passAfter(241, { pools: [foreign(true)] });

    const trouble = the('paused-too-long', passed);
    expect(trouble.headline).toBe('change pending behind a pause by kubectl-patch');
    expect(trouble.findings[0]).toMatchObject({ code: 'S6', confidence: 'strong' });
    expect(trouble.findings[0]?.remedies[0]?.undo).toContain('"paused":true');
  });

  test('[N-21] [N-30] of somebody else, while a person keeps the pool paused by annotation: no command resumes it', async () => {
    const annotations = { 'poolkeeper.dev/keep-paused': 'firmware' };
    const passed = await passAfter(241, { pools: [{ ...foreign(true), annotations }] });

    const [first] = the('paused-too-long', passed).findings[0]?.remedies ?? [];
    expect(first).toMatchObject({ title: expect.stringContaining('keep-paused (firmware)'), command: undefined });
  });
});

const running = anOperation({
  phase: 'Running',
  startedAt: minutesAgo(61),
  finishedAt: undefined,
  message: 'waiting for healthy state',
});

function seen(change: Parameters<typeof anApplication>[0] = {}) {
  return { kind: 'seen' as const, application: anApplication(change) };
}

describe('syncs that hold a pool', () => {
  const held = (change: Parameters<typeof aHold>[0] = {}) =>
    aPool({
      paused: true,
      record: { kind: 'record', record: aRecord({ pausedSince: minutesAgo(70), holds: [aHold(change)] }) },
    });

  test('one that runs past its time is stuck, and the pool stays held', async () => {
    const pool = held({ phase: 'syncing' });

    const passed = await passOver({ pools: [pool], applications: [seen({ operation: running })] });

    expect(kinds(passed)).toEqual(['worker/sync-stuck']);
    expect(the('sync-stuck', passed).headline).toBe('sync of openshift-gitops/nodes does not finish');
    expect(the('sync-stuck', passed).findings[0]?.sentence).toContain('waiting for healthy state');
  });

  test('[N-30] one that is stuck between two attempts waits for the retry that Argo CD names', async () => {
    const message = 'one or more objects failed to apply. Retrying attempt #2 at 9:41AM.';
    const waiting = { ...running, message, finishedAt: minutesAgo(1), retryCount: 2, retryAt: minutesAgo(-9) };

    const passed = await passOver({
      pools: [held({ phase: 'syncing' })],
      applications: [seen({ operation: waiting })],
    });

    expect(the('sync-stuck', passed).findings[0]?.sentence).toBe(
      `The sync of openshift-gitops/nodes has been running for 1 h 1 min (waiting for retry 2, which is due at ${minutesAgo(-9)}): one or more objects failed to apply. Retrying attempt #2 at 9:41AM`,
    );
  });

  test('[S0-15] [N-29] one that is stuck is said to keep the pool paused only if it does', async () => {
    const overruled = { at: minutesAgo(60), by: 'ann' };
    const resumed = held({ phase: 'syncing', overruled });
    const poolOf = async (pool: ReturnType<typeof held>) =>
      fact(the('sync-stuck', await passOver({ pools: [pool], applications: [seen({ operation: running })] })), 'Pool');

    expect(await poolOf(held({ phase: 'syncing' }))).toBe('stays paused until the sync ends');
    expect(await poolOf(resumed)).toBe('is paused for something else: ann resumed it in spite of this sync');
    expect(await poolOf({ ...resumed, paused: false })).toBe('is not paused: ann resumed it in spite of this sync');
  });

  test('[decoy] one that runs within its time is not', async () => {
    const young = { ...running, startedAt: minutesAgo(59) };

    const passed = await passOver({ pools: [held({ phase: 'syncing' })], applications: [seen({ operation: young })] });

    expect(kinds(passed)).toEqual([]);
  });

  test('[S0-9] one that failed names what could not be applied, and says that the pool stays paused', async () => {
    const resource = { group: '', kind: 'MachineConfig', namespace: '', name: '99-bad', hookType: '' };
    const failed = anOperation({
      phase: 'Failed',
      finishedAt: minutesAgo(2),
      results: [{ ...resource, status: 'SyncFailed', message: 'admission webhook denied the request' }],
    });

    const passed = await passOver({ pools: [held({ phase: 'failed' })], applications: [seen({ operation: failed })] });

    const trouble = the('run-failed', passed);
    expect(trouble.headline).toBe('sync of openshift-gitops/nodes failed, pool stays paused');
    expect(trouble.findings[0]).toMatchObject({ code: 'A1', confidence: 'certain' });
    expect(trouble.findings[0]?.sentence).toBe(
      'The sync of openshift-gitops/nodes failed on MachineConfig 99-bad: admission webhook denied the request',
    );
    expect(trouble.since).toBe(minutesAgo(2));
  });

  describe('that the admission level refused', () => {
    const message =
      "ValidatingAdmissionPolicy 'poolkeeper-pause-first' with binding 'b' denied request: pool worker is not paused yet: MachineConfig 99-x";
    const denied = (change: Partial<Operation> = {}) =>
      anOperation({ phase: 'Failed', message, results: [], finishedAt: minutesAgo(1), ...change });
    const refusing = { refusingPools: ['worker'] };
    const restart = { ...defaultPolicy, onRefusedSync: 'restart' } as const;
    const waits = (operation: Operation, policy: Policy = defaultPolicy) =>
      passOver({ ...refusing, pools: [held({ phase: 'expected' })], applications: [seen({ operation })], policy });

    test('[N-27] and that nobody starts again by itself, is told with why and what to do', async () => {
      const passed = await waits(denied());

      const trouble = the('run-failed', passed);
      expect(trouble).toMatchObject({ severity: 'warning', since: minutesAgo(1), findings: [{ code: 'A4' }] });
      expect(trouble.headline).toBe('sync of openshift-gitops/nodes was refused and must be retried');
      expect(trouble.findings[0]?.sentence).toContain('because worker was not paused yet');
      expect(trouble.findings[0]?.remedies[0]?.command).toBe('argocd app sync openshift-gitops/nodes');
    });

    test('[N-27] [N-29] and that has written a part, is told with that part and with what comes of it', async () => {
      const resource = {
        group: 'machineconfiguration.openshift.io',
        kind: 'MachineConfig',
        namespace: '',
        hookType: '',
      };
      const results = [
        { ...resource, name: '98-x', status: 'SyncFailed', message },
        { ...resource, name: '99-y', status: 'Synced', message: 'machineconfig/99-y configured' },
        { ...resource, name: '99-z', status: 'Synced', message: 'machineconfig/99-z unchanged' },
      ];

      const passed = await passOver({
        ...refusing,
        pools: [held({ phase: 'expected', afterFailure: true })],
        applications: [seen({ operation: denied({ results }) })],
      });

      const trouble = the('run-failed', passed);
      expect(trouble.findings[0]?.sentence).toContain('A part of it is written: MachineConfig 99-y.');
      expect(fact(trouble, 'Decision')).toMatch(/it counts as failed, and policy onSyncFailure \(keep\) decides$/);
      expect(fact(the('run-failed', await waits(denied())), 'Decision')).toMatch(/, then the hold is released$/);
    });

    test.each([
      ['by server-side apply', 'machineconfig/99-y serverside-applied', {}],
      ['in its last attempt', 'machineconfig/99-y unchanged', { retryCount: 2 }],
    ])(
      '[N-27] [N-30] and that says %s of a part no more than that it is there, is not told with it as written',
      async (_, said, change) => {
        const resource = {
          group: 'machineconfiguration.openshift.io',
          kind: 'MachineConfig',
          namespace: '',
          hookType: '',
        };
        const results = [
          { ...resource, name: '98-x', status: 'SyncFailed', message },
          { ...resource, name: '99-y', status: 'Synced', message: said },
        ];

        const { sentence = '' } = the('run-failed', await waits(denied({ results, ...change }))).findings[0] ?? {};

        expect(sentence).toContain('A part of it may be written: MachineConfig 99-y.');
        expect(sentence).not.toContain('is written');
      },
    );

    test('[N-27] [N-30] counts for no pool without the level: whoever writes what is synced may write such words', async () => {
      const pools = [held({ phase: 'expected' })];

      expect(kinds(await passOver({ pools, applications: [seen({ operation: denied() })] }))).toEqual([]);
    });

    test('[N-27] [N-29] is named beside those that failed', async () => {
      const holds = ['own', 'bank'].map((namespace) =>
        aHold({
          id: `sync/hub/${namespace}/nodes`,
          who: `${namespace}/nodes`,
          uid: namespace,
          phase: namespace === 'own' ? 'failed' : 'expected',
        }),
      );
      const failed = anOperation({ phase: 'Failed', finishedAt: minutesAgo(2) });
      const applications = [
        seen({ namespace: 'own', uid: 'own', operation: failed }),
        seen({ namespace: 'bank', uid: 'bank', operation: denied() }),
      ];

      const passed = await passOver({
        ...refusing,
        pools: [aPool({ paused: true, record: { kind: 'record', record: aRecord({ holds }) } })],
        applications,
      });

      const trouble = the('run-failed', passed);
      expect(trouble.headline).toBe('sync of own/nodes failed, sync of bank/nodes was refused, pool stays paused');
      expect(fact(trouble, 'Applications')).toBe('own/nodes and bank/nodes');
    });

    test('[N-27] is left to Poolkeeper while it may still start it', async () => {
      expect(kinds(await waits(denied(), restart))).toEqual([]);
    });

    test.each<[string, Partial<Operation>, RegExp]>([
      ['could not start it', { finishedAt: minutesAgo(2) }, /lack permission/],
      ['has started it and it was refused again', { startedBy: 'poolkeeper' }, /refused a second time/],
    ])('[N-27] is told where Poolkeeper %s', async (_, change, words) => {
      const passed = await waits(denied(change), restart);

      expect(the('run-failed', passed).findings[0]?.sentence).toMatch(words);
    });

    test('[N-27] is no longer told once it runs again', async () => {
      const passed = await waits(denied({ phase: 'Running', finishedAt: undefined }));

      expect(kinds(passed)).toEqual([]);
    });
  });

  test('[S0-9] [N-29] by policy resume, says when the last of the failed lets go, and what else keeps the pool paused', async () => {
    const failed = anOperation({ phase: 'Failed', finishedAt: minutesAgo(2) });
    const [first, last] = [aHold({ phase: 'failed' }), aHold({ id: 'sync/hub/other/nodes', who: 'other/nodes' })];
    const policy = { ...defaultPolicy, onSyncFailure: 'resume' as const };
    const decision = async (...more: Parameters<typeof aHold>[0][]) => {
      const holds = [
        { ...first, until: minutesAgo(-20) },
        { ...last, phase: 'failed' as const, until: minutesAgo(-50) },
        ...more.map(aHold),
      ];
      const pool = held();
      const record = { kind: 'record' as const, record: aRecord({ holds }) };
      const applications = [seen({ operation: failed })];
      return fact(
        the('run-failed', await passOver({ pools: [{ ...pool, record }], applications, policy })),
        'Decision',
      );
    };

    expect(await decision()).toBe(
      `held until ${minutesAgo(-50)}; by policy the pool then resumes, unless something else keeps it paused`,
    );
    expect(await decision({ id: 'freeze/pool/ann', kind: 'freeze', who: 'ann' })).toMatch(
      /, unless something else keeps it paused, as the hold of ann now$/,
    );
  });

  test('[S0-10] one that was terminated says so', async () => {
    const ended = anOperation({ phase: 'Failed', message: 'Operation terminated', finishedAt: minutesAgo(2) });

    const passed = await passOver({ pools: [held({ phase: 'failed' })], applications: [seen({ operation: ended })] });

    expect(the('run-failed', passed).findings[0]).toMatchObject({ code: 'A3' });
  });

  test('one whose application cannot be read is still failed, and not known to be stuck or not', async () => {
    const ref = { argocd: 'hub', namespace: 'openshift-gitops', name: 'nodes' };

    const passed = await passOver({
      pools: [held({ phase: 'failed' })],
      applications: [{ kind: 'unreadable', ref, why: 'timeout' }],
    });

    expect(the('run-failed', passed).findings[0]).toMatchObject({ confidence: 'likely' });
    expect(isInBlindSpot(passed.unseen, { cluster: 'prod', pool: 'worker', kind: 'sync-stuck' })).toBe(true);
  });
});

describe('a pause that lost its race', () => {
  const race = aRace({ verdict: 'late', missedNodes: ['worker-2'], pausedAt: minutesAgo(2) });
  const pool = aRollingPool({
    paused: true,
    record: { kind: 'record', record: aRecord({ pausedSince: minutesAgo(2) }) },
  });
  const unobserved = { ...pool, generation: 4 };
  const onItsWay = aWorld({ nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')] });

  test('names the nodes it missed, while its hold lasts', async () => {
    const passed = await passOver({ world: onItsWay, pools: [pool], races: [race], applications: [seen()] });

    expect(the('late-pause', passed)).toMatchObject({ severity: 'warning', since: minutesAgo(2) });
    expect(the('late-pause', passed).headline).toBe('the pause came late for worker-2');
    expect(the('late-pause', passed).findings[0]?.code).toBe('Z1');
    expect(fact(the('late-pause', passed), 'Missed nodes')).toBe('worker-2');
  });

  test('[N-18] of a second Application is news, of the same pool too', async () => {
    const other = { ...race, hold: 'sync/hub/team-b/noise', missedNodes: ['worker-1'] };
    const twoRoll = {
      ...pool,
      record: {
        kind: 'record',
        record: aRecord({ holds: [race, other].map(({ hold, since }) => aHold({ id: hold, since })) }),
      },
    } as const;
    const passed = (races: readonly Race[]) =>
      passOver({ world: onItsWay, pools: [twoRoll], races, applications: [seen()] });

    const first = the('late-pause', await passed([race]));
    const both = the('late-pause', await passed([race, other]));

    expect(both.digest).not.toBe(first.digest);
    expect(both.headline).toBe('the pause came late for worker-1 and worker-2');
  });

  test('[N-30] whoever has many such syncs hides nobody else', async () => {
    const own = Array.from({ length: 5 }, (_, at) => ({ ...race, hold: `sync/hub/aaa/x${at}` }));
    const later = { ...race, hold: 'sync/hub/aaa/x9', pausedAt: minutesAgo(1) };
    const platform = { ...race, hold: 'sync/hub/platform/cfg', pausedAt: minutesAgo(3) };

    const passed = await passOver({ world: onItsWay, pools: [pool], races: [...own, later, platform] });

    const trouble = the('late-pause', passed);
    expect(fact(trouble, 'Sync')).toBe('hub/aaa/x9, hub/platform/cfg, hub/aaa/x0 and 4 more');
    expect(trouble.findings.slice(0, 3).map(({ subject }) => subject.name)).toEqual(['x9', 'cfg', 'x0']);

    const unprotected = { ...platform, verdict: 'unprotected', confirmedAt: undefined } as const;
    const held = {
      ...unobserved,
      record: { kind: 'record', record: aRecord({ holds: [aHold({ id: platform.hold, since: race.since })] }) },
    } as const;
    const worst = await passOver({ world: onItsWay, pools: [held], races: [...own, later, unprotected] });
    expect(the('late-pause', worst).findings[0]?.subject.name).toBe('cfg');
  });

  test('that was never confirmed is worse', async () => {
    const unprotected = aRace({ verdict: 'unprotected', confirmedAt: undefined });

    const seenIn = { world: onItsWay, pools: [unobserved], races: [unprotected], applications: [seen()] };
    const passed = await passOver(seenIn);

    expect(the('late-pause', passed)).toMatchObject({ severity: 'high', findings: [{ code: 'Z2' }] });
  });

  test('[N-29] names a level that ends the race, unless the pool has one', async () => {
    const at = async (refusingPools: readonly string[]) => {
      const scene = { world: onItsWay, pools: [pool], races: [race], applications: [seen()], refusingPools };
      return the('late-pause', await passOver(scene)).findings[0]?.remedies.map(({ title }) => title);
    };

    expect(await at([])).toEqual([
      'Nodes already being updated cannot be stopped; the other nodes are held',
      'For future syncs: protection admission has no such race, and with handshake full syncs wait for the pause',
    ]);
    expect(await at(['worker'])).toHaveLength(1);
  });

  test('is over when the hold has gone and the nodes have arrived', async () => {
    const released = aRollingPool({ current: { name: newConfig, sources: [] } });

    const passed = await passOver({ pools: [released], races: [race] });

    expect(kinds(passed)).toEqual([]);
  });

  test('[decoy] a race that was won is no trouble', async () => {
    const passed = await passOver({ pools: [pool], races: [aRace()], applications: [seen()] });

    expect(kinds(passed)).toEqual([]);
  });
});

describe('what cannot be seen', () => {
  const blind = (misses: number) =>
    judge({
      cluster: 'prod',
      now: new Date(now),
      policy: defaultPolicy,
      pools: { kind: 'unreadable', why: 'connect ECONNREFUSED' },
      everyNode: notAsked,
      rollouts: notAsked,
      known: notAsked,
      breakGlass: notAsked,
      firstSeen: { 'worker|stalled|x': minutesAgo(5) },
      diagnoses: new Map(),
      applications: [],
      races: [],
      misses,
      lastGoodReadAt: minutesAgo(4),
      unreadable: [],
      sweep: { since: undefined, triedUntil: undefined },
    });

  test.each([
    [1, []],
    [2, []],
    [3, ['*/watcher-blind']],
  ])('%i failed reads in a row: %j; nothing is resolved and no clock is lost', (misses, expected) => {
    const judgement = blind(misses);

    expect(kinds(judgement)).toEqual(expected);
    expect(isInBlindSpot(judgement.unseen, { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' })).toBe(true);
    expect(isInBlindSpot(judgement.unseen, { cluster: 'prod', pool: '*', kind: 'watcher-blind' })).toBe(false);
    expect(isInBlindSpot(judgement.unseen, { cluster: 'other', pool: 'worker', kind: 'drain-blocked' })).toBe(false);
    expect(judgement.firstSeen).toEqual({ 'worker|stalled|x': minutesAgo(5) });
  });

  test('being blind says since when, and why', () => {
    const trouble = the('watcher-blind', blind(3));

    expect(trouble.since).toBe(minutesAgo(4));
    expect(trouble.findings[0]?.code).toBe('B1');
    expect(trouble.findings[0]?.sentence).toContain('connect ECONNREFUSED');
  });

  test('nodes that cannot be read leave what concerns nodes undecided, and their clocks running', async () => {
    const world = aWorld({
      nodes: [aDrainingNode('worker-2')],
      machines: [drainFailing('worker-2', refused('web-a'))],
    });
    const first = await passOver({ world, pools: [aRollingPool()], at: minutesAgo(12) });

    const passed = await passOver({
      pools: [aRollingPool()],
      firstSeen: first.firstSeen,
      nodes: { worker: { kind: 'unreadable', why: 'timeout' } },
    });

    expect(passed.troubles).toEqual([]);
    expect(passed.firstSeen).toEqual(first.firstSeen);
    expect(isInBlindSpot(passed.unseen, { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' })).toBe(true);
    expect(isInBlindSpot(passed.unseen, { cluster: 'prod', pool: 'worker', kind: 'paused-too-long' })).toBe(false);
  });

  test('nodes that nobody asked for are not taken for healthy while some are on their way behind a pause', async () => {
    const passed = await passOver({
      pools: [aRollingPool({ paused: true })],
      nodes: { worker: { kind: 'not-asked' } },
    });

    expect(isInBlindSpot(passed.unseen, { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' })).toBe(true);
  });

  test('a pool that rests behind a pause needs no look at its nodes, unless a node was on its way before', () => {
    const counts = { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 0 };
    const paused = aRollingPool({ paused: true, counts });

    expect(wantsNodes(paused, { 'worker|pending': now })).toBe(false);
    expect(wantsNodes(paused, { 'other|draining|x|y': now })).toBe(false);
    expect(wantsNodes(paused, { 'worker|draining|worker-2|rendered-worker-bbb': now })).toBe(true);
    expect(wantsNodes({ ...paused, counts: { ...counts, unavailable: 1 } }, {})).toBe(true);
    expect(wantsNodes({ ...paused, paused: false }, {})).toBe(true);
    expect(wantsNodes(aPool(), {})).toBe(false);
  });

  test('a diagnosis that lacks a read does not end a drain-blocked incident that another pass opened', async () => {
    const world = aWorld({
      nodes: [aDrainingNode('worker-2')],
      machines: [drainFailing('worker-2', refused('web-a'), minutesAgo(3))],
      refused: [{ path: /poddisruptionbudgets/, why: 'timeout' }],
    });

    const passed = await passAfter(3, { world, pools: [aRollingPool()] });

    expect(passed.troubles).toEqual([]);
    expect(isInBlindSpot(passed.unseen, { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' })).toBe(true);
    expect(isInBlindSpot(passed.unseen, { cluster: 'prod', pool: 'worker', kind: 'render-failed' })).toBe(false);
  });
});

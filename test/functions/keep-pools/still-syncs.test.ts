import { describe, expect, test } from 'vitest';
import type { Application } from '../../../functions/core/argocd/application.ts';
import type { Trouble } from '../../../functions/core/findings/trouble.ts';
import { anApplication, anOperation, aPool, naming } from '../../fakes/index.ts';
import { fc } from '../../property.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const infraOnly = { matchLabels: { 'machineconfiguration.openshift.io/role': 'infra' } };

/** Pools worker and infra, and an Application that a tenant wrote: it names both pools and claims to sync. */
function forged(change: Partial<Application> = {}): KeepLab {
  const lab = keepLab();
  lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', machineConfigSelector: infraOnly }));
  lab.world.argocd.change('nodes', {
    resources: [],
    ...naming('worker,infra', { mayRemove: false }),
    operation: anOperation({ phase: 'Running', finishedAt: undefined, startedAt: '2026-03-02T10:00:00Z', results: [] }),
    ...change,
  });
  return lab;
}

/** Argo CD compares the Application and, if it says anything, changes its operation. */
function lives(lab: KeepLab, message?: string): void {
  const { operation } = lab.world.argocd.get('nodes');
  lab.world.argocd.change('nodes', {
    reconciledAt: lab.world.clock.now().toISOString(),
    ...(operation === undefined || message === undefined ? {} : { operation: { ...operation, message } }),
  });
}

function firing(lab: KeepLab): readonly Trouble[] {
  return lab.world.tables.incidents
    .all()
    .filter(({ state }) => state === 'firing')
    .flatMap(({ trouble }) => trouble ?? []);
}

function codes(lab: KeepLab): readonly string[] {
  return [...new Set(firing(lab).flatMap(({ findings }) => findings.map(({ code }) => code)))].toSorted();
}

function paused(lab: KeepLab): readonly string[] {
  return ['worker', 'infra'].filter((pool) => lab.pool(pool).paused);
}

/** The MCO confirms every pause. */
async function confirm(lab: KeepLab): Promise<void> {
  const { items } = await lab.world.pools.listPools();
  for (const { name } of items) lab.world.pools.observe(name);
}

/** Ticks a minute apart, Argo CD's doings before each. */
async function minutes(lab: KeepLab, count: number, each: (minute: number) => void = () => {}): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    each(minute);
    await lab.pass(60);
    await confirm(lab);
  }
}

describe('an operation that is written by hand', () => {
  test('[N-30] of which nobody says a word is told within ten minutes, and the pause stays', async () => {
    const lab = forged();

    await minutes(lab, 10);

    expect(firing(lab).map(({ key }) => `${key.pool} ${key.kind}`)).toEqual(['infra sync-stuck', 'worker sync-stuck']);
    expect(codes(lab)).toEqual(['A7']);
    expect(paused(lab)).toEqual(['worker', 'infra']);
    const [trouble] = firing(lab);
    expect(trouble?.headline).toBe('no controller reconciles openshift-gitops/nodes, which syncs');
    expect(trouble?.severity).toBe('warning');
    expect(trouble?.findings[0]?.remedies.map(({ risk }) => risk)).toEqual(['none', 'none', 'low', 'low']);
    expect(trouble?.findings[0]?.remedies.at(-1)?.command).toBe(
      "poolkeeper resume --cluster prod --pool infra --reason 'nobody syncs openshift-gitops/nodes'",
    );
  });

  test('[N-30] in an Application that Argo CD reconciles is told as one that nobody runs', async () => {
    const lab = forged();

    await minutes(lab, 10, () => lives(lab));

    expect(codes(lab)).toEqual(['A6']);
    expect(firing(lab)[0]).toMatchObject({
      severity: 'warning',
      headline: 'sync of openshift-gitops/nodes stands still',
      findings: [{ sentence: expect.stringContaining('Argo CD does not run it: .operation is not set') }],
    });
  });

  test.each<[string, Partial<Application>]>([
    ['with a comparison in the future', { reconciledAt: '2027-01-01T00:00:00Z' }],
    ['with a comparison at no time at all', { reconciledAt: 'now' }],
    ['with an operation that is only requested', { operation: undefined, operationQueued: true }],
    [
      'with a beginning in the future',
      { operation: anOperation({ phase: 'Running', startedAt: '2027-01-01T00:00:00Z' }) },
    ],
  ])('[N-30] %s is told as well', async (_, change) => {
    const lab = forged(change);

    await minutes(lab, 10);

    expect(codes(lab)).toEqual(['A7']);
    expect(paused(lab)).toEqual(['worker', 'infra']);
  });

  test('[N-30] and taken away again is told as well: its hold stays until its time is up', async () => {
    const lab = forged();
    await minutes(lab, 2, () => lives(lab));
    lab.world.argocd.change('nodes', { operation: undefined });

    await minutes(lab, 8, () => lives(lab));

    expect(paused(lab)).toEqual(['worker', 'infra']);
    expect(codes(lab)).toEqual(['A6']);
    expect(firing(lab)[0]?.findings[0]?.sentence).toContain('.operation is not set');
  });

  test('[N-30] and changed every minute is told by the comparison that nobody makes', async () => {
    const lab = forged();
    const { operation = anOperation() } = lab.world.argocd.get('nodes');

    await minutes(lab, 10, (minute) =>
      lab.world.argocd.change('nodes', { operation: { ...operation, message: `step ${minute}` } }),
    );

    expect(codes(lab)).toEqual(['A7']);
    expect(firing(lab)[0]).toMatchObject({ severity: 'info', findings: [{ confidence: 'likely' }] });
  });

  test('[N-30] is told even where the Application cannot be read at times', async () => {
    const lab = forged();
    await minutes(lab, 2);
    const heal = lab.world.faults.failAll(['argocd.read', 'argocd.list']);
    await minutes(lab, 5);
    heal();

    await minutes(lab, 3);

    expect(codes(lab)).toEqual(['A7']);
  });

  test('[N-30] is over for people once somebody has resumed the pools, who are not paused again', async () => {
    const lab = forged();
    await minutes(lab, 10);
    for (const pool of ['worker', 'infra']) lab.world.pools.change(pool, 'oc-admin', { paused: false });

    await minutes(lab, 20);

    expect(firing(lab)).toEqual([]);
    expect(paused(lab)).toEqual([]);
  });

  test('[N-30] property: whatever is written, and whenever it is looked at, it is told within ten minutes', async () => {
    const written = fc.record({
      reconciledAt: fc.option(fc.constantFrom('2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z', 'x'), { nil: undefined }),
      operationQueued: fc.boolean(),
      operation: fc
        .record({
          phase: fc.constantFrom('Running' as const, 'Terminating' as const),
          startedAt: fc.constantFrom('1971-01-01T00:00:00Z', '2026-03-02T10:00:00Z', '2031-01-01T00:00:00Z'),
          message: fc.string({ maxLength: 50 }),
          finishedAt: fc.option(fc.constant('2026-03-02T10:00:00Z'), { nil: undefined }),
          retryCount: fc.nat(9),
        })
        .map((change) => anOperation(change)),
    });
    const gaps = fc.array(fc.integer({ min: 5, max: 60 }), { minLength: 120, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(written, gaps, async (change, seconds) => {
        const lab = forged(change);
        await lab.tick();
        const since = lab.world.clock.now().getTime();
        for (const gap of seconds) {
          if (lab.world.clock.now().getTime() - since + gap * 1000 > 600_000) break;
          lab.world.clock.advance(gap);
          await lab.tick();
          await confirm(lab);
        }

        // One that claims to have applied its change long ago makes the pause late as well.
        const told = firing(lab).filter(({ key }) => key.kind === 'sync-stuck');
        expect(told.map(({ key }) => key.pool)).toEqual(['infra', 'worker']);
        expect(paused(lab)).toEqual(['worker', 'infra']);
      }),
      { numRuns: 25 },
    );
  });
});

describe('what is advised of an operation that nobody seems to run', () => {
  /** Remedies of the incident on worker. */
  function advised(lab: KeepLab) {
    return firing(lab)
      .filter(({ key }) => key.pool === 'worker' && key.kind === 'sync-stuck')
      .flatMap(({ findings }) => findings.flatMap(({ remedies }) => remedies));
  }
  const resumes = (lab: KeepLab) =>
    advised(lab).flatMap(({ command = '' }) => (/ resume /.test(command) ? [command] : []));

  /** The platform team's own sync of the same pool, which moves. */
  function others(lab: KeepLab): void {
    lab.world.argocd.put(anApplication({ name: 'platform', uid: 'uid-platform' }));
    lab.syncs(commitB, {}, 'platform');
  }
  function moves(lab: KeepLab, minute: number): void {
    const { operation } = lab.world.argocd.get('platform');
    if (operation?.phase !== 'Running') return;
    lab.world.argocd.change('platform', {
      reconciledAt: lab.world.clock.now().toISOString(),
      operation: { ...operation, message: `applied ${minute}` },
    });
  }

  test('[N-30] [S0-9] is no resume while the sync of somebody else runs, who is named', async () => {
    const lab = forged();
    others(lab);
    await minutes(lab, 11, (minute) => moves(lab, minute));

    expect(codes(lab)).toEqual(['A7']);
    expect(resumes(lab)).toEqual([]);
    expect(advised(lab).at(-1)).toMatchObject({
      title:
        'If nobody runs it: resume the pool once nothing else holds it. A resume now would go past the sync of openshift-gitops/platform, too',
      command: undefined,
    });

    lab.ends('Succeeded', {}, 'platform');
    await minutes(lab, 7);

    expect(resumes(lab)).toHaveLength(1);
  });

  test('[N-21] [N-30] is no resume while a person keeps the pool paused by annotation, whose reason is named', async () => {
    const lab = forged();
    const annotations = { 'poolkeeper.dev/keep-paused': 'anna: firmware swap in rack 3' };
    for (const pool of ['worker', 'infra']) lab.world.pools.put({ ...lab.world.pools.get(pool), annotations });
    await minutes(lab, 11);

    expect(resumes(lab)).toEqual([]);
    expect(advised(lab).at(-1)?.title).toBe(
      "If nobody runs it: resume the pool once nothing else holds it. A resume now would go past a person's annotation poolkeeper.dev/keep-paused (anna: firmware swap in rack 3), too",
    );
  });

  test('[N-30] is no resume while a person holds the pool', async () => {
    const lab = forged();
    await minutes(lab, 5);
    const { record } = lab.pool();
    if (record.kind !== 'record') throw new Error('no record');
    const until = '2026-03-02T12:00:00Z';
    const hold = { id: 'manual/ann', kind: 'manual', who: 'ann', why: 'disk swap', since: until, until } as const;
    lab.world.pools.change('worker', 'poolkeeper', {
      record: { kind: 'record', record: { ...record.record, holds: [...record.record.holds, hold] } },
    });

    await minutes(lab, 7);

    expect(resumes(lab)).toEqual([]);
    expect(advised(lab).at(-1)?.title).toContain('the hold of ann');
  });

  test('[N-30] is one resume for all of them, which says that gates do not count', async () => {
    const lab = forged();
    lab.world.argocd.put(
      anApplication({
        name: 'second',
        uid: 'uid-second',
        operation: anOperation({ phase: 'Running', finishedAt: undefined, results: [] }),
      }),
    );
    await minutes(lab, 11);

    expect(resumes(lab)).toHaveLength(2);
    expect(advised(lab).at(-1)?.title).toContain('whatever its windows, approvals and other gates say');
  });
});

describe('a real sync', () => {
  test('[N-29] that takes long and moves is not told before syncAtMost', async () => {
    const lab = keepLab();
    lab.syncs(commitB, { message: 'waiting for healthy state of 12 more' });

    await minutes(lab, 55, (minute) => lives(lab, minute % 4 === 0 ? `applied ${minute}` : undefined));

    expect(firing(lab)).toEqual([]);
    expect(lab.pool().paused).toBe(true);
  });

  test('[N-30] that waits for a hook is told as information, with what it waits for', async () => {
    const lab = keepLab();
    lab.syncs(commitB, { message: 'waiting for completion of hook batch/Job/migrate' });

    await minutes(lab, 10, () => lives(lab));

    expect(codes(lab)).toEqual(['A6']);
    expect(firing(lab)[0]).toMatchObject({ severity: 'info', findings: [{ confidence: 'certain' }] });
    expect(firing(lab)[0]?.findings[0]?.sentence).toContain('waiting for completion of hook batch/Job/migrate');
  });

  test('[N-30] that ends after all ends the incident and the pause', async () => {
    const lab = keepLab();
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.observe('worker');
    await minutes(lab, 10);
    lab.ends('Succeeded');

    await minutes(lab, 10);

    expect(firing(lab)).toEqual([]);
    expect(lab.record()?.holds).toEqual([]);
  });

  test('[N-30] that stands still past syncAtMost is told under both codes', async () => {
    const lab = keepLab();
    lab.syncs(commitB);

    await minutes(lab, 65, () => lives(lab));

    expect(codes(lab)).toEqual(['A2', 'A6']);
    expect(firing(lab).map(({ key }) => key.kind)).toEqual(['sync-stuck']);
  });
});

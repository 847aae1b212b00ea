import { afterEach, describe, expect, it } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { clusterVersions, jobs, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { type RunLab, type RunLabOptions, runLab } from './run-lab.ts';

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

async function aRun(options?: RunLabOptions): Promise<RunLab> {
  lab = await runLab(options);
  await lab.tick();
  return lab;
}

const jobsFail = ({ openshift }: RunLab, rule: string, node: string) =>
  openshift.kubelets.runPods(
    ({ metadata }) =>
      metadata.name.startsWith(rule) &&
      metadata.labels?.['poolkeeper.dev/part'] === 'before' &&
      metadata.labels['poolkeeper.dev/node'] === node,
    { forMs: 2_000, exitCode: 3, log: 'primary not found' },
  );

const jobsSucceed = ({ openshift }: RunLab) => openshift.kubelets.runPods(() => true, { forMs: 2_000, exitCode: 0 });

/** What happens to each node, in its order. */
function turnsOf(names: readonly string[], rules: readonly string[]): readonly string[] {
  return names.flatMap((node) => [
    ...rules.map((rule) => `${rule} before ${node}`),
    `${node} goes`,
    `${node} is back`,
    ...rules.map((rule) => `${rule} after ${node}`),
  ]);
}

const workers = ['worker-0', 'worker-1', 'worker-2'];

describe('a run in mode turns, on a simulated cluster', () => {
  it.each([
    ['updates', async (run: RunLab) => run.seen.includes('worker-1 goes')],
    ['is watched', async (run: RunLab) => (await run.record()).turns['worker-1']?.step === 'done'],
  ] as const)(
    '[S4-23] [N-29] a canary node that is deleted while it %s keeps the others until a person says go-on',
    async (_, isSo) => {
      const run = await aRun({ rules: {}, run: { canaryNodes: ['worker-1'], soakSeconds: 7_200 } });
      await run.change();
      await run.until(() => isSo(run), 60);

      run.openshift.registry.delete(nodes, { name: 'worker-1', namespace: '' }, { manager: 'machine-api' });
      for (let minute = 0; minute < 150; minute += 5) {
        await run.clock.advance(5 * 60_000);
        await run.tick();
      }
      const [seen, told] = [[...run.seen], run.lab.troubles()];
      await run.ask({ kind: 'go-on', said: run.said('its machine was old') });
      await run.until(() => !run.isPaused(), 60);

      expect(seen.filter((each) => each.endsWith(' goes'))).toEqual(['worker-1 goes']);
      expect(told).toContain('run-blocked');
      expect(run.updated()).toEqual(expect.arrayContaining(['worker-0', 'worker-2']));
      expect(run.lab.troubles()).not.toContain('run-blocked');
    },
  );

  it('[S4-10] [S4-11] [S4-12] [S4-13] [S4-19] [S4-31] each node: its Jobs in order, the update, its clean-ups in order; then the pool is as it was', async () => {
    const { change, until, seen, updated, holds, isPaused, record } = await aRun({ rules: { move: {}, silence: {} } });

    await change();
    const held = [isPaused(), await holds()];
    await until(() => !isPaused());

    expect(held).toEqual([true, ['rollout/upgrade']]);
    expect(seen).toEqual(turnsOf(workers, ['move', 'silence']));
    expect(updated()).toEqual(workers);
    expect(await holds()).toEqual([]);
    const { turns, conditions } = await record();
    expect(Object.values(turns).map(({ step }) => step)).toEqual(['done', 'done', 'done']);
    expect(conditions?.map(({ type }) => type)).toEqual([
      'ConfigValidated',
      'UpgradeChecked',
      'UpgradeAvailable',
      'UpgradeReady',
      'TargetPoolsPaused',
      'MutexRulesApplied',
      'MCPUpdated',
      'JobRun',
      'NodeUpgrade',
    ]);
  });

  it('[S4-14] [S4-19] [S4-32] a keeper that is killed before its first or after any of its writes: the same happens, once', async () => {
    const names = ['worker-0', 'worker-1'];
    const expected = turnsOf(names, ['move']);
    const { change, until, isPaused, deaths } = await aRun({ nodes: names });
    await change();
    await until(() => !isPaused());
    const writes = deaths.made;
    await lab?.stop();

    expect(writes).toBeGreaterThan(10);
    // After a write is before the next one.
    for (let at = 0; at <= writes; at += 1) {
      const other = await aRun({ nodes: names });
      Object.assign(other.deaths, { at: other.deaths.made + Math.max(1, at), after: at > 0 });
      await other.change();
      await other.until(() => !other.isPaused() && other.updated().length === 2);
      // A keeper that dies before its first pause lets the MCO begin.
      if (at > 0) expect(other.seen, `killed after write ${at}`).toEqual(expected);
      await other.stop();
    }
    lab = undefined;
  });

  it('[S4-20] [S4-29] a Job that fails blocks the run with node, log and one action, and a retry goes on with another Job', async () => {
    const run = await aRun();
    jobsFail(run, 'move', 'worker-1');

    await run.change();
    await run.until(() => run.lab.troubles().includes('run-blocked'));
    const blocked = await run.record();
    const stood = [...run.seen];
    jobsSucceed(run);
    await run.ask({ kind: 'retry', node: 'worker-1', said: run.said('mended') });
    await run.until(() => !run.isPaused());

    expect(blocked.turns['worker-1']?.failed).toMatch(
      /^poolkeeper\/move failed: Job .*exit code 3.*primary not found$/,
    );
    expect(stood).toEqual([...turnsOf(['worker-0'], ['move']), 'move before worker-1']);
    expect(run.seen).toEqual([
      ...stood,
      'move before worker-1',
      ...turnsOf(['worker-1', 'worker-2'], ['move']).slice(1),
    ]);
  });

  it.each([
    '+ curl -fsSu admin:hunter2 https://bmc.example.com/redfish/v1\ncurl: (22) The requested URL returned error: 401',
    '+ mysql -h db -u root -phunter2 -e "SET GLOBAL read_only=1"\nERROR 2002 (HY000): cannot connect',
    '+ redis-cli -a hunter2 --no-auth-warning failover\nNOAUTH',
    '+ PGPASSWORD=hunter2 psql -h db\npsql: error',
  ])('[S4-20] [N-29] what a Job that failed was called with is told without its password: %j', async (log) => {
    const run = await aRun();
    run.openshift.kubelets.runPods(({ metadata }) => metadata.labels?.['poolkeeper.dev/part'] === 'before', {
      forMs: 2_000,
      exitCode: 3,
      log,
    });

    await run.change();
    await run.until(() => run.lab.troubles().includes('run-blocked'));

    const stored = JSON.stringify([await run.record(), await run.cards()]);
    expect(stored).toContain(log.split('\n')[1]);
    expect(stored).not.toContain('hunter2');
  });

  it('[S4-20] a node that a person skips is left as it is with its clean-ups, and the pool stays paused for it', async () => {
    const run = await aRun();
    jobsFail(run, 'move', 'worker-1');

    await run.change();
    await run.until(() => run.lab.troubles().includes('run-blocked'));
    await run.ask({ kind: 'skip', node: 'worker-1', said: run.said('it is looked at tomorrow') });
    await run.until(() => run.updated().length === 2);
    await run.until(async () => (await run.record()).turns['worker-2']?.step === 'done');
    await run.tick();

    expect(run.seen).toContain('move after worker-1');
    expect(run.updated()).toEqual(['worker-0', 'worker-2']);
    expect(run.isPaused()).toBe(true);
    expect(run.lab.troubles()).toContain('run-blocked');
  });

  it.each(['before a person skips it', 'after that'])(
    '[S4-20] [N-29] a node whose pool is rendered anew %s is left as it is, and has its turn after a retry',
    async (when) => {
      const run = await aRun();
      jobsFail(run, 'move', 'worker-1');
      await run.change();
      await run.until(() => run.lab.troubles().includes('run-blocked'));
      if (when !== 'after that') await run.change('99-worker-zz');
      await run.ask({ kind: 'skip', node: 'worker-1', said: run.said('its database cannot move') });
      await run.until(async () => (await run.record()).turns['worker-1']?.step === 'skipped');
      if (when === 'after that') await run.change('99-worker-zz');
      jobsSucceed(run);
      await run.until(() => run.updated().length === 2 && run.lab.troubles().includes('run-blocked'));
      const left = [...run.seen];
      await run.ask({ kind: 'retry', node: 'worker-1', said: run.said('it can') });
      await run.until(() => !run.isPaused());

      expect(left).not.toContain('worker-1 goes');
      expect(run.seen.filter((each) => each === 'worker-1 goes')).toHaveLength(1);
    },
  );

  it('[S4-21] [N-22] aborted while a Job runs: its clean-up runs, and the pool is let go', async () => {
    const run = await aRun();
    run.openshift.kubelets.runPods(() => true, { forMs: 600_000, exitCode: 0 });

    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'));
    jobsSucceed(run);
    await run.ask({ kind: 'abort', said: run.said('not today') });
    await run.until(() => !run.isPaused());

    expect(run.seen.slice(0, 2)).toEqual(['move before worker-0', 'move after worker-0']);
    expect(await run.holds()).toEqual([]);
    expect((await run.record()).endedAt).toBeDefined();
  });

  it('[S4-20] [S4-18] is shown as it is: what its Job prints without credentials, what comes next and why, and at the end that it is done', async () => {
    const run = await aRun({ nodes: ['worker-0', 'worker-1'] });
    const shown = async () => (await run.lab.ports.runViews?.list())?.[0];
    const log = 'looking for a replica\npassword=hunter22\nswitching over';
    run.openshift.kubelets.runPods(() => true, { forMs: 90_000, exitCode: 0, log });

    await run.change();
    await run.until(async () => ((await shown())?.tiles[0]?.tail.length ?? 0) > 1);
    const during = await shown();
    jobsSucceed(run);
    await run.until(() => !run.isPaused());

    expect(during).toMatchObject({
      run: 'upgrade',
      state: 'running',
      done: 0,
      total: 2,
      next: { node: 'worker-1', why: 'when worker-0 is done: 1 node at once' },
      tiles: [
        { node: 'worker-0', state: 'before', step: 'before' },
        { node: 'worker-1', state: 'waiting', place: 0 },
      ],
    });
    expect(during?.tiles[0]?.tail.at(-1)).toBe('switching over');
    expect(JSON.stringify(during)).not.toContain('hunter22');
    expect(await shown()).toMatchObject({ state: 'idle', done: 2, total: 2, block: undefined });
  });

  it('[S4-22] two runs over one pool: the second waits, and never takes a node beside the first', async () => {
    const run = await aRun({ runs: { later: {} } });

    await run.change();
    const held = await run.holds();
    await run.until(() => !run.isPaused());

    expect(held).toEqual(['rollout/upgrade']);
    expect(run.seen).toEqual(turnsOf(workers, ['move']));
  });

  it('[S4-22] [S4-24] the second run says for which run, and for which pool, it waits', async () => {
    const run = await aRun({ runs: { later: {} } });

    await run.change();
    await run.until(() => run.updated().length === 1);
    const stored = await run.connection.nodeTurns.records.load('poolkeeper', 'later');

    const { conditions } = JSON.parse(stored?.text ?? '{}');
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: 'UpgradeReady',
        status: 'False',
        message: 'it waits for run upgrade, which has pool worker',
      }),
    );
    expect(run.lab.troubles()).not.toContain('run-blocked');
  });

  it('[S4-37] the pool is rendered anew in the middle: nodes that had their turn have another, and only then it resumes', async () => {
    const run = await aRun({ rules: {} });

    await run.change();
    await run.until(() => run.updated().length === 1);
    await run.change('99-worker-zz');
    await run.until(() => !run.isPaused());

    expect(run.updated()).toEqual(workers);
    expect(run.seen.filter((each) => each === 'worker-0 goes')).toHaveLength(2);
    expect(run.seen.filter((each) => each.endsWith(' goes')).length).toBeLessThanOrEqual(5);
  });

  it('[S4-39] a node that somebody cordoned is left alone, and by choice taken and cordoned again', async () => {
    const cordon = (run: RunLab) =>
      run.openshift.registry.modify(
        nodes,
        { name: 'worker-1', namespace: '' },
        ({ spec }) => {
          Object.assign(spec, { unschedulable: true });
        },
        { manager: 'kubectl' },
      );
    const held = await aRun({ rules: {}, run: { unavailableAtMost: 2 } });
    cordon(held);
    await held.change();
    await held.until(() => held.updated().length === 2);
    await held.until(async () => (await held.record()).turns['worker-2']?.step === 'done');
    await held.tick();
    const left = [held.updated(), held.isPaused()];
    await held.stop();

    const taken = await aRun({ rules: {}, run: { cordoned: 'take', unavailableAtMost: 2 } });
    cordon(taken);
    await taken.change();
    await taken.until(() => !taken.isPaused());

    expect(left).toEqual([['worker-0', 'worker-2'], true]);
    expect(taken.updated()).toEqual(workers);
    expect(taken.openshift.registry.get(nodes, 'worker-1')?.spec.unschedulable).toBe(true);
  });

  it('[S4-28] no node begins while a hold or a gate of the pool is closed', async () => {
    const run = await aRun();
    const at = run.clock.now();
    const pool = await run.connection.pools.readPool('worker');
    if (pool === undefined) throw new Error('there is no pool');
    const freeze = {
      id: 'freeze/pool/ops',
      kind: 'freeze' as const,
      who: 'ops',
      why: 'quarter end',
      since: at.toISOString(),
      until: new Date(at.getTime() + 3_600_000).toISOString(),
    };
    await run.connection.pools.patchPool(pool, {
      paused: true,
      record: { v: 1, pause: 'ours', pausedSince: at.toISOString(), holds: [freeze] },
    });

    await run.change();
    await run.clock.advance(600_000);
    await run.tick();
    const stood = [...run.seen];
    await run.until(() => !run.isPaused());

    expect(stood).toEqual([]);
    expect(run.seen).toEqual(turnsOf(workers, ['move']));
  });

  it('[S4-28] [N-21] nodes of a frozen pool go one by one while its emergency lane is open, and wait again when it ends', async () => {
    const run = await aRun();
    const { readPool, patchPool } = run.connection.pools;
    const lane = async (seconds: number) => {
      const pool = await readPool('worker');
      if (pool?.record.kind !== 'record') throw new Error('there is no record');
      const since = run.clock.now().toISOString();
      const until = new Date(run.clock.now().getTime() + seconds * 1000).toISOString();
      const freeze = { id: 'freeze/pool/ops', kind: 'freeze', who: 'ops', why: 'quarter end', since } as const;
      const holds = pool.record.record.holds.filter(({ kind }) => kind !== 'freeze');
      const frozen = { ...freeze, until: new Date(run.clock.now().getTime() + 86_400_000).toISOString() };
      const emergency = { who: 'ops', why: 'a hole to close', since, until };
      await patchPool(pool, { paused: true, record: { ...pool.record.record, holds: [...holds, frozen], emergency } });
    };
    await run.change();

    await lane(3_600);
    await run.until(() => run.updated().length === 1);
    await lane(1);
    await run.until(() => run.seen.includes('move after worker-0'), 10);
    await run.clock.advance(1_800_000);
    await run.tick();

    expect(run.seen.filter((each) => each.endsWith(' goes'))).toEqual(['worker-0 goes']);
    expect(run.isPaused()).toBe(true);
  });

  it('[S4-28] a hold that came after the look keeps the node: it goes when that hold has ended', async () => {
    const run = await aRun({ rules: {} });
    const { nodes: ports, records } = run.connection.nodeTurns;
    const { changeNode } = ports;
    const { save } = records;
    const { readPool, patchPool } = run.connection.pools;
    let isHeld = false;
    Object.assign(records, {
      save: async (...args: Parameters<typeof save>) => {
        await save(...args);
        const pool = await readPool('worker');
        const isAboutToGo = args[2].text.includes('"step":"gone"');
        if (isHeld || !isAboutToGo || pool?.record.kind !== 'record') return;
        isHeld = true;
        const at = run.clock.now();
        const times = { since: at.toISOString(), until: new Date(at.getTime() + 600_000).toISOString() };
        const hold = { id: 'manual/ops', kind: 'manual', who: 'ops', why: 'wait', ...times } as const;
        const { record } = pool.record;
        await patchPool(pool, { paused: true, record: { ...record, holds: [...record.holds, hold] } });
      },
    });
    const went: (readonly string[])[] = [];
    Object.assign(ports, {
      changeNode: async (...args: Parameters<typeof changeNode>) => {
        went.push(await run.holds());
        return changeNode(...args);
      },
    });

    await run.change();
    await run.until(() => run.updated().length === 1);

    expect(isHeld).toBe(true);
    expect([...new Set(went.flat())]).toEqual(['rollout/upgrade']);
  });

  it('[S4-28] [N-8] a process that sleeps after it has stored that a node goes: the next look finds the window closed, and the node stays', async () => {
    const windows = [Window.parse({ kind: 'allow', schedule: '0 10 * * *', durationSeconds: 3600 })];
    const run = await aRun({ rules: {}, settings: { windows } });
    const { records } = run.connection.nodeTurns;
    const { save } = records;
    let slept = false;
    Object.assign(records, {
      save: async (...args: Parameters<typeof save>) => {
        await save(...args);
        if (slept || !args[2].text.includes('"step":"gone"')) return;
        slept = true;
        await run.clock.advance(4 * 3_600_000);
      },
    });

    await run.change();
    await run.until(() => slept, 30);
    for (let looks = 0; looks < 5; looks += 1) await run.tick();

    expect([slept, run.seen, run.isPaused()]).toEqual([true, [], true]);
  });

  const release = (run: RunLab, version: string, state = 'Completed') =>
    run.openshift.registry.modify(
      clusterVersions,
      { name: 'version', namespace: '' },
      (each) => {
        const entry = (of: string, as: string) => ({
          state: as,
          version: of,
          startedTime: '2026-01-01T00:00:00Z',
          completionTime: '2026-01-01T01:00:00Z',
          image: '',
          verified: true,
        });
        const history = [entry(version, state), ...(state === 'Completed' ? [] : [entry('4.21.5', 'Completed')])];
        Object.assign(each, { status: { ...each.status, desired: { version }, history } });
      },
      { manager: 'cluster-version-operator', subresource: 'status' },
    );

  it('[S4-41] a release that mode turns is not known of is told before there is a change, and no pool is held for it', async () => {
    const run = await aRun();
    release(run, '4.18.2');

    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
    const [card] = await run.cards();
    await run.change();
    const held = [run.isPaused(), await run.holds()];
    await run.until(() => run.updated().length === 3);
    const [later] = await run.cards();

    expect(card).toMatchObject({ run: 'upgrade', state: 'blocked', done: 3, total: 3, block: { kind: 'refused' } });
    expect(card?.block?.cause).toContain('4.18');
    expect(later?.blockedSince).toBe(card?.blockedSince);
    expect(held).toEqual([false, []]);
    expect(run.seen.filter((each) => each.startsWith('move'))).toEqual([]);
    expect(run.lab.troubles()).toContain('run-blocked');
  });

  it('[S4-41] a run that is refused no longer is shown as it is again', async () => {
    const run = await aRun();
    release(run, '4.18.2');
    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
    release(run, '4.21.9');

    await run.until(async () => (await run.cards())[0]?.state === 'idle', 20);

    expect((await run.cards())[0]).toMatchObject({ block: undefined, blockedSince: undefined, done: 3 });
  });

  it.each(['currentImage', 'desiredImage'])(
    '[S4-41] a pool that no MachineOSConfig names any more has no turns while a node of it has annotation %s',
    async (annotation) => {
      const run = await aRun();
      const key = `machineconfiguration.openshift.io/${annotation}`;
      const annotated = (image?: string) =>
        run.openshift.registry.modify(
          nodes,
          { name: 'worker-1', namespace: '' },
          (node) => {
            const { [key]: _, ...others } = node.metadata.annotations ?? {};
            node.metadata.annotations = image === undefined ? others : { ...others, [key]: image };
          },
          { manager: 'machine-config-daemon' },
        );
      annotated(`registry.example.com/os@sha256:${'a'.repeat(64)}`);
      await run.change();

      await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
      const [[card], stood] = [await run.cards(), [...run.seen]];
      annotated();
      await run.until(() => !run.isPaused());

      expect(stood).toEqual([]);
      expect(card?.block).toMatchObject({
        kind: 'refused',
        cause: expect.stringContaining('node worker-1 boots, or is to boot, an image that was built for its pool'),
      });
      expect(run.seen).toEqual(turnsOf(workers, ['move']));
    },
  );

  it('[S4-9] while the cluster is being updated its pools are held and no node begins; then those go whose config is behind', async () => {
    const run = await aRun();
    release(run, '4.21.9', 'Partial');

    await run.until(() => run.isPaused(), 20);
    await run.change();
    await run.tick();
    await run.tick();
    const [stood, during] = [[...run.seen], await run.record()];
    release(run, '4.21.9');
    await run.until(() => !run.isPaused());

    const of = (type: string) => during.conditions?.find((each) => each.type === type);
    expect(stood).toEqual([]);
    expect([of('UpgradeAvailable')?.status, of('UpgradeReady')?.status]).toEqual(['True', 'False']);
    expect(of('UpgradeReady')?.message).toContain('the cluster is being updated');
    expect(run.seen).toEqual(turnsOf(workers, ['move']));
  });

  it('[S4-41] an update to a release that is not known is refused before its pools are held', async () => {
    const run = await aRun();
    release(run, '4.22.0', 'Partial');

    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);

    expect([run.isPaused(), await run.holds()]).toEqual([false, []]);
  });

  it('[S4-41] a pool that is held already stays held when the release is not known any more, which is told', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    release(run, '4.18.2');
    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
    await run.until(async () => (await run.record()).turns['worker-0']?.step === 'done');

    expect([run.isPaused(), await run.holds()]).toEqual([true, ['rollout/upgrade']]);
    expect(run.seen.filter((each) => each.endsWith(' goes'))).toEqual(['worker-0 goes']);
  });

  it('[S4-25] [S4-26] a quiet tick reads nothing for a run that rests', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => !run.isPaused());
    for (let ticks = 0; ticks < 6; ticks += 1) await run.tick();
    const before = run.deaths.made;
    const reads: string[] = [];
    const { load } = run.connection.nodeTurns.records;
    Object.assign(run.connection.nodeTurns.records, {
      load: async (namespace: string, name: string) => {
        reads.push(name);
        return load(namespace, name);
      },
    });

    await run.tick();

    expect(reads).toEqual([]);
    expect(run.deaths.made).toBe(before);
  });
});

describe('what of a run fails at every look', () => {
  type Request = Readonly<Record<'plural' | 'verb', string>>;

  it.each<[string, (request: Request) => boolean]>([
    ['its record cannot be read', ({ plural, verb }) => plural === 'configmaps' && verb === 'get'],
    ['its record cannot be written', ({ plural, verb }) => plural === 'configmaps' && verb === 'patch'],
    [
      'its Jobs cannot be made, as where a webhook is down',
      ({ plural, verb }) => plural === 'jobs' && verb === 'create',
    ],
    ['its node cannot be written', ({ plural, verb }) => plural === 'nodes' && verb === 'patch'],
    ['the release cannot be read', ({ plural }) => plural === 'clusterversions'],
  ])('[S4-20] [N-30] %s: people are told after a quarter of an hour, and it goes on by itself', async (_, matches) => {
    const run = await aRun({ nodes: ['worker-0', 'worker-1'] });
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'));
    run.openshift.faults.inject({ fault: { kind: 'status', code: 500 }, matches });
    const untold = run.clock.now().getTime() + 14 * 60_000;

    await run.until(() => run.clock.now().getTime() >= untold, 20);
    const early = run.lab.troubles();
    await run.until(() => run.lab.troubles().includes('run-blocked'), 10);
    run.openshift.faults.clear();
    await run.until(() => !run.isPaused(), 20);
    await run.until(() => !run.lab.troubles().includes('run-blocked'), 10);

    expect(early).not.toContain('run-blocked');
    expect(run.seen).toEqual(turnsOf(['worker-0', 'worker-1'], ['move']));
  });

  it.each([
    ['a quota refuses', 403],
    ['no webhook answers for', 500],
  ])('[S4-20] [S4-21] [N-30] clean-ups that %s: their alert offers skip, and an abort ends', async (_, code) => {
    const run = await aRun({ nodes: ['worker-0', 'worker-1'], rules: { move: { timeoutSeconds: 1_200 } } });
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    run.openshift.faults.inject({
      fault: { kind: 'status', code },
      matches: ({ plural, verb }) => plural === 'jobs' && verb === 'create',
    });
    await run.until(async () => (await run.record()).turns['worker-0']?.step === 'after', 20);
    await run.ask({ kind: 'abort', said: run.said('enough') });

    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);
    const told = run.lab.world.tables.incidents.all().flatMap(({ trouble }) => trouble?.findings ?? []);
    await run.until(() => !run.isPaused(), 30);

    expect(told.flatMap(({ remedies }) => remedies.map(({ command }) => command))).toContain(
      "poolkeeper run skip upgrade worker-0 --reason 'decided by ...'",
    );
    const { log, turns } = await run.record();
    expect(log.map(({ what }) => what)).toContain(
      'the clean-up of poolkeeper/move could not be begun in time; the turn goes on',
    );
    expect(turns['worker-0']).toMatchObject({ step: 'done' });
  });

  it('[S4-14] [S4-17] [S4-20] [N-30] somebody deletes its Jobs before any look sees them: each is made twice at most, and people are told', async () => {
    const run = await aRun({ nodes: ['worker-0', 'worker-1'] });
    const { registry } = run.openshift;
    registry.subscribe(({ type, kind, object: { metadata } }) => {
      if (type !== jobs || kind !== 'ADDED') return;
      const name = { name: metadata.name, namespace: metadata.namespace ?? '' };
      queueMicrotask(() => registry.delete(jobs, name, { manager: 'tenant' }));
    });
    await run.change();

    await run.until(() => run.lab.troubles().includes('run-blocked'), 5);
    await run.until(() => false, 3).catch(() => {});

    expect(run.seen).toEqual(['move before worker-0', 'move before worker-0']);
    expect((await run.record()).turns['worker-0']).toMatchObject({
      step: 'before',
      failed: 'poolkeeper/move failed: its Job is gone: somebody deleted it',
    });
  });

  it.each([
    ['takes the room of all others', 1, ['worker-0', 'worker-1']],
    ['is the last', 2, []],
  ])(
    '[S4-20] [N-30] a node without a turn that is not ready and %s: people are told, and it goes on when it is ready',
    async (_, unavailableAtMost, left) => {
      const run = await aRun({ rules: {}, run: { unavailableAtMost } });
      run.openshift.kubelets.loseContact('worker-2');
      await run.clock.advance(120_000);
      await run.tick();
      await run.change();

      await run.until(() => run.lab.troubles().includes('run-blocked'), 30);
      const waiting = workers.filter((name) => !run.updated().includes(name));
      run.openshift.kubelets.restore('worker-2');
      await run.until(() => !run.isPaused(), 30);

      expect(waiting).toEqual([...left, 'worker-2']);
      expect(run.seen).toEqual(turnsOf(workers, []));
    },
  );

  it('[S4-20] [N-30] its Job may not be read for a minute: people are told at once, and it goes on by itself', async () => {
    const run = await aRun({ nodes: ['worker-0', 'worker-1'] });
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'));
    const refused = { fault: { kind: 'status', code: 403 }, times: 1 } as const;
    run.openshift.faults.inject({ ...refused, matches: ({ plural, verb }) => plural === 'jobs' && verb === 'get' });

    await run.until(() => run.lab.troubles().includes('run-blocked'), 2);
    await run.until(() => !run.isPaused(), 20);
    await run.until(() => !run.lab.troubles().includes('run-blocked'), 10);

    expect(run.seen).toEqual(turnsOf(['worker-0', 'worker-1'], ['move']));
  });
});

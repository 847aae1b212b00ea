import { describe, expect, it } from 'vitest';
import { NodeTurns } from '../../../functions/core/configuration/node-turns.ts';
import { runsOf } from '../../../functions/core/node-turns/run-plan.ts';
import {
  emptyRunRecord,
  parseRunRecord,
  type RunRecord,
  runRecordText,
  withRunRequest,
} from '../../../functions/core/node-turns/run-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { loadRunRecord } from '../../../functions/keep-pools/node-turns/load-run-record.ts';
import { machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { aPool } from '../../fakes/builders.ts';
import { anApplication } from '../../fakes/index.ts';
import type { Watch } from '../failing-calls.ts';
import { aRun } from './a-run.ts';
import { commitB } from './keep-lab.ts';
import { jobSpec, type RunLab } from './run-lab.ts';

const workers = ['worker-0', 'worker-1', 'worker-2'];

/** What happens to a node in its turn. */
const turnOf = (node: string) => [`move before ${node}`, `${node} goes`, `${node} is back`, `move after ${node}`];

/** Between its label and its update a node of mode canary waits for what a push holds its pool for: three Applications
 *  with four MachineConfigs each. */
async function heldBackByPush(): Promise<RunLab> {
  const nodeSelector = {
    matchLabels: { 'node-role.kubernetes.io/worker': '' },
    matchExpressions: [{ key: 'isCanary', operator: 'Exists' as const }],
  };
  const canary = { name: 'canary', renders: 'workers' as const, nodeSelector };
  const mode = { mode: 'canary', canary: { name: 'canary' } };
  const run = await aRun({ rules: {}, nodes: ['worker-0', 'worker-1'], run: mode, pools: [canary] });
  const { argocd } = run.lab.world;
  const [repoURL, group] = ['https://github.com/acme/other.git', 'machineconfiguration.openshift.io'];
  argocd.change('nodes', { sources: [{ repoURL, path: 'nodes', targetRevision: 'HEAD', chart: '' }] });
  for (const uid of ['baseline', 'storage-tuning', 'security-hardening']) {
    const resources = ['kernel-arguments', 'container-runtime', 'chrony-servers', 'sysctl-network-buffers'].map(
      (what) => ({ group, kind: 'MachineConfig', namespace: '', name: `99-worker-${uid}-${what}`, status: 'Synced' }),
    );
    argocd.put(anApplication({ name: `prod-eu-central-1-machine-configs-${uid}`, uid, resources }));
  }
  await run.tick();
  await run.change();
  await run.until(() => run.openshift.registry.get(nodes, 'worker-0')?.metadata.labels?.['isCanary'] === '', 10);
  await run.clock.advance(1_000);
  const at = run.clock.now().toISOString();
  await run.deliver({ ...run.lab.pushOf(commitB, { receivedAt: at }), time: at });
  return run;
}

describe('the record of a run whose node waits for many holds', () => {
  it('[S4-14] [S4-20] [N-30] is understood at each look, and the run goes on when they are gone', async () => {
    const run = await heldBackByPush();

    await run.clock.advance(60_000);
    await run.tick();
    const { log } = await run.record();

    expect(log.filter(({ what }) => what.includes('it may not go now'))).not.toEqual([]);
    await run.until(() => run.updated().includes('worker-1'));
    expect(run.lab.troubles()).not.toContain('run-blocked');
  });
});

describe('where the record of a run is kept', () => {
  it('[S4-31] [N-30] is the namespace of Poolkeeper: what a tenant writes in that of the run lets no node go', async () => {
    const run = await aRun({ run: { namespace: 'databases' } });
    run.openshift.addNamespace('databases');
    await run.change();
    const pool = await run.connection.pools.readPool('worker');
    const target = pool?.target.name ?? '';
    const forged: RunRecord = {
      ...emptyRunRecord,
      pools: { worker: { target, done: target } },
      aborted: { who: 'ops', why: 'now', at: run.clock.now().toISOString() },
      endedAt: run.clock.now().toISOString(),
    };
    const { records } = run.connection.nodeTurns;

    await records.save('databases', 'upgrade', { text: JSON.stringify(forged), resourceVersion: undefined });
    await run.until(() => !run.isPaused());

    expect(run.seen).toEqual(workers.flatMap(turnOf));
    expect(pool?.record).toMatchObject({ record: { holds: [{ id: 'rollout/upgrade', recordIn: 'poolkeeper' }] } });
  });

  it('[S4-14] [S4-31] moves with recordNamespace while a node has its turn: nothing is done twice, and its clean-up runs', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));

    run.openshift.addNamespace('elsewhere');
    run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'elsewhere' }));
    await run.tick();
    await run.tick();
    const pool = await run.connection.pools.readPool('worker');
    const moved = await run.connection.nodeTurns.records.load('elsewhere', 'upgrade');
    await run.until(() => !run.isPaused());

    expect(moved?.text).toContain('worker-0');
    expect(pool?.record).toMatchObject({ record: { holds: [{ id: 'rollout/upgrade', recordIn: 'elsewhere' }] } });
    expect(run.seen).toEqual(workers.flatMap(turnOf));
  });

  const recordPath = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps/poolkeeper-run-upgrade`;

  /** While it is on, the account may neither read nor write records in that namespace. */
  function refusalOf(namespace: string): { isOn: boolean; readonly watch: Watch } {
    const refusal: ReturnType<typeof refusalOf> = {
      isOn: false,
      watch: ({ name, args: [at] }) =>
        refusal.isOn && name.includes('nodeTurns.records') && at === namespace
          ? new Transient(`GET ${recordPath(namespace)}: 403`, { kind: 'forbidden', isAnswered: true })
          : undefined,
    };
    return refusal;
  }

  async function pauseIn(namespace: string, { connection: { nodeTurns }, said: saidNow }: RunLab): Promise<void> {
    const stored = await nodeTurns.records.load(namespace, 'upgrade');
    const record = parseRunRecord(stored?.text ?? '');
    if (record === 'unreadable') throw new Error('there is no record');
    const text = runRecordText(withRunRequest(record, { kind: 'pause', said: saidNow('storage is being moved') }));
    await nodeTurns.records.save(namespace, 'upgrade', { text, resourceVersion: stored?.resourceVersion });
  }

  /** Its record has moved to namespace elsewhere, and worker-0 is on its way. */
  async function movedThere({ watch }: { readonly watch?: Watch } = {}): Promise<RunLab> {
    const run = await aRun({ ...(watch === undefined ? {} : { watch }) });
    run.openshift.addNamespace('elsewhere');
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'elsewhere' }));
    await run.until(async () => (await run.connection.nodeTurns.records.load('elsewhere', 'upgrade')) !== undefined);
    return run;
  }

  async function minutes(count: number, { clock, tick }: RunLab): Promise<void> {
    for (let minute = 0; minute < count; minute += 1) {
      await clock.advance(60_000);
      await tick();
    }
  }

  it('[S4-14] [S4-20] [N-30] moves back with what people said meanwhile', async () => {
    const run = await movedThere();
    await pauseIn('elsewhere', run);
    await minutes(6, run);
    const before = [...run.seen];

    run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'poolkeeper' }));
    await minutes(20, run);

    expect(run.seen).toEqual(before);
    expect(run.isPaused()).toBe(true);
  });

  it.each([
    ['may not be read any more', 5],
    ['may not be read any more', 20],
    ['is deleted', 5],
  ])(
    '[S4-20] [S4-31] [N-30] moves back while it is paused, and stays so where the former one %s after %d minutes',
    async (how, after) => {
      const refused = refusalOf('elsewhere');
      const run = await movedThere(refused);
      await pauseIn('elsewhere', run);
      await minutes(6, run);
      const before = [...run.seen];

      run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'poolkeeper' }));
      await minutes(after, run);
      if (how === 'is deleted') await run.connection.client.remove(recordPath('elsewhere'), {}, {});
      else refused.isOn = true;
      await minutes(30, run);

      expect([run.seen, (await run.record()).paused?.why]).toEqual([before, 'storage is being moved']);
    },
  );

  it.each(['may not be read', 'is deleted'])(
    '[S4-20] [S4-31] [N-30] moves back where the former one %s at once: it is told as lost, and waits for a person',
    async (how) => {
      const refused = refusalOf('elsewhere');
      const run = await movedThere(refused);
      await pauseIn('elsewhere', run);
      await minutes(6, run);
      const before = [...run.seen];

      run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'poolkeeper' }));
      if (how === 'is deleted') await run.connection.client.remove(recordPath('elsewhere'), {}, {});
      else refused.isOn = true;
      await minutes(30, run);
      const told = [[...run.seen], run.isPaused(), run.lab.troubles()];
      await run.ask({ kind: 'go-on', said: run.said('looked at it') });
      await run.until(() => !run.isPaused(), 120);

      expect(told).toEqual([before, true, expect.arrayContaining(['run-blocked'])]);
      expect(run.updated()).toEqual(workers);
    },
    60_000,
  );

  it('[S4-20] [S4-31] [N-30] has its record at once while it is paused: the right to the former one may go', async () => {
    const refused = refusalOf('poolkeeper');
    const run = await aRun({ watch: refused.watch });
    run.openshift.addNamespace('elsewhere');
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    await pauseIn('poolkeeper', run);
    await minutes(6, run);
    const before = [...run.seen];

    run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'elsewhere' }));
    await minutes(5, run);
    refused.isOn = true;
    await minutes(30, run);

    expect([run.seen, run.lab.troubles()]).toEqual([before, []]);
  });

  it('[S4-14] [S4-31] moves back while another node has its turn: its clean-up runs', async () => {
    const run = await movedThere();
    await run.until(() => run.seen.includes('worker-1 goes'));

    run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'poolkeeper' }));
    await run.until(() => !run.isPaused());

    expect(run.seen).toEqual(workers.flatMap(turnOf));
  });

  const turns = NodeTurns.parse({
    targets: { workers: { machineConfigPools: ['worker'] } },
    runs: {
      upgrade: { cluster: 'prod', namespace: 'databases', mode: 'turns', mutexTargets: [{ name: 'workers' }] },
    },
  });
  const said = { who: 'ops', why: 'not today', at: '2026-11-22T10:00:00.000Z' };
  const earlier: RunRecord = {
    ...emptyRunRecord,
    pools: { worker: { target: 'rendered-worker-1', done: 'rendered-worker-1' } },
    paused: said,
    aborted: said,
    rounds: { 'worker-0': 3 },
  };
  const harmless = { ...emptyRunRecord, paused: said, rounds: { 'worker-0': 3 } };

  it.each([
    { holds: 'held by an earlier version', held: true, marked: false, expected: earlier },
    { holds: 'held by this one', held: true, marked: true, expected: harmless },
    { holds: 'not held', held: false, marked: false, expected: harmless },
  ])(
    '[S4-32] what an earlier version kept in the namespace of the run is taken over: $holds',
    async ({ held, marked, expected }) => {
      const [plan] = runsOf(turns, 'prod');
      if (plan === undefined) throw new Error('there is no run');
      const times = { since: said.at, until: said.at };
      const mark = marked ? { recordIn: 'poolkeeper' } : {};
      const hold = { id: 'rollout/upgrade', kind: 'rollout', who: 'run', why: '', ...times, ...mark } as const;
      const pool = aPool({ record: { kind: 'record', record: { v: 1, holds: held ? [hold] : [] } } });

      const { record, stored } = await loadRunRecord(plan, [pool], {
        load: async (namespace) =>
          namespace === 'databases' ? { text: JSON.stringify(earlier), resourceVersion: '7' } : undefined,
        save: async () => undefined,
      });

      expect(record).toEqual(expected);
      expect(stored).toBeUndefined();
    },
  );
});

/** The ConfigMap stays, as where it was applied without its data. */
async function empty({ connection }: RunLab): Promise<void> {
  const path = '/api/v1/namespaces/poolkeeper/configmaps/poolkeeper-run-upgrade';
  await connection.client.mergePatch(path, {}, { data: { record: null } });
}

describe('the record of a run that is emptied by hand', () => {
  it('[S4-14] [S4-20] [N-30] is lost: who had paused it is not overruled, its node keeps its turn, and people are told', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'));
    await run.ask({ kind: 'pause', said: run.said('not before the audit') });

    await empty(run);
    for (let looks = 0; looks < 20; looks += 1) {
      await run.clock.advance(60_000);
      await run.tick();
    }
    const stood = [...run.seen];
    const { lost } = await run.record();
    const troubles = run.lab.troubles();
    await run.ask({ kind: 'go-on', said: run.said('the audit is over') });
    await run.until(() => !run.isPaused());

    expect(stood).toEqual(['move before worker-0']);
    expect(lost?.what).toContain('Found again by Jobs and nodes: the turn of worker-0');
    expect(troubles).toContain('run-blocked');
    expect(run.seen).toEqual(workers.flatMap(turnOf));
  });
});

describe('the record of a run that is deleted by hand', () => {
  it('[S4-14] [S4-31] [S4-32] at rest: Jobs of before count for no later turn, also to the very same config', async () => {
    const run = await aRun({ nodes: ['worker-0', 'worker-1'] });
    const config = '/apis/machineconfiguration.openshift.io/v1/machineconfigs/99-worker-turns';
    const target = () => run.openshift.registry.get(machineConfigPools, 'worker')?.spec.configuration?.name;
    const rollOut = async (change: () => unknown) => {
      const before = target();
      await change();
      await run.clock.advanceUntil(() => target() !== before, 60_000);
      await run.tick();
      await run.until(() => !run.isPaused());
      return target();
    };
    const add = () => run.openshift.applyMachineConfig('99-worker-turns', 'worker', { '/etc/turns': 'one' });
    const first = await rollOut(add);
    await rollOut(() => run.connection.client.remove(config, {}, {}));

    await run.forget();
    const again = await rollOut(add);

    expect(again).toBe(first);
    const each = ['worker-0', 'worker-1'].flatMap(turnOf);
    expect(run.seen).toEqual([...each, ...each, ...each]);
  });
});

describe('a run that is taken out of the configuration', () => {
  const jobsTake = ({ openshift }: RunLab, forMs: number) =>
    openshift.kubelets.runPods(() => true, { forMs, exitCode: 0 });

  it.each(['the section', 'its runs'] as const)(
    '[S4-21] [N-22] without $0 ends as if it were aborted: no further node, its clean-ups run, then its hold goes',
    async (what) => {
      const run = await aRun();
      jobsTake(run, 600_000);
      await run.change();
      await run.until(() => run.seen.includes('move before worker-0'));

      run.takeOut(what);
      await run.tick();
      const held = [run.isPaused(), await run.holds()];
      jobsTake(run, 2_000);
      await run.until(() => !run.isPaused());

      expect(held).toEqual([true, ['rollout/upgrade']]);
      expect(run.seen.slice(0, 2)).toEqual(['move before worker-0', 'move after worker-0']);
      expect(await run.holds()).toEqual([]);
      const { aborted, endedAt, plan } = await run.record();
      expect([aborted?.why, plan]).toEqual(['it was taken out of the configuration', undefined]);
      expect(endedAt).toBeDefined();
    },
  );

  it('[S4-21] while a node is on its way: it comes back, its clean-up runs, and no other node goes by the run', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));

    run.takeOut('the section');
    await run.until(() => !run.isPaused());

    expect(run.seen.slice(0, 4)).toEqual(turnOf('worker-0'));
    expect(run.seen.filter((each) => each.startsWith('move'))).toHaveLength(2);
  });

  it('[S4-21] and whose record somebody has emptied keeps its pools, and is told', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    await empty(run);

    run.takeOut('the section');
    for (let looks = 0; looks < 20; looks += 1) {
      await run.clock.advance(60_000);
      await run.tick();
    }

    expect([run.isPaused(), await run.holds()]).toEqual([true, ['rollout/upgrade']]);
    expect(run.seen.filter((each) => each.endsWith('goes'))).toEqual(['worker-0 goes']);
    expect(run.lab.troubles()).toContain('run-blocked');
  });

  it('[S4-21] and whose record is lost keeps its pools, and is told', async () => {
    const run = await aRun();
    await run.change();
    await run.until(() => run.seen.includes('move before worker-0'));
    await run.forget();

    run.takeOut('the section');
    for (let looks = 0; looks < 3; looks += 1) await run.tick();

    expect([run.isPaused(), await run.holds()]).toEqual([true, ['rollout/upgrade']]);
    expect(run.lab.troubles()).toContain('run-blocked');
    const [card] = await run.cards();
    expect(card).toMatchObject({ run: 'upgrade', state: 'blocked', block: { kind: 'unseen' } });
    expect(card?.block?.cause).toContain('it was taken out of the configuration');
  });

  it('[S4-26] and whose clean-ups may not be made any more keeps its pools, and is told', async () => {
    const template = { spec: { ...jobSpec.template.spec, serviceAccountName: 'mover' } };
    const run = await aRun({ rules: { move: { cleanUpJobSpec: { template } } } });
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));

    run.takeOut('the section');
    for (let looks = 0; looks < 3; looks += 1) await run.tick();

    expect([run.isPaused(), run.lab.troubles()]).toEqual([true, expect.arrayContaining(['run-blocked'])]);
  });
});

describe('a run whose record is lost', () => {
  it('[S4-20] [N-30] is not taken for lost where the run could not be looked at since it began: it had none yet', async () => {
    const run = await aRun({ nodes: ['worker-0', 'worker-1'] });
    const { nodes } = run.connection.nodeTurns;
    const { listReadyNodes } = nodes;
    const silent = async () => {
      throw new Transient('GET /api/v1/nodes: 503', { kind: 'unreachable' });
    };
    Object.assign(nodes, { listReadyNodes: silent });
    await run.change();
    for (let minute = 0; minute < 20; minute += 1) {
      await run.clock.advance(60_000);
      await run.tick();
    }
    expect([run.seen, run.lab.troubles()]).toEqual([[], ['run-blocked']]);

    Object.assign(nodes, { listReadyNodes });
    await run.until(() => !run.isPaused());

    expect((await run.record()).lost).toBeUndefined();
    expect(run.seen).toEqual([...turnOf('worker-0'), ...turnOf('worker-1')]);
  });

  it.each([
    { when: 'while a Job runs', reached: 'move before worker-1' },
    { when: 'while a node is on its way', reached: 'worker-1 goes' },
    { when: 'while a clean-up runs', reached: 'move after worker-1' },
    { when: 'minutes after its hold was placed, while a Job runs', reached: 'move before worker-1', heldFor: 0 },
    { when: 'minutes after its hold was placed, while a node is on its way', reached: 'worker-1 goes', heldFor: 0 },
  ])(
    '[S4-31] [S4-32] $when: it is told, waits for a person, and goes on without doing anything twice',
    async ({ reached, heldFor = 660_000 }) => {
      const run = await aRun();
      await run.change();
      await run.clock.advance(heldFor);
      run.openshift.kubelets.runPods(() => true, { forMs: 120_000, exitCode: 0 });
      await run.until(() => run.seen.includes(reached));

      await run.forget();
      await run.tick();
      for (let looks = 0; looks < 12; looks += 1) {
        await run.clock.advance(60_000);
        await run.tick();
      }
      const { lost } = await run.record();
      const stood = [run.isPaused(), run.seen.some((each) => each.endsWith('worker-2')), run.lab.troubles()];
      await run.ask({ kind: 'go-on', said: run.said('looked at it') });
      await run.until(() => !run.isPaused());

      expect(lost?.what).toContain('worker-1');
      expect(stood).toEqual([true, false, expect.arrayContaining(['run-blocked'])]);
      expect(run.seen).toEqual(workers.flatMap(turnOf));
      expect((await run.record()).lost).toBeUndefined();
    },
  );
});

describe('a rule of type lambda', () => {
  const note = {
    type: 'lambda',
    jobSpec: undefined,
    cleanUpJobSpec: undefined,
    lambda: { functionName: 'take-note', cleanUpFunctionName: 'take-note' },
  };

  it('[S4-26] is refused where Poolkeeper runs on one machine, with the reason, and its node does not go', async () => {
    const run = await aRun({ rules: { note } });
    await run.change();
    await run.until(() => run.lab.troubles().includes('run-blocked'), 20);

    expect((await run.record()).turns['worker-0']?.failed).toMatch(/rules of type lambda need Poolkeeper on AWS/);
    expect(run.seen).toEqual([]);
  });

  it('[S4-26] is invoked with one id until it is done, before the node goes and when it is back', async () => {
    const asked: (readonly [string, string, string])[] = [];
    const run = await aRun({
      rules: { note },
      nodes: ['worker-0'],
      ruleFunctions: {
        invoke: async (name, _seconds, { id, type }) => {
          asked.push([name, type, id]);
          return { kind: 'returned', text: asked.length < 3 ? '{"status":"pending"}' : '{}' };
        },
      },
    });
    await run.change();
    await run.until(() => !run.isPaused());

    const [before, again, done, after] = asked;
    expect(asked.map(([, type]) => type)).toEqual([
      ...['before', 'before', 'before', 'after'].map((part) => `poolkeeper.turn.${part}.v1`),
    ]);
    expect([again, done]).toEqual([before, before]);
    expect(after?.[2]).not.toBe(before?.[2]);
    expect(run.updated()).toEqual(['worker-0']);
  });
});

it('[S4-20] [N-30] a run whose record has moved from where it may not be read any more goes on once somebody says so', async () => {
  let refused = false;
  const run = await aRun({
    watch: ({ name, args: [namespace] }) =>
      refused && name.includes('nodeTurns.records') && namespace === 'poolkeeper'
        ? new Transient('GET configmaps/poolkeeper-run-upgrade: 403', { kind: 'forbidden', isAnswered: true })
        : undefined,
  });
  run.openshift.addNamespace('elsewhere');
  await run.change();
  await run.until(() => run.seen.includes('worker-0 goes'));
  refused = true;
  run.configure((nodeTurns) => ({ ...nodeTurns, recordNamespace: 'elsewhere' }));
  await run.until(() => run.lab.troubles().includes('run-blocked'), 40);
  for (let at = 0; at < 6; at += 1) {
    await run.clock.advance(60_000);
    await run.tick();
  }
  const { records } = run.connection.nodeTurns;
  const stored = await records.load('elsewhere', 'upgrade');
  const record = parseRunRecord(stored?.text ?? '');
  if (record === 'unreadable') throw new Error('there is no record');
  const text = runRecordText(withRunRequest(record, { kind: 'go-on', said: run.said('seen') }));
  await records.save('elsewhere', 'upgrade', { text, resourceVersion: stored?.resourceVersion });
  await run.until(() => !run.isPaused(), 120);
  expect(run.updated()).toEqual(['worker-0', 'worker-1', 'worker-2']);
}, 60_000);

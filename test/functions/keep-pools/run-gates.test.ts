import { afterEach, describe, expect, it } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultPolicy, type Policy } from '../../../functions/core/configuration/policy.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { Answer, Question } from '../../../functions/core/findings/question.ts';
import { openLane } from '../../../functions/core/holds/manual-emergency.ts';
import { addManualHold } from '../../../functions/core/holds/manual-hold.ts';
import { listAt, mappingAt, textAt } from '../../../functions/core/openshift/member.ts';
import {
  machineConfigs,
  nodes,
  podDisruptionBudgets,
  pods,
} from '../../../local/openshift/api-server/resource-types.ts';
import { commitB } from './keep-lab.ts';
import { type RunLab, type RunLabOptions, runLab } from './run-lab.ts';

const desired = 'machineconfiguration.openshift.io/desiredConfig';
const current = 'machineconfiguration.openshift.io/currentConfig';

const alice = 'slack:U0000ALICE';

let run: RunLab | undefined;

afterEach(async () => {
  await run?.stop();
  run = undefined;
});

async function aRun(options?: RunLabOptions): Promise<RunLab> {
  run = await runLab({ nodes: ['worker-0', 'worker-1'], ...options });
  await run.tick();
  return run;
}

/** Pool worker needs an approval of Alice. */
function approved(gates: Policy['gates'] = {}): RunLabOptions {
  const settings = { ...defaultPoolSettings, approve: Approve.parse({ by: [alice] }) };
  return { settings: { pools: { worker: settings }, policy: { ...defaultPolicy, gates } } };
}

async function approves({ lab, clock, connection }: RunLab, config?: string): Promise<void> {
  const pool = await connection.pools.readPool('worker');
  await lab.world.tables.approvals.save({
    cluster: 'prod',
    pool: 'worker',
    config: config ?? pool?.target.name ?? '',
    who: alice,
    name: '',
    verb: 'approve',
    at: clock.now().toISOString(),
    reason: '',
  });
}

const ticks = async (lab: RunLab, count: number, seconds = 30) => {
  for (let looks = 0; looks < count; looks += 1) {
    await lab.clock.advance(1_000 * seconds);
    await lab.tick();
  }
};

async function opensLane({ clock, connection }: RunLab): Promise<void> {
  const pool = await connection.pools.readPool('worker');
  if (pool === undefined) throw new Error('there is no pool');
  const now = clock.now();
  const until = new Date(now.getTime() + 4 * 3_600_000);
  const { record } = openLane(pool, until, { who: 'ann', why: 'CVE', now });
  await connection.pools.patchPool(pool, { paused: undefined, record });
}

const asked = ({ lab }: RunLab) => lab.troubles().filter((kind) => kind === 'approval-needed').length;

const gatesOf = async ({ lab }: RunLab) =>
  (await lab.world.tables.views.list())[0]?.pools.find(({ name }) => name === 'worker')?.closedGates ?? [];

describe('approvals that a run waits for', () => {
  it('[N-11] [N-17] are asked for once, with the rendered config, and no node begins before they are given', async () => {
    const lab = await aRun(approved());

    await lab.change();
    await ticks(lab, 10);
    const before = { asked: asked(lab), seen: [...lab.seen], gates: (await gatesOf(lab)).map(({ gate }) => gate) };
    const incident = lab.lab.world.tables.incidents.all().find(({ key }) => key.kind === 'approval-needed');
    await approves(lab);
    await lab.until(() => !lab.isPaused());

    expect(before).toEqual({ asked: 1, seen: [], gates: ['approval', 'quiet', 'upgrade'] });
    expect(incident?.trouble?.findings[0]?.sentence).toMatch(
      /^Run upgrade takes the nodes of pool worker to rendered-worker-\w+, one after another, once 1 of its people/,
    );
    expect(lab.updated()).toEqual(['worker-0', 'worker-1']);
  });

  it('[N-11] [N-17] are asked for anew when the pool is rendered anew on the way', async () => {
    const lab = await aRun(approved());
    await lab.change();
    await approves(lab);
    await lab.until(() => lab.seen.includes('move after worker-0'));

    await lab.change('99-worker-zz');
    await ticks(lab, 10);
    const stood = { asked: asked(lab), begun: lab.seen.filter((each) => each.startsWith('move before worker-1')) };
    await approves(lab);
    await lab.until(() => !lab.isPaused());

    expect(stood).toEqual({ asked: 1, begun: [] });
    expect(lab.updated()).toEqual(['worker-0', 'worker-1']);
  });

  it('[S3-14] [N-11] are asked for once more when what was taken back comes again, also where one node alone had gone', async () => {
    const lab = await aRun(approved());
    const { openshift, connection, clock } = lab;
    const name = '99-worker-turns';
    const target = async () => (await connection.pools.readPool('worker'))?.target.name ?? '';
    const names = [await target()];
    const renders = async (change: () => unknown) => {
      change();
      for (let looks = 0; looks < 60 && (await target()) === names.at(-1); looks += 1) await clock.advance(1_000);
      names.push(await target());
      await lab.tick();
    };
    const comes = () => renders(() => openshift.applyMachineConfig(name, 'worker', { '/etc/turns': 'one' }));
    const goes = () =>
      renders(() => openshift.registry.delete(machineConfigs, { name, namespace: '' }, { manager: 'kubectl' }));
    for (const happens of [comes, goes]) {
      await happens();
      await approves(lab);
      await lab.until(() => !lab.isPaused());
    }
    await comes();
    await ticks(lab, 10);
    const again = { asked: asked(lab), isPaused: lab.isPaused() };
    await approves(lab);
    await lab.until(() => lab.updated().length === 1);
    await goes();
    await ticks(lab, 10);

    const [before, after] = names;
    expect(names).toEqual([before, after, before, after, before]);
    expect(again).toEqual({ asked: 1, isPaused: true });
    expect([asked(lab), lab.isPaused()]).toEqual([1, true]);
  });

  it('[S3-14] [N-11] are not asked for again where another change was rendered for a moment, and no node went to it', async () => {
    const lab = await aRun(approved());
    await lab.change();
    await approves(lab);
    await lab.until(() => lab.seen.includes('worker-0 goes'));
    const read = () => lab.connection.pools.readPool('worker');
    const change = (await read())?.target.name;
    await lab.change('99-worker-zone');
    await ticks(lab, 2);
    const other = await read();
    lab.openshift.registry.delete(machineConfigs, { name: '99-worker-zone', namespace: '' }, { manager: 'kubectl' });
    await lab.clock.advance(10_000);
    await ticks(lab, 20);
    const pool = await read();

    expect(other?.target.name).not.toBe(change);
    expect(other?.record).toMatchObject({ record: { rolledOut: { change } } });
    expect([pool?.target.name, asked(lab), lab.isPaused()]).toEqual([change, 0, false]);
    expect(pool?.counts).toMatchObject({ machines: 2, updated: 2 });
  });

  it('[N-11] [N-17] stay asked for in a pass that does not look at runs, and are not once the run is aborted', async () => {
    const lab = await aRun(approved());
    await lab.change();
    await ticks(lab, 2);
    const [first] = lab.lab.world.tables.incidents.all().filter(({ key }) => key.kind === 'approval-needed');

    await lab.deliver(lab.lab.operationOf('Succeeded'));
    const [after, ...others] = lab.lab.world.tables.incidents.all().filter(({ key }) => key.kind === 'approval-needed');
    await lab.ask({ kind: 'abort', said: lab.said('not today') });
    await ticks(lab, 2);

    expect([after?.number, after?.state, others]).toEqual([first?.number, 'firing', []]);
    expect([asked(lab), lab.seen]).toEqual([0, []]);
  });
});

describe('timeouts of the gates of a pool that a run holds', () => {
  const patience = 1_200;

  it('[N-11] [N-17] are told when they have lasted, whatever comes between the looks', async () => {
    const lab = await aRun(approved({ approval: { afterSeconds: patience, action: 'alert' } }));
    await lab.change();
    await ticks(lab, 20);
    await lab.deliver(lab.lab.operationOf('Succeeded'));
    await ticks(lab, 15);
    const early = lab.lab.troubles();
    await ticks(lab, 10);

    expect(early).not.toContain('paused-too-long');
    expect(lab.lab.troubles()).toContain('paused-too-long');
    expect(lab.seen).toEqual([]);
  });

  it('[N-11] [N-17] that let a gate count no longer are waited for once, not again before each node', async () => {
    const lab = await aRun(approved({ approval: { afterSeconds: patience, action: 'resume' } }));
    const begun = lab.clock.now().getTime();

    await lab.change();
    await lab.until(() => !lab.isPaused());

    const minutes = (lab.clock.now().getTime() - begun) / 60_000;
    expect(lab.updated()).toEqual(['worker-0', 'worker-1']);
    expect(minutes).toBeGreaterThan(20);
    expect(minutes).toBeLessThan(40);
  });

  it('[N-11] [N-17] that would give the pool up are told instead: its nodes have to wait for the run', async () => {
    const lab = await aRun(approved({ approval: { afterSeconds: patience, action: 'drop' } }));
    await lab.change();
    await ticks(lab, 45);

    expect(lab.lab.troubles()).toContain('paused-too-long');
    expect(await lab.holds()).toEqual(['rollout/upgrade']);
    await approves(lab);
    await lab.until(() => !lab.isPaused());
  });
});

describe('a gate of a run for a kind whose server is away', () => {
  it.each(['abort', 'proceed'] as const)(
    '[S2-19] [S4-26] neither gives the run up nor lets a node go: %s',
    async (onTimeout) => {
      const group = 'machineconfiguration.openshift.io';
      const gate = {
        resourceType: `machineconfigpools.${group}`,
        resourceName: 'worker',
        timeoutSeconds: 600,
        onTimeout,
      };
      const lab = await aRun({ run: { gates: [gate] } });
      const { reader } = lab.connection;
      const isAway = (item: unknown) => textAt(mappingAt(item, 'metadata'), 'name') === group;
      const stale = (item: unknown) => ({ ...Object(item), versions: [{ version: 'v1', freshness: 'Stale' }] });
      Object.assign(lab.connection, {
        reader: {
          read: async (question: Question): Promise<Answer> => {
            const answer = await reader.read(question);
            if (question.form !== 'discovery' || answer.kind !== 'found') return answer;
            const items = listAt(answer.body, 'items').map((item) => (isAway(item) ? stale(item) : item));
            return { ...answer, body: { ...Object(answer.body), items } };
          },
        },
      });

      await lab.change();
      await ticks(lab, 40, 60);

      expect((await lab.record()).aborted).toBeUndefined();
      expect([lab.seen, lab.updated(), lab.isPaused()]).toEqual([[], [], true]);
    },
  );
});

describe('places of the budget', () => {
  const placesOf = async ({ lab }: RunLab) =>
    (await lab.world.tables.budgetPlaces.load()).taken.map(({ cluster, pool, nodes: count }) => [cluster, pool, count]);

  it('[N-11] [N-16] are kept by a run only while a node of it is on its way', async () => {
    const lab = await aRun({ budget: Budget.parse({ pools: 1 }) });
    const known: string[] = [];

    await lab.change();
    await lab.until(async () => {
      const flying = lab.openshift.registry
        .list(nodes)
        .some(({ metadata: { annotations = {} } }) => annotations[desired] !== annotations[current]);
      known.push(`${flying ? 'flies' : 'rests'} ${JSON.stringify(await placesOf(lab))}`);
      return !lab.isPaused();
    });
    await lab.tick();

    expect(new Set(known.filter((each) => each.startsWith('flies')))).toEqual(new Set(['flies [["prod","worker",1]]']));
    expect(known[0]).toBe('rests []');
    expect(await placesOf(lab)).toEqual([]);
  });

  it('[N-11] [N-16] a node does not go while others have them, and its turn says so', async () => {
    const lab = await aRun({ budget: Budget.parse({ fleet: { pools: 1 } }), clusters: ['prod-us'] });
    await lab.change();
    await lab.until(() => lab.seen.includes('move before worker-0'));
    const { budgetPlaces } = lab.lab.world.tables;
    const stored = await budgetPlaces.load();
    const until = new Date(lab.clock.now().getTime() + 86_400_000).toISOString();
    const other = { cluster: 'prod-us', pool: 'infra', nodes: 1, since: lab.clock.now().toISOString(), until };
    await budgetPlaces.save({ ...stored, taken: [other] });

    await ticks(lab, 20);
    const waits = (await lab.record()).turns['worker-0']?.step;
    const taken = await placesOf(lab);
    await budgetPlaces.save({ ...(await budgetPlaces.load()), taken: [] });
    await lab.until(() => !lab.isPaused());

    expect(waits).toBe('before');
    expect(taken).toEqual([['prod-us', 'infra', 1]]);
    expect(lab.updated()).toEqual(['worker-0', 'worker-1']);
  });

  it.each(['lane', 'timeout'] as const)(
    '[N-11] [N-16] [N-21] its nodes go past them, each with its Jobs, where the pool does (%s), and count as on their way',
    async (how) => {
      const gates = { budget: { afterSeconds: 600, action: how === 'timeout' ? 'resume' : 'alert' } } as const;
      const lab = await aRun({
        budget: Budget.parse({ fleet: { pools: 1 } }),
        clusters: ['prod-us'],
        settings: { policy: { ...defaultPolicy, gates } },
      });
      const { budgetPlaces } = lab.lab.world.tables;
      const until = new Date(lab.clock.now().getTime() + 86_400_000).toISOString();
      const other = { cluster: 'prod-us', pool: 'infra', nodes: 1, since: lab.clock.now().toISOString(), until };
      await budgetPlaces.save({ ...(await budgetPlaces.load()), taken: [other] });
      await lab.change();
      await ticks(lab, 4);
      const waiting = [[...lab.seen], (await gatesOf(lab)).some(({ gate }) => gate === 'budget')];
      const known: string[] = [];

      if (how === 'lane') await opensLane(lab);
      await lab.until(async () => {
        for (const [cluster, , count] of await placesOf(lab)) known.push(`${cluster} ${count}`);
        return !lab.isPaused();
      });

      expect(waiting).toEqual([[], true]);
      expect(lab.seen.slice(0, 2)).toEqual(['move before worker-0', 'worker-0 goes']);
      expect(lab.updated()).toEqual(['worker-0', 'worker-1']);
      expect(new Set(known)).toEqual(new Set(['prod-us 1', 'prod 1']));
    },
  );
});

it('[S4-11] [N-16] [N-29] a drain that a Job makes way for keeps no run waiting, with drainable: block', async () => {
  const pools = { worker: { ...defaultPoolSettings, drainable: 'block' as const } };
  const lab = await aRun({ settings: { pools } });
  const { openshift } = lab;
  const primary = { namespace: 'databases', name: 'primary' };
  openshift.deploy({ ...primary, replicas: 1 });
  openshift.addDisruptionBudget({ ...primary, minAvailable: 1, matchLabels: { app: 'primary' } });
  await ticks(lab, 1, 60);
  const isPrimary = ({ metadata }: { readonly metadata: { readonly name: string } }) =>
    metadata.name.startsWith('primary');
  const node = openshift.registry.list(pods).find(isPrimary)?.spec.nodeName;
  // As after a switch-over.
  openshift.registry.subscribe(({ kind, object: { metadata } }) => {
    const isItsJob = metadata.labels?.['poolkeeper.dev/node'] === node && kind === 'ADDED';
    if (isItsJob && openshift.registry.get(podDisruptionBudgets, 'primary', 'databases') !== undefined)
      openshift.registry.delete(podDisruptionBudgets, primary, { manager: 'job' });
  });
  await lab.change();
  await lab.until(() => !lab.isPaused(), 60);

  expect(['worker-0', 'worker-1']).toContain(node);
  expect(lab.updated()).toEqual(['worker-0', 'worker-1']);
});

describe('a pool that one bad change degrades once its run has let a node go', () => {
  const storage = {
    name: 'storage',
    renders: 'workers' as const,
    nodes: ['storage-0', 'storage-1'],
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/storage': '' } },
  };

  /** The change is bad for whatever node of storage goes first. */
  async function aBadChange(options: RunLabOptions): Promise<RunLab> {
    const lab = await aRun({ rules: {}, targets: ['storage'], pools: [storage], ...options });
    for (const name of storage.nodes)
      lab.openshift.daemons.failUpdates(name, { stage: 'prepare', reason: 'ignition disks section contains changes' });
    return lab;
  }

  /** As a sync that ends then does. */
  async function holdsWorker({ clock, connection }: RunLab, seconds: number): Promise<void> {
    const pool = await connection.pools.readPool('worker');
    if (pool === undefined) throw new Error('there is no pool');
    const now = clock.now();
    const until = new Date(now.getTime() + 1_000 * seconds);
    const { record } = addManualHold(pool, until, { who: 'ops', why: 'as a sync', now });
    await connection.pools.patchPool(pool, { paused: true, record: record ?? undefined });
  }

  it.each([
    ['before the look that finds it degraded', 60, false],
    ['later, while the record of the run cannot be read', 240, true],
  ])('[S1-14] [N-16] [N-29] keeps a pool paused whose hold ends %s', async (_, seconds, isUnread) => {
    const lab = await aBadChange({});
    await holdsWorker(lab, seconds);
    await lab.change();
    await ticks(lab, 2, 60);
    if (isUnread)
      lab.openshift.faults.inject({
        fault: { kind: 'status', code: 503 },
        matches: ({ path }) => path.includes('/configmaps/poolkeeper-run-upgrade'),
      });
    await ticks(lab, 4, 60);

    const why = 'pool storage is degraded by a rollout that Poolkeeper started';
    const record = (await lab.connection.pools.readPool('worker'))?.record;
    expect(lab.seen).toEqual(['storage-0 goes']);
    expect(record).toMatchObject({ record: { pause: 'ours', holds: [] } });
    expect((await gatesOf(lab)).map((gate) => [gate.gate, gate.why])).toContainEqual(['health', why]);
  });

  it('[S1-14] [N-16] [N-29] keeps the nodes of another run from going, but for one that has gone before', async () => {
    const lab = await aBadChange({
      more: { others: { machineConfigPools: ['worker'] } },
      runs: { second: { mutexTargets: [{ name: 'others' }] } },
    });
    await lab.change();
    await ticks(lab, 20, 60);

    expect(lab.seen).toEqual(['storage-0 goes', 'worker-0 goes', 'worker-0 is back']);
  });
});

it.each([
  ['abort', 503],
  ['proceed', 503],
  ['abort', 403],
  ['proceed', 403],
])(
  '[N-11] [S2-19] a gate of the run that the API server does not answer for for hours is neither failed nor passed (%s, %i), and told',
  async (onTimeout, code) => {
    const gate = {
      resourceType: 'configmaps',
      resourceName: 'go',
      resourceNamespace: 'databases',
      timeoutSeconds: 1_800,
      onTimeout,
    };
    const lab = await aRun({ run: { gates: [gate] } });
    lab.openshift.faults.inject({
      fault: { kind: 'status', code },
      matches: ({ path }) => path.endsWith('/configmaps/go'),
    });

    await lab.change();
    await ticks(lab, 75, 60);
    const { aborted, endedAt, turns } = await lab.record();
    const troubles = lab.lab.troubles();

    expect([aborted, endedAt, turns]).toEqual([undefined, undefined, {}]);
    expect([lab.isPaused(), troubles]).toEqual([true, expect.arrayContaining(['run-blocked'])]);
  },
);

it('[S2-19] [S4-26] [N-30] a rule that waits may not read its object for a minute: people are told at once, and it goes on by itself', async () => {
  const gate = { resourceType: 'configmaps', resourceName: 'go', resourceNamespace: 'databases' };
  const waits = { type: 'gate', jobSpec: undefined, cleanUpJobSpec: undefined, gate };
  const lab = await aRun({ rules: { waits }, nodes: ['worker-0', 'worker-1'] });
  const go = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'go', namespace: 'databases' } };
  await lab.connection.client.post('/api/v1/namespaces/databases/configmaps', {}, go);
  lab.openshift.faults.inject({
    fault: { kind: 'status', code: 403 },
    matches: ({ path }) => path.endsWith('/configmaps/go'),
    times: 1,
  });

  await lab.change();
  await lab.until(() => lab.lab.troubles().includes('run-blocked'), 5);
  await lab.until(() => !lab.isPaused(), 60);

  expect(lab.seen.filter((each) => each.endsWith('goes'))).toEqual(['worker-0 goes', 'worker-1 goes']);
});

it('[S4-20] [N-8] [N-29] a window closes while a Job takes long: that its node stands with its Jobs done is told', async () => {
  // The first look is at 10:00 on a Monday.
  const windows = [Window.parse({ kind: 'allow', schedule: '0 10 * * 1', durationSeconds: 75 * 60 })];
  const lab = await aRun({ settings: { windows } });
  lab.openshift.kubelets.runPods(() => true, { forMs: 50 * 60_000, exitCode: 0 });

  await lab.change();
  await ticks(lab, 23, 300);
  const [before, step] = [lab.lab.troubles(), (await lab.record()).turns['worker-0']?.step];
  await ticks(lab, 3, 300);
  const [card] = await lab.cards();

  expect([before, step, lab.lab.troubles()]).toEqual([[], 'before', ['run-blocked']]);
  expect(card?.block?.cause).toBe(
    'its Jobs are done, and it may not go: gate window: no allow window is open: allow 0 10 * * 1 for 1 h 15 min (UTC)',
  );
});

it('[S4-20] [N-29] [N-30] a node that stands outside its window is told once, whatever is pushed and synced meanwhile', async () => {
  const windows = [Window.parse({ kind: 'allow', schedule: '0 10 * * 1', durationSeconds: 75 * 60 })];
  const lab = await aRun({ settings: { windows } });
  lab.openshift.kubelets.runPods(() => true, { forMs: 50 * 60_000, exitCode: 0 });
  await lab.change();
  await ticks(lab, 26, 300);
  const before = lab.lab.troubles();

  lab.lab.world.clock.set(lab.clock.now());
  await lab.deliver(lab.lab.pushOf(commitB));
  await ticks(lab, 12, 60);
  const held = [await lab.holds(), lab.lab.troubles()];
  await ticks(lab, 60, 60);

  expect(before).toEqual(['run-blocked']);
  expect(held).toEqual([['rollout/upgrade', 'sync/hub/openshift-gitops/nodes'], ['run-blocked']]);
  expect([await lab.holds(), lab.lab.troubles()]).toEqual([['rollout/upgrade'], ['run-blocked']]);
  expect(lab.lab.told().filter((type) => type === 'incident.resolved')).toEqual([]);
});

describe('[S4-20] [N-29] [N-30] a run that waits for hours for its window', () => {
  const weekly = Window.parse({ kind: 'allow', schedule: '0 10 * * 2', durationSeconds: 75 * 60 });
  const infra = { name: 'infra', maxUnavailable: 1, nodes: ['infra-0'] };
  const waves = {
    infra: { ...defaultPoolSettings, wave: 0 },
    worker: { ...defaultPoolSettings, wave: 1 },
  };

  const pools: readonly (readonly [string, RunLabOptions])[] = [
    ['one pool', {}],
    [
      'pools of two waves, the lower of which has a window',
      {
        pools: [infra],
        targets: ['infra', 'worker'],
        settings: { pools: waves, windows: [{ ...weekly, pools: ['infra'] }] },
      },
    ],
  ];

  async function waits(options: RunLabOptions = {}): Promise<RunLab> {
    const lab = await aRun({ ...options, settings: { windows: [weekly], ...options.settings } });
    await lab.change();
    await ticks(lab, 50, 300);
    lab.lab.world.clock.set(lab.clock.now());
    return lab;
  }

  const toldOf = ({ lab }: RunLab) => lab.told().filter((type) => type.startsWith('incident.'));

  it.each(pools)('is not told as paused too long for a sync of minutes: %s', async (_, options) => {
    const lab = await waits(options);

    await lab.deliver(lab.lab.pushOf(commitB));
    lab.lab.syncs(commitB);
    await ticks(lab, 2, 60);
    const held = await lab.holds();
    lab.lab.ends('Succeeded');
    await ticks(lab, 15, 60);

    expect([held.length, await lab.holds(), toldOf(lab)]).toEqual([2, ['rollout/upgrade'], []]);
  });

  it.each(pools)('nor by a pass that looks at no run, also before a push: %s', async (_, options) => {
    const lab = await waits(options);

    await lab.deliver(lab.lab.operationOf('Succeeded'));
    await lab.deliver(lab.lab.pushOf(commitB));
    await ticks(lab, 2, 60);
    await lab.deliver(lab.lab.operationOf('Succeeded'));
    await ticks(lab, 40, 60);

    expect([await lab.holds(), toldOf(lab)]).toEqual([['rollout/upgrade'], []]);
  });

  it('is told once somebody holds its pool for longer than a pool may be paused', async () => {
    const lab = await waits({ settings: { policy: { pausedAtMostSeconds: 1800 } } });
    const pool = await lab.connection.pools.readPool('worker');
    if (pool === undefined) throw new Error('there is no such pool');
    const now = lab.clock.now();
    const until = new Date(now.getTime() + 7_200_000);
    const { record } = addManualHold(pool, until, { who: 'ann', why: 'a test', now });
    await lab.connection.pools.patchPool(pool, { record });

    await ticks(lab, 20, 60);
    const soon = lab.lab.troubles();
    await ticks(lab, 20, 60);

    expect([soon, lab.lab.troubles()]).toEqual([[], ['paused-too-long']]);
  });
});

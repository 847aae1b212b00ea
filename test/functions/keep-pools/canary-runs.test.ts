import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Sequence } from '../../../functions/core/configuration/sequence.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { openLane } from '../../../functions/core/holds/manual-emergency.ts';
import type { Hold } from '../../../functions/core/openshift/hold.ts';
import { emptyRecord } from '../../../functions/core/openshift/pool-record.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { jobs, machineConfigPools, nodes } from '../../../local/openshift/api-server/resource-types.ts';
import { type RunLab, type RunLabOptions, runLab } from './run-lab.ts';

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

const worker = { 'node-role.kubernetes.io/worker': '' };
const canary = {
  name: 'canary',
  renders: 'workers' as const,
  nodeSelector: { matchLabels: worker, matchExpressions: [{ key: 'isCanary', operator: 'Exists' as const }] },
};
const run = { mode: 'canary', canary: { name: 'canary' } };
const workers = ['worker-0', 'worker-1', 'worker-2'];

async function aCanaryRun(options: RunLabOptions = {}): Promise<RunLab> {
  lab = await runLab({ run, pools: [canary], ...options });
  await lab.tick();
  return lab;
}

function turnsOf(names: readonly string[], rules: readonly string[]): readonly string[] {
  return names.flatMap((node) => [
    ...rules.map((rule) => `${rule} before ${node}`),
    `${node} goes`,
    `${node} is back`,
    ...rules.map((rule) => `${rule} after ${node}`),
  ]);
}

const storage = {
  name: 'storage',
  renders: 'workers' as const,
  nodes: ['storage-0'],
  nodeSelector: {
    matchLabels: { 'node-role.kubernetes.io/storage': '' },
    matchExpressions: [{ key: 'quarantine', operator: 'DoesNotExist' as const }],
  },
};
const exclude = { mode: 'canary', canary: { name: 'canary', exclude: true } };

/** Both ways, with a target that is a custom pool besides worker. */
const ways = [
  ['a label that the canary asks for', run],
  ['labels of rules that it excludes', exclude],
] as const;

describe('a canary that is misconfigured, while its run rests', () => {
  const atOnce = { ...run, atOnce: 2, unavailableAtMost: 3 };
  const { renders: _, ...other } = canary;

  it.each<[string, RunLabOptions, RegExp]>([
    ['does not exist', { pools: [] }, /^pool canary does not exist\. With a change its pools will be held/],
    [
      'would take every worker',
      { pools: [{ ...canary, nodeSelector: { matchLabels: worker } }] },
      /no node is a member/,
    ],
    [
      'takes fewer at once',
      { run: atOnce },
      /^pool canary takes 1 node at once \(maxUnavailable\), and the run 2 \(atOnce\)\./,
    ],
    [
      'asks for another label',
      { run: { ...run, canary: { name: 'canary', label: 'goes' } } },
      /and canary\.label of the run is goes/,
    ],
    ['renders something else', { pools: [other] }, /which differ: each node would be updated twice/],
  ])('[S4-36] [S4-41] is told before there is a change, once, with why: it %s', async (_, options, why) => {
    const { until, lab: kept, cards, isPaused, seen } = await aCanaryRun(options);

    await until(() => kept.troubles().includes('run-blocked'), 20);
    const [card] = await cards();
    const told = () => kept.world.tables.incidents.all().filter(({ key }) => key.kind === 'run-blocked');
    const [first] = told();
    await until(async () => (await cards())[0]?.readAt !== card?.readAt, 20);

    expect(card).toMatchObject({ run: 'upgrade', state: 'blocked', block: { kind: 'refused' } });
    expect(card?.block?.cause).toMatch(why);
    expect(told().map(({ number, notes }) => [number, notes.length])).toEqual([[first?.number, first?.notes.length]]);
    expect([isPaused(), seen]).toEqual([false, []]);
  });

  it('[S4-36] [S4-41] is over when it is mended; a quiet tick reads nothing for it', async () => {
    const { until, tick, lab: kept, cards, openshift, connection } = await aCanaryRun();
    const pause = (paused: boolean) =>
      openshift.registry.modify(
        machineConfigPools,
        { name: 'canary', namespace: '' },
        ({ spec }) => Object.assign(spec, { paused }),
        {
          manager: 'kubectl-edit',
        },
      );
    pause(true);

    await until(() => kept.troubles().includes('run-blocked'), 20);
    const [blocked] = await cards();
    const list = connection.nodeTurns.canary.listFreshPools;
    let lists = 0;
    const counted = () => {
      lists += 1;
      return list();
    };
    Object.assign(connection.nodeTurns.canary, { listFreshPools: counted });
    await tick();
    const quiet = lists;
    pause(false);
    await until(() => !kept.troubles().includes('run-blocked'), 20);

    expect(blocked?.block?.cause).toContain('pool canary is paused: a node that moves there would wait for ever');
    expect(quiet).toBe(0);
    expect((await cards())[0]).toMatchObject({ state: 'idle', block: undefined });
  });
});

describe('a run in mode canary, on a simulated cluster', () => {
  it.each(ways)(
    '[S4-8] [S4-11] [S4-12] [S4-19] [S4-34] [S4-35] [S4-36] by %s: each node moves to the canary and comes back, and then all is as it was',
    async (_, how) => {
      const targets = ['storage', 'worker'];
      const { change, until, seen, updated, isPaused, holds, start, openshift } = await aCanaryRun({
        run: how,
        pools: [canary, storage],
        targets,
        nodes: ['worker-0', 'worker-1'],
      });
      const before = start();
      const selectors = new Set<string>();
      openshift.registry.subscribe(({ type, object }) => {
        if (type === machineConfigPools && object.metadata.name === 'worker')
          selectors.add(JSON.stringify(openshift.registry.get(machineConfigPools, 'worker')?.spec.nodeSelector));
      });

      await change();
      await until(() => !isPaused());

      expect(seen).toEqual(turnsOf(['storage-0', 'worker-0', 'worker-1'], ['move']));
      expect(updated()).toEqual(['storage-0', 'worker-0', 'worker-1']);
      expect(await holds()).toEqual([]);
      expect(start()).toEqual(before);
      expect(selectors.size).toBe(1);
    },
  );

  it('[S4-14] [S4-19] [S4-32] killed before the first and after any write of labels, selectors and notes, the same happens, once', async () => {
    // One node of a custom pool: every kind of write, and one of each.
    const rules = { move: { onTargetNode: true } };
    const options = { rules, run: exclude, pools: [canary, storage], targets: ['storage'], nodes: [] };
    const { change, until, isPaused, deaths, start } = await aCanaryRun(options);
    const before = start();
    await change();
    await until(() => !isPaused());
    const places = deaths.kinds.flatMap((kind, at) => (['changePool', 'changeNode'].includes(kind) ? [at + 1] : []));
    await lab?.stop();

    expect(places.map((at) => deaths.kinds[at - 1])).toEqual([
      // The note, labels, two selectors; to the canary and back; that it ends, selectors, labels, the note.
      ...['changePool', 'changeNode', 'changePool', 'changePool'],
      ...['changeNode', 'changeNode'],
      ...['changePool', 'changePool', 'changePool', 'changeNode', 'changePool'],
    ]);
    for (const [index, at] of [places[0] ?? 0, ...places].entries()) {
      const other = await aCanaryRun(options);
      Object.assign(other.deaths, { at, after: index > 0 });
      await other.change();
      await other.until(() => !other.isPaused() && other.updated().length === 1);
      expect(other.seen, `killed at write ${at}`).toEqual(turnsOf(['storage-0'], ['move']));
      expect(other.start(), `killed at write ${at}`).toEqual(before);
      await other.stop();
    }
    lab = undefined;
  });

  it.each(ways)('[S4-21] [N-22] by %s: aborted after any of its writes, all is as it was', async (_, how) => {
    const options = { run: how, pools: [canary, storage], targets: ['storage', 'worker'], nodes: ['worker-0'] };
    // The pause, the note, labels, selectors, the label of a node, its update.
    for (const looks of [1, 2, 3, 4, 6, 8]) {
      const other = await aCanaryRun(options);
      const before = other.start();
      await other.change();
      for (let look = 0; look < looks; look += 1) {
        await other.clock.advance(30_000);
        await other.tick();
      }
      await other.ask({ kind: 'abort', said: other.said('not today') });
      await other.until(async () => !other.isPaused() && (await other.record()).endedAt !== undefined);

      expect(other.start(), `after ${looks} looks`).toEqual(before);
      await other.stop();
    }
    lab = undefined;
  });

  it.each([...ways, ['mode turns', { mode: 'turns' }] as const])(
    '[S4-11] [S4-19] [N-29] by %s: a pool that somebody resumes past the run rolls without Jobs, and then the other has its turns',
    async (_, how) => {
      const { change, until, seen, isPaused, holds, openshift, updated } = await aCanaryRun({
        run: how,
        pools: [canary, storage],
        targets: ['storage', 'worker'],
        nodes: ['worker-0'],
      });
      const keep = (name: string, isKept: boolean) =>
        openshift.registry.modify(
          nodes,
          { name, namespace: '' },
          ({ metadata }) => {
            const { 'poolkeeper.dev/hold': _held, ...labels } = metadata.labels ?? {};
            Object.assign(metadata, { labels: { ...labels, ...(isKept ? { 'poolkeeper.dev/hold': '' } : {}) } });
          },
          { manager: 'kubectl-label' },
        );
      keep('storage-0', true);
      keep('worker-0', true);
      await change();
      await until(async () => (await holds()).length > 0);

      const resumed = { name: 'storage', namespace: '' };
      const by = { manager: 'kubectl-patch' };
      openshift.registry.modify(machineConfigPools, resumed, ({ spec }) => Object.assign(spec, { paused: false }), by);
      await until(() => updated().includes('storage-0'));
      keep('worker-0', false);
      await until(() => updated().includes('worker-0') && !isPaused(), 60);

      expect(seen.filter((each) => each.includes('worker-0'))).toEqual(turnsOf(['worker-0'], ['move']));
      expect(seen).not.toContain('move before storage-0');
      expect(await holds()).toEqual([]);
    },
  );

  it.each(ways)(
    '[S4-21] [N-22] by %s: taken out of the configuration in the middle, labels and selectors are put back before its pools go',
    async (_, how) => {
      const { change, until, start, isPaused, takeOut, openshift } = await aCanaryRun({
        run: how,
        pools: [canary, storage],
        targets: ['storage', 'worker'],
        nodes: ['worker-0'],
      });
      const before = start();
      await change();
      const inCanary = () =>
        openshift.registry.list(nodes).some(({ metadata, status: _status }) => 'isCanary' in (metadata.labels ?? {}));
      const isOut = () =>
        how === run
          ? inCanary()
          : openshift.registry
              .get(nodes, 'storage-0')
              ?.metadata.annotations?.['machineconfiguration.openshift.io/desiredConfig']?.includes('canary') === true;
      await until(isOut);
      const paused: boolean[] = [];
      openshift.registry.subscribe(({ type, object }) => {
        if (type === nodes && object.metadata.name === 'storage-0') paused.push(isPaused());
      });

      takeOut('the section');
      await until(() => !isPaused());

      expect(paused[0]).toBe(true);
      expect(start()).toEqual(before);
    },
  );

  it('[S4-14] [S4-19] that becomes one of mode turns half way: nodes that had their turn have no other', async () => {
    const other = await aCanaryRun({ nodes: ['worker-0', 'worker-1'] });
    const before = other.start();
    await other.change();
    await other.until(() => other.seen.includes('move after worker-0'));

    other.configure(({ runs, ...section }) => ({
      ...section,
      runs: Object.fromEntries(
        Object.entries(runs).map(([name, { canary: _, ...each }]) => [name, { ...each, mode: 'turns' as const }]),
      ),
    }));
    await other.until(() => !other.isPaused());

    expect(other.seen).toEqual(turnsOf(['worker-0', 'worker-1'], ['move']));
    expect(other.start()).toEqual(before);
  });

  it('[S4-37] rendered anew while a node has its turn: nobody but it is updated without Jobs, and all end at the new config', async () => {
    const { change, until, seen, updated, isPaused, start } = await aCanaryRun({ nodes: ['worker-0', 'worker-1'] });
    const before = start();

    await change();
    await until(() => seen.includes('worker-0 is back'));
    await change('99-worker-zz');
    await until(() => !isPaused());

    expect(updated()).toEqual(['worker-0', 'worker-1']);
    const goes = seen.flatMap((each, at) => (each.endsWith(' goes') ? [[each, seen[at - 1]]] : []));
    for (const [each, previous] of goes)
      expect([each, previous]).toEqual([each, `move before ${each?.slice(0, -' goes'.length)}`]);
    expect(start()).toEqual(before);
  });
});

describe('what people do during a run in mode canary', () => {
  const labelled = (other: RunLab, name: string, change: Readonly<Record<string, string>>) =>
    other.openshift.registry.modify(
      nodes,
      { name, namespace: '' },
      ({ metadata }) => {
        Object.assign(metadata, { labels: { ...metadata.labels, ...change } });
      },
      { manager: 'kubectl' },
    );

  it('[S4-7] a node that somebody else moves to the canary blocks it, and keeps its label', async () => {
    const other = await aCanaryRun();
    await other.change();
    await other.until(() => other.seen.includes('move before worker-0'));

    labelled(other, 'worker-2', { isCanary: '' });
    await other.until(() => other.lab.troubles().includes('run-blocked'));
    for (let looks = 0; looks < 4; looks += 1) {
      await other.clock.advance(30_000);
      await other.tick();
    }
    const stood = [...other.seen];
    const theirs = other.openshift.registry.get(nodes, 'worker-2')?.metadata.labels;
    other.openshift.registry.modify(
      nodes,
      { name: 'worker-2', namespace: '' },
      ({ metadata }) => void delete metadata.labels?.['isCanary'],
      { manager: 'kubectl' },
    );
    await other.until(() => !other.isPaused());

    expect(stood).toEqual(['move before worker-0', 'worker-2 goes', 'worker-2 is back']);
    expect(theirs).toHaveProperty('isCanary');
    expect(other.seen.slice(stood.length)).toEqual([
      ...turnsOf(['worker-0'], ['move']).slice(1),
      ...turnsOf(['worker-1'], ['move']),
    ]);
  });

  it('[S4-39] a rule that cordons its node blocks it, until somebody uncordons the node', async () => {
    const other = await aCanaryRun({ nodes: ['worker-0', 'worker-1'] });
    const cordon = (unschedulable: boolean) =>
      other.openshift.registry.modify(
        nodes,
        { name: 'worker-0', namespace: '' },
        ({ spec }) => {
          Object.assign(spec, { unschedulable });
        },
        { manager: 'kubectl' },
      );
    await other.change();
    await other.until(() => other.seen.includes('move before worker-0'));

    cordon(true);
    await other.until(() => other.lab.troubles().includes('run-blocked'), 20);
    const stood = [...other.seen];
    cordon(false);
    await other.until(() => !other.isPaused());

    expect(stood).toEqual(['move before worker-0']);
    expect(other.seen).toEqual(turnsOf(['worker-0', 'worker-1'], ['move']));
  });

  it('[S4-8] [S4-21] a selector that somebody changes during the run is left alone and told, and put back once it may be', async () => {
    const other = await aCanaryRun({
      pools: [canary, storage],
      targets: ['storage'],
      nodes: [],
      rules: { move: { onTargetNode: true } },
    });
    const before = other.start();
    const theirs = { matchLabels: { 'node-role.kubernetes.io/storage': '' } };
    const selector = () => other.openshift.registry.get(machineConfigPools, 'storage')?.spec.nodeSelector;
    const write = (nodeSelector: object) =>
      other.openshift.registry.modify(
        machineConfigPools,
        { name: 'storage', namespace: '' },
        ({ spec }) => {
          Object.assign(spec, { nodeSelector });
        },
        { manager: 'kubectl' },
      );
    await other.change();
    await other.until(() => JSON.stringify(selector())?.includes('isCanary') === true);

    write(theirs);
    await other.until(() => other.lab.troubles().includes('run-blocked'), 20);
    await other.ask({ kind: 'abort', said: other.said('not today') });
    for (let looks = 0; looks < 6; looks += 1) {
      await other.clock.advance(30_000);
      await other.tick();
    }
    const left = [selector(), other.isPaused()];
    write(storage.nodeSelector);
    await other.until(() => !other.isPaused());

    expect(left).toEqual([theirs, true]);
    expect(other.start()).toEqual(before);
  });

  it('[S4-8] [S4-20] a selector that Argo CD puts back whenever it is written is told, and no node goes until somebody says go-on', async () => {
    const other = await aCanaryRun({ pools: [canary, storage], targets: ['storage', 'worker'], nodes: ['worker-0'] });
    const before = other.start();
    const isWritten = () =>
      JSON.stringify(other.openshift.registry.get(machineConfigPools, 'storage')?.spec).includes('isCanary');
    const heal = () => {
      if (!isWritten()) return;
      other.openshift.registry.modify(
        machineConfigPools,
        { name: 'storage', namespace: '' },
        ({ spec }) => void Object.assign(spec, { nodeSelector: storage.nodeSelector }),
        { manager: 'argocd-application-controller' },
      );
    };
    await other.change();

    for (let looks = 0; looks < 16; looks += 1) {
      await other.clock.advance(30_000);
      await other.tick();
      // A look sees it as written before it is put back.
      await other.tick();
      heal();
    }
    const told = other.lab.troubles();
    const went = other.seen.filter((each) => each.endsWith(' goes'));
    const why = JSON.stringify(await other.record());
    await other.ask({ kind: 'go-on', said: other.said('ignored there') });
    await other.until(() => !other.isPaused());

    expect(told).toContain('run-blocked');
    expect(why).toMatch(/put the node selector of storage back \d times, as Argo CD with self-heal does/);
    expect(went.length).toBeLessThan(2);
    expect(isWritten()).toBe(false);
    expect(other.start()).toEqual(before);
  });

  it.each(ways)(
    '[S4-8] [S4-21] by %s: somebody removes or rewrites its note between two turns, and the run knows by its record what to put back',
    async (_, how) => {
      const other = await aCanaryRun({
        run: how,
        pools: [canary, storage],
        targets: ['storage', 'worker'],
        nodes: ['worker-0'],
      });
      const before = other.start();
      const note = (change: (annotations: Record<string, string>) => void) =>
        other.openshift.registry.modify(
          machineConfigPools,
          { name: 'storage', namespace: '' },
          ({ metadata }) => change(metadata.annotations ?? {}),
          { manager: 'kubectl' },
        );
      await other.change();
      await other.until(() => other.seen.includes('move after storage-0'));

      note((annotations) => delete annotations['poolkeeper.dev/canary']);
      await other.until(() => other.seen.includes('move before worker-0'));
      note((annotations) => {
        const { way, ...state } = JSON.parse(annotations['poolkeeper.dev/canary'] ?? '');
        const forged = { ...way, marks: { ...way.marks, team: 'b' }, selectors: [] };
        annotations['poolkeeper.dev/canary'] = JSON.stringify({ ...state, way: forged });
      });
      await other.until(() => !other.isPaused());

      expect(other.seen).toEqual(turnsOf(['storage-0', 'worker-0'], ['move']));
      expect(other.start()).toEqual(before);
    },
  );

  it('[S4-22] two runs with one canary: the second waits until the first has put everything back', async () => {
    const other = await aCanaryRun({
      pools: [canary, storage],
      targets: ['worker'],
      nodes: ['worker-0'],
      runs: { later: { mutexTargets: [{ name: 'others' }] } },
      more: { others: { machineConfigPools: ['storage'] } },
    });
    const before = other.start();

    await other.change();
    await other.until(() => !other.isPaused() && other.updated().length === 2);

    expect(other.seen).toEqual(turnsOf(['worker-0', 'storage-0'], ['move']));
    await other.until(() => JSON.stringify(other.start()) === JSON.stringify(before), 20);
  });
});

/** Pauses pools worker and canary for so many seconds, as a freeze or a sync of all pools does. */
async function pauseBoth({ clock, connection }: RunLab, seconds: number, hold: Pick<Hold, 'kind' | 'id' | 'why'>) {
  const since = clock.now().toISOString();
  const until = new Date(clock.now().getTime() + seconds * 1000).toISOString();
  for (const name of ['worker', 'canary']) {
    const pool = await connection.pools.readPool(name);
    if (pool === undefined) throw new Error(`there is no pool ${name}`);
    const before = pool.record.kind === 'record' ? pool.record.record : emptyRecord;
    const holds: Hold[] = [...before.holds, { ...hold, who: 'ops', since, until }];
    await connection.pools.patchPool(pool, {
      paused: true,
      record: { pausedSince: since, ...before, pause: 'ours', holds },
    });
  }
}

/** Adds the hold to what the pool has, or puts it in the place of the one with its id. */
async function hold({ connection }: RunLab, name: string, added: Hold) {
  const pool = await connection.pools.readPool(name);
  if (pool?.record.kind !== 'record') throw new Error(`pool ${name} has no record`);
  const { record } = pool.record;
  const others = record.holds.filter(({ id }) => id !== added.id);
  await connection.pools.patchPool(pool, { paused: true, record: { ...record, holds: [...others, added] } });
}

/** For an hour; returns what is said of each. */
async function openLanes({ connection, clock }: RunLab, names: readonly string[]): Promise<readonly string[]> {
  const said: string[] = [];
  const now = clock.now();
  for (const name of names) {
    const pool = await connection.pools.readPool(name);
    if (pool === undefined) throw new Error(`there is no pool ${name}`);
    const opened = openLane(pool, new Date(now.getTime() + 3_600_000), { who: 'zoe', why: 'CVE', now });
    await connection.pools.patchPool(pool, { record: opened.record ?? null });
    said.push(opened.said);
  }
  return said;
}

async function gatesOf({ lab: { ports } }: RunLab, name: string) {
  const [view] = await ports.views.list();
  return view?.pools.find((pool) => pool.name === name)?.closedGates.map(({ gate, why }) => `${gate}: ${why}`) ?? [];
}

describe('a canary that is paused while a node of another pool is in it', () => {
  const freeze = { id: 'freeze/cluster/ops', kind: 'freeze', why: 'incident' } as const;
  const sync = { id: 'manual/ops', kind: 'manual', why: 'as a sync of a minute' } as const;
  const alice = 'slack:U0000ALICE';

  /** Pauses both pools right after the first node has got its label. */
  function pauseAfterLabel(other: RunLab, seconds: number) {
    const { nodes: ports } = other.connection.nodeTurns;
    const { changeNode } = ports;
    let isPaused = false;
    const changing: typeof changeNode = async (node, change) => {
      const changed = await changeNode(node, change);
      if (!isPaused && 'labels' in change && change.labels?.['isCanary'] === '') {
        isPaused = true;
        await pauseBoth(other, seconds, freeze);
      }
      return changed;
    };
    Object.assign(ports, { changeNode: changing });
  }

  it('[S4-7] [N-16] [N-29] resumes when the windows of that pool are open, and says until then what the node waits for', async () => {
    const windows = ['0 10 * * *', '0 12 * * *'].map((schedule) =>
      Window.parse({ kind: 'allow', schedule, durationSeconds: 3600, pools: ['worker'] }),
    );
    const other = await aCanaryRun({ nodes: ['worker-0', 'worker-1'], rules: {}, settings: { windows } });
    pauseAfterLabel(other, 3600);
    await other.change();
    for (let looks = 0; looks < 9; looks += 1) {
      await other.clock.advance(600_000);
      await other.tick();
    }
    const waiting = { seen: [...other.seen], gates: await gatesOf(other, 'canary'), cards: await other.cards() };
    const told = other.lab.world.tables.timeline.all().map(({ text }) => text);
    await other.clock.advance(1_800_000);
    await other.until(() => !other.isPaused());

    const why =
      'worker-0 of pool worker: gate window: no allow window is open: allow 0 10 * * * for 1 h (UTC) and allow 0 12 * * * for 1 h (UTC)';
    expect(waiting.seen).toEqual([]);
    expect(waiting.gates).toEqual([`canary: run upgrade has nodes in it that may not go now; ${why}`]);
    expect(waiting.cards[0]?.tiles?.[0]?.doing).toContain(why);
    expect(told).toContainEqual(expect.stringContaining(`run upgrade, node worker-0: it may not go now: pool canary`));
    expect(told).toContainEqual(expect.stringContaining(why));
    expect(other.seen).toEqual(turnsOf(['worker-0', 'worker-1'], []));
    expect(other.clock.now().getUTCHours()).toBe(12);
  });

  it('[S4-7] [N-16] [N-29] a node comes back with what its Jobs have run for, and goes to the next config with approval and Jobs of its own', async () => {
    const pools = { worker: { ...defaultPoolSettings, approve: Approve.parse({ by: [alice] }) } };
    const other = await aCanaryRun({ nodes: ['worker-0', 'worker-1'], settings: { pools } });
    const approves = async () => {
      const config = (await other.connection.pools.readPool('worker'))?.target.name ?? '';
      const at = other.clock.now().toISOString();
      const said = { cluster: 'prod', pool: 'worker', config, who: alice, name: '', at, reason: '' };
      await other.lab.world.tables.approvals.save({ ...said, verb: 'approve' });
    };
    await other.change();
    await approves();
    while (!other.seen.includes('worker-0 goes')) {
      await other.clock.advance(1000);
      if (other.clock.now().getUTCSeconds() === 0) await other.tick();
    }
    await pauseBoth(other, 12, sync);
    other.openshift.applyMachineConfig('99-worker-next', 'worker', { '/etc/next': 'next' });
    for (let looks = 0; looks < 30; looks += 1) {
      await other.clock.advance(5000);
      await other.tick();
    }
    const stood = [...other.seen];
    await approves();
    await other.until(() => !other.isPaused());

    expect(stood).toEqual(turnsOf(['worker-0'], ['move']));
    expect(other.seen.slice(stood.length).filter((each) => each.includes('worker-0'))).toEqual(
      turnsOf(['worker-0'], ['move']),
    );
  });

  it.each([
    ['cannot be read once, early', 5, 'unread'],
    ['cannot be read once, late', 6, 'unread'],
    ['is deleted', 5, 'deleted'],
  ] as const)('[S4-7] [N-16] [N-29] so it does where the record of its run %s', async (_, at, what) => {
    const other = await aCanaryRun({ nodes: ['worker-0', 'worker-1'] });
    await other.change();
    while (!other.seen.includes('worker-0 goes')) {
      await other.clock.advance(1000);
      if (other.clock.now().getUTCSeconds() === 0) await other.tick();
    }
    await pauseBoth(other, 12, sync);
    other.openshift.applyMachineConfig('99-worker-next', 'worker', { '/etc/next': 'next' });
    let looks = 0;
    other.openshift.faults.inject({
      fault: { kind: 'status', code: 503 },
      matches: ({ path }) => looks === at && what === 'unread' && path.endsWith('/poolkeeper-run-upgrade'),
    });
    for (; looks < 24; looks += 1) {
      await other.clock.advance(5000);
      if (looks === at && what === 'deleted') await other.forget();
      await other.tick();
    }

    expect(other.seen.slice(0, 4)).toEqual(turnsOf(['worker-0'], ['move']));
  });

  it('[S4-7] [N-21] [N-29] the emergency lane of the canary passes no hold of the pool of its nodes, and those of both pass the freezes of both', async () => {
    const other = await aCanaryRun({ nodes: ['worker-0', 'worker-1'], rules: {} });
    const passes = async (count: number) => {
      for (let looks = 0; looks < count; looks += 1) {
        await other.clock.advance(60_000);
        await other.tick();
      }
    };
    pauseAfterLabel(other, 6 * 3600);
    await other.change();
    await passes(3);
    const bob = { id: 'manual/bob', kind: 'manual', who: 'bob', why: 'a firmware job runs' } as const;
    const now = other.clock.now().toISOString();
    await hold(other, 'worker', { ...bob, since: now, until: '2099-01-01T00:00:00Z' });
    await openLanes(other, ['canary']);
    await passes(5);
    const held = { seen: [...other.seen], gates: await gatesOf(other, 'canary') };
    await hold(other, 'worker', { ...bob, since: now, until: now });
    await passes(1);
    const said = await openLanes(other, ['worker', 'canary']);
    await passes(20);

    expect(said[0]).toContain('poolkeeper emergency --pool canary');
    expect(held.seen).toEqual([]);
    expect(held.gates).toEqual([expect.stringMatching(/^canary: .*a firmware job runs/)]);
    expect(other.seen).toEqual(turnsOf(['worker-0', 'worker-1'], []));
  });

  describe('[S4-7] [N-29] and whose wave is another than that of that pool', () => {
    const infra = {
      name: 'infra',
      renders: 'workers' as const,
      nodes: ['infra-0'],
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
    };
    const inWaves = (waves: Readonly<Record<string, number>>) => {
      const own = Object.entries(waves).map(([name, wave]) => [name, { ...defaultPoolSettings, wave }] as const);
      const settings = { pools: Object.fromEntries(own) };
      return aCanaryRun({ nodes: ['worker-0', 'worker-1'], rules: {}, pools: [canary, infra], settings });
    };
    const others = ({ seen }: RunLab) => seen.filter((each) => !each.startsWith('infra'));

    it.each([
      ['a higher one', { worker: 0, infra: 1, canary: 2 }],
      ['a lower one', { canary: 0, infra: 1, worker: 2 }],
    ])('%s: goes in that of that pool, also before a pool of one between', async (_, waves) => {
      const other = await inWaves(waves);
      pauseAfterLabel(other, 600);
      await other.change();
      await other.until(() => !other.isPaused(), 60);

      expect(others(other)).toEqual(turnsOf(['worker-0', 'worker-1'], []));
    });

    it('also when both are paused before a node has gone', async () => {
      const other = await inWaves({ worker: 0, canary: 1 });
      await pauseBoth(other, 600, sync);
      await other.change();
      await other.until(() => !other.isPaused(), 60);

      expect(others(other)).toEqual(turnsOf(['worker-0', 'worker-1'], []));
    });

    it('stays paused while somebody holds that pool', async () => {
      const other = await inWaves({ worker: 0, canary: 1 });
      pauseAfterLabel(other, 600);
      await other.change();
      await other.until(async () => (await other.connection.pools.readPool('canary'))?.paused === true, 5);
      const now = other.clock.now().toISOString();
      const held = { who: 'bob', why: 'a firmware job runs', since: now, until: '2099-01-01T00:00:00Z' };
      await hold(other, 'worker', { id: 'manual/bob', kind: 'manual', ...held });
      for (let looks = 0; looks < 15; looks += 1) {
        await other.clock.advance(60_000);
        await other.tick();
      }

      expect(others(other)).toEqual([]);
      expect(await gatesOf(other, 'canary')).toEqual([expect.stringMatching(/^canary: .*a firmware job runs/)]);
    });
  });

  it('[S4-7] [S5-3] [N-29] the place of the budget that its own pool has is enough', async () => {
    const budget = Budget.parse({ fleet: { pools: 1 } });
    const other = await aCanaryRun({ nodes: ['worker-0', 'worker-1'], rules: {}, budget });
    pauseAfterLabel(other, 600);
    await other.change();
    await other.until(async () => (await other.cards())[0]?.tiles?.[0]?.state === 'updating', 10);
    other.openshift.applyMachineConfig('99-worker-next', 'worker', { '/etc/next': 'next' });
    await other.until(() => !other.isPaused(), 60);

    expect(other.seen).toEqual(turnsOf(['worker-0', 'worker-1'], []));
  });
});

describe('a run over pools of different waves', () => {
  const infra = {
    name: 'infra',
    renders: 'workers' as const,
    nodes: ['infra-0'],
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
  };
  const twoOfStorage = { ...storage, nodes: ['storage-0', 'storage-1'] };
  const all = ['storage-0', 'storage-1', 'worker-0', 'worker-1'];

  function inWaves(waves: Readonly<Record<string, number>>, options: RunLabOptions = {}): Promise<RunLab> {
    const own = Object.entries(waves).map(([name, wave]) => [name, { ...defaultPoolSettings, wave }] as const);
    const settings = { ...options.settings, pools: Object.fromEntries(own) };
    const pools = [canary, twoOfStorage];
    const targets = ['storage', 'worker'];
    return aCanaryRun({ nodes: ['worker-0', 'worker-1'], rules: {}, pools, targets, ...options, settings });
  }

  async function looks({ clock, tick }: RunLab, count: number) {
    for (let look = 0; look < count; look += 1) {
      await clock.advance(60_000);
      await tick();
    }
  }

  it.each<[string, NonNullable<RunLabOptions['run']>]>([
    ['canary, by a label that the canary asks for', run],
    ['canary, by labels of rules that it excludes', exclude],
    ['turns', {}],
  ])(
    '[S4-7] [S4-36] [N-29] in mode %s: a pool that it has finished keeps no turn of the next waiting',
    async (_, how) => {
      const other = await inWaves({ storage: 0, worker: 1 }, { run: how, rules: { move: {} } });
      const before = other.start();
      await other.change();
      await other.until(() => !other.isPaused(), 60);

      expect(other.seen).toEqual(turnsOf(all, ['move']));
      expect(other.start()).toEqual(before);
    },
  );

  it.each<[string, NonNullable<RunLabOptions['run']>]>([
    ['canary', run],
    ['turns', {}],
  ])('[S4-7] [N-29] in mode %s: nor a pool of a wave between that no run has', async (_, how) => {
    const pools = [canary, twoOfStorage, infra];
    const other = await inWaves({ storage: 0, infra: 1, worker: 2 }, { run: how, pools });
    // Held for a minute, as by a sync, when the change comes.
    const since = other.clock.now().toISOString();
    const held = await other.connection.pools.readPool('infra');
    if (held === undefined) throw new Error('there is no pool infra');
    const minute = { id: 'manual/ops', kind: 'manual', who: 'ops', why: 'as a sync of a minute', since } as const;
    const until = new Date(other.clock.now().getTime() + 120_000).toISOString();
    await other.connection.pools.patchPool(held, {
      paused: true,
      record: { ...emptyRecord, pausedSince: since, pause: 'ours', holds: [{ ...minute, until }] },
    });
    await other.change();
    await other.until(() => !other.isPaused(), 90);

    expect(other.seen).toEqual(turnsOf(['storage-0', 'storage-1', 'infra-0', 'worker-0', 'worker-1'], []));
  });

  it('[S4-7] [N-29] with two at once: no turn of the next begins while the last nodes of the lower are in the canary', async () => {
    const pools = [{ ...canary, maxUnavailable: 2 }, twoOfStorage];
    const two = { ...run, atOnce: 2, unavailableAtMost: 3 };
    const other = await inWaves({ storage: 0, worker: 1 }, { run: two, pools });
    await other.change();
    await other.until(() => !other.isPaused(), 60);

    const first = other.seen.findIndex((each) => each.startsWith('worker'));
    expect(other.seen.slice(0, first).toSorted()).toEqual(turnsOf(['storage-0', 'storage-1'], []).toSorted());
    expect(other.updated()).toHaveLength(4);
  });

  it('[S4-7] [S4-37] [N-29] a change that comes when the lower one is finished goes there first', async () => {
    const other = await inWaves({ storage: 0, worker: 1 });
    await other.change();
    await other.until(() => other.seen.includes('storage-1 is back'), 60);
    const now = other.clock.now();
    const bob = { id: 'manual/bob', kind: 'manual', who: 'bob', why: 'a firmware job runs' } as const;
    const until = new Date(now.getTime() + 600_000).toISOString();
    await hold(other, 'worker', { ...bob, since: now.toISOString(), until });
    await looks(other, 3);
    await other.change('99-worker-zz');
    await other.until(() => !other.isPaused(), 60);

    const lower = turnsOf(['storage-0', 'storage-1'], []);
    expect(other.seen).toEqual([...lower, ...turnsOf(all, [])]);
  });

  it.each<[string, NonNullable<RunLabOptions['run']>, string, NonNullable<RunLabOptions['rules']>]>([
    ['canary: while its Jobs run', run, 'move before worker-0', { move: {} }],
    ['canary: let go, and not taken yet', run, 'worker-0 goes', {}],
    ['canary, by labels of rules that it excludes', exclude, 'move before worker-0', { move: {} }],
    ['turns', {}, 'move before worker-0', { move: {} }],
  ])(
    '[S4-7] [S4-37] [N-29] in mode %s: a node of the higher one gives way to a change of both, and has its turn after the lower one',
    async (_, how, until, rules) => {
      const other = await inWaves({ storage: 0, worker: 1 }, { run: how, rules });
      const before = other.start();
      await other.change();
      await other.until(() => other.seen.includes(until), 60);
      await other.change('99-worker-zz');
      await other.until(() => !other.isPaused(), 60);

      const goes = other.seen.filter((each) => each.endsWith('goes'));
      const storageGoes = ['storage-0 goes', 'storage-1 goes'];
      const [isGone, ...later] = until.endsWith('goes') ? goes.slice(2) : [undefined, ...goes.slice(2)];
      expect(goes.slice(0, 2)).toEqual(storageGoes);
      expect(isGone).toBe(until.endsWith('goes') ? until : undefined);
      expect(later).toEqual([...storageGoes, 'worker-0 goes', 'worker-1 goes']);
      expect(other.updated()).toEqual(all);
      expect((await other.record()).log).toContainEqual(
        expect.objectContaining({
          what: 'its turn ends: it gives way: nodes of pool storage go first',
        }),
      );
      expect(other.start()).toEqual(before);
    },
  );

  it.each<[string, NonNullable<RunLabOptions['run']>]>([
    ['canary', run],
    ['turns', {}],
  ])(
    '[S4-7] [S4-23] [N-29] in mode %s: canary nodes of the higher one are first there, and the lower one waits for none of them',
    async (_, how) => {
      const other = await inWaves({ storage: 0, worker: 1 }, { run: { ...how, canaryNodes: ['worker-1'] } });
      await other.change();
      await other.until(() => !other.isPaused(), 60);

      expect(other.seen).toEqual(turnsOf(['storage-0', 'storage-1', 'worker-1', 'worker-0'], []));
    },
  );

  describe('whose order is that of a sequence', () => {
    const step = (name: string, wave: number) => ({ kind: 'pool', name, wave });
    const order = { clusters: ['prod'], steps: { first: step('storage', 1), second: step('worker', 2) } };
    const sequences = { order: Sequence.parse(order) };

    it('[S2-1] [S4-7] [N-29] a node of the later one gives way to a change of both', async () => {
      const other = await inWaves({ storage: 0, worker: 0 }, { run: {}, rules: { move: {} }, settings: { sequences } });
      await other.change();
      await other.until(() => other.seen.includes('move before worker-0'), 60);
      await other.change('99-worker-zz');
      await other.until(() => !other.isPaused(), 90);

      const goes = other.seen.filter((each) => each.endsWith('goes')).map((each) => each.replace(' goes', ''));
      expect(goes).toEqual(['storage-0', 'storage-1', ...all]);
    });

    it('[S2-1] [S4-23] [N-29] canary nodes of the later one are first there', async () => {
      const settings = { sequences };
      const other = await inWaves({ storage: 0, worker: 0 }, { run: { canaryNodes: ['worker-1'] }, settings });
      await other.change();
      await other.until(() => !other.isPaused(), 90);

      expect(other.seen).toEqual(turnsOf(['storage-0', 'storage-1', 'worker-1', 'worker-0'], []));
    });

    it.each([
      ['equal', { storage: 0, worker: 0 }],
      ['contrary to it', { storage: 1, worker: 0 }],
    ])(
      '[S2-1] [S4-23] [N-29] canary nodes of the earlier one are watched first, where waves are %s',
      async (_, waves) => {
        const canaryNodes = ['storage-0', 'storage-1'];
        const other = await inWaves(waves, { run: { canaryNodes, soakSeconds: 1_200 }, settings: { sequences } });
        await other.change();
        await other.until(() => other.seen.includes('storage-1 is back'), 60);
        const back = other.clock.now().getTime();
        await other.until(() => other.seen.some((each) => each.startsWith('worker-') && each.endsWith('goes')), 100);

        expect(other.clock.now().getTime() - back).toBeGreaterThanOrEqual(1_140_000);
      },
    );
  });

  it('[S4-7] [S4-37] [N-16] [N-29] a turn gives way to no pool that it does not wait for: where its gate is passed, short holds restart no Jobs', async () => {
    const gates = { wave: { afterSeconds: 1800, action: 'resume' as const } };
    const policy = { pausedAtMostSeconds: 24 * 3600, gates };
    const rules = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, {}]));
    const other = await inWaves({ storage: 0, worker: 1 }, { run: {}, rules, settings: { policy } });
    other.openshift.registry.modify(
      nodes,
      { name: 'storage-1', namespace: '' },
      ({ metadata }) => void Object.assign(metadata, { labels: { ...metadata.labels, 'poolkeeper.dev/hold': '' } }),
      { manager: 'kubectl' },
    );
    await other.change();
    await other.until(() => other.seen.includes('a before worker-0'), 200);
    for (let round = 0; round < 3; round += 1) {
      const now = other.clock.now();
      const until = new Date(now.getTime() + 60_000).toISOString();
      const bob = { id: 'manual/bob', kind: 'manual', who: 'bob', why: 'a minute', since: now.toISOString() } as const;
      await hold(other, 'worker', { ...bob, until });
      await looks(other, 5);
    }
    await other.until(() => other.seen.includes('worker-0 is back'), 60);

    expect(other.seen.filter((each) => each === 'a before worker-0')).toHaveLength(1);
  });

  it.each([
    ['while its clean-ups run', 'after', 'follow'],
    ['when they are over', 'skipped', 'follow'],
    ['when they are over, and lets the run go on to what was rendered', 'skipped', 'stop'],
  ] as const)('[S4-20] [S4-37] a person leaves a node out that gives way, %s', async (_, step, onMovedTarget) => {
    const other = await inWaves({ storage: 0, worker: 1 }, { run: { onMovedTarget }, rules: { move: {} } });
    await other.change();
    await other.until(() => other.seen.includes('move before worker-0'), 60);
    await other.change('99-worker-zz');
    await other.until(async () => (await other.record()).turns['worker-0']?.step === step, 60);
    await other.ask({ kind: 'skip', node: 'worker-0', said: other.said('its database is being moved') });
    if (onMovedTarget === 'stop') {
      await looks(other, 2);
      await other.ask({ kind: 'go-on', said: other.said('to what is rendered now') });
    }
    await other.until(() => other.seen.includes('worker-1 is back'), 60);
    await looks(other, 10);

    expect(other.seen).not.toContain('worker-0 goes');
    expect((await other.record()).turns['worker-0']?.skip).toBe('ops: its database is being moved');
  });

  it('[S4-7] [N-16] [N-29] what people hold keeps the next waiting, and a node of the finished pool that is cordoned', async () => {
    const other = await inWaves({ storage: 0, worker: 1 });
    const cordon = (unschedulable: boolean) =>
      other.openshift.registry.modify(
        nodes,
        { name: 'storage-0', namespace: '' },
        ({ spec }) => void Object.assign(spec, { unschedulable }),
        { manager: 'kubectl' },
      );
    const doing = async () => (await other.cards())[0]?.next?.why;
    await other.change();
    await other.until(() => other.seen.includes('storage-1 is back'), 60);
    const now = other.clock.now().toISOString();
    const bob = { id: 'manual/bob', kind: 'manual', who: 'bob', why: 'a firmware job runs', since: now } as const;
    await hold(other, 'worker', { ...bob, until: '2099-01-01T00:00:00Z' });
    await looks(other, 15);
    const held = [[...other.seen], await doing()];
    await hold(other, 'worker', { ...bob, until: now });
    cordon(true);
    await looks(other, 15);
    const cordoned = [[...other.seen], await doing()];
    cordon(false);
    await other.until(() => !other.isPaused(), 60);

    const lower = turnsOf(['storage-0', 'storage-1'], []);
    expect(held).toEqual([lower, expect.stringContaining('a firmware job runs')]);
    expect(cordoned).toEqual([lower, expect.stringContaining('storage of wave 0 has 1 node cordoned or not ready')]);
    expect(other.seen).toEqual(turnsOf(all, []));
  });
});

describe('two runs with canary.exclude, a rule and a custom pool each', () => {
  it('[S4-22] [S4-36] the second waits until the labels of the first are gone, and none is left', async () => {
    const pools = ['storage', 'database'].flatMap((name) => [
      {
        name,
        renders: 'workers' as const,
        nodes: [`${name}-0`],
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      },
      { ...canary, name: `${name}-canary` },
    ]);
    const other = await aCanaryRun({
      run: { mode: 'canary', canary: { name: 'storage-canary', exclude: true } },
      pools,
      targets: ['storage'],
      nodes: [],
      runs: { later: { canary: { name: 'database-canary', exclude: true }, mutexTargets: [{ name: 'others' }] } },
      more: { others: { machineConfigPools: ['database'] } },
    });
    const before = other.start();
    const labelled = () =>
      other.openshift.registry
        .list(nodes)
        .filter(({ metadata: { labels } }) => 'rule.poolkeeper.dev/move.poolkeeper' in (labels ?? {}));
    let most = 0;
    other.openshift.registry.subscribe(() => {
      most = Math.max(most, labelled().length);
    });

    await other.change();
    await other.until(() => other.seen.filter((each) => each.startsWith('move after')).length === 2);
    await other.until(() => JSON.stringify(other.start()) === JSON.stringify(before), 20);

    expect(other.seen).toEqual(turnsOf(['storage-0', 'database-0'], ['move']));
    expect(most).toBe(1);
  });
});

describe("the reference's README", () => {
  it('[S4-5] [S4-33] [S4-32] its three resources and its canary pool, as they are, to the end', async () => {
    const { nodeTurns } = readConfiguration(
      stringify({
        clusters: [
          { name: 'prod', api: { server: 'https://api.prod.example.com:6443', tokenSecret: 'poolkeeper/prod' } },
        ],
        argocd: [{ name: 'hub', cluster: 'prod' }],
        nodeTurns: { files: ['mutex.yaml'] },
      }),
      { source: 'poolkeeper.yaml', readText: () => readme, warn: () => undefined },
    );
    const { change, until, seen, updated, isPaused, start, openshift } = await aCanaryRun({
      section: nodeTurns,
      namespace: 'mutex',
    });
    const before = start();

    await change();
    await until(() => !isPaused());

    const [job] = openshift.registry.list(jobs);
    expect(job?.metadata).toMatchObject({ namespace: 'databases' });
    expect(seen).toEqual(workers.flatMap((node) => [`move-primary before ${node}`, `${node} goes`, `${node} is back`]));
    expect(updated()).toEqual(workers);
    expect(start()).toEqual(before);
  });
});

/** As the README of the reference has them, its namespace filled in. */
const readme = `
apiVersion: openshift-optional.skrzypek.io/v1alpha1
kind: MutexRule
metadata: { name: move-primary, namespace: mutex }
spec:
  jobName: move-primary
  jobNamespace: databases
  jobSpec:
    selector: {}
    template:
      metadata:
        name: move
      spec:
        containers:
        - command: [/bin/sh, -c, "move --away-from $(NODE_NAME)"]
          image: registry.example.com/move
          name: move
        restartPolicy: Never
  type: kubernetes
---
apiVersion: openshift-optional.skrzypek.io/v1alpha1
kind: MutexTarget
metadata: { name: workers, namespace: mutex }
spec:
  machineConfigPools:
    - worker
---
apiVersion: openshift-optional.skrzypek.io/v1alpha1
kind: MutexRunConfig
metadata: { name: upgrade, namespace: mutex }
spec:
  canary:
    name: canary
  mutexRules:
    - name: move-primary
      namespace: mutex
  mutexTargets:
    - name: workers
      namespace: mutex
`;

describe('mode canary writes nothing, and says why', () => {
  it.each([
    ['[S4-35] it has other content', [{ name: 'canary', nodeSelector: canary.nodeSelector }], {}, /which differ/],
    ['[S4-3] [S4-5] it does not exist', [], {}, /does not exist/],
    ['[S4-7] it is paused', [{ ...canary, paused: true }], {}, /is paused/],
    [
      '[S4-7] it takes every worker',
      [{ ...canary, nodeSelector: { matchLabels: { ...worker, gone: '' } } }],
      {},
      /asks for the label gone/,
    ],
    ['[S4-7] it has a node already', [{ ...canary, nodes: [] }], { labelled: true }, /has worker-2 already/],
    ['[S4-38] more nodes at once than it takes', [canary], { atOnce: 2 }, /takes 1 node at once/],
  ] as const)('%s', async (_title, pools, how, why) => {
    const { labelled, ...more } = { labelled: false, ...how };
    const {
      change,
      until,
      isPaused,
      start,
      openshift,
      lab: keeper,
      record,
      seen,
    } = await aCanaryRun({ pools, run: { ...run, ...more } });
    if (labelled)
      openshift.registry.modify(
        nodes,
        { name: 'worker-2', namespace: '' },
        ({ metadata }) => {
          Object.assign(metadata, { labels: { ...metadata.labels, isCanary: '' } });
        },
        { manager: 'kubectl' },
      );
    const before = start();

    await change();
    await until(() => keeper.troubles().includes('run-blocked'), 20);

    expect(seen.filter((each) => each.startsWith('move'))).toEqual([]);
    expect(JSON.stringify(await record())).toMatch(why);
    expect(isPaused()).toBe(true);
    expect(start()).toEqual(withPause(before));
  });
});

/** The same, with pool worker paused. */
function withPause(start: unknown): unknown {
  return JSON.parse(JSON.stringify(start), (_, value) =>
    Array.isArray(value) && value[0] === 'worker' && value[1] === false ? ['worker', true, ...value.slice(2)] : value,
  );
}

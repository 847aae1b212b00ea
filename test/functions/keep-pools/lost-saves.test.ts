import { describe, expect, test } from 'vitest';
import { cloudEvent, type WorkEvent } from '../../../events/index.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { saveCheckpoint } from '../../../functions/keep-pools/tell/save-checkpoint.ts';
import type { Checkpoint } from '../../../functions/ports/tables.ts';
import { aNode, anApplication, aPool } from '../../fakes/index.ts';
import { guardLab } from './guard-lab.ts';
import { commitA, commitB, type KeepLab, keepLab, tickOf } from './keep-lab.ts';

/** A sync of a tenant's Application that the MCO has nothing to do with. */
function ofTenant(lab: KeepLab): WorkEvent {
  const seen = lab.operationOf('Running');
  const id = `shop-${lab.world.clock.now().toISOString()}`;
  return { ...seen, id, data: { ...seen.data, namespace: 'team-b', name: 'shop' } };
}

function putTenant({ world }: KeepLab): void {
  const ofTeam = { namespace: 'team-b', name: 'shop', uid: 'shop', resources: [] };
  world.argocd.put(anApplication({ ...ofTeam, sync: { status: 'Synced', revisions: [commitA] } }));
}

/** Ticks, a minute apart. Of each, the first saves are lost to passes for a tenant, which others make meanwhile. */
async function busyMinutes(lab: KeepLab, minutes: number, lost: number): Promise<void> {
  const { checkpoints } = lab.ports;
  for (let minute = 0; minute < minutes; minute += 1) {
    let left = lost;
    const save = async (memory: Checkpoint) => {
      left -= 1;
      if (left >= 0) await lab.deliver(ofTenant(lab));
      return checkpoints.save(memory);
    };
    lab.world.clock.set(new Date(lab.world.clock.now().getTime() + 60_000));
    await keep(tickOf(lab.world.clock.now()), { ...lab.ports, checkpoints: { ...checkpoints, save } });
  }
}

function listsOf({ world }: KeepLab): number {
  return world.faults.calls.filter(({ op }) => op === 'argocd.list').length;
}

function incidentsOf({ world }: KeepLab): readonly string[] {
  return world.tables.incidents.all().map(({ key, state }) => `${key.pool}/${key.kind}: ${state}`);
}

describe('a tick whose save is lost to a faster pass', () => {
  test.each([1, 8])('[N-30] a guard that does not open is told, however busy the cluster is (%d)', async (lost) => {
    const lab = guardLab();
    putTenant(lab);
    await lab.tick();
    lab.asksFor(commitB);
    await lab.deliver(lab.operationOf('Running'));

    await busyMinutes(lab, 60, lost);

    expect(incidentsOf(lab)).toContain('*/guard-stuck: firing');
  });

  test('[N-30] all Applications are listed as often as ever, and no sweep is called overdue', async () => {
    const quiet = keepLab();
    const busy = keepLab();
    for (const lab of [quiet, busy]) {
      putTenant(lab);
      await lab.tick();
    }

    await busyMinutes(quiet, 60, 0);
    await busyMinutes(busy, 60, 2);
    const undo = busy.world.faults.failAll(['argocd.list']);
    await busyMinutes(busy, 6, 1);
    undo();

    const { sweptAt, tickedAt } = (await busy.ports.checkpoints.load('prod')) ?? {};
    expect({ sweptAt, tickedAt }).toEqual({
      sweptAt: '2026-03-02T11:00:00.000Z',
      tickedAt: '2026-03-02T11:06:00.000Z',
    });
    expect(busy.world.faults.calls.filter(({ op }) => op === 'argocd.list').length - 2).toBe(listsOf(quiet));
    expect(incidentsOf(busy)).toEqual([]);
  });

  test('[N-30] an object that cannot be parsed is told once, though passes between the ticks do not see it', async () => {
    const lab = keepLab();
    putTenant(lab);
    await lab.tick();
    lab.world.argocd.spoil('broken', 'tenant');

    const states = new Set<string>();
    for (let minute = 0; minute < 30; minute += 1) {
      await busyMinutes(lab, 1, 1);
      for (const each of incidentsOf(lab)) states.add(each);
    }

    const told = lab.world.bus.published.filter(({ type }) => type.startsWith('poolkeeper.incident'));
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
    expect([...states]).toEqual(['*/objects-unreadable: firing']);
  });

  test('[N-30] nodes in no pool are told once, though passes between the ticks do not list them', async () => {
    const lab = keepLab();
    putTenant(lab);
    await lab.tick();
    lab.world.pools.put(aPool({ name: 'infra', nodeSelector: { matchLabels: { infra: '' } } }));
    lab.world.pools.put(aPool({ name: 'gpu', nodeSelector: { matchLabels: { gpu: '' } } }));
    lab.world.pools.putNode(
      aNode({ name: 'both', labels: { infra: '', gpu: '', 'node-role.kubernetes.io/worker': '' } }),
    );

    await busyMinutes(lab, 30, 1);

    const told = lab.world.bus.published.filter(({ type }) => type.startsWith('poolkeeper.incident.resolved'));
    expect(incidentsOf(lab).join()).toContain('no-progress: firing');
    expect(told).toEqual([]);
  });

  test('[S0-16] a cluster that cannot be read is told, though each blind tick loses to another blind pass', async () => {
    const lab = keepLab();
    putTenant(lab);
    await lab.tick();
    lab.world.faults.failAll(['pools.list']);
    const { checkpoints } = lab.ports;

    for (let minute = 0; minute < 10; minute += 1) {
      let isFirst = true;
      const save = async (memory: Checkpoint) => {
        const event = cloudEvent({
          type: 'poolkeeper.cluster.seen.v1',
          id: `seen-${minute}`,
          source: '/poolkeeper/receive-cluster',
          subject: 'prod',
          time: lab.world.clock.now(),
          correlation: '',
          data: {
            cluster: 'prod',
            kind: 'MachineConfigPool',
            name: 'worker',
            what: 'update',
            receivedAt: lab.world.clock.now().toISOString(),
          },
        });
        if (isFirst) await lab.deliver(event);
        isFirst = false;
        return checkpoints.save(memory);
      };
      lab.world.clock.set(new Date(lab.world.clock.now().getTime() + 60_000));
      await keep(tickOf(lab.world.clock.now()), { ...lab.ports, checkpoints: { ...checkpoints, save } });
    }

    expect((await checkpoints.load('prod'))?.misses).toBe(10);
    expect(incidentsOf(lab)).toContain('*/watcher-blind: firing');
  });
});

test('[C-1] a push is recognised when it is delivered again, also if its pass lost to a faster one', async () => {
  const lab = keepLab();
  putTenant(lab);
  await lab.tick();
  const { checkpoints } = lab.ports;
  let isFirst = true;
  const save = async (memory: Checkpoint) => {
    if (isFirst) await lab.deliver(ofTenant(lab));
    isFirst = false;
    return checkpoints.save(memory);
  };
  const push = lab.pushOf(commitB);

  await keep(push, { ...lab.ports, checkpoints: { ...checkpoints, save } });

  expect((await checkpoints.load('prod'))?.pushes).toMatchObject([{ delivery: push.id }]);
});

test('[C-6] a tick that no other pass disturbs saves once, and loads once', async () => {
  const lab = keepLab();
  await lab.tick();
  lab.world.faults.forget();

  await lab.tick();

  const calls = lab.world.faults.calls.filter(({ op }) => op.startsWith('memories.')).map(({ op }) => op);
  expect(calls).toEqual(['memories.load', 'memories.save']);
});

/** Who writes each field of the checkpoint: `each pass` writes all that it knows, so that what a slower pass has lost
 *  stands in the faster one's. Whatever else a pass finds out must not get lost. */
const writtenBy = {
  cluster: 'each pass',
  version: 'each pass',
  lastGoodReadAt: 'each pass',
  told: 'each pass',
  toldSteps: 'each pass',
  pending: 'each pass',
  marks: 'each pass',
  marksAt: 'each pass',
  pauses: 'each pass',
  tickedAt: 'ticks',
  misses: 'ticks',
  sequencesDone: 'ticks',
  sequencesUnseen: 'ticks',
  runsUnseen: 'ticks',
  sequenceRecords: 'ticks',
  sequenceWindows: 'ticks',
  firstSeen: 'ticks, of some clocks',
  sweptAt: 'sweeps',
  sweepDueSince: 'sweeps',
  ignoredAnnotations: 'sweeps',
  operatorParts: 'sweeps',
  unreadable: 'whoever finds it',
  following: 'whoever finds it',
  paces: 'whoever finds it',
  healthChecksPaused: 'whoever did it',
  toldIncidents: 'whoever did it',
  guards: 'whoever did it',
  clusterId: 'whoever did it',
  guardIds: 'whoever did it',
  places: 'whoever did it',
  races: 'whoever did it',
  untoldRaces: 'whoever did it',
  spared: 'whoever did it',
  pushes: 'pushes',
} satisfies Record<keyof Required<Checkpoint>, string>;

const at = (minute: number) => `2026-03-02T10:0${minute}:00.000Z`;

const record = (why: string): Checkpoint['told'][string] => ({
  v: 1,
  holds: [],
  last: { did: 'resumed', at: at(1), why },
});

/** Every field as one pass would leave it. */
function filledBy(by: 'before' | 'slower' | 'faster'): Required<Checkpoint> {
  const time = { before: at(1), slower: at(2), faster: at(3) }[by];
  return {
    cluster: 'prod',
    version: 1,
    lastGoodReadAt: time,
    told: { worker: record(by) },
    toldSteps: { worker: by },
    pending: {},
    marks: { [by]: { config: by, updated: 1, machines: 1, isAtRest: true, at: time } },
    marksAt: time,
    pauses: { [by]: { machines: 1, joined: [] } },
    tickedAt: time,
    misses: { before: 1, slower: 2, faster: 1 }[by],
    sequencesDone: { [by]: by },
    sequencesUnseen: { [by]: time },
    runsUnseen: { [by]: time },
    sequenceRecords: [by],
    sequenceWindows: [{ of: by, cluster: by, namespace: by, project: by, application: by }],
    firstSeen: {
      [`*|guard|closed|${by}`]: time,
      [`${by}|misplaced`]: time,
      'run|gate|window': time,
      [`run|gated|${by}`]: time,
      [`${by}|pending`]: time,
    },
    sweptAt: time,
    sweepDueSince: undefined,
    ignoredAnnotations: [{ application: by, why: by }],
    operatorParts: { readAt: time, parts: [{ name: by, state: 'fine', says: by }] },
    unreadable: [{ kind: 'Application', namespace: '', name: by, why: by, since: time }],
    following: [by],
    paces: {},
    healthChecksPaused: by !== 'before',
    toldIncidents: { [by]: '1/1' },
    guards: by !== 'before',
    clusterId: by,
    guardIds: [by],
    places: { pools: [by], nodes: 1, renewAt: time },
    races: [{ pool: by, hold: by, since: time }],
    untoldRaces: [{ pool: by, hold: by, since: time }],
    spared: [
      {
        hold: by,
        uid: by,
        pool: by,
        revision: by,
        why: by,
        at: time,
        until: time,
        rendered: by,
        machineConfigs: [],
        circumstances: by,
      },
    ],
    pushes: [{ revision: by, at: time, delivery: by }],
  };
}

/** What is stored after a tick that loses its first save to a pass that leaves this. */
async function storedAfter(faster: Checkpoint, saves: { readonly maySweep: boolean }): Promise<Checkpoint | undefined> {
  const { ports, world } = keepLab();
  const { checkpoints } = world.tables;
  await checkpoints.save({ ...filledBy('before'), version: 0 });
  const before = await checkpoints.load('prod');
  if (before === undefined) throw new Error('nothing is stored');
  const after = { ...filledBy('slower'), version: before.version };
  await checkpoints.save({ ...faster, version: before.version });
  const [cluster] = ports.configuration.clusters;
  if (cluster === undefined) throw new Error('there is no cluster');
  await saveCheckpoint({ before, after, asked: ['run'] }, { cluster, ...saves }, ports);
  return checkpoints.load('prod');
}

describe('[N-30] the fields of the checkpoint', () => {
  const fields = Object.entries(writtenBy).filter(([field]) => !['cluster', 'version'].includes(field));

  test('of what a tick has found out, a lost save loses only what each pass finds out', async () => {
    const untouched = filledBy('before');

    const stored = await storedAfter(untouched, { maySweep: true });

    const slower = filledBy('slower');
    for (const [field, by] of fields.filter(([name]) => name !== 'firstSeen')) {
      const expected = by === 'each pass' ? untouched : slower;
      expect.soft({ [field]: fieldOf(stored, field) }).toEqual({ [field]: fieldOf(expected, field) });
    }
    expect(stored?.firstSeen).toEqual({
      '*|guard|closed|slower': at(2),
      'slower|misplaced': at(2),
      'run|gate|window': at(2),
      'run|gated|slower': at(2),
      'before|pending': at(1),
    });
  });

  test('what the faster pass has found out stays', async () => {
    const faster = filledBy('faster');

    const stored = await storedAfter(faster, { maySweep: true });

    for (const [field] of fields) {
      const text = JSON.stringify(fieldOf(stored, field) ?? '');
      for (const part of JSON.stringify(fieldOf(faster, field) ?? '').match(/faster/g) ?? [])
        expect.soft(`${field}: ${text}`).toContain(part);
    }
    expect(stored).toMatchObject({ sweptAt: at(3), tickedAt: at(3), lastGoodReadAt: at(3), marksAt: at(3) });
  });

  test('a hint that lost is dropped', async () => {
    const faster = filledBy('faster');

    expect(await storedAfter(faster, { maySweep: false })).toEqual({ ...faster, version: 2 });
  });

  test('passes between ticks leave what only ticks find out as it is', async () => {
    const lab = keepLab();
    putTenant(lab);
    await lab.tick();
    const { checkpoints } = lab.ports;
    const before = await checkpoints.load('prod');
    if (before === undefined) throw new Error('nothing is stored');
    const filled = filledBy('before');
    const ofTicks = Object.entries(writtenBy).flatMap(([field, by]) => (/^(ticks|sweeps)/.test(by) ? [field] : []));
    const misplaced = { 'worker|misplaced': at(1) };
    await checkpoints.save({ ...filled, told: {}, version: before.version, misses: 0, firstSeen: misplaced });
    const seeded = await checkpoints.load('prod');
    lab.world.clock.set(new Date(at(4)));

    await lab.deliver(ofTenant(lab));

    const after = await checkpoints.load('prod');
    expect(after?.version).toBe((seeded?.version ?? 0) + 1);
    for (const field of [...ofTicks, 'unreadable'])
      expect.soft({ [field]: fieldOf(after, field) }).toEqual({ [field]: fieldOf(seeded, field) });
  });
});

function fieldOf(checkpoint: Checkpoint | undefined, field: string): unknown {
  return Object.entries(checkpoint ?? {}).find(([name]) => name === field)?.[1];
}

import { describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { anApplication, aPool } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab, nodesHold } from './keep-lab.ts';

/** The incidents that fire, as `<kind> <pool>`. */
function firing({ world }: KeepLab): readonly string[] {
  return world.tables.incidents
    .all()
    .filter(({ state }) => state === 'firing')
    .map(({ key }) => `${key.kind} ${key.pool}`)
    .toSorted();
}

function sentenceOf({ world }: KeepLab, kind: string): string {
  const incident = world.tables.incidents.all().find(({ key, state }) => key.kind === kind && state === 'firing');
  return incident?.trouble?.findings[0]?.sentence ?? '';
}

function incidentEvents(lab: KeepLab): readonly string[] {
  return lab.told().filter((type) => type.startsWith('incident.'));
}

function reads({ world }: KeepLab): readonly string[] {
  return world.faults.calls.map(({ op }) => op).filter((op) => /^(pools|argocd|reader)\./.test(op));
}

describe('[N-30] one Application that cannot be parsed', () => {
  test('hides no other: a sync that no event reports is found, held and let go', async () => {
    const lab = keepLab();
    lab.world.argocd.spoil('broken', 'tenant');
    lab.syncs(commitB);

    await lab.pass(360);
    const held = { paused: lab.pool().paused, holds: lab.record()?.holds.map(({ id }) => id) };
    lab.world.pools.observe('worker');
    lab.ends('Succeeded');
    await lab.pass(360);

    expect(held).toEqual({ paused: true, holds: [nodesHold] });
    expect(lab.pool().paused).toBe(false);
    expect((await lab.ports.checkpoints.load('prod'))?.sweptAt).toBe('2026-03-02T10:11:00.000Z');
  });

  test('is told by name and field, in one message, until it is corrected', async () => {
    const lab = keepLab();
    lab.world.argocd.spoil('broken', 'tenant');

    await lab.pass(3600);
    const [sentence, fired] = [sentenceOf(lab, 'objects-unreadable'), firing(lab)];
    lab.world.argocd.mend('broken');
    await lab.pass(1200);

    expect(fired).toEqual(['objects-unreadable *']);
    expect(sentence).toContain('Application tenant/broken cannot be parsed at spec.source.');
    expect(incidentEvents(lab)).toEqual(['incident.opened', 'incident.resolved']);
    expect(firing(lab)).toEqual([]);
  });

  test('is one of hundreds: three are named, the others are counted, and the checkpoint stays small', async () => {
    const lab = keepLab();
    for (let each = 0; each < 400; each += 1) lab.world.argocd.spoil(`broken-${each}`, 'tenant');

    await lab.pass(600);

    const sentence = sentenceOf(lab, 'objects-unreadable');
    expect(sentence.match(/Application tenant/g)).toHaveLength(3);
    expect(sentence).toContain('at least 47 more');
    expect(JSON.stringify(await lab.ports.checkpoints.load('prod')).length).toBeLessThan(20_000);
  });

  test.each([3, 60])(
    'is told by name, and announced, however many of another namespace were broken before it: %i',
    async (many) => {
      const lab = keepLab();
      for (let each = 0; each < many; each += 1) lab.world.argocd.spoil(`broken-${each}`, 'tenant');
      await lab.pass(600);
      const before = lab.told().length;
      lab.world.argocd.spoil('nodes-too', 'platform');

      await lab.pass(600);

      const incident = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'objects-unreadable');
      const [first, ...others] = incident?.trouble?.findings ?? [];
      expect(first?.sentence).toContain('Application platform/nodes-too cannot be parsed at spec.source.');
      expect(others).toMatchObject([{ code: 'B2', subject: { kind: 'Namespace', name: 'tenant' } }]);
      expect(lab.told().slice(before)).toContain('incident.updated');
    },
  );

  test('keeps the hold that it has: it is neither released nor forgotten while nothing can be read of it', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    lab.world.argocd.spoil('nodes');

    await lab.pass(3 * 3600);
    const during = { paused: lab.pool().paused, holds: lab.record()?.holds.map(({ id }) => id) };
    lab.world.argocd.mend('nodes');
    await lab.pass(600);

    expect(during).toEqual({ paused: true, holds: [nodesHold] });
    expect(lab.pool().paused).toBe(false);
  });

  test('lets a push to its repository pause for the others, and no delivery is repeated for it', async () => {
    const lab = keepLab();
    lab.world.argocd.put(anApplication({ name: 'broken', uid: 'u-broken' }));
    await lab.tick();
    lab.world.argocd.spoil('broken');

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.record()?.holds.map(({ id }) => id)).toEqual([nodesHold]);
  });

  test('lets a push be routed from the table, not by a list of everything', async () => {
    const lab = keepLab();
    lab.world.argocd.spoil('broken', 'tenant');
    await lab.tick();
    const before = lab.world.faults.calls.length;

    await lab.deliver(lab.pushOf(commitB));

    expect(lab.pool().paused).toBe(true);
    expect(lab.world.faults.calls.slice(before).map(({ op }) => op)).not.toContain('argocd.list');
  });

  test('lets the queue be: the notification of its operation is over when it was read once', async () => {
    const lab = keepLab();
    lab.world.argocd.spoil('nodes');

    await expect(lab.deliver(lab.operationOf('Running'))).resolves.toBeUndefined();

    expect(lab.world.logger.lines.map(({ message }) => message)).toContain(
      'operation of an Application that cannot be parsed',
    );
  });

  test('silences no other incident', async () => {
    const lab = keepLab();
    lab.world.argocd.spoil('broken', 'tenant');
    await lab.pass(600);
    lab.syncs(commitB);
    await lab.tick();
    lab.world.pools.observe('worker');

    await lab.pass(5 * 3600);

    expect(firing(lab)).toEqual(
      expect.arrayContaining(['objects-unreadable *', 'paused-too-long worker', 'sync-stuck worker']),
    );
    expect(lab.world.alerts.sent.map(({ event }) => event.data.kind)).toEqual(
      expect.arrayContaining(['sync-stuck', 'paused-too-long']),
    );
  });

  test('is told by one cluster: the one that it deployed to, else that of its Argo CD', async () => {
    const lab = keepLab();
    const [prod] = lab.ports.configuration.clusters;
    const [hub] = lab.ports.configuration.argocd;
    if (prod === undefined || hub === undefined) throw new Error('the lab has no cluster');
    const names = ['prod', 'edge', 'far'];
    const destinations = names.slice(1).map((name) => ({ name, cluster: name }));
    const configuration = {
      ...lab.ports.configuration,
      clusters: names.map((name) => ({ ...prod, name })),
      argocd: [{ ...hub, destinations }],
    };
    const { pools, reader, renderings } = lab.world;
    const ports = { ...lab.ports, configuration, cluster: async () => ({ pools, reader, renderings }) };
    const tickAll = async () => {
      for (const cluster of names) await keep(makeTick({ cluster, why: 'clock' }, lab.world.clock.now()), ports);
    };
    const destination = { server: '', name: 'edge' };
    lab.world.argocd.put(anApplication({ name: 'deployed', uid: 'u-deployed', destination }));
    await tickAll();
    lab.world.argocd.spoil('deployed');
    lab.world.argocd.spoil('never-seen');

    lab.world.clock.advance(301);
    await tickAll();

    const told = await Promise.all(names.map((name) => lab.ports.checkpoints.load(name)));
    expect(told.map((checkpoint) => checkpoint?.unreadable?.map(({ name }) => name))).toEqual([
      ['never-seen'],
      ['deployed'],
      undefined,
    ]);
  });

  test('makes no tick dearer', async () => {
    const lab = keepLab();
    lab.world.argocd.spoil('broken', 'tenant');
    await lab.pass(61);
    const before = reads(lab).length;

    await lab.pass(60);

    expect(reads(lab).slice(before)).toEqual(['pools.list']);
  });
});

describe('[S0-16] the list of all Applications', () => {
  test('that is older than three of its intervals is an incident, told once, until one succeeds', async () => {
    const lab = keepLab();
    await lab.tick();
    const heal = lab.world.faults.failAll(['argocd.list']);

    await lab.pass(15 * 60);
    const early = firing(lab);
    await lab.pass(3600);
    const late = firing(lab);
    const sentence = sentenceOf(lab, 'sweep-overdue');
    heal();
    await lab.pass(900);

    expect(early).toEqual([]);
    expect(late).toEqual(['sweep-overdue *']);
    expect(incidentEvents(lab)).toEqual(['incident.opened', 'incident.resolved']);
    expect(sentence).toContain('hub: ');
    expect(firing(lab)).toEqual([]);
  });

  test('that never succeeded is missed as well', async () => {
    const lab = keepLab();
    lab.world.faults.failAll(['argocd.list']);

    await lab.pass(3600);

    expect(firing(lab)).toEqual(['sweep-overdue *']);
  });

  test('is not missed for the time in which no tick came, nor after it', async () => {
    const lab = keepLab();
    await lab.tick();
    lab.world.clock.advance(6 * 3600);

    await lab.deliver(lab.pushOf(commitB));
    await lab.deliver(lab.pushOf(commitC));
    const afterwards = firing(lab);
    await lab.tick();

    expect([afterwards, firing(lab)]).toEqual([[], []]);
    expect(incidentEvents(lab)).toEqual([]);
  });

  test('is still missing while the cluster cannot be read for a moment: the incident neither ends nor opens anew', async () => {
    const lab = keepLab();
    lab.world.faults.failAll(['argocd.list']);
    await lab.pass(3600);
    const heal = lab.world.faults.failAll(['pools.list']);

    await lab.pass(120);
    heal();
    await lab.pass(600);

    expect(firing(lab)).toEqual(['sweep-overdue *']);
    expect(incidentEvents(lab)).toEqual(['incident.opened']);
  });
});

describe('[N-30] one pool that cannot be parsed', () => {
  const infra = () =>
    aPool({
      name: 'infra',
      uid: 'p-infra',
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
    });

  /** A push, its sync and a while after it, beside this pool. */
  async function besideSpoilt(spoilt: Pool) {
    const lab = keepLab();
    lab.world.pools.put(spoilt);
    lab.world.pools.spoil(spoilt.name);
    await lab.deliver(lab.pushOf(commitB));
    const held = lab.pool().paused;
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(5);
    lab.ends('Succeeded');
    await lab.pass(600);
    return { lab, held };
  }

  test('hides no other: the others are paused and resumed as before', async () => {
    const { lab, held } = await besideSpoilt(infra());

    expect(held).toBe(true);
    expect(lab.pool().paused).toBe(false);
    expect(firing(lab)).toEqual(['objects-unreadable infra']);
    expect(sentenceOf(lab, 'objects-unreadable')).toContain('Pool infra cannot be parsed at spec.paused');
  });

  test.each([
    ['is known to have ended', false],
    ['is not', true],
  ])('[N-30] [S1-14] of which a rollout that Poolkeeper let go %s: it keeps the others (%s)', async (_, keeps) => {
    const lab = keepLab();
    const last = { did: 'resumed', at: '2026-02-01T10:00:00Z', why: 'no hold is left' } as const;
    const record: Pool['record'] = { kind: 'record', record: { v: 1, holds: [], last } };
    const current = keeps ? { name: 'rendered-infra-0', sources: [] } : infra().current;
    lab.world.pools.put({ ...infra(), record, current });
    await lab.pass(120);
    lab.world.pools.spoil('infra');
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(5);
    lab.ends('Succeeded');
    await lab.pass(600);

    expect(lab.pool().paused).toBe(keeps);
  });

  test('may have a name that every object of JavaScript has: the others are paused and resumed as before', async () => {
    const { lab, held } = await besideSpoilt({ ...infra(), name: 'constructor' });

    expect([held, lab.pool().paused]).toEqual([true, false]);
    expect(firing(lab)).toEqual(['objects-unreadable constructor']);
  });

  test('keeps its record, its hold and its incidents, and is resumed once it can be parsed again', async () => {
    const lab = keepLab();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(4 * 3600 + 900);
    const before = { incidents: firing(lab), told: lab.told().length };
    lab.world.pools.spoil('worker');
    lab.ends('Succeeded');

    await lab.pass(3600);
    const during = { paused: lab.pool().paused, incidents: firing(lab) };
    const told = lab.told().slice(before.told);
    lab.world.pools.mend('worker');
    await lab.pass(900);
    const after = lab.told().slice(before.told);

    expect(before.incidents).toEqual(['paused-too-long worker', 'sync-stuck worker']);
    expect(during).toEqual({
      paused: true,
      incidents: ['objects-unreadable worker', 'paused-too-long worker', 'sync-stuck worker'],
    });
    expect(told.filter((type) => type.startsWith('pool.'))).toEqual([]);
    expect(after.filter((type) => type.startsWith('pool.'))).toEqual(['pool.released', 'pool.resumed']);
    expect(lab.pool().paused).toBe(false);
    expect(firing(lab)).toEqual([]);
  });

  test('of a lower wave keeps pools of later waves waiting, and says so', async () => {
    const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, wave: 1 } } });
    lab.world.pools.put(infra());
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(5);
    lab.world.pools.spoil('infra');
    lab.ends('Succeeded');

    await lab.pass(600);
    const [view] = await lab.ports.views.list();
    const closed = view?.pools.flatMap(({ closedGates }) => closedGates.map(({ gate, why }) => `${gate}: ${why}`));
    const paused = lab.pool().paused;
    lab.world.pools.mend('infra');
    await lab.pass(600);

    expect(closed).toContain('wave: pool infra of wave 0 cannot be parsed');
    expect([paused, lab.pool().paused]).toEqual([true, false]);
  });
});

describe('[N-30] a namespace of Applications that was deleted with our rights there', () => {
  const theirs = anApplication({ name: 'theirs', namespace: 'team', uid: 'u-theirs' });

  /** Both follow the repository; an hour has passed since the namespace went. */
  async function withoutTeam(): Promise<KeepLab> {
    const lab = keepLab();
    lab.world.argocd.put(theirs);
    await lab.pass(60);
    lab.world.argocd.forbid('team');
    await lab.pass(3600);
    return lab;
  }

  test('[S0-12] lets pushes and syncs of others pause, and their pools resume', async () => {
    const lab = await withoutTeam();

    await lab.deliver(lab.pushOf(commitB));
    const held = lab.record()?.holds.map(({ id }) => id);
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(600);

    expect(held).toEqual([nodesHold]);
    expect(lab.pool().paused).toBe(false);
  });

  test('[N-18] is not a token that is refused: a push of that time is delivered again, and pauses then', async () => {
    const lab = keepLab();
    await lab.pass(60);
    const up = lab.world.faults.failAll(
      ['argocd.count', 'argocd.read', 'argocd.list'],
      new Transient('GET /apis/argoproj.io: 401, Unauthorized', { kind: 'forbidden' }),
    );
    const push = lab.pushOf(commitB);
    await expect(lab.deliver(push)).rejects.toThrow('401');
    up();

    await lab.deliver(push);

    expect(lab.pool().paused).toBe(true);
  });

  test('is told at once, with what to do', async () => {
    const lab = await withoutTeam();

    const incident = lab.world.tables.incidents.all().find(({ state }) => state === 'firing');

    expect(firing(lab)).toEqual(['objects-unreadable *']);
    expect(incident?.trouble).toMatchObject({
      severity: 'high',
      headline: 'Applications in namespace team cannot be read',
    });
    expect(sentenceOf(lab, 'objects-unreadable')).toContain('Applications in namespace team cannot be listed: 403.');
    expect(incident?.trouble?.findings[0]?.subject).toMatchObject({ kind: 'Namespace', name: 'team' });
    expect(incident?.trouble?.findings[0]?.remedies[0]?.title).toContain('If namespace team is gone');
  });

  test('keeps the hold and the route of what was there', async () => {
    const lab = keepLab({ argocd: { namespaces: ['openshift-gitops', 'team'] } });
    lab.world.argocd.put(theirs);
    await lab.deliver(lab.pushOf(commitB));
    lab.world.argocd.forbid('team');

    await lab.pass(1200);

    expect(lab.record()?.holds.map(({ id }) => id)).toContain('sync/hub/team/theirs');
    expect((await lab.ports.routes.load('hub'))?.routes.map(({ ref }) => ref.name)).toContain('theirs');
  });

  test('[S0-12] and is taken out of poolkeeper.yaml holds for no longer than what was expected', async () => {
    const lab = keepLab();
    lab.world.argocd.put(theirs);
    await lab.deliver(lab.pushOf(commitB));
    const held = lab.record()?.holds.map(({ id }) => id);
    lab.world.argocd.remove('theirs');
    lab.world.faults.failAll(['argocd.read'], new Transient('GET /apis: 403', { kind: 'forbidden' }));

    await lab.pass(1200);

    expect(held).toContain('sync/hub/team/theirs');
    expect(lab.record()?.holds.map(({ id }) => id) ?? []).not.toContain('sync/hub/team/theirs');
  });
});

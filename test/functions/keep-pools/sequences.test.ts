import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import type { PoolRecord } from '../../../functions/core/openshift/pool-record.ts';
import { sequenceRecordText, withRequest } from '../../../functions/core/sequences/record.ts';
import { aPool } from '../../fakes/builders.ts';
import { commitB, type KeepLab } from './keep-lab.ts';
import { sequenceLab, sequenceName } from './sequence-lab.ts';

const className = 'ocs-storagecluster-ceph-rbd';
const classPath = `/apis/storage.k8s.io/v1/storageclasses/${className}`;
const storageClass = { metadata: { name: className } };

/** Storage, then an object that virtualization needs. */
const steps = {
  storage: {
    kind: 'subscription',
    name: 'odf-operator',
    namespace: 'openshift-storage',
    wave: 5,
    waitFor: { resourceType: 'sc', resourceName: className, timeoutSeconds: 3600 },
  },
  virtualization: { kind: 'object', object: 'cnv', wave: 10 },
};

const manifest = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'kubevirt-hyperconverged', namespace: 'openshift-cnv', annotations: { mine: 'stays' } },
  spec: { name: 'kubevirt-hyperconverged', channel: 'stable', startingCSV: null },
};
const more = { extraObjects: { cnv: { ...manifest, disabled: false } } };
const applied = '/apis/operators.coreos.com/v1alpha1/namespaces/openshift-cnv/subscriptions/kubevirt-hyperconverged';

function reference() {
  const all = sequenceLab(steps, more);
  all.installs(all.prod, 'openshift-storage', 'odf-operator');
  return all;
}

async function ticks(count: number, tick: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += 1) await tick();
}

describe('the case of the reference', () => {
  it('[S2-17] [S2-12] with the class there, the second step begins: applied as ours, otherwise unchanged', async () => {
    const { prod, tick, record } = reference();
    prod.objects.set(classPath, storageClass);

    await ticks(2, tick);

    expect(prod.objects.get(applied)).toEqual({
      ...manifest,
      metadata: {
        ...manifest.metadata,
        labels: { 'app.kubernetes.io/managed-by': 'poolkeeper', 'poolkeeper.dev/sequence': sequenceName },
        annotations: { mine: 'stays', 'poolkeeper.dev/applied': expect.stringMatching(/^[0-9a-f]{16}$/) },
      },
    });
    expect(record().done).toBeDefined();
  });

  it('[S2-17] [S2-10] with the class never there, it does not, and an alert is sent after the timeout', async () => {
    const { lab, prod, tick } = reference();

    await ticks(60, tick);
    expect(lab.troubles()).toEqual([]);
    await ticks(3, tick);

    expect(prod.objects.has(applied)).toBe(false);
    expect(lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-17] with the class late, it begins late, and the timeline says so', async () => {
    const { lab, prod, tick } = reference();

    await ticks(5, tick);
    expect(prod.objects.has(applied)).toBe(false);
    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);

    expect(prod.objects.has(applied)).toBe(true);
    const told = (await lab.ports.timeline.latest(50)).map(({ text }) => text);
    expect(told).toContain(`sequence virt, storage@prod/waitFor: healthy: ${className} is there`);
    expect(told).toContain('sequence virt, virtualization@prod: begun');
  });

  it('[S2-17] [S2-11] with the class deleted again before the next step may begin, it does not begin', async () => {
    const held = {
      ...steps,
      virtualization: {
        ...steps.virtualization,
        wave: 10,
        waitFor: { hookType: 'PreSync', resourceType: 'cm', resourceName: 'go', resourceNamespace: 'default' },
      },
    };
    const { prod, tick, installs } = sequenceLab(held, more);
    installs(prod, 'openshift-storage', 'odf-operator');
    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);

    prod.objects.delete(classPath);
    prod.objects.set('/api/v1/namespaces/default/configmaps/go', { metadata: { name: 'go' } });
    await ticks(2, tick);

    expect(prod.objects.has(applied)).toBe(false);
  });

  it('[S2-11] a class that is deleted when all is done is told with the next sweep, and nothing is undone', async () => {
    const { lab, prod, tick } = reference();
    prod.objects.set(classPath, storageClass);
    await ticks(3, tick);

    prod.objects.delete(classPath);
    await ticks(6, tick);

    expect(prod.objects.has(applied)).toBe(true);
    expect(lab.troubles()).toEqual(['sequence-stuck']);
  });
});

describe('what a look costs and survives', () => {
  it('[S2-10] a quiet tick reads nothing for a sequence that is done, and one object for a gate that is waited for', async () => {
    const { prod, tick } = reference();
    await ticks(3, tick);
    prod.read.length = 0;
    await tick();
    expect(prod.read).toEqual([classPath]);

    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);
    const reads: number[] = [];
    for (let minute = 0; minute < 8; minute += 1) {
      prod.read.length = 0;
      await tick();
      reads.push(prod.read.length);
    }

    expect(reads.filter((count) => count === 0).length).toBeGreaterThanOrEqual(6);
  });

  it('[S2-19] an API server that does not answer fails no gate, and is told when it lasts', async () => {
    const { lab, prod, tick, record } = reference();
    prod.failing.set('/apis/storage.k8s.io', 'unreachable');

    await ticks(2, tick);
    expect(record().items['storage@prod/waitFor']?.state).toBe('unseen');
    expect(lab.troubles()).toEqual([]);
    await ticks(6, tick);
    expect(lab.troubles()).toEqual(['sequence-stuck']);

    prod.failing.clear();
    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);
    expect(prod.objects.has(applied)).toBe(true);
  });

  it('[S2-19] a forbidden kind is told at once', async () => {
    const { lab, prod, tick, record } = reference();
    prod.failing.set('/apis/storage.k8s.io', 'forbidden');

    await tick();

    expect(lab.troubles()).toEqual(['sequence-stuck']);
    expect(record().items['storage@prod/waitFor']?.value).toMatch(/^forbidden to read sc /);
  });

  it('[S2-12] an object that exists already is not taken over', async () => {
    const { lab, prod, tick } = reference();
    const theirs = { metadata: { name: 'kubevirt-hyperconverged' } };
    prod.objects.set(classPath, storageClass);
    prod.objects.set(applied, theirs);

    await ticks(2, tick);

    expect(prod.objects.get(applied)).toBe(theirs);
    expect(lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-18] a step on another cluster comes first, and a cluster that cannot be seen holds its wave', async () => {
    const { edge, prod, tick, installs } = sequenceLab(
      { ...steps, storage: { ...steps.storage, clusters: ['prod', 'edge'] } },
      { ...more, clusters: ['prod', 'edge'] },
    );
    for (const cluster of [prod, edge]) {
      installs(cluster, 'openshift-storage', 'odf-operator');
      cluster.objects.set(classPath, storageClass);
    }
    edge.failing.set('/', 'unreachable');

    await ticks(3, tick);
    expect(prod.objects.has(applied)).toBe(false);
    edge.failing.clear();
    await ticks(2, tick);

    expect(prod.objects.has(applied)).toBe(true);
    expect(edge.objects.has(applied)).toBe(true);
  });

  it('[S2-23] [S2-17] the page is given what each step waits for, since when, until when, and that it is done', async () => {
    const { lab, prod, tick } = reference();
    const { sequenceViews } = lab.world.tables;
    await ticks(2, tick);
    const [waiting] = await sequenceViews.list();
    prod.objects.set(classPath, storageClass);
    await ticks(3, tick);
    const [done] = await sequenceViews.list();

    expect(waiting).toMatchObject({ sequence: sequenceName, cluster: 'prod', state: 'running', wave: 5 });
    expect(waiting?.waves).toMatchObject([
      {
        wave: 5,
        items: 2,
        healthy: 1,
        shown: [
          {
            id: 'storage@prod/waitFor',
            of: 'storage@prod',
            what: `sc ${className}`,
            state: 'unhealthy',
            value: `sc ${className} is not there`,
            waitedSince: expect.any(String),
            until: expect.any(String),
            onTimeout: 'alert',
          },
          { id: 'storage@prod', what: 'Subscription openshift-storage/odf-operator', state: 'healthy' },
        ],
      },
      {
        wave: 10,
        shown: [{ what: 'Subscription openshift-cnv/kubevirt-hyperconverged', why: 'wave 5 is not healthy' }],
      },
    ]);
    expect(done).toMatchObject({ state: 'done', waves: [{ healthy: 2 }, { healthy: 1 }], problems: [] });
  });

  it('[S2-23] that the page cannot be told holds nothing back', async () => {
    const { lab, prod, tick, record } = reference();
    prod.objects.set(classPath, storageClass);
    lab.world.faults.failAll(['sequenceViews.save']);

    await ticks(3, tick);

    expect(record().done).toBeDefined();
  });

  it('[S0-20] [S2-23] what a look found while the timeline did not answer is on it with the next sweep, once', async () => {
    const { lab, prod, tick, record } = reference();
    await ticks(2, tick);
    prod.objects.set(classPath, storageClass);
    const mend = lab.world.faults.failAll(['timeline.append']);
    await tick();
    mend();

    await ticks(12, tick);

    const texts = lab.world.tables.timeline.all().map(({ text }) => text);
    const logged = record().log.map(({ item, what }) => `sequence virt${item === '' ? '' : `, ${item}`}: ${what}`);
    expect(texts.filter((text) => text.startsWith('sequence virt')).toSorted()).toEqual(logged.toSorted());
    expect(record().done).toBeDefined();
  });

  it('[S2-1] when the record is lost, everything is found as it was', async () => {
    const { prod, tick, record } = reference();
    prod.objects.set(classPath, storageClass);
    await ticks(3, tick);
    const before = prod.objects.get(applied);

    prod.records.clear();
    await ticks(7, tick);

    expect(prod.objects.get(applied)).toEqual(before);
    expect(record().done).toBeDefined();
  });

  it('[N-22] aborted, it takes back what it applied, and the cluster is as it was', async () => {
    const { prod, tick, record, state } = reference();
    prod.objects.set(classPath, storageClass);
    const before = state();
    await ticks(2, tick);
    expect(state()).not.toEqual(before);

    const said = { who: 'anna', why: 'wrong cluster', at: '2026-03-02T11:00:00.000Z' };
    prod.records.set(`poolkeeper/${sequenceName}`, {
      text: sequenceRecordText(withRequest(record(), { kind: 'abort', said })),
      resourceVersion: prod.records.get(`poolkeeper/${sequenceName}`)?.resourceVersion,
    });
    await ticks(7, tick);

    expect(state()).toEqual(before);
    expect(record().cleanedAt).toBeDefined();
  });

  it('[S2-10] what somebody asks for meanwhile is not overwritten, and nothing is begun on what was read before', async () => {
    const { prod, tick, record } = reference();
    await ticks(2, tick);
    const said = { who: 'anna', why: 'wait', at: '2026-03-02T11:00:00.000Z' };
    const stored = prod.records.get(`poolkeeper/${sequenceName}`);
    prod.objects.set(classPath, storageClass);
    const { sequenceRecords } = prod.ports;
    const save = sequenceRecords?.save;
    if (sequenceRecords !== undefined)
      Object.assign(sequenceRecords, {
        save: async (...parameters: Parameters<NonNullable<typeof save>>) => {
          prod.records.set(`poolkeeper/${sequenceName}`, {
            text: sequenceRecordText(withRequest(record(), { kind: 'pause', said })),
            resourceVersion: `${stored?.resourceVersion}9`,
          });
          Object.assign(sequenceRecords, { save });
          await save?.(...parameters);
        },
      });

    await ticks(3, tick);

    expect(prod.objects.has(applied)).toBe(false);
    expect(record().paused).toEqual(said);
  });
});

describe('a sequence that waits for another one', () => {
  const ready = { resourceType: 'sc', resourceName: className };
  const bases = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, { kind: 'check', waitFor: { ...ready, resourceName: name } }]));
  const second = { steps: { virtualization: { kind: 'object', object: 'cnv' } }, ...more, after: ['base'] };

  it('[S2-1] [N-30] begins when that one is done as it is configured now, not as it was', async () => {
    const { prod, tick, configureAll } = sequenceLab(steps, more);
    prod.objects.set('/apis/storage.k8s.io/v1/storageclasses/one', { metadata: { name: 'one' } });
    configureAll({ base: { steps: bases('one') } });
    await ticks(2, tick);

    configureAll({ [sequenceName]: second, base: { steps: bases('one', 'two') } });
    await ticks(3, tick);
    expect(prod.objects.has(applied)).toBe(false);

    prod.objects.set('/apis/storage.k8s.io/v1/storageclasses/two', { metadata: { name: 'two' } });
    await ticks(3, tick);
    expect(prod.objects.has(applied)).toBe(true);
  });
});

describe('what is asked for where no cluster is reached', () => {
  const said = { who: 'anna (Slack U1)', why: 'not needed here', at: '2026-03-02T09:59:00.000Z' };

  it('[S2-10] is taken by the next look, once, with the name of who asked', async () => {
    const { lab, prod, tick, record } = reference();
    await ticks(2, tick);
    const request = { kind: 'skip', item: 'storage@prod/waitFor', said } as const;
    await lab.world.tables.sequenceRequests.save({ id: 'slack/1', sequence: sequenceName, request });

    await ticks(3, tick);

    expect(prod.objects.has(applied)).toBe(true);
    expect(record().skipped).toEqual({ 'storage@prod/waitFor': said });
    const told = (await lab.ports.timeline.latest(50)).map(({ text }) => text);
    expect(told.filter((text) => text.includes('skipped by anna'))).toEqual([
      'sequence virt, storage@prod/waitFor: skipped by anna (Slack U1): not needed here',
    ]);
  });

  it('[S2-10] is not taken again when somebody has said otherwise since, and not for a step that is none', async () => {
    const { lab, prod, tick, record } = reference();
    const { sequenceRequests } = lab.world.tables;
    await sequenceRequests.save({ id: 'slack/1', sequence: sequenceName, request: { kind: 'pause', said } });
    const none = { kind: 'skip', item: 'other@prod', said } as const;
    await sequenceRequests.save({ id: 'slack/2', sequence: sequenceName, request: none });
    await ticks(2, tick);
    expect(record().paused).toEqual(said);

    const key = `poolkeeper/${sequenceName}`;
    const text = sequenceRecordText(withRequest(record(), { kind: 'go-on', said }));
    prod.records.set(key, { text, resourceVersion: prod.records.get(key)?.resourceVersion });
    await ticks(2, tick);

    expect(record().paused).toBeUndefined();
    expect(record().skipped).toEqual({});
  });

  it('[S2-19] that it cannot be read stops nothing', async () => {
    const { lab, prod, tick } = reference();
    prod.objects.set(classPath, storageClass);
    lab.world.faults.failAll(['sequenceRequests.list']);

    await ticks(2, tick);

    expect(prod.objects.has(applied)).toBe(true);
  });
});

describe('an object that others change after it was applied', () => {
  async function appliedObject() {
    const all = reference();
    all.prod.objects.set(classPath, storageClass);
    await ticks(3, all.tick);
    const own = Object(all.prod.objects.get(applied));
    const lost = { 'f:metadata': { 'f:labels': {}, 'f:annotations': {} }, 'f:spec': { 'f:name': {} } };
    const changed = (manager: string) => ({
      ...own,
      metadata: {
        ...own.metadata,
        managedFields: [
          { manager: 'poolkeeper', operation: 'Apply', fieldsV1: lost },
          { manager, operation: 'Update', fieldsV1: { 'f:spec': { 'f:channel': {} } } },
        ],
      },
    });
    return { ...all, own, changed };
  }

  it('[S2-12] is told with the field and who has it, written by nobody, and resolved when it is ours again', async () => {
    const { lab, prod, tick, own, changed, record } = await appliedObject();
    const theirs = changed('kubectl-edit');
    prod.objects.set(applied, theirs);

    await ticks(12, tick);

    expect(prod.objects.get(applied)).toBe(theirs);
    expect(lab.troubles()).toEqual(['sequence-stuck']);
    expect(record().items['virtualization@prod']).toMatchObject({
      state: 'healthy',
      drift: 'spec.channel: changed by kubectl-edit since it was applied',
    });
    expect(lab.told().filter((type) => type.includes('resolved'))).toEqual([]);
    const timeline = (await lab.ports.timeline.latest(50)).map(({ text }) => text);
    expect(timeline.filter((text) => text.includes('kubectl-edit'))).toHaveLength(1);

    prod.objects.set(applied, own);
    await ticks(12, tick);
    expect(record().items['virtualization@prod']?.drift).toBeUndefined();
    expect(lab.told().filter((type) => type.includes('resolved'))).toHaveLength(1);
  });

  it('[S2-12] deleted by somebody, it is told and not made again, until a person asks for it', async () => {
    const { lab, prod, tick, record } = await appliedObject();
    prod.objects.delete(applied);
    await ticks(12, tick);
    expect(prod.objects.has(applied)).toBe(false);
    expect(lab.troubles()).toEqual(['sequence-stuck']);

    const said = { who: 'anna', why: 'again', at: '2026-03-02T11:00:00.000Z' };
    const key = `poolkeeper/${sequenceName}`;
    prod.records.set(key, {
      text: sequenceRecordText(withRequest(record(), { kind: 'go-on', said })),
      resourceVersion: prod.records.get(key)?.resourceVersion,
    });
    await ticks(2, tick);

    expect(prod.objects.has(applied)).toBe(true);
  });

  it('[S2-12] skipped, it is told no more', async () => {
    const { lab, prod, tick, changed, record } = await appliedObject();
    prod.objects.set(applied, changed('oc'));
    await ticks(7, tick);
    const said = { who: 'anna', why: 'ours now', at: '2026-03-02T11:00:00.000Z' };
    const key = `poolkeeper/${sequenceName}`;
    const text = sequenceRecordText(withRequest(record(), { kind: 'skip', item: 'virtualization@prod', said }));
    prod.records.set(key, { text, resourceVersion: prod.records.get(key)?.resourceVersion });

    await ticks(7, tick);

    expect(lab.told().filter((type) => type.includes('resolved'))).toHaveLength(1);
  });

  it("[S2-12] fields that the API server never took are nobody's drift", async () => {
    const all = reference();
    all.prod.objects.set(classPath, storageClass);
    const { writer } = all.prod.ports;
    const apply = writer?.apply;
    if (writer === undefined || apply === undefined) throw new Error('the lab writes');
    Object.assign(writer, {
      apply: async (...[path, object, mode]: Parameters<typeof apply>) => {
        const answer = await apply(path, object, mode);
        if (mode !== 'write') return answer;
        const fieldsV1 = { 'f:metadata': {}, 'f:spec': { 'f:name': {} } };
        const managedFields = [{ manager: 'poolkeeper', operation: 'Apply', fieldsV1 }];
        const made = Object(all.prod.objects.get(path));
        all.prod.objects.set(path, { ...made, metadata: { ...made.metadata, managedFields } });
        return answer;
      },
    });

    await ticks(12, all.tick);

    expect(all.prod.objects.has(applied)).toBe(true);
    expect(all.lab.troubles()).toEqual([]);
    expect(all.record().items['virtualization@prod']?.unowned).toEqual(['spec.channel']);
  });
});

describe('a pool that is a step of a sequence', () => {
  const pooled = {
    ...steps,
    virtualization: { kind: 'pool', name: 'worker', wave: 10 },
  };

  async function heldBack() {
    const all = sequenceLab(pooled);
    all.installs(all.prod, 'openshift-storage', 'odf-operator');
    const { lab } = all;
    lab.world.pools.change('worker', 'machine-config-controller', {
      target: { name: 'rendered-worker-new', sources: ['99-worker-ssh'] },
    });
    await all.resumable();
    await ticks(2, all.tick);
    return all;
  }

  it('[S2-1] [S2-15] stays paused until all lower waves are healthy, and says what it waits for', async () => {
    const { lab, prod, tick } = await heldBack();
    expect(lab.pool().paused).toBe(true);
    const view = (await lab.ports.views.list())[0]?.pools.find(({ name }) => name === 'worker');
    expect(view?.closedGates.find(({ gate }) => gate === 'sequence')).toMatchObject({
      why: 'sequence virt has not come to it: wave 5 is not healthy',
      value: 'waits for storage@prod/waitFor',
      how: 'poolkeeper sequence status virt',
    });

    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);

    expect(lab.pool().paused).toBe(false);
  });

  function change(lab: KeepLab, name: string) {
    lab.world.pools.change('worker', 'machine-config-controller', { target: { name, sources: ['99-worker-ssh'] } });
  }

  function rolls(lab: KeepLab) {
    change(lab, 'rendered-worker-new');
  }

  it('[S2-1] [S2-15] is paused when a change comes before its turn that nobody paused it for, and resumes at its turn', async () => {
    const { lab, prod, tick, installs } = sequenceLab(pooled);
    installs(prod, 'openshift-storage', 'odf-operator');
    await ticks(2, tick);
    const withoutChange = lab.pool().paused;

    rolls(lab);
    await tick();
    expect([withoutChange, lab.pool().paused]).toEqual([false, true]);
    expect(lab.record()).toMatchObject({
      pause: 'ours',
      last: { why: expect.stringMatching(/^sequence virt has not/) },
    });

    prod.objects.set(classPath, storageClass);
    await ticks(3, tick);
    expect(lab.pool().paused).toBe(false);
  });

  it('[S2-1] that was let go goes on when a lower wave turns unhealthy, and a further change waits', async () => {
    const { lab, prod, tick, installs } = sequenceLab(pooled);
    installs(prod, 'openshift-storage', 'odf-operator');
    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);
    rolls(lab);
    await ticks(2, tick);

    prod.objects.delete(classPath);
    await ticks(7, tick);
    const rolling = lab.pool().paused;
    change(lab, 'rendered-worker-newer');
    await tick();

    expect([rolling, lab.pool().paused]).toEqual([false, true]);
  });

  it('[S2-1] its turn is asked once for each change', async () => {
    const { lab, prod, tick, installs } = sequenceLab(pooled);
    installs(prod, 'openshift-storage', 'odf-operator');
    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);
    rolls(lab);
    await tick();
    expect(lab.record()?.last).toMatchObject({ did: 'left', asked: 'rendered-worker-new' });

    prod.read.length = 0;
    await tick();

    expect(prod.read.filter((path) => !path.startsWith('/api/v1/nodes/'))).toEqual([]);
  });

  it.each([
    ['aborted', { kind: 'abort' as const }],
    ['skipped', { kind: 'skip' as const, item: 'virtualization@prod' }],
  ])('[N-22] is let go when it is %s', async (_, request) => {
    const { lab, prod, tick, record } = await heldBack();
    const said = { who: 'anna', why: 'no', at: '2026-03-02T11:00:00.000Z' };
    const key = `poolkeeper/${sequenceName}`;
    const text = sequenceRecordText(withRequest(record(), { ...request, said }));
    prod.records.set(key, { text, resourceVersion: prod.records.get(key)?.resourceVersion });

    await ticks(2, tick);

    expect(lab.pool().paused).toBe(false);
  });

  it('[S2-1] that a person resumes is left alone', async () => {
    const { lab, prod, tick, installs } = sequenceLab(pooled);
    installs(prod, 'openshift-storage', 'odf-operator');
    await ticks(2, tick);
    rolls(lab);
    await tick();

    lab.world.pools.change('worker', 'anna', { paused: false });
    await ticks(3, tick);

    expect(lab.pool().paused).toBe(false);
  });

  it.each([
    ['a pause before its turn', false],
    ['a sync that has ended since', true],
  ])(
    '[S0-15] [S2-1] that a person resumes in spite of %s is rolled out to its end, however long that takes, and a further change waits',
    async (_, isSync) => {
      const { lab, prod, tick, installs } = sequenceLab(pooled);
      installs(prod, 'openshift-storage', 'odf-operator');
      await ticks(2, tick);
      if (isSync) lab.syncs(commitB);
      rolls(lab);
      await tick();
      const held = lab.pool().paused;

      lab.world.pools.change('worker', 'anna', { paused: false });
      await tick();
      change(lab, 'rendered-worker-next');
      await tick();
      if (isSync) lab.ends('Succeeded');
      await ticks(2, tick);
      lab.world.clock.advance(3 * 3600);
      await ticks(2, tick);
      const atLast = lab.pool().paused;
      change(lab, 'rendered-worker-newer');
      await tick();

      expect([held, atLast, lab.pool().paused]).toEqual([true, false, true]);
    },
  );

  it('[S2-18] [S2-19] stays paused while its sequence cannot be read', async () => {
    const { lab, prod, tick } = await heldBack();
    prod.objects.set(classPath, storageClass);
    prod.failing.set('records', 'unreachable');

    await ticks(3, tick);

    expect(lab.pool().paused).toBe(true);
  });
});

describe('a pool that is a step on a canary cluster and on another one', () => {
  const at = '2026-03-02T10:00:00.000Z';
  const updated = { target: { name: 'rendered-worker-aaa', sources: [] } };
  const changed = { target: { name: 'rendered-worker-new', sources: ['99-worker-ssh'] } };
  const released = { since: at, finishedAt: at, machineConfigs: [], why: 'a sync has ended' };

  function syncHold(application: string) {
    const id = `sync/hub/openshift-gitops/${application}`;
    const who = `openshift-gitops/${application}`;
    const until = '2026-03-02T12:00:00.000Z';
    return { id, kind: 'sync' as const, who, why: 'a push', since: at, until, phase: 'expected' as const };
  }

  function paused(record: Omit<PoolRecord, 'v' | 'pause'>): Partial<Pool> {
    return { paused: true, record: { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: at, ...record } } };
  }

  /** Cluster prod has a change, which its sync has brought, and its canary cluster edge is like that. */
  async function changedBeside(canary: Partial<Pool>, steps: Readonly<Record<string, unknown>> = {}) {
    const all = sequenceLab(
      { nodes: { kind: 'pool', name: 'worker', wave: 1 }, ...steps },
      { clusters: ['prod', 'edge'], canary: ['edge'] },
    );
    const { lab, edge, tick } = all;
    const calm = { ...lab.pool(), uid: 'of-edge' };
    let pool = calm;
    edge.ports.pools.readPool = async () => pool;
    // All is calm for a while, as before each later commit.
    await ticks(3, tick);
    const turns = (change: Partial<Pool>) => {
      pool = { ...calm, ...change };
    };
    turns(canary);
    lab.world.pools.change('worker', 'machine-config-controller', changed);
    await all.resumable();
    await ticks(2, tick);
    return { ...all, turns };
  }

  it.each([
    ['has the change too', { ...paused({ holds: [], release: released }), ...changed }],
    ['rolls', { ...changed, counts: { ...aPool().counts, updated: 1 } }],
    ['waits for its sync', paused({ holds: [syncHold('nodes')] })],
    ['is about to resume', paused({ holds: [], release: released })],
  ])('[S2-1] [S2-18] waits while that of the canary cluster %s, and resumes after it', async (_, canary) => {
    const { lab, tick, turns } = await changedBeside(canary);
    const view = (await lab.ports.views.list())[0]?.pools.find(({ name }) => name === 'worker');
    const gate = view?.closedGates.find((each) => each.gate === 'sequence');

    turns(updated);
    await ticks(2, tick);

    expect([gate?.why, gate?.value, lab.pool().paused]).toEqual([
      'sequence virt has not come to it: canary clusters are first',
      'waits for nodes@edge',
      false,
    ]);
  });

  it('[S2-1] [S2-18] does not wait for the sync of an Application that is a step itself, and may wait for it', async () => {
    const held = paused({ holds: [syncHold('later')] });

    const { lab } = await changedBeside(held, { later: { kind: 'application', name: 'later', wave: 2 } });

    expect(lab.pool().paused).toBe(false);
  });

  it('[S2-1] [S2-18] nor for the sync of one that a step is to write first', async () => {
    const via = { argocd: 'hub', namespace: 'openshift-gitops', name: 'later', revision: commitB };
    const held = paused({ holds: [{ ...syncHold('child'), via }] });

    const { lab } = await changedBeside(held, { later: { kind: 'application', name: 'later', wave: 2 } });

    expect(lab.pool().paused).toBe(false);
  });
});

describe('an Application that is a step of a sequence', () => {
  const home = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
  const theirs = { kind: 'allow', schedule: '0 22 * * *', duration: '2h', applications: ['*'] };
  const project = { metadata: { name: 'platform', resourceVersion: '7' }, spec: { syncWindows: [theirs] } };
  const ours = {
    kind: 'deny',
    schedule: '* * * * *',
    duration: '27h',
    applications: ['nodes'],
    manualSync: false,
    timeZone: 'UTC',
    description: expect.stringMatching(/^poolkeeper\.dev\/sequence: /),
  };

  function withApplication() {
    const all = sequenceLab({ ...steps, virtualization: { kind: 'application', name: 'nodes', wave: 10 } });
    all.installs(all.prod, 'openshift-storage', 'odf-operator');
    all.prod.objects.set(`${home}/applications/nodes`, { metadata: { name: 'nodes' }, spec: { project: 'platform' } });
    all.prod.objects.set(`${home}/appprojects/platform`, project);
    const windows = () => {
      const spec = memberOf(all.prod.objects.get(`${home}/appprojects/platform`), 'spec');
      return memberOf(spec, 'syncWindows');
    };
    return { ...all, windows };
  }

  it('[S2-15] is held back by a deny window, beside those of others, until its turn has come', async () => {
    const { prod, tick, windows, record } = withApplication();

    await ticks(2, tick);
    expect(windows()).toEqual([theirs, ours]);

    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);

    expect(windows()).toEqual([theirs]);
    expect(record().held).toBeUndefined();
    expect(record().done).toBeDefined();
  });

  it('[S2-7] is let go when its sequence is left out by the configuration', async () => {
    const { tick, windows, record, configure } = withApplication();
    await ticks(2, tick);
    expect(windows()).toContainEqual(ours);

    configure({ disabled: true });
    await ticks(2, tick);

    expect(windows()).toEqual([theirs]);
    expect(record().log.at(-1)?.what).toBe('left out by the configuration');
  });

  it.each([
    ['a schedule of their own', { schedule: '0 22 * * *', description: 'ours at night' }],
    ['no description', { description: '' }],
    ['syncs allowed', { kind: 'allow' }],
  ])('[S2-15] [C-13] leaves a window of somebody else that lasts as long alone: %s', async (_, change) => {
    const { prod, tick, windows } = withApplication();
    const another = { ...ours, description: 'poolkeeper.dev/sequence: copied', timeZone: 'Europe/Berlin', ...change };
    prod.objects.set(`${home}/appprojects/platform`, { ...project, spec: { syncWindows: [another] } });

    await ticks(2, tick);
    const during = windows();
    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);

    expect(during).toEqual([another, ours]);
    expect(windows()).toEqual([another]);
  });

  it.each([
    ['its schedule', { schedule: '0 22 * * *' }],
    ['its zone', { timeZone: 'Asia/Tokyo' }],
    ['who may sync by hand', { manualSync: true }],
  ])('[S2-15] is held back by a whole window again when somebody has changed %s', async (_, change) => {
    const { prod, tick, windows } = withApplication();
    await ticks(2, tick);
    const changed = { ...ours, description: 'poolkeeper.dev/sequence: closed', ...change };
    prod.objects.set(`${home}/appprojects/platform`, { ...project, spec: { syncWindows: [theirs, changed] } });

    await tick();

    expect(windows()).toEqual([theirs, ours]);
  });

  it('[S2-15] adds no twin to a window of somebody else, which Argo CD would refuse', async () => {
    const { prod, tick, windows } = withApplication();
    const twin = { ...ours, description: 'ours' };
    prod.objects.set(`${home}/appprojects/platform`, { ...project, spec: { syncWindows: [twin] } });

    await ticks(2, tick);

    expect(windows()).toEqual([twin]);
  });

  function withEntry(change: Readonly<Record<string, string>>) {
    const all = withApplication();
    const put = () => {
      const [[id, held] = []] = Object.entries(all.record().held ?? {});
      if (id === undefined || held === undefined) throw new Error('the Application is held');
      const key = `poolkeeper/${sequenceName}`;
      const text = sequenceRecordText({ ...all.record(), held: { [id]: { ...held, ...change } } });
      all.prod.records.set(key, { text, resourceVersion: all.prod.records.get(key)?.resourceVersion });
      return { id, held };
    };
    return { ...all, put };
  }

  it('[S2-15] [N-30] an entry that somebody writes into its record and that holds back another Application is told, and nothing is written there', async () => {
    const { lab, put, tick, windows } = withEntry({ application: 'victim' });
    await ticks(2, tick);

    put();
    await ticks(2, tick);

    expect(lab.troubles()).toEqual(['sequence-stuck']);
    expect(windows()).toEqual([theirs, ours]);
  });

  it.each([
    ['in another namespace', { namespace: 'team-a' }, 'AppProject team-a/platform of cluster prod'],
    [
      'of a cluster that is not configured any more',
      { cluster: 'gone' },
      'AppProject openshift-gitops/platform of cluster gone',
    ],
  ])(
    '[S2-15] [N-30] an entry of its record that is %s is forgotten, which the timeline says: nothing is written there, and the pass goes on',
    async (_, change, place) => {
      const { lab, prod, put, tick, record, windows } = withEntry(change);
      await ticks(2, tick);
      const foreign = '/apis/argoproj.io/v1alpha1/namespaces/team-a/appprojects/platform';
      prod.objects.set(foreign, project);

      const { id, held } = put();
      await ticks(2, tick);

      expect(lab.troubles()).toEqual([]);
      expect([windows(), prod.objects.get(foreign)]).toEqual([[theirs, ours], project]);
      expect(record().held).toEqual({ [id]: held });
      const told = (await lab.ports.timeline.latest(50)).map(({ text }) => text);
      expect(told).toContain(
        `sequence virt, ${id}: no Argo CD that is configured has ${place}: its window for nodes is forgotten, and nothing is written there. Where it still holds back syncs, take it out of spec.syncWindows`,
      );
      const { views } = lab.world.tables;
      expect((await views.list()).map(({ readAt }) => readAt)).toEqual([lab.world.clock.now().toISOString()]);
    },
  );

  it('[S2-15] [N-6] that is guarded is held back by the window of its guard alone', async () => {
    const { prod, tick, windows } = withApplication();
    await ticks(2, tick);
    expect(windows()).toEqual([theirs, ours]);

    const guards = { v: 1, guards: [{ application: 'openshift-gitops/nodes', cluster: 'prod', pools: ['worker'] }] };
    const found = Object(prod.objects.get(`${home}/appprojects/platform`));
    const annotations = { 'poolkeeper.dev/guards': JSON.stringify(guards) };
    prod.objects.set(`${home}/appprojects/platform`, { ...found, metadata: { ...found.metadata, annotations } });
    await tick();
    expect(windows()).toEqual([theirs]);

    prod.objects.set(`${home}/appprojects/platform`, found);
    await tick();
    expect(windows()).toEqual([theirs, ours]);
  });

  it('[S2-15] that syncs is not parked in mid-operation', async () => {
    const { prod, tick, windows } = withApplication();
    prod.objects.set(`${home}/applications/nodes`, {
      metadata: { name: 'nodes' },
      spec: { project: 'platform' },
      operation: {},
      status: { operationState: { phase: 'Running' } },
    });

    await ticks(2, tick);

    expect(windows()).toEqual([theirs]);
  });

  it('[S2-19] that must not be read is told at once', async () => {
    const { lab, prod, tick } = withApplication();
    prod.failing.set(`${home}/applications/nodes`, 'forbidden');

    await tick();

    expect(lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-19] whose Argo CD is away ends nothing that was told before', async () => {
    const { lab, prod, tick } = withApplication();
    prod.failing.set(`${home}/appprojects/platform`, 'forbidden');
    await ticks(2, tick);
    expect(lab.troubles()).toEqual(['sequence-stuck']);

    prod.failing.set(`${home}/appprojects/platform`, 'unreachable');
    await ticks(12, tick);

    expect(lab.told().filter((type) => type.includes('resolved'))).toEqual([]);
    expect(lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[N-22] has its windows as before when the sequence is aborted', async () => {
    const { prod, tick, windows, record } = withApplication();
    await ticks(2, tick);
    expect(windows()).toContainEqual(ours);

    const said = { who: 'anna', why: 'no', at: '2026-03-02T11:00:00.000Z' };
    const key = `poolkeeper/${sequenceName}`;
    prod.records.set(key, {
      text: sequenceRecordText(withRequest(record(), { kind: 'abort', said })),
      resourceVersion: prod.records.get(key)?.resourceVersion,
    });
    await ticks(2, tick);

    expect(windows()).toEqual([theirs]);
  });

  it('[N-22] leaves no empty list where there was none', async () => {
    const { prod, tick, windows, record } = withApplication();
    const bare = { metadata: project.metadata, spec: {} };
    prod.objects.set(`${home}/appprojects/platform`, bare);
    await ticks(2, tick);
    expect(windows()).toEqual([ours]);

    const said = { who: 'anna', why: 'no', at: '2026-03-02T11:00:00.000Z' };
    const key = `poolkeeper/${sequenceName}`;
    prod.records.set(key, {
      text: sequenceRecordText(withRequest(record(), { kind: 'abort', said })),
      resourceVersion: prod.records.get(key)?.resourceVersion,
    });
    await ticks(2, tick);

    expect(prod.objects.get(`${home}/appprojects/platform`)).toEqual(bare);
  });
});

describe('a check that runs as a Job', () => {
  const waitFor = {
    image: 'registry.example.com/team/check:v1',
    command: ['/check', 'storage'],
    serviceAccount: 'checker',
  };
  const checked = { ...steps, storage: { ...steps.storage, waitFor } };
  const jobs = '/apis/batch/v1/namespaces/poolkeeper/jobs/';
  const pods = '/api/v1/namespaces/poolkeeper/pods';

  async function started() {
    const all = sequenceLab(checked, more);
    all.installs(all.prod, 'openshift-storage', 'odf-operator');
    await ticks(2, all.tick);
    const [path = ''] = [...all.prod.objects.keys()].filter((each) => each.startsWith(jobs));
    const ends = (type: 'Complete' | 'Failed') =>
      all.prod.objects.set(path, {
        metadata: { name: path.slice(jobs.length) },
        status: { conditions: [{ type, status: 'True', lastTransitionTime: all.lab.world.clock.now().toISOString() }] },
      });
    return { ...all, path, ends, hasJob: () => all.prod.objects.has(path) };
  }

  it('[S2-6] [S2-13] is started once, with a service account, a deadline and an end, and opens when it succeeds', async () => {
    const { prod, path, ends, tick } = await started();

    expect(prod.objects.get(path)).toMatchObject({
      metadata: { namespace: 'poolkeeper', labels: { 'poolkeeper.dev/sequence': sequenceName } },
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: 600,
        ttlSecondsAfterFinished: 86_400,
        template: {
          spec: { serviceAccountName: 'checker', containers: [{ image: waitFor.image, command: waitFor.command }] },
        },
      },
    });
    await ticks(2, tick);
    expect([...prod.objects.keys()].filter((each) => each.startsWith(jobs))).toEqual([path]);
    expect(prod.objects.has(applied)).toBe(false);

    ends('Complete');
    await ticks(2, tick);

    expect(prod.objects.has(applied)).toBe(true);
  });

  it('[S2-6] is run again after its interval when it fails, and the end of its log is kept', async () => {
    const { prod, ends, tick, hasJob, record } = await started();
    prod.objects.set(`${pods}/check-1`, { metadata: { name: 'check-1' } });
    prod.objects.set(`${pods}/check-1/log`, 'no quorum yet\n');

    ends('Failed');
    await tick();
    expect(record().items['storage@prod/waitFor']?.value).toBe('its check failed: no quorum yet');
    expect(hasJob()).toBe(false);
    await tick();

    expect(hasJob()).toBe(true);
  });

  it('[S2-6] [N-29] that failed is told with the end of its log, and without the passwords in that', async () => {
    const { prod, ends, tick, record } = await started();
    prod.objects.set(`${pods}/check-1`, { metadata: { name: 'check-1' } });
    prod.objects.set(`${pods}/check-1/log`, '+ mysql -u root -phunter2 -e "SHOW STATUS"\nno quorum yet\n');

    ends('Failed');
    await tick();

    const { value } = record().items['storage@prod/waitFor'] ?? {};
    expect(value).toMatch(/^its check failed: \+ mysql .*no quorum yet$/);
    expect(value).not.toContain('hunter2');
  });

  it('[S2-6] that succeeded stays open when its Job is removed a day later', async () => {
    const { prod, path, ends, tick, hasJob, record } = await started();
    ends('Complete');
    await ticks(2, tick);

    prod.objects.delete(path);
    await ticks(7, tick);

    expect(hasJob()).toBe(false);
    expect(record().done).toBeDefined();
  });

  it.each(['pause', 'abort'] as const)(
    '[S2-6] [N-22] is not run again after %s, however thoroughly it is looked at',
    async (kind) => {
      const { prod, path, tick, hasJob, record } = await started();
      const key = `poolkeeper/${sequenceName}`;
      const stored = prod.records.get(key);
      const said = { who: 'anna', why: 'wrong cluster', at: '2026-03-02T11:00:00.000Z' };
      prod.records.set(key, {
        text: sequenceRecordText(withRequest(record(), { kind, said })),
        resourceVersion: stored?.resourceVersion ?? '',
      });
      await tick();
      prod.objects.delete(path);

      await ticks(12, tick);

      expect(hasJob()).toBe(false);
    },
  );

  it('[S2-1] [S2-6] is not run before its wave, however thoroughly it is looked at', async () => {
    const early = { kind: 'check', wave: -1, waitFor: { resourceType: 'sc', resourceName: 'fast' } };
    const { prod, tick } = sequenceLab({ early, ...checked }, more);
    const hasJob = () => [...prod.objects.keys()].some((each) => each.startsWith(jobs));

    await ticks(12, tick);
    expect(hasJob()).toBe(false);
    prod.objects.set('/apis/storage.k8s.io/v1/storageclasses/fast', { metadata: { name: 'fast' } });
    await ticks(2, tick);

    expect(hasJob()).toBe(true);
  });
});

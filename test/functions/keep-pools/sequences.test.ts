import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/sequences/plan.ts';
import { sequenceRecordText, withRequest } from '../../../functions/core/sequences/record.ts';
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
      how: 'npx poolkeeper sequence status virt',
    });

    prod.objects.set(classPath, storageClass);
    await ticks(2, tick);

    expect(lab.pool().paused).toBe(false);
  });

  it('[S2-18] [S2-19] stays paused while its sequence cannot be read', async () => {
    const { lab, prod, tick } = await heldBack();
    prod.objects.set(classPath, storageClass);
    prod.failing.set('records', 'unreachable');

    await ticks(3, tick);

    expect(lab.pool().paused).toBe(true);
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

  it('[S2-15] that syncs is not parked in mid-operation', async () => {
    const { prod, tick, windows } = withApplication();
    prod.objects.set(`${home}/applications/nodes`, {
      metadata: { name: 'nodes' },
      spec: { project: 'platform' },
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

  it('[S2-15] of an Argo CD that is no longer configured is told, and the pass goes on', async () => {
    const { lab, prod, tick, record } = withApplication();
    await ticks(2, tick);
    const key = `poolkeeper/${sequenceName}`;
    const [[id, held] = []] = Object.entries(record().held ?? {});
    if (id === undefined || held === undefined) throw new Error('the Application is held');
    const text = sequenceRecordText({ ...record(), held: { [id]: { ...held, cluster: 'gone' } } });
    prod.records.set(key, { text, resourceVersion: prod.records.get(key)?.resourceVersion });
    const { views } = lab.world.tables;

    await ticks(2, tick);

    expect(lab.troubles()).toEqual(['sequence-stuck']);
    expect((await views.list()).map(({ readAt }) => readAt)).toEqual([lab.world.clock.now().toISOString()]);
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

  it('[S2-6] that succeeded stays open when its Job is removed a day later', async () => {
    const { prod, path, ends, tick, hasJob, record } = await started();
    ends('Complete');
    await ticks(2, tick);

    prod.objects.delete(path);
    await ticks(7, tick);

    expect(hasJob()).toBe(false);
    expect(record().done).toBeDefined();
  });
});

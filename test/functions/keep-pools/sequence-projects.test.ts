import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { sequenceLab } from './sequence-lab.ts';

const argo = '/apis/argoproj.io/v1alpha1/namespaces';
const home = `${argo}/openshift-gitops`;

const steps = {
  storage: { kind: 'check', waitFor: { resourceType: 'sc', resourceName: 'ceph' } },
  nodes: { kind: 'application', name: 'nodes', wave: 10 },
};

/** Application `nodes`, which waits for a storage class, and two AppProjects. */
function withProjects() {
  const all = sequenceLab(steps);
  const { objects } = all.prod;
  const isIn = (project: unknown, place = `${home}/applications/nodes`, more = {}) =>
    objects.set(place, { metadata: { name: 'nodes' }, spec: { project }, ...more });
  isIn('platform');
  for (const name of ['platform', 'other'])
    objects.set(`${home}/appprojects/${name}`, { metadata: { name }, spec: {} });
  const held = (project: string) => {
    const windows = memberOf(memberOf(objects.get(`${home}/appprojects/${project}`), 'spec'), 'syncWindows');
    return (Array.isArray(windows) ? windows : []).map((each) => String(memberOf(each, 'applications')));
  };
  return { ...all, isIn, held };
}

describe('an AppProject whose windows somebody takes away', () => {
  const path = `${home}/appprojects/platform`;
  const takenAway = ({ objects }: ReturnType<typeof withProjects>['prod']) => {
    const annotations = {
      'argocd.argoproj.io/tracking-id': 'projects:argoproj.io/AppProject:openshift-gitops/platform',
    };
    const written = (manager: string, time: string) => ({
      ...{ manager, operation: 'Update', time, fieldsType: 'FieldsV1' },
      fieldsV1: { 'f:spec': { 'f:syncWindows': {} } },
    });
    const managedFields = [
      written('argocd-controller', '2026-03-02T10:00:00Z'),
      written('poolkeeper', '2026-03-02T10:01:00Z'),
      written('kubectl-edit', '2026-03-02T09:00:00Z'),
    ];
    objects.set(path, { metadata: { name: 'platform', annotations, managedFields }, spec: { syncWindows: [] } });
  };

  it('[S2-15] [N-30] whenever they stand again is an incident with who does that and what to ignore, until they stand', async () => {
    const all = withProjects();
    // Two Applications that wait in one project are one time.
    all.configure({ steps: { ...steps, others: { kind: 'application', name: 'others', wave: 10 } } });
    all.isIn('platform', `${home}/applications/others`);
    await all.tick();
    const told: boolean[] = [];
    for (let times = 0; times < 3; times += 1) {
      takenAway(all.prod);
      await all.tick();
      told.push(all.lab.troubles().includes('sequence-stuck'));
    }
    const trouble = all.lab.world.tables.incidents.all().find(({ key }) => key.kind === 'sequence-stuck')?.trouble;
    const entries = JSON.stringify(await all.lab.ports.timeline.latest(50));
    const stands: boolean[] = [];
    for (let minute = 0; minute < 12; minute += 1) {
      await all.tick();
      stands.push(!all.lab.troubles().includes('sequence-stuck'));
    }

    expect(all.held('platform').toSorted()).toEqual(['nodes', 'others']);
    expect(told).toEqual([false, false, true]);
    expect(trouble).toMatchObject({
      severity: 'high',
      headline: 'windows of sequence virt are taken away again and again by argocd-controller',
      findings: [{ code: 'G6' }],
    });
    expect(trouble?.findings[0]?.sentence).toContain('AppProject openshift-gitops/platform of cluster prod');
    expect(JSON.stringify(trouble?.findings[0]?.remedies)).toContain('An Application applies the AppProject from Git');
    expect(entries).toContain('argocd-controller had taken its windows out of AppProject openshift-gitops/platform');
    expect(stands.indexOf(true)).toBeGreaterThanOrEqual(8);
    expect(stands.at(-1)).toBe(true);
  });

  it('[S2-15] [N-30] now and then, or that could not be written at first, is no incident', async () => {
    const all = withProjects();
    all.prod.failing.set(path, 'unreachable');
    for (let minute = 0; minute < 4; minute += 1) await all.tick();
    all.prod.failing.clear();
    await all.tick();
    takenAway(all.prod);
    await all.tick();

    expect(all.held('platform')).toEqual(['nodes']);
    expect(all.lab.troubles()).not.toContain('sequence-stuck');
  });

  const taken = async ({ lab }: ReturnType<typeof withProjects>) =>
    (await lab.ports.timeline.latest(50)).map(({ text }) => text).filter((text) => text.includes('had taken'));

  it('[S2-15] [N-29] one that is made after the Application waits for it has lost no windows', async () => {
    const all = withProjects();
    all.prod.objects.delete(path);
    await all.tick();
    await all.tick();
    takenAway(all.prod);
    await all.tick();
    const first = await taken(all);
    takenAway(all.prod);
    await all.tick();

    expect(first).toEqual([]);
    expect(await taken(all)).toHaveLength(1);
    expect(all.held('platform')).toEqual(['nodes']);
  });

  it('[S2-15] [N-29] one that could not be written at first has lost none either', async () => {
    const all = withProjects();
    all.prod.failing.set(path, 'unreachable');
    for (let minute = 0; minute < 3; minute += 1) await all.tick();
    all.prod.failing.clear();
    await all.tick();

    expect(all.held('platform')).toEqual(['nodes']);
    expect(await taken(all)).toEqual([]);
  });

  it.each([
    ['every AppProject can be written', false],
    ['another one cannot be written meanwhile', true],
  ])(
    '[S2-15] [N-29] a guard of the Application that comes and goes, and has a window in place of ours, takes none away: %s',
    async (_, isPart) => {
      const all = withProjects();
      if (isPart) {
        all.configure({ steps: { ...steps, others: { kind: 'application', name: 'others', wave: 10 } } });
        all.isIn('other', `${home}/applications/others`);
      }
      await all.tick();
      if (isPart) all.prod.failing.set(`${home}/appprojects/other`, 'unreachable');
      const { objects } = all.prod;
      const guards = JSON.stringify({
        v: 1,
        guards: [{ application: 'openshift-gitops/nodes', cluster: 'prod', pools: ['worker'] }],
      });
      const withAnnotations = (annotations: object) => {
        const project = { spec: memberOf(objects.get(path), 'spec') };
        objects.set(path, { ...project, metadata: { name: 'platform', annotations } });
      };
      const heldThen: unknown[] = [];
      for (let times = 0; times < 3; times += 1) {
        withAnnotations({ 'poolkeeper.dev/guards': guards });
        await all.tick();
        heldThen.push(all.held('platform'));
        withAnnotations({});
        await all.tick();
        heldThen.push(all.held('platform'));
      }

      expect(heldThen).toEqual([[], ['nodes'], [], ['nodes'], [], ['nodes']]);
      expect(await taken(all)).toEqual([]);
      expect(all.lab.world.tables.incidents.all().filter(({ trouble }) => trouble?.findings[0]?.code === 'G6')).toEqual(
        [],
      );
    },
  );
});

describe('an Application whose owner chooses its AppProject', () => {
  it('[S2-15] [N-30] does not escape its window by moving to another project', async () => {
    const { tick, isIn, held, record } = withProjects();
    await tick();
    expect([held('platform'), held('other')]).toEqual([['nodes'], []]);

    isIn('other');
    await tick();

    expect([held('platform'), held('other')]).toEqual([[], ['nodes']]);
    expect(Object.values(record().held ?? {})).toMatchObject([{ project: 'other' }]);
  });

  it('[S2-15] [N-30] leaves no window behind, also where one of the projects could not be written at first', async () => {
    const { prod, tick, isIn, held, record } = withProjects();
    await tick();
    isIn('other');
    prod.failing.set(`${home}/appprojects/platform`, 'unreachable');
    await tick();
    expect([held('platform'), held('other')]).toEqual([['nodes'], ['nodes']]);

    prod.failing.clear();
    prod.objects.set('/apis/storage.k8s.io/v1/storageclasses/ceph', { metadata: { name: 'ceph' } });
    for (let minute = 0; minute < 3; minute += 1) await tick();

    expect([held('platform'), held('other')]).toEqual([[], []]);
    expect(record().held).toBeUndefined();
  });

  it('[S2-15] [N-30] is not held where a window would hold back somebody else’s of the same name, which is told', async () => {
    const { lab, prod, tick, isIn, held } = withProjects();
    prod.objects.set(`${home}/appprojects/other`, {
      metadata: { name: 'other' },
      spec: { sourceNamespaces: ['ten*'] },
    });
    await tick();
    isIn('other');
    isIn('other', `${argo}/tenant/applications/nodes`);

    await tick();

    expect([held('platform'), held('other')]).toEqual([['nodes'], []]);
    expect(lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-15] [N-30] is held although somebody else’s of the same name claims its project, which does not accept that one', async () => {
    const { lab, tick, isIn, held } = withProjects();
    isIn('platform', `${argo}/tenant/applications/nodes`);

    await tick();

    expect(held('platform')).toEqual(['nodes']);
    expect(lab.troubles()).toEqual([]);
  });

  it('[S2-15] [N-30] is held also where the namespace of others is gone, and our rights in it', async () => {
    const { lab, prod, tick, held } = withProjects();
    prod.failing.set(`${argo}/tenant/`, 'forbidden');

    await tick();

    expect(held('platform')).toEqual(['nodes']);
    expect(lab.troubles()).toEqual([]);
  });

  it('[S2-15] [N-30] is held also where another one cannot be, because our rights in its namespace are gone', async () => {
    const all = withProjects();
    const step = { kind: 'application', wave: 10 };
    all.configure({ steps: { ...steps, theirs: { ...step, name: 'theirs', namespace: 'tenant' } } });
    all.prod.failing.set(`${argo}/tenant/`, 'forbidden');

    await all.tick();

    expect(all.held('platform')).toEqual(['nodes']);
    expect(all.lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-15] [N-30] keeps its window beside the guard of somebody else’s of its name, which opens for that one', async () => {
    const { prod, tick, held } = withProjects();
    await tick();
    expect(held('platform')).toEqual(['nodes']);
    const place = `${home}/appprojects/platform`;
    const guardedAs = (application: string) => {
      const record = { v: 1, guards: [{ application, cluster: 'prod', pools: ['worker'] }] };
      const annotations = { 'poolkeeper.dev/guards': JSON.stringify(record) };
      const found = Object(prod.objects.get(place));
      prod.objects.set(place, { ...found, metadata: { ...found.metadata, annotations } });
    };

    guardedAs('tenant/nodes');
    await tick();
    expect(held('platform')).toEqual(['nodes']);

    guardedAs('openshift-gitops/nodes');
    await tick();
    expect(held('platform')).toEqual([]);
  });

  it('[S2-15] keeps its window while it moves in mid-operation, or cannot be read', async () => {
    const { prod, tick, isIn, held } = withProjects();
    await tick();

    isIn('other', `${home}/applications/nodes`, { operation: {}, status: { operationState: { phase: 'Running' } } });
    await tick();
    expect([held('platform'), held('other')]).toEqual([['nodes'], []]);

    prod.failing.set(`${home}/applications/nodes`, 'unreachable');
    await tick();
    expect([held('platform'), held('other')]).toEqual([['nodes'], []]);
  });

  const path = `${home}/appprojects/platform`;
  const inState = (phase: string, message = '') => ({
    ...(phase === 'Running' ? { operation: {} } : {}),
    status: { operationState: { phase, message } },
  });

  it.each([
    [
      'somebody took the window away',
      async ({ prod, tick }: ReturnType<typeof withProjects>) => {
        await tick();
        prod.objects.set(path, { metadata: { name: 'platform' }, spec: { syncWindows: [] } });
      },
    ],
    [
      'the AppProject could not be written when its wait began',
      async ({ prod, tick }: ReturnType<typeof withProjects>) => {
        prod.failing.set(path, 'unreachable');
        await tick();
        prod.failing.clear();
      },
    ],
    [
      'the AppProject is made with it, after its project was named',
      async ({ prod, tick, configure }: ReturnType<typeof withProjects>) => {
        configure({ steps: { ...steps, nodes: { ...steps.nodes, project: 'platform' } } });
        prod.objects.delete(`${home}/applications/nodes`);
        prod.objects.delete(path);
        await tick();
        prod.objects.set(path, { metadata: { name: 'platform' }, spec: {} });
      },
    ],
  ])(
    '[S2-15] [N-30] gets no window back in the middle of its sync, and does once that has ended: %s',
    async (_, before) => {
      const all = withProjects();
      await before(all);
      const held: (readonly string[])[] = [];
      for (const state of [
        inState('Running', 'waiting for completion of hook'),
        { operation: {} },
        inState('Succeeded'),
      ]) {
        all.isIn('platform', `${home}/applications/nodes`, state);
        await all.tick();
        held.push(all.held('platform'));
      }

      expect(held).toEqual([[], [], ['nodes']]);
    },
  );

  it('[S2-15] gets its window back while its sync has waited for that since its beginning', async () => {
    const all = withProjects();
    await all.tick();
    all.prod.objects.set(path, { metadata: { name: 'platform' }, spec: { syncWindows: [] } });
    all.isIn('platform', `${home}/applications/nodes`, inState('Running', 'Sync operation blocked by sync window'));
    await all.tick();

    expect(all.held('platform')).toEqual(['nodes']);
  });

  it.each([[[]], [['idle']]])(
    '[S2-15] [N-30] one time that somebody took the windows away is told as one, though syncs end one after the other, beside %j',
    async (idle) => {
      const all = withProjects();
      const names = ['nodes', 'others', 'third'];
      const step = (name: string) => [name, { kind: 'application', name, wave: 10 }] as const;
      all.configure({ steps: { storage: steps.storage, ...Object.fromEntries([...names, ...idle].map(step)) } });
      for (const name of [...names, ...idle]) all.isIn('platform', `${home}/applications/${name}`);
      await all.tick();
      all.prod.objects.set(path, { metadata: { name: 'platform' }, spec: { syncWindows: [] } });
      for (const name of names) all.isIn('platform', `${home}/applications/${name}`, inState('Running'));
      await all.tick();
      for (const name of names) {
        all.isIn('platform', `${home}/applications/${name}`, inState('Succeeded'));
        await all.tick();
      }
      const entries = await all.lab.ports.timeline.latest(50);

      expect(all.held('platform').toSorted()).toEqual([...idle, ...names].toSorted());
      expect(entries.filter(({ text }) => text.includes('had taken its windows'))).toHaveLength(1);
      expect(all.lab.troubles()).not.toContain('sequence-stuck');
    },
  );

  const nobodys = { status: { operationState: { phase: 'Running', startedAt: '2026-03-02T09:00:00Z', message: '' } } };

  it('[S2-15] [N-30] gets its window though its status says of a sync that nobody runs that it does', async () => {
    const all = withProjects();
    all.isIn('platform', `${home}/applications/nodes`, nobodys);
    await all.tick();

    expect(all.held('platform')).toEqual(['nodes']);
  });

  it('[S2-15] [N-30] gets a window back that was taken away before its status says so', async () => {
    const all = withProjects();
    await all.tick();
    all.prod.objects.set(path, { metadata: { name: 'platform' }, spec: { syncWindows: [] } });
    all.isIn('platform', `${home}/applications/nodes`, nobodys);
    await all.tick();

    expect(all.held('platform')).toEqual(['nodes']);
  });

  it('[S2-15] [N-30] that somebody took the window away is told once it is put back, also after a sync', async () => {
    const all = withProjects();
    await all.tick();
    all.prod.objects.set(path, { metadata: { name: 'platform' }, spec: { syncWindows: [] } });
    all.isIn('platform', `${home}/applications/nodes`, inState('Running'));
    await all.tick();
    const during = JSON.stringify(await all.lab.ports.timeline.latest(50));
    all.isIn('platform', `${home}/applications/nodes`, inState('Succeeded'));
    await all.tick();

    expect(during).not.toContain('had taken its windows');
    expect(JSON.stringify(await all.lab.ports.timeline.latest(50))).toContain('had taken its windows');
  });

  it.each([['x'.repeat(20_000)], ['../other'], [7]])(
    '[N-30] in a project of a name that none has is told',
    async (name) => {
      const { lab, tick, isIn, record } = withProjects();
      isIn(name);

      await tick();

      expect(lab.troubles()).toEqual(['sequence-stuck']);
      expect(record().held).toBeUndefined();
    },
  );
});

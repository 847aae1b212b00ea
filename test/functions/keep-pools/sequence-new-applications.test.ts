import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { anApplication } from '../../fakes/index.ts';
import { sequenceLab } from './sequence-lab.ts';

const home = '/apis/argoproj.io/v1alpha1/namespaces/openshift-gitops';
const wave = 'argocd.argoproj.io/sync-wave';

/** Application `nodes`, which comes after a storage class and is not there yet, and two AppProjects. */
function withoutApplication(step: Readonly<Record<string, unknown>>) {
  const all = sequenceLab({
    storage: { kind: 'check', wave: 5, waitFor: { resourceType: 'sc', resourceName: 'ceph' } },
    nodes: { kind: 'application', name: 'nodes', ...step },
  });
  const { objects } = all.prod;
  all.lab.world.argocd.remove('nodes');
  for (const name of ['platform', 'other'])
    objects.set(`${home}/appprojects/${name}`, { metadata: { name }, spec: {} });
  const held = (project = 'platform') => {
    const windows = memberOf(memberOf(objects.get(`${home}/appprojects/${project}`), 'spec'), 'syncWindows');
    return (Array.isArray(windows) ? windows : []).map((each) => String(memberOf(each, 'applications')));
  };
  return {
    ...all,
    held,
    async minutes(count: number) {
      for (let minute = 0; minute < count; minute += 1) await all.tick();
    },
    isMade(project: string, annotations = {}) {
      objects.set(`${home}/applications/nodes`, { metadata: { name: 'nodes', annotations }, spec: { project } });
      all.lab.world.argocd.put(anApplication({ sync: { status: 'OutOfSync', revisions: [] } }));
    },
    isClassThere: () => objects.set('/apis/storage.k8s.io/v1/storageclasses/ceph', { metadata: { name: 'ceph' } }),
  };
}

describe('an Application that is a step and is not there yet', () => {
  it('[S2-1] [S2-15] is held back before it is made, where its project is named, and let go in its turn', async () => {
    const { minutes, held, isMade, isClassThere, record } = withoutApplication({ wave: 10, project: 'platform' });
    await minutes(1);
    expect(held()).toEqual(['nodes']);

    isMade('platform');
    await minutes(2);
    expect(held()).toEqual(['nodes']);

    isClassThere();
    await minutes(2);
    expect([held(), record().held]).toEqual([[], undefined]);
  });

  it('[S2-15] is held back where it is once it is made, if that is another project', async () => {
    const { minutes, held, isMade } = withoutApplication({ wave: 10, project: 'platform' });
    await minutes(1);

    isMade('other');
    await minutes(1);

    expect([held(), held('other')]).toEqual([[], ['nodes']]);
  });

  it('[S2-1] does not begin before its annotation says its wave', async () => {
    const { lab, minutes, held, isMade, isClassThere, record } = withoutApplication({ project: 'platform' });
    await minutes(2);
    expect([held(), record().items['nodes@prod']?.begunAt]).toEqual([['nodes'], undefined]);

    isMade('platform', { [wave]: '10' });
    await minutes(3);
    expect([held(), record().items['nodes@prod']]).toMatchObject([['nodes'], { wave: 10 }]);

    isClassThere();
    await minutes(2);
    expect(held()).toEqual([]);
    expect(lab.troubles()).toEqual([]);
  });

  it('[S2-1] begins with wave 0 when it is there and has no annotation', async () => {
    const { minutes, isMade, record } = withoutApplication({});
    await minutes(1);

    isMade('platform');
    await minutes(1);

    expect(record().items['nodes@prod']?.begunAt).toBeDefined();
  });

  it('[S2-10] [N-30] is told where nobody makes it, and nothing else begins before its wave is known', async () => {
    const { lab, minutes } = withoutApplication({});
    await minutes(235);
    expect(lab.troubles()).toEqual([]);

    await minutes(10);

    expect(lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-15] keeps its turn when its project is named afterwards', async () => {
    const { minutes, held, isMade, isClassThere, configure, record } = withoutApplication({ wave: 10 });
    isMade('platform');
    isClassThere();
    await minutes(2);
    const { begunAt } = record().items['nodes@prod'] ?? {};

    configure({
      steps: {
        storage: { kind: 'check', wave: 5, waitFor: { resourceType: 'sc', resourceName: 'ceph' } },
        nodes: { kind: 'application', name: 'nodes', wave: 10, project: 'platform' },
      },
    });
    await minutes(2);

    expect(begunAt).toBeDefined();
    expect([held(), record().items['nodes@prod']?.begunAt]).toEqual([[], begunAt]);
  });
});

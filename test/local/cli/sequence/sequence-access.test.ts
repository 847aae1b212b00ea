import { describe, expect, it } from 'vitest';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { accessObjects } from '../../../../local/manifests/access.ts';
import { sequenceRights } from '../../../../local/manifests/sequence-access.ts';
import { referenceSteps, sequenceOf } from '../../../functions/core/sequences/sequence-builder.ts';

const rule = (apiGroup: string, resource: string, verbs: readonly string[], ...resourceNames: readonly string[]) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
  verbs,
});

describe('the rights of sequences', () => {
  it('[S2-12] [C-11] are those of the kinds that they use, by name where there is one, and no others', () => {
    const steps = {
      ...referenceSteps,
      job: {
        kind: 'object',
        object: 'policy',
        wave: 12,
        waitFor: { resourceType: 'secret', resourceName: 'key', resourceNamespace: 'shop' },
      },
      elsewhere: { kind: 'object', object: 'policy', clusters: ['edge'], wave: 13 },
    };
    const policy = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly', namespace: 'shop' } };
    const sequence = sequenceOf(steps, { extraObjects: { policy }, clusters: ['prod'] });

    const { everywhere, byNamespace } = sequenceRights({ virt: sequence }, 'prod', []);

    expect(everywhere).toEqual([
      rule('storage.k8s.io', 'storageclasses', ['get', 'list'], 'ocs-storagecluster-ceph-rbd'),
    ]);
    expect(Object.fromEntries(byNamespace)).toEqual({
      'openshift-cnv': ['subscriptions', 'clusterserviceversions', 'installplans'].map((plural) =>
        rule('operators.coreos.com', plural, ['get']),
      ),
      'openshift-storage': ['subscriptions', 'clusterserviceversions', 'installplans'].map((plural) =>
        rule('operators.coreos.com', plural, ['get']),
      ),
      poolkeeper: [
        rule('', 'configmaps', ['get', 'patch', 'delete'], 'poolkeeper-sequence-virt'),
        rule('', 'configmaps', ['create']),
      ],
      shop: [
        rule('batch', 'cronjobs', ['get', 'patch', 'delete'], 'nightly'),
        rule('batch', 'cronjobs', ['create']),
        rule('', 'secrets', ['get', 'list'], 'key'),
      ],
    });
  });

  it('[S2-12] another cluster needs only what is done there', () => {
    const sequence = sequenceOf(referenceSteps, { clusters: ['prod'] });

    expect(sequenceRights({ virt: sequence }, 'edge', [])).toEqual({ everywhere: [], byNamespace: new Map() });
    expect(sequenceRights(undefined, 'prod', [])).toEqual({ everywhere: [], byNamespace: new Map() });
  });

  it('[S2-19] a kind that nobody can name without a cluster is asked for in full', () => {
    const sequence = sequenceOf({ x: { kind: 'check', waitFor: { resourceType: 'fs' } } });

    expect(() => sequenceRights({ virt: sequence }, 'prod', [])).toThrow(Misconfigured);
  });

  it('[S2-12] each namespace has a role and its binding', () => {
    const account = { namespace: 'poolkeeper', name: 'poolkeeper' };
    const sequences = sequenceRights({ virt: sequenceOf(referenceSteps) }, 'prod', []);

    const objects = accessObjects({ account, pauses: true, pools: [], argocdNamespaces: [], sequences });

    const names = objects.filter(({ metadata }) => metadata.name === 'poolkeeper-sequences');
    expect(names.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}`.trim())).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      ...['openshift-cnv', 'openshift-storage', 'poolkeeper'].flatMap((each) => [
        `Role ${each}`,
        `RoleBinding ${each}`,
      ]),
    ]);
  });
});

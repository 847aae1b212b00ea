import { describe, expect, test } from 'vitest';
import { breakGlassAnnotation } from '../../functions/core/argocd/refused-sync.ts';
import { breakGlassQuestions, readBreakGlass } from '../../functions/core/judge/break-glass.ts';
import { kindRules } from '../../functions/core/openshift/rendered-kinds.ts';
import { pauseFirstObjects } from '../../local/manifests/pause-first.ts';
import { machineConfig, pool } from '../cluster/harness/objects.ts';
import { admittingStore } from './admitting-store.ts';
import { evaluatePolicy, specOf } from './evaluate-policy.ts';
import { machineOSBuild, pauseFirstContract, poolsIn, tenant } from './pause-first.contract.ts';

pauseFirstContract('its expressions under an evaluator', async () => admittingStore());

const { now } = admittingStore();

describe('the annotation that a refusal prints', () => {
  test.each(['creation of 99-a', 'update of 99-a at generation 7', 'deletion of 99-a at generation 7'])(
    '[N-27] %s: what the policy admits is what Poolkeeper reports',
    async (act) => {
      const words = `${act} until ${new Date(now().getTime() + 3_600_000).toISOString().slice(0, 19)}Z: CVE of tonight`;
      const item = { metadata: { name: '99-a', generation: 7, annotations: { [breakGlassAnnotation]: words } } };
      const [exemption] =
        readBreakGlass(
          breakGlassQuestions.map((_, index) =>
            index === 0 ? { kind: 'found', body: { items: [item] }, readAt: now() } : { kind: 'absent', readAt: now() },
          ),
        ) ?? [];

      expect(exemption).toMatchObject({ name: '99-a', reason: 'CVE of tonight' });
      expect(exemption?.names?.act).toBe(act.split(' ')[0]);
    },
  );
});

describe('the kinds of the policy', () => {
  const [policy] = pauseFirstObjects({ namespace: 'poolkeeper', pools: [], except: [] });
  const named = specOf(policy).matchConstraints.resourceRules.flatMap(({ apiGroups, resources }) =>
    apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
  );

  /** Rendered, and yet not in the policy. */
  const left: Readonly<Record<string, string>> = {
    'machineconfiguration.openshift.io/MachineConfigPool': 'people pause with it',
    'operator.openshift.io/Network': 'the network operator turns it into MachineConfigs',
    'config.openshift.io/Infrastructure': 'OpenShift writes it',
    'config.openshift.io/DNS': 'OpenShift writes it',
    'config.openshift.io/Network': 'OpenShift writes it',
    'config.openshift.io/ClusterVersion': 'an upgrade must not wait',
  };

  test('[N-27] are all that the Machine Config Operator renders, apart from those in docs/admission.md', () => {
    const rendered = kindRules.filter(
      ({ group, reach }) => group !== '' && !['none', 'assumed', 'node-labels'].includes(reach),
    );
    const missing = rendered
      .filter(({ group, kind }) => !named.includes(`${group}/${pluralOf(kind)}`))
      .map(({ group, kind }) => `${group}/${kind}`);

    expect(missing.toSorted()).toEqual(Object.keys(left).toSorted());
  });

  test.each(named.filter((each) => !/(?:machine|kubelet|containerruntime)(?:os)?configs$/.test(each)))(
    '[N-27] [C-11] %s: whatever a tenant does to one waits for every protected pool, and the operator need not',
    (kind) => {
      const [group = '', resource = ''] = kind.split('/');
      const object = { metadata: { name: 'cluster', generation: 1 }, spec: { a: 'b' } };
      const changed = { ...object, metadata: { ...object.metadata, generation: 2 }, spec: { a: 'c' } };
      const params = pool({ name: 'alone', roles: ['alone'] });
      const request = { group, resource, kind: 'Kind', name: 'cluster', user: 'tenant', params };
      const attempts = [
        { operation: 'CREATE', object, oldObject: null },
        { operation: 'UPDATE', object: changed, oldObject: object },
        { operation: 'DELETE', object: null, oldObject: object },
        // All of them at once: the API server asks for each, and the request has no name.
        { operation: 'DELETE', object: null, oldObject: object, name: '' },
      ] as const;
      const operator = 'system:serviceaccount:openshift-machine-config-operator:machine-config-operator';

      for (const attempt of attempts) {
        const verdict = evaluatePolicy(specOf(policy), { ...request, ...attempt });
        expect(verdict).toMatchObject({ kind: 'refused', message: expect.stringContaining('alone is not paused yet') });
        expect(evaluatePolicy(specOf(policy), { ...request, ...attempt, user: operator }).kind).toBe('unmatched');
      }
    },
  );

  test('[N-27] of kinds of which the operator reads one object, others are free', () => {
    const object = { metadata: { name: 'other', generation: 1 }, spec: { a: 'b' } };
    const params = pool({ name: 'alone', roles: ['alone'] });
    const kindOf = { group: 'config.openshift.io', resource: 'images', kind: 'Image' };

    const verdict = evaluatePolicy(specOf(policy), {
      ...kindOf,
      name: 'other',
      operation: 'CREATE',
      object,
      oldObject: null,
      user: 'tenant',
      params,
    });

    expect(verdict.kind).toBe('admitted');
  });
});

describe('a MachineOSBuild, which the MCO lets go in the foreground', () => {
  const builder = 'openshift-machine-config-operator:machine-os-builder';
  const collector = 'kube-system:generic-garbage-collector';
  const by = (account: string) => ({ user: `system:serviceaccount:${account}` });
  const foreground = ['foregroundDeletion'];

  /** One that the MCO has deleted, while its pool and another are not paused. */
  async function deleted(finalizers: readonly string[]) {
    const lab = admittingStore();
    const build = machineOSBuild('alone-1', {}, { finalizers });
    await lab.place(build);
    await lab.pauseAllBut('alone', 'gpu');
    expect(await lab.as(by(builder)).delete(build)).toBeUndefined();
    expect(await lab.isThere(build)).toBe(true);
    return { lab, build };
  }

  test('[N-27] goes when the MCO deletes it, whichever pools are paused', async () => {
    const { lab, build } = await deleted(foreground);

    expect(await lab.as(by(collector)).patch(build, { metadata: { finalizers: null } })).toBeUndefined();
    expect(await lab.isThere(build)).toBe(false);
  });

  test('[N-27] goes with its MachineOSConfig, for which its pool alone is paused', async () => {
    const lab = admittingStore();
    const build = machineOSBuild('alone-1', {}, { finalizers: foreground });
    await lab.place(build);
    await lab.pauseAllBut('gpu');

    expect(await lab.as(by(collector)).delete(build)).toBeUndefined();
    expect(await lab.as(by(collector)).patch(build, { metadata: { finalizers: [] } })).toBeUndefined();
    expect(await lab.isThere(build)).toBe(false);
  });

  test('[N-27] [C-11] is not let go by a tenant, or by what else held it', async () => {
    const { lab, build } = await deleted(foreground);
    const held = await deleted(['foregroundDeletion', 'example.com/stay']);

    expect(poolsIn(await lab.as(tenant).patch(build, { metadata: { finalizers: null } }))).toEqual(['alone']);
    expect(poolsIn(await held.lab.as(by(collector)).patch(held.build, { metadata: { finalizers: null } }))).toEqual([
      'alone',
    ]);
  });

  test('[N-27] [C-11] is deleted by the garbage collector, whom anybody may send, only while its pool is paused', async () => {
    const lab = admittingStore();
    const build = machineOSBuild('alone-1', {}, { finalizers: foreground });
    await lab.place(build);
    await lab.pauseAllBut('alone');

    expect(poolsIn(await lab.as(by(collector)).delete(build))).toEqual(['alone']);
    expect(poolsIn(await lab.as(by(collector)).patch(build, { spec: { machineOSConfig: { name: 'x' } } }))).toEqual([
      'alone',
    ]);
  });

  test('[N-27] [C-11] only of this kind the end of a deletion need not wait', async () => {
    const lab = admittingStore();
    const object = machineConfig('69-a', 'alone');
    const held = { ...object, metadata: { ...object.metadata, finalizers: foreground } };
    await lab.place(held);
    await lab.pauseAllBut();
    expect(await lab.as(tenant).delete(held)).toBeUndefined();
    await lab.pauseAllBut('alone');

    expect(poolsIn(await lab.as(by(collector)).patch(held, { metadata: { finalizers: null } }))).toEqual(['alone']);
  });
});

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(?:cy|xy)$/.test(lower)) return `${lower.slice(0, -1)}ies`;
  return `${lower}s`;
}

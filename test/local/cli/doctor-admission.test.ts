import { describe, expect, test } from 'vitest';
import { type AdmissionSeen, checkAdmission, type PolicySeen } from '../../../local/cli/doctor/check-admission.ts';
import { pauseFirstObjects, pauseFirstVersion } from '../../../local/manifests/pause-first.ts';

const required = 'operator.machineconfiguration.openshift.io/required-for-upgrade';

/** What `manifests --pools worker,gpu` prints, as it stands on a cluster. */
function sound(change: Partial<AdmissionSeen> = {}, except: readonly string[] = []): AdmissionSeen {
  const [policy] = pauseFirstObjects({ namespace: 'poolkeeper', pools: ['worker', 'gpu'], except });
  const spec = policy?.['spec'] as Pick<PolicySeen, 'variables' | 'validations' | 'matchConditions'> & {
    readonly matchConstraints: Pick<PolicySeen, 'resourceRules'>;
  };
  const { matchConstraints, matchConditions, variables, validations } = spec;
  const content = { ...matchConstraints, isNarrowed: false, matchConditions, variables, validations };
  const binding = (pool: string) => ({
    name: `poolkeeper-pause-first-${pool}`,
    policyName: 'poolkeeper-pause-first',
    pool,
    selector: undefined,
    actions: ['Deny', 'Audit'],
    parameterNotFoundAction: 'Allow',
    isNarrowed: false,
  });
  return {
    home: 'poolkeeper',
    policies: [
      {
        name: 'poolkeeper-pause-first',
        home: 'poolkeeper',
        version: pauseFirstVersion,
        failurePolicy: 'Fail',
        ...content,
      },
    ],
    bindings: [binding('worker'), binding('gpu')],
    pools: [
      { name: 'master', labels: { [required]: '' } },
      { name: 'worker', labels: {} },
      { name: 'gpu', labels: {} },
    ],
    wanted: ['worker', 'gpu'],
    kept: ['worker', 'gpu'],
    ...change,
  };
}

const [policy] = sound().policies;
const [first] = sound().bindings;
const policies = (change: object) => (policy === undefined ? [] : [{ ...policy, ...change }]);
const bindings = (change: object) =>
  first === undefined ? [] : sound().bindings.map((each) => ({ ...each, ...change }));
const bySelector = {
  pool: undefined,
  selector: { matchExpressions: [{ key: required, operator: 'DoesNotExist' as const }] },
};

describe('[N-27] the doctor on the admission level', () => {
  test('finds nothing wrong with what is printed', () => {
    expect(checkAdmission('prod', sound())).toMatchObject([
      { state: 'ok', what: expect.stringContaining('worker, gpu') },
    ]);
  });

  test('finds nothing wrong with one binding by a selector, which leaves out what upgrades wait for', () => {
    const [one] = bindings(bySelector);

    expect(checkAdmission('prod', sound({ bindings: one === undefined ? [] : [one] }))).toMatchObject([
      { state: 'ok' },
    ]);
  });

  test('[N-27] [N-30] names a binding that leaves out some of what its policy matches', () => {
    const narrowed = sound().bindings.map((each) => ({ ...each, isNarrowed: each.pool === 'gpu' }));

    expect(checkAdmission('prod', sound({ bindings: narrowed }))).toMatchObject([
      {
        state: 'wrong',
        what: 'admission: binding poolkeeper-pause-first-gpu leaves out some objects (matchResources)',
      },
    ]);
  });

  test('[N-27] [C-11] prints a remedy that keeps the exempted accounts, and is for the same installation', () => {
    const seen = sound({}, ['system:serviceaccount:openshift-azure-operator:aro-operator-master']);
    const policies = seen.policies.map((each) => ({
      ...each,
      name: 'pk-prod-pause-first',
      home: 'pk-prod',
      version: '2',
    }));
    const bindings = seen.bindings.map((each) => ({ ...each, policyName: 'pk-prod-pause-first' }));

    expect(checkAdmission('prod', { ...seen, home: 'pk-prod', policies, bindings })).toMatchObject([
      {
        state: 'wrong',
        remedy: expect.stringContaining(
          '--pools worker,gpu --except openshift-azure-operator/aro-operator-master --namespace pk-prod | oc apply',
        ),
      },
    ]);
  });

  describe('[N-27] [C-13] of two installations on one cluster', () => {
    /** Of earlier versions, bound for `gpu` alone. */
    const theirs = sound();
    const others = theirs.policies.map((each) => ({
      ...each,
      ...{ name: 'pk-dev-pause-first', home: 'pk-dev', version: '1', failurePolicy: 'Ignore' },
    }));
    const bound = theirs.bindings
      .filter(({ pool }) => pool === 'gpu')
      .map((each) => ({ ...each, name: 'pk-dev-pause-first-gpu', policyName: 'pk-dev-pause-first', actions: [] }));

    test('says nothing of the policy of the other where we want none, and may not pause its pools', () => {
      const seen = sound({ policies: others, bindings: bound, wanted: [], kept: ['worker'] });

      expect(checkAdmission('prod', seen)).toEqual([]);
    });

    test('misses ours where the other has one, and its remedy leaves that alone', () => {
      const seen = sound({ home: 'pk-prod', policies: others, bindings: bound, wanted: ['worker'] });

      expect(checkAdmission('prod', seen)).toEqual([
        {
          about: 'prod',
          state: 'wrong',
          what: 'admission: no policy of this installation refuses changes of worker while they are not paused',
          remedy:
            'poolkeeper manifests --level admission --only pause-first --pools worker --namespace pk-prod | oc apply -f - (docs/admission.md)',
        },
      ]);
    });

    test('a pool that only the other covers is not covered by ours', () => {
      const [ofWorker] = theirs.bindings;
      const seen = sound({
        policies: [...theirs.policies, ...others],
        bindings: [
          ...(ofWorker === undefined ? [] : [ofWorker]),
          ...bound.map((each) => ({ ...each, actions: ['Deny'] })),
        ],
      });

      expect(checkAdmission('prod', seen)).toMatchObject([
        {
          state: 'wrong',
          what: 'admission: no binding covers gpu',
          remedy: expect.not.stringContaining('pk-dev'),
        },
      ]);
    });

    test('finds nothing wrong with ours', () => {
      const seen = { policies: [...others, ...theirs.policies], bindings: [...bound, ...theirs.bindings] };

      expect(checkAdmission('prod', sound(seen))).toMatchObject([{ state: 'ok' }]);
    });
  });

  test('[C-11] names the accounts that somebody has exempted', () => {
    const exempted = checkAdmission('prod', sound({}, ['system:serviceaccount:team:deployer']));

    expect(exempted.map(({ state, what }) => [state, what])).toEqual([
      ['ok', expect.stringContaining('these accounts are exempt: system:serviceaccount:team:deployer')],
      ['ok', expect.stringContaining('worker, gpu')],
    ]);
  });

  test('a policy that nothing binds and nobody wants is told as such, and not as a protection', () => {
    const [only, ...more] = checkAdmission('prod', sound({ bindings: [], wanted: [] }));

    expect(more).toEqual([]);
    expect(only).toMatchObject({
      state: 'ok',
      what: 'admission: the policy exists but refuses nothing: it is bound to no pool',
    });
  });

  test('what nobody wants is taken away or said in poolkeeper.yaml, and never bound to every pool', () => {
    const [old] = checkAdmission('prod', sound({ policies: policies({ version: 'v0' }), wanted: [] }));

    expect(old?.state).toBe('wrong');
    expect(JSON.stringify(old)).not.toContain('--pools');
    expect(JSON.stringify(old)).toContain('poolkeeper-pause-first');
  });

  test('says nothing where neither the cluster nor poolkeeper.yaml has it', () => {
    expect(checkAdmission('prod', sound({ policies: [], bindings: [], wanted: [] }))).toEqual([]);
  });

  test.each<[string, string, Partial<AdmissionSeen>]>([
    ['wrong', 'no policy refuses changes of worker, gpu', { policies: [] }],
    ['wrong', 'has version 0, this is', { policies: policies({ version: '0' }) }],
    ['wrong', 'has version unknown', { policies: policies({ version: undefined }) }],
    ['wrong', 'was changed by hand', { policies: policies({ validations: [{ expression: 'true' }] }) }],
    ['wrong', 'was changed by hand', { policies: policies({ isNarrowed: true }) }],
    ['wrong', 'was changed by hand', { policies: policies({ resourceRules: [] }) }],
    ['wrong', 'was changed by hand', { policies: policies({ matchConditions: [] }) }],
    [
      'wrong',
      'was changed by hand',
      {
        policies: policies({
          matchConditions: policy?.matchConditions.map((each) =>
            each.name === 'is-not-an-exempt-account'
              ? { ...each, expression: `${each.expression} && request.userInfo.username != "tenant"` }
              : each,
          ),
        }),
      },
    ],
    ['wrong', 'admits what it cannot evaluate', { policies: policies({ failurePolicy: 'Ignore' }) }],
    ['wrong', 'no binding covers gpu', { bindings: first === undefined ? [] : [first] }],
    ['wrong', 'no binding covers worker, gpu', { bindings: bindings({ policyName: 'other' }) }],
    ['wrong', 'refuses nothing (no Deny)', { bindings: bindings({ actions: ['Audit'] }) }],
    ['wrong', 'Poolkeeper may not pause them', { kept: ['worker'] }],
    ['warning', 'poolkeeper.yaml does not mention it', { wanted: ['worker'] }],
    ['warning', 'refuses every MachineConfig', { bindings: bindings({ parameterNotFoundAction: 'Deny' }) }],
  ])('%s: %s', (state, words, change) => {
    const findings = checkAdmission('prod', sound(change));

    expect(findings).toContainEqual(expect.objectContaining({ state, what: expect.stringContaining(words) }));
    expect(findings.every(({ remedy }) => remedy !== undefined)).toBe(true);
  });
});

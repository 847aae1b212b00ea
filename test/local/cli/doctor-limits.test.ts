import { describe, expect, test } from 'vitest';
import { checkLimits, type LimitSeen } from '../../../local/cli/doctor/check-limits.ts';
import { otherGuards, otherInstallations } from '../../../local/cli/doctor/other-installations.ts';
import { admissionLimitObjects, limitVersion, nodeLimit } from '../../../local/manifests/admission-limit.ts';
import { aConnected } from './a-connected.ts';
import { lookAt } from './look-at-limits.ts';

const home = 'poolkeeper';
const account = { namespace: home, name: home };
const grants = { pools: [], argocdNamespaces: [] };

/** What is printed. */
const { limits } = await lookAt(admissionLimitObjects({ account, pools: [] }));

function bound(seen: readonly LimitSeen[], actions: readonly string[] = ['Deny']) {
  return seen.map(({ name }) => ({
    name,
    policyName: name,
    pool: undefined,
    selector: undefined,
    actions,
    parameterNotFoundAction: 'Allow',
    isNarrowed: false,
  }));
}

describe('[C-11] the doctor on what limits our account', () => {
  test('finds nothing wrong with what is printed', () => {
    expect(checkLimits(aConnected(), { limits, bindings: bound(limits) })).toMatchObject([
      { state: 'ok', what: 'limits: 2 policies limit the account' },
    ]);
  });

  test.each<[string, readonly LimitSeen[]]>([
    ['only RBAC limits the account', []],
    ['may request tokens of any life', limits.filter(({ limit }) => limit !== 'may-only-renew')],
    [`has version unknown, this is ${limitVersion}`, limits.map((each) => ({ ...each, version: undefined }))],
  ])('%s', (words, seen) => {
    expect(checkLimits(aConnected(), { limits: seen, bindings: bound(seen) })).toContainEqual(
      expect.objectContaining({
        state: 'wrong',
        what: expect.stringContaining(words),
        remedy: 'poolkeeper connect --name prod --stage live',
      }),
    );
  });

  test('[C-11] [C-13] prints a remedy for the account of that installation', () => {
    const of = limits.map((each) => ({ ...each, name: `pk-prod-${each.limit}`, home: 'pk-prod', version: '0' }));

    expect(checkLimits(aConnected({ home: 'pk-prod' }), { limits: of, bindings: bound(of) })).toMatchObject(
      of.map(() => ({
        state: 'wrong',
        remedy: 'poolkeeper connect --name prod --namespace pk-prod --stage live',
      })),
    );
  });

  describe('[C-11] [C-13] of two installations on one cluster', async () => {
    const ours = admissionLimitObjects({ account, pools: [] });
    const theirs = admissionLimitObjects({ account: { namespace: 'pk-dev', name: home }, pools: ['dev'] });
    const both = await lookAt([...ours, ...theirs]);

    test('finds nothing wrong with ours where the other is of an earlier version, changed and not bound', () => {
      const seen = both.limits.map((each) =>
        each.home === home ? each : { ...each, version: '1', validations: [{ expression: 'true' }] },
      );

      expect(checkLimits(aConnected(), { limits: seen, bindings: bound(limits) })).toEqual([
        { about: 'prod', state: 'ok', what: 'limits: 2 policies limit the account' },
      ]);
    });

    test.each<[string, (seen: LimitSeen) => boolean, string]>([
      ['the policy on pools', ({ name }) => name !== 'poolkeeper-may-only-pause', 'may write of pools'],
      ['the policy on tokens', ({ name }) => name !== 'poolkeeper-may-only-renew', 'may request tokens of any life'],
      ['every policy', (seen) => seen.home !== home, 'only RBAC limits the account'],
    ])('misses %s of ours, which the other has', (_, isThere, words) => {
      const seen = { ...both, limits: both.limits.filter(isThere) };

      const findings = checkLimits(aConnected(), { ...seen, writes: [{ kind: 'pools', what: 'pools' }] });

      expect(findings).toMatchObject([{ state: 'wrong', what: expect.stringContaining(words) }]);
      expect(JSON.stringify(findings)).not.toContain('pk-dev');
    });

    test('misses what limits our runs, which the other has', async () => {
      const nodes = await lookAt(nodeLimit({ account: { namespace: 'pk-dev', name: home } }));
      const seen = { limits: [...both.limits, ...nodes.limits], bindings: [...both.bindings, ...nodes.bindings] };

      expect(checkLimits(aConnected(), { ...seen, grants: { ...grants, letsNodesGo: true } })).toMatchObject([
        { state: 'wrong', what: expect.stringContaining('may write everything of nodes') },
      ]);
    });

    test('names what is of the other, without anything to do', () => {
      const policies = [
        { name: 'poolkeeper-pause-first', home },
        { name: 'pk-dev-pause-first', home: 'pk-dev' },
      ];

      expect(otherInstallations('prod', home, { limits: both.limits, policies })).toEqual([
        {
          about: 'prod',
          state: 'ok',
          what: "policies: pk-dev-may-only-renew, pk-dev-may-only-pause and pk-dev-pause-first are another installation's, whose account is in pk-dev",
        },
      ]);
      expect(otherInstallations('prod', home, { limits, policies: policies.slice(0, 1) })).toEqual([]);
    });

    test('[C-13] [N-29] warns where the other may guard syncs, too', async () => {
      const guarding = await lookAt([
        ...ours,
        ...admissionLimitObjects({ account: { namespace: 'pk-dev', name: home }, pools: ['dev'], guardsSyncs: true }),
      ]);

      expect(otherGuards('prod', home, guarding)).toMatchObject([
        { state: 'warning', what: expect.stringContaining('account is in pk-dev may guard syncs, too') },
      ]);
      expect(otherGuards('prod', home, both)).toEqual([]);
      expect(otherGuards('prod', 'pk-dev', guarding)).toEqual([]);
    });
  });

  test.each([
    ['pools', 'pools', '', {}],
    ['projects', 'AppProjects', '--level guard ', { guardsIn: ['openshift-gitops'] }],
    ['healthChecks', 'MachineHealthChecks', '--pause-health-checks ', { pausesHealthChecks: true }],
  ] as const)('[C-13] misses the policy on %s where the account writes these', (kind, what, flags, more) => {
    const seen = limits.filter(({ limit }) => limit === 'may-only-renew');
    const all = { pools: ['worker', 'master'], argocdNamespaces: ['openshift-gitops'], ...more };

    expect(
      checkLimits(aConnected(), { limits: seen, bindings: bound(seen), grants: all, writes: [{ kind, what }] }),
    ).toEqual([
      {
        about: 'prod',
        state: 'wrong',
        what: `limits: no policy limits what the account may write of ${what}`,
        remedy: `print what is missing, as YAML for oc apply -f - (a pool that it does not name may not be paused any more): poolkeeper manifests ${flags}--pools worker,master --argocd-namespace openshift-gitops --only access,admission-limit`,
      },
    ]);
  });

  test('[C-11] [S4-26] misses the policy that limits what runs may write of nodes, and finds it where it is', async () => {
    const all = [...limits, ...(await lookAt(nodeLimit({ account }))).limits];

    expect(
      checkLimits(aConnected(), { limits, bindings: bound(limits), grants: { ...grants, letsNodesGo: true } }),
    ).toMatchObject([
      {
        state: 'wrong',
        what: 'limits: the account may write everything of nodes, because no policy limits what runs may',
        remedy: expect.stringMatching(/: poolkeeper manifests --runs poolkeeper.yaml --cluster prod .* --only access$/),
      },
    ]);
    expect(
      checkLimits(aConnected(), { limits: all, bindings: bound(all), grants: { ...grants, letsNodesGo: true } }),
    ).toMatchObject([{ state: 'ok', what: 'limits: 3 policies limit the account' }]);
  });

  test.each([[bound(limits, ['Audit'])], [[]]])(
    'names each policy that is bound by nothing that refuses',
    (bindings) => {
      const findings = checkLimits(aConnected(), { limits, bindings });

      expect(findings.map(({ state }) => state)).toEqual(['wrong', 'wrong']);
      expect(findings[0]?.what).toContain('bound by nothing that refuses');
    },
  );

  const everything = {
    account: { namespace: 'pk-prod', name: 'keeper' },
    pools: ['worker', 'gpu'],
    letsNodesGo: true,
    canaries: { labels: ['poolkeeper.dev/canary', 'tier'], selectors: ['canary', 'gpu'] },
    tokenHours: 0.5,
    audiences: ['https://[fd00::1]:6443', 'https://api.prod.example.com:6443'],
    pausesHealthChecks: true,
  };

  test.each([
    { guardsSyncs: true },
    { restartsSyncs: true },
    { restartsSyncs: true, guardsSyncs: true },
    { pauses: false, canaries: undefined },
    { pools: [], canaries: { labels: [], selectors: ['canary'] } },
  ])('[C-11] finds nothing wrong with what is printed for %o', async (change) => {
    const seen = await lookAt(admissionLimitObjects({ ...everything, ...change }));

    expect(checkLimits(aConnected({ home: 'pk-prod' }), seen)).toMatchObject([{ state: 'ok' }]);
  });

  const policies = admissionLimitObjects({ ...everything, guardsSyncs: true, restartsSyncs: true });

  test.each<[string, object]>([
    ['what it refuses', { validations: [{ expression: 'true' }] }],
    ['one of the things that it refuses', { validations: [] }],
    ['whom it is about', { matchConditions: [{ name: 'never', expression: 'false' }] }],
    ['what it does where it cannot be evaluated', { failurePolicy: 'Ignore' }],
    ['what it matches', { matchConstraints: { resourceRules: [] } }],
  ])('[C-11] names each policy of which somebody has changed %s', async (_, change) => {
    const changed = policies.map((each) =>
      each.kind === 'ValidatingAdmissionPolicy' ? { ...each, spec: { ...(each['spec'] as object), ...change } } : each,
    );

    const findings = checkLimits(aConnected({ home: 'pk-prod' }), await lookAt(changed));

    expect(findings.map(({ what }) => what)).toEqual(
      [
        'may-only-renew',
        'may-only-pause',
        'may-only-start',
        'may-only-guard',
        'may-only-pause-health-checks',
        'may-only-let-go',
      ].map((limit) => `limits: policy pk-prod-${limit} is not as this version prints it`),
    );
  });

  test.each([
    { objectSelector: { matchLabels: { nobody: 'has-it' } } },
    { excludeResourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] },
  ])('[C-11] [N-27] names what is bound by nothing but a binding narrowed to %o', async (matchResources) => {
    const [policy, binding] = admissionLimitObjects({ account, pools: [], pauses: false });
    if (policy === undefined || binding === undefined) throw new Error('nothing is printed');
    const narrowed = { ...binding, spec: { ...(binding['spec'] as object), matchResources } };

    expect(checkLimits(aConnected(), await lookAt([policy, narrowed]))).toMatchObject([
      { state: 'wrong', what: expect.stringContaining('bound by nothing that refuses all it matches') },
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { checkLimits, type LimitSeen } from '../../../local/cli/doctor/check-limits.ts';
import { admissionLimitObjects, limitVersion, nodeLimit } from '../../../local/manifests/admission-limit.ts';
import { versionAnnotation } from '../../../local/manifests/kube-object.ts';

const home = 'poolkeeper';

/** What is printed, as it stands on a cluster. */
const limits: readonly LimitSeen[] = admissionLimitObjects({ account: { namespace: home, name: home }, pools: [] })
  .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
  .map(({ metadata: { name, annotations } }) => ({
    name,
    limit: name.slice(home.length + 1),
    home,
    version: annotations?.[versionAnnotation],
  }));

function bound(seen: readonly LimitSeen[], actions: readonly string[] = ['Deny']) {
  return seen.map(({ name }) => ({
    name,
    policyName: name,
    pool: undefined,
    selector: undefined,
    actions,
    parameterNotFoundAction: 'Allow',
  }));
}

describe('[C-11] the doctor on what limits our account', () => {
  test('finds nothing wrong with what is printed', () => {
    expect(checkLimits('prod', { limits, bindings: bound(limits) })).toMatchObject([
      { state: 'ok', what: 'limits: 2 policies limit the account' },
    ]);
  });

  test.each<[string, readonly LimitSeen[]]>([
    ['only RBAC limits the account', []],
    ['may request tokens of any life', limits.filter(({ limit }) => limit !== 'may-only-renew')],
    [`has version unknown, this is ${limitVersion}`, limits.map((each) => ({ ...each, version: undefined }))],
  ])('%s', (words, seen) => {
    expect(checkLimits('prod', { limits: seen, bindings: bound(seen) })).toContainEqual(
      expect.objectContaining({
        state: 'wrong',
        what: expect.stringContaining(words),
        remedy: 'npx poolkeeper connect --name prod',
      }),
    );
  });

  test('[C-11] [C-13] prints a remedy for the account of that installation', () => {
    const of = limits.map((each) => ({ ...each, name: `pk-prod-${each.limit}`, home: 'pk-prod', version: '0' }));

    expect(checkLimits('prod', { limits: of, bindings: bound(of) })).toMatchObject(
      of.map(() => ({ state: 'wrong', remedy: 'npx poolkeeper connect --name prod --namespace pk-prod' })),
    );
  });

  test.each([
    ['pools', 'pools', ''],
    ['projects', 'AppProjects', '--level guard '],
    ['healthChecks', 'MachineHealthChecks', '--pause-health-checks '],
  ] as const)('misses the policy on %s where the account writes these', (kind, what, flags) => {
    const seen = limits.filter(({ limit }) => limit === 'may-only-renew');

    const pools = ['worker', 'master'];

    expect(
      checkLimits('prod', { limits: seen, bindings: bound(seen), pools, writes: [{ kind, what, flags }] }),
    ).toEqual([
      {
        about: 'prod',
        state: 'wrong',
        what: `limits: no policy limits what the account may write of ${what}`,
        remedy: `apply npx poolkeeper manifests ${flags}--pools worker,master --only access,admission-limit, then npx poolkeeper connect --name prod for its audience`,
      },
    ]);
  });

  test('[C-11] [S4-26] misses the policy that limits what runs may write of nodes, and finds it where it is', () => {
    const account = { namespace: home, name: home };
    const ofNodes = { limit: 'may-only-let-go', name: `${home}-may-only-let-go`, home, version: limitVersion };
    const all = [...limits, ofNodes];

    expect(checkLimits('prod', { limits, bindings: bound(limits), letsNodesGo: true })).toMatchObject([
      {
        state: 'wrong',
        what: 'limits: the account may write everything of nodes, because no policy limits what runs may',
        remedy: 'apply npx poolkeeper manifests --runs poolkeeper.yaml --cluster prod --only access',
      },
    ]);
    expect(checkLimits('prod', { limits: all, bindings: bound(all), letsNodesGo: true })).toMatchObject([
      { state: 'ok', what: 'limits: 3 policies limit the account' },
    ]);
    expect(nodeLimit({ account }).map(({ metadata }) => metadata.name)).toEqual([ofNodes.name, ofNodes.name]);
  });

  test.each([[bound(limits, ['Audit'])], [[]]])(
    'names each policy that is bound by nothing that refuses',
    (bindings) => {
      const findings = checkLimits('prod', { limits, bindings });

      expect(findings.map(({ state }) => state)).toEqual(['wrong', 'wrong']);
      expect(findings[0]?.what).toContain('bound by nothing that refuses');
    },
  );
});

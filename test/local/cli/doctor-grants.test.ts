import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { checkLimits } from '../../../local/cli/doctor/check-limits.ts';
import { checkRights } from '../../../local/cli/doctor/check-rights.ts';
import { type Grants, grantAll, grantMore, grantsOf } from '../../../local/cli/doctor/grants.ts';
import { runCommand } from '../../../local/cli/run-command.ts';
import { accessObjects } from '../../../local/manifests/access.ts';
import { admissionLimitObjects, limitNames, nodeLimit } from '../../../local/manifests/admission-limit.ts';
import { type KubeObject, versionAnnotation } from '../../../local/manifests/kube-object.ts';
import type { Rule } from '../../../local/manifests/rule.ts';
import { aPool } from '../../fakes/index.ts';
import { aConnected } from './a-connected.ts';
import { lookAt } from './look-at-limits.ts';

const account = { namespace: 'poolkeeper', name: 'poolkeeper' };
const hub = 'openshift-gitops';
const issuer = 'https://oidc.example.com/abc';

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

type Objects = ReadonlyMap<string, KubeObject>;

function byName(objects: readonly KubeObject[]): Objects {
  return new Map(objects.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]));
}

/** As RBAC decides, by the roles that are there. */
function may(objects: Objects, { verb, group, resource, subresource, namespace, name }: Right): boolean {
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const covers = ({ apiGroups, resources, verbs, resourceNames }: Rule) =>
    apiGroups.includes(group) &&
    resources.includes(full) &&
    verbs.includes(verb) &&
    (resourceNames === undefined || (name !== undefined && resourceNames.includes(name)));
  return [...objects.values()].some(
    ({ kind, metadata, rules }) =>
      (kind === 'ClusterRole' || (kind === 'Role' && metadata.namespace === namespace)) &&
      (rules as readonly Rule[]).some(covers),
  );
}

/** The commands in a text, run, and what they print applied. */
async function followed(text: string, before: Objects): Promise<Objects> {
  const commands = [...text.matchAll(/poolkeeper (manifests [^,)]*(?:,[^ ,)][^,)]*)*)/g)].map(([, words]) => words);
  expect(commands.length).toBeGreaterThan(0);
  const after = new Map(before);
  for (const words of commands) {
    let printed = '';
    const noted: string[] = [];
    const status = await runCommand(words?.split(' ') ?? [], {
      out: (more) => {
        printed += more;
      },
      note: (more) => noted.push(more),
      environment: {},
      now: () => new Date(0),
    });
    expect(status, noted.join('\n')).toBe(0);
    for (const [key, object] of byName(parseAllDocuments(printed).map((each) => each.toJS()))) after.set(key, object);
  }
  return after;
}

function clientOf(objects: Objects) {
  const post = async (_path: string, _query: unknown, body: { spec: { resourceAttributes: Right } }) => ({
    status: { allowed: may(objects, body.spec.resourceAttributes) },
  });
  return { post } as never;
}

const patchesApplications = { verb: 'patch', group: 'argoproj.io', resource: 'applications', namespace: hub };
const pauses = (name: string) => ({
  verb: 'patch',
  group: 'machineconfiguration.openshift.io',
  resource: 'machineconfigpools',
  name,
});
const readsLogs = {
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: 'log',
  namespace: 'openshift-machine-config-operator',
};

const connected = { pauses: true, pools: ['worker', 'master'], argocdNamespaces: [hub] };

describe('[C-13] [N-29] a command that the doctor prints takes nothing from the account', () => {
  test.each([
    ['level guard and its pools', { ...connected, guardsIn: hub }],
    ['the right to start refused syncs again', { ...connected, restartsSyncs: true }],
    ['that it only reads', { ...connected, pauses: false, pools: [] }],
  ])('for logs: %s', async (_, granted) => {
    const before = byName([
      ...accessObjects({ account, ...granted }),
      ...admissionLimitObjects({ account, ...granted, audiences: [issuer], guardsSyncs: true }),
    ]);
    const wanted = { pools: [], argocdNamespaces: [hub] };

    const found = await checkRights(aConnected(), clientOf(before), wanted);
    const after = await followed(found.find(({ what }) => what.startsWith('logs:'))?.what ?? '', before);

    expect(may(before, readsLogs)).toBe(false);
    expect(may(after, readsLogs)).toBe(true);
    for (const right of [patchesApplications, pauses('worker'), pauses('master'), pauses('gpu')])
      expect(may(after, right)).toBe(may(before, right));
    for (const [key, object] of before)
      if (object.kind === 'ValidatingAdmissionPolicy') expect(after.get(key)).toEqual(object);
  });

  test('for sequences and runs: what is printed has no role for pools or Applications, and no policy on tokens', async () => {
    const words = ['--sequences', 'poolkeeper.example.yaml', '--runs', 'poolkeeper.example.yaml', '--cluster', 'test'];

    const after = await followed(grantMore(aConnected(), ...words), new Map());

    expect(may(after, pauses('worker'))).toBe(false);
    expect([...after.keys()].join(' ')).not.toMatch(/poolkeeper-(?:pause|applications|may-only-renew)|Notifications/);
  });
});

describe('[C-13] [N-29] the remedy for rights that connecting does not grant', () => {
  test.each<[string, Partial<Grants>]>([
    ['level guard', { guardsIn: [hub] }],
    ['level guard of two Argo CDs', { guardsIn: [hub, 'team-a'], argocdNamespaces: [hub, 'team-a', 'apps'] }],
    ['level guard where no pool may be paused', { guardsIn: [hub], pools: [] }],
    ['policy.onRefusedSync: restart', { restartsIn: [hub] }],
    ['both', { guardsIn: [hub], restartsIn: [hub] }],
    ['pauseMachineHealthChecks', { pausesHealthChecks: true }],
    ['a pool that upgrades wait for', { pools: ['worker', 'master'], required: ['master'] }],
  ])('grants them: %s', async (_, more) => {
    const wanted = { pools: ['worker'], argocdNamespaces: [hub], ...more };
    const given = {
      account,
      pauses: wanted.pools.length > 0,
      pools: ['worker'],
      argocdNamespaces: wanted.argocdNamespaces,
    };
    const before = byName(accessObjects(given));

    const [lacking] = await checkRights(aConnected(), clientOf(before), wanted);
    const after = await followed(lacking?.remedy ?? '', before);
    const [mended] = await checkRights(aConnected(), clientOf(after), wanted);

    expect(lacking?.state).toBe('wrong');
    expect(mended).toMatchObject({ state: 'ok' });
    expect(may(after, pauses('gpu'))).toBe(false);
    expect(may(after, pauses('worker'))).toBe(wanted.pools.includes('worker'));
  });

  test('leaves an account that may pause any pool its right to pause those to come', async () => {
    const before = byName(accessObjects({ account, pauses: true, pools: [], argocdNamespaces: [hub] }));
    const wanted = { pools: ['worker'], argocdNamespaces: [hub], guardsIn: [hub] };

    const [lacking] = await checkRights(aConnected(), clientOf(before), wanted);
    const after = await followed(lacking?.remedy ?? '', before);
    const [mended] = await checkRights(aConnected(), clientOf(after), wanted);

    expect([lacking?.state, mended?.state]).toEqual(['wrong', 'ok']);
    expect(may(after, pauses('gpu'))).toBe(true);
    expect(lacking?.remedy).not.toContain('does not name');
  });

  test('keeps the audience and the life of tokens, and a pool that is held', async () => {
    const wanted = { pools: ['worker'], held: ['gpu'], argocdNamespaces: [], pausesHealthChecks: true };

    const after = await followed(grantAll(aConnected({ audience: issuer, tokenHours: 720 }), wanted), new Map());

    const text = JSON.stringify(after.get(`ValidatingAdmissionPolicy /poolkeeper-${limitNames.tokens}`));
    expect(text).toContain(issuer);
    expect(text).toContain(`<= ${720 * 3600}`);
    expect(may(after, pauses('gpu'))).toBe(true);
    expect(may(after, pauses('master'))).toBe(false);
  });

  test('stands also where the policy is missing that limits one of them', async () => {
    const grants = { pools: ['worker'], argocdNamespaces: [hub], guardsIn: [hub], pausesHealthChecks: true };
    const policy = {
      ...{ name: 'x', home: 'poolkeeper', limit: limitNames.tokens, version: '2', matchConditions: [] },
      ...{ validations: [], variables: [], resourceRules: [], isNarrowed: false, failurePolicy: 'Fail' },
    };

    const findings = checkLimits(aConnected(), {
      ...{ limits: [policy], bindings: [], grants },
      writes: [{ kind: 'healthChecks', what: 'MachineHealthChecks' }],
    });
    const after = await followed(findings[0]?.remedy ?? '', new Map());

    expect(may(after, patchesApplications)).toBe(true);
    expect([...after.keys()]).toContain('ValidatingAdmissionPolicy /poolkeeper-may-only-pause-health-checks');
    expect([...after.keys()]).toContain('ValidatingAdmissionPolicy /poolkeeper-may-only-guard');
  });
});

/** As an earlier version printed it. */
function former(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations: { [versionAnnotation]: '1' } } };
}

async function limitFindings(objects: Objects, grants: Grants, file = 'poolkeeper.yaml') {
  return checkLimits(aConnected({ file }), { ...(await lookAt([...objects.values()])), grants });
}

describe('[C-11] [C-13] [N-29] the remedy for policies that are there', () => {
  const given = { account, pools: ['worker', 'master'], argocdNamespaces: [hub] };
  const needed = { pools: ['worker', 'master'], argocdNamespaces: [hub] };
  const connectedOnly = 'poolkeeper connect --name prod --stage live';

  test.each<[string, Partial<Parameters<typeof admissionLimitObjects>[0]>, Partial<Grants>]>([
    ['level guard', { guardsSyncs: true }, { guardsIn: [hub] }],
    ['level guard that the configuration has no more', { guardsSyncs: true }, {}],
    ['retried syncs', { restartsSyncs: true }, { restartsIn: [hub] }],
    ['retried syncs that the configuration has no more', { restartsSyncs: true }, {}],
    ['both, of which the configuration has one', { guardsSyncs: true, restartsSyncs: true }, { guardsIn: [hub] }],
    ['health checks', { pausesHealthChecks: true }, { pausesHealthChecks: true }],
    ['health checks, for no pool any more', { pausesHealthChecks: true }, { pools: [] }],
    ['every pool', { pools: [], guardsSyncs: true }, { guardsIn: [hub] }],
    ['no pool', { pauses: false, guardsSyncs: true }, { pools: [], guardsIn: [hub] }],
  ])('of an earlier version makes them of this one, and keeps what they were for: %s', async (_, options, more) => {
    const printed = byName(admissionLimitObjects({ ...given, ...options }));
    const before = new Map([...printed].map(([key, each]) => [key, former(each)]));
    const grants = { ...needed, ...more };

    const findings = await limitFindings(before, grants);
    const [remedy = '', ...others] = new Set(findings.map((each) => each.remedy));
    const after = await followed(remedy, before);

    expect(findings.map(({ what }) => what)).toContain(
      'limits: policy poolkeeper-may-only-renew has version 1, this is 2',
    );
    expect(others).toEqual([]);
    expect(await limitFindings(after, grants)).toMatchObject([{ state: 'ok' }]);
    expect(after).toEqual(printed);
  });

  test('of an earlier version is connecting again, where that writes all of them', async () => {
    const before = new Map([...byName(admissionLimitObjects(given))].map(([key, each]) => [key, former(each)]));

    const findings = await limitFindings(before, needed);

    expect(new Set(findings.map(({ remedy }) => remedy))).toEqual(new Set([connectedOnly]));
  });

  test('of runs, of an earlier version: these are printed, or the right ends with the policy', async () => {
    const file = await fileWithCanaryRun();
    const before = byName(nodeLimit({ account }).map(former));
    const found = async (objects: Objects, grants: Grants) => {
      const findings = await limitFindings(objects, grants, file);
      return findings.find(({ what }) => what.includes('may-only-let-go'))?.remedy;
    };
    const grants = grantsIn(withCanaryRun, [aPool({ name: 'worker' }), aPool({ name: 'infra' })]);

    const after = await followed((await found(before, grants)) ?? '', before);

    expect(grants).toMatchObject({ letsNodesGo: true, canaries: { selectors: ['infra'] } });
    expect(await limitFindings(after, grants)).toMatchObject([{ state: 'ok' }]);
    expect(await found(before, { ...grants, letsNodesGo: false })).toBe(
      'no runs are configured here: oc delete --ignore-not-found clusterrolebindings.rbac.authorization.k8s.io poolkeeper-runs && oc delete --ignore-not-found validatingadmissionpolicybinding,validatingadmissionpolicy poolkeeper-may-only-let-go',
    );
  });
});

describe('[C-11] [C-13] [N-29] a policy that refuses what the configuration needs, as it was printed for something else', () => {
  const guardAlone = '--level guard --pools worker,gpu --only access,admission-limit';
  const restartAlone = '--level admission --on-refused-sync restart --pools worker,gpu --only access,admission-limit';
  const forBoth = '--level guard --on-refused-sync restart --pools worker,gpu --only access,admission-limit';
  const applied = async (...commands: readonly string[]) => {
    let objects: Objects = new Map();
    for (const words of commands) objects = await followed(`poolkeeper manifests ${words}`, objects);
    return objects;
  };
  const needed = { pools: ['worker', 'gpu'], argocdNamespaces: [hub] };
  const both = { ...needed, guardsIn: [hub], restartsIn: [hub] };
  const refusing = (what: string) => `refuses what the configuration needs: ${what}`;
  const refreshes = 'refreshes, for level guard';
  const restarts = 'starting refused syncs again, for policy.onRefusedSync';

  test.each<[string, readonly string[], Grants, readonly string[]]>([
    ['the command of docs/admission.md after that of docs/guard.md', [guardAlone, restartAlone], both, [refreshes]],
    ['the command of docs/guard.md after that of docs/admission.md', [restartAlone, guardAlone], both, [restarts]],
    [
      'pools by name, of which the configuration has more',
      [guardAlone],
      { ...needed, pools: ['infra'] },
      ['pausing infra'],
    ],
    [
      'pools without names, and one that upgrades wait for',
      ['--only admission-limit'],
      { ...needed, required: ['gpu'] },
      ['pausing gpu'],
    ],
  ])('is named, with a command that mends it: %s', async (_, commands, grants, refused) => {
    const before = await applied(...commands);

    const findings = await limitFindings(before, grants);

    expect(findings.map(({ state, what }) => [state, what.replace(/^limits: policy \S+ /, '')])).toEqual(
      refused.map((what) => ['wrong', refusing(what)]),
    );
    const after = await followed(findings[0]?.remedy ?? '', before);
    expect(await limitFindings(after, grants)).toMatchObject([{ state: 'ok' }]);
  });

  test('is named after connecting again where a run is of mode canary', async () => {
    const file = await fileWithCanaryRun();
    const before = new Map([...(await applied('--only admission-limit')), ...byName(nodeLimit({ account }))]);
    const grants = grantsIn(withCanaryRun, [aPool({ name: 'worker' }), aPool({ name: 'infra' })]);

    const findings = await limitFindings(before, grants, file);
    const after = await followed(findings[0]?.remedy ?? '', before);

    expect(findings.map(({ what }) => what)).toEqual([
      `limits: policy poolkeeper-may-only-pause ${refusing('the node selector of infra')}`,
      `limits: policy poolkeeper-may-only-let-go ${refusing('the labels of nodes tier')}`,
    ]);
    expect(await limitFindings(after, grants, file)).toMatchObject([{ state: 'ok' }]);
  });

  test.each(['docs/guard.md', 'docs/admission.md'])('is not printed by the command for both in %s', async (page) => {
    const lines = (await readFile(page, 'utf8')).split('\n').filter((line) => line.startsWith('poolkeeper manifests'));

    expect(lines).toContain(`poolkeeper manifests ${forBoth} | oc apply -f -`);
    expect(await limitFindings(await applied(forBoth), both)).toMatchObject([{ state: 'ok' }]);
  });
});

const withCanaryRun = `
clusters:
  - { name: prod, api: { server: "https://api.prod.test:6443", tokenSecret: poolkeeper/live/prod/token } }
nodeTurns:
  rules: { move: { jobNamespace: databases, jobSpec: { template: { spec: { restartPolicy: Never, containers: [{ name: move, image: registry.example.com/move }] } } } } }
  targets: { some: { machineConfigPools: [infra] } }
  runs:
    upgrade: { cluster: prod, mode: canary, canary: { name: canary, label: tier }, mutexRules: [{ name: move }], mutexTargets: [{ name: some }] }
`;

async function fileWithCanaryRun(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'runs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'poolkeeper.yaml');
  await writeFile(file, withCanaryRun);
  return file;
}

function grantsIn(text: string, pools: readonly Pool[]): Grants {
  const configuration = readConfiguration(text, { source: 'poolkeeper.yaml' });
  const [cluster] = configuration.clusters;
  if (cluster === undefined) throw new Error('there is no cluster');
  return grantsOf(configuration, cluster, pools);
}

test('[C-13] what is to be granted is what the configuration says of this cluster', () => {
  const text = `
clusters:
  - name: prod
    api: { server: "https://api.prod.test:6443", tokenSecret: poolkeeper/live/prod/token }
    policy: { onRefusedSync: restart }
    pools: { worker: { protection: guard, pauseMachineHealthChecks: true }, master: { manageRequired: true } }
argocd:
  - { name: hub, cluster: prod, controllerNamespace: openshift-gitops, namespaces: [openshift-gitops, apps] }
`;
  const master = aPool({
    name: 'master',
    labels: { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' },
  });

  expect(grantsIn(text, [aPool({ name: 'worker' }), master])).toEqual({
    pools: ['worker', 'master'],
    held: [],
    required: ['master'],
    argocdNamespaces: [hub, 'apps'],
    guardsIn: [hub],
    restartsIn: [hub, 'apps'],
    pausesHealthChecks: true,
    letsNodesGo: false,
    canaries: { labels: [], selectors: [] },
  });
});

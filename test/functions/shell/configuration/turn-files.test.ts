import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';

type Data = Readonly<Record<string, unknown>>;

const base = {
  clusters: [{ name: 'prod', api: { server: 'https://api.prod.example.com:6443', tokenSecret: 'poolkeeper/prod' } }],
  argocd: [{ name: 'hub', cluster: 'prod' }],
};

/** In the form of the reference's README: the template has a name, the selector is empty, there is no namespace. */
const rule = `---
apiVersion: openshift-optional.skrzypek.io/v1alpha1
kind: MutexRule
metadata:
  name: move-primary
spec:
  jobName: move-primary # how its Jobs are called
  jobNamespace: databases
  jobSpec:
    selector: {}
    template:
      metadata:
        name: move
      spec:
        containers:
        - command: [/bin/sh, -c, "move --away-from $(NODE_NAME)"]
          image: registry.example.com/move
          name: move
        restartPolicy: Never
  type: kubernetes
`;

const target = `---
apiVersion: openshift-optional.skrzypek.io/v1alpha1
kind: MutexTarget
metadata:
  name: workers
spec:
  machineConfigPools:
    - worker # an existing pool
`;

const run = `---
apiVersion: openshift-optional.skrzypek.io/v1alpha1
kind: MutexRunConfig
metadata:
  name: upgrade
spec:
  canary:
    name: canary
  mutexRules:
    - name: move-primary
      namespace: mutex
  mutexTargets:
    - name: workers
      namespace: mutex
`;

/** As the sample objects: labels of the one who scaffolded them, and in a namespace as a cluster has them. */
function applied(text: string): string {
  return text.replace('metadata:\n', 'metadata:\n  labels: {app.kubernetes.io/part-of: shop}\n  namespace: mutex\n');
}

const whole = [rule, target, run]
  .map((text) => text.replace('metadata:\n', 'metadata:\n  namespace: mutex\n'))
  .join('');

interface Outcome {
  readonly nodeTurns?: ReturnType<typeof readConfiguration>['nodeTurns'];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

function read(files: Readonly<Record<string, string>>, more: Data = {}, others: Data = {}): Outcome {
  const nodeTurns = { files: Object.keys(files), ...more };
  const warnings: string[] = [];
  const readText = (path: string) => {
    const text = files[path];
    if (text === undefined || text === 'absent') throw Object.assign(new Error('no'), { code: 'ENOENT' });
    return text;
  };
  const bare = (line: string) => line.replace(/^\S+ nodeTurns\.files\[\d\]: |^\S+ /, '');
  try {
    const configuration = readConfiguration(stringify({ ...base, nodeTurns, ...others }), {
      source: 'poolkeeper.yaml',
      readText,
      warn: (line) => warnings.push(bare(line)),
    });
    return { nodeTurns: configuration.nodeTurns, problems: [], warnings };
  } catch (error) {
    if (error instanceof Misconfigured) return { problems: error.problems.map(bare), warnings };
    throw error;
  }
}

describe("the reference's three resources in files", () => {
  it('[S4-33] are read unchanged, and mean mode canary', () => {
    const { nodeTurns, problems, warnings } = read({ 'mutex.yaml': whole });

    expect(problems).toEqual([]);
    expect(warnings).toEqual([]);
    expect(nodeTurns?.rules['mutex/move-primary']).toMatchObject({
      type: 'kubernetes',
      jobName: 'move-primary',
      jobNamespace: 'databases',
      jobSpec: { selector: {}, template: { metadata: { name: 'move' } } },
      onFailure: 'stop',
    });
    expect(nodeTurns?.targets).toEqual({ 'mutex/workers': { machineConfigPools: ['worker'] } });
    expect(nodeTurns?.runs['upgrade']).toMatchObject({
      cluster: 'prod',
      namespace: 'mutex',
      mode: 'canary',
      canary: { name: 'canary', exclude: false },
      mutexRules: [{ name: 'move-primary', namespace: 'mutex' }],
      mutexTargets: [{ name: 'workers', namespace: 'mutex' }],
      skipTLSVerify: false,
    });
  });

  it('[S4-33] may stand in several files, in a List, and as a cluster prints them; what is not taken is named', () => {
    const list = stringify({ apiVersion: 'v1', kind: 'List', items: [] }).replace(
      'items: []\n',
      `items:\n${applied(target).replace('---\n', '').replace(/^/gm, '    ').replace('    api', '  - api')}`,
    );
    const { problems, warnings, nodeTurns } = read({ 'a.yaml': applied(rule), 'b.yaml': list, 'c.yaml': applied(run) });

    expect(problems).toEqual([]);
    expect(Object.keys(nodeTurns?.targets ?? {})).toEqual(['mutex/workers']);
    expect(warnings.toSorted()).toEqual([
      'MutexRule mutex/move-primary: metadata.labels has no meaning here',
      'MutexRunConfig mutex/upgrade: metadata.labels has no meaning here',
      'MutexTarget mutex/workers: metadata.labels has no meaning here',
    ]);
  });

  it('[S4-33] every key that is not taken is named, and other kinds in the file', () => {
    const more = whole
      .replace('  type: kubernetes', '  type: kubernetes\n  host: https://api\n  token: t')
      .replace('    name: canary\n', '    name: canary\n    soak: 1h\n')
      .concat('---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: notes}\n');

    expect(read({ 'mutex.yaml': more }).warnings).toEqual([
      'ConfigMap notes is none of MutexRule, MutexTarget and MutexRunConfig',
      'MutexRule mutex/move-primary: spec.host has no meaning here',
      'MutexRule mutex/move-primary: spec.token has no meaning here',
      'MutexRunConfig mutex/upgrade: spec.canary.soak has no meaning here',
    ]);
  });

  it('[S4-33] a missing namespace is that of the run, and that is said aloud', () => {
    const bare = [rule, target, run.replaceAll(/\n {6}namespace: mutex/g, '')].join('');
    const { warnings, problems, nodeTurns } = read({ 'mutex.yaml': bare });

    expect(problems).toEqual([]);
    expect(Object.keys(nodeTurns?.rules ?? {})).toEqual(['move-primary']);
    expect(nodeTurns?.runs['upgrade']?.namespace).toBe('poolkeeper');
    expect(warnings).toEqual([
      'MutexRule move-primary: metadata.namespace is missing; it is read as that of the run',
      'MutexTarget workers: metadata.namespace is missing; it is read as that of the run',
      'MutexRunConfig upgrade: metadata.namespace is missing; it is read as poolkeeper',
      'MutexRunConfig upgrade: spec.mutexRules[0].namespace is missing; it is read as that of the run, poolkeeper',
      'MutexRunConfig upgrade: spec.mutexTargets[0].namespace is missing; it is read as that of the run, poolkeeper',
    ]);
  });

  it('[S4-33] objects that leave their namespace to whoever applies them are where the run says, as in its README', () => {
    const { warnings, problems, nodeTurns } = read({ 'mutex.yaml': rule + target + run });

    expect(problems).toEqual([]);
    expect(Object.keys(nodeTurns?.rules ?? {})).toEqual(['mutex/move-primary']);
    expect(warnings).toEqual([
      'MutexRule move-primary: metadata.namespace is missing; it is read as mutex, as its runs have it',
      'MutexTarget workers: metadata.namespace is missing; it is read as mutex, as its runs have it',
      'MutexRunConfig upgrade: metadata.namespace is missing; it is read as poolkeeper',
    ]);
  });

  it('[S4-31] [S4-33] the section may say more of a run, and another mode', () => {
    const runs = { upgrade: { mode: 'turns', atOnce: 2, nodeTimeout: '30m' } };
    const upgrade = read({ 'mutex.yaml': whole }, { runs }).nodeTurns?.runs['upgrade'];

    expect(upgrade).toMatchObject({ mode: 'turns', atOnce: 2, nodeTimeoutSeconds: 1800, cluster: 'prod' });
    expect(upgrade).not.toHaveProperty('canary');
    expect(
      read({ 'mutex.yaml': whole }, { runs: { upgrade: { canary: { exclude: true } } } }).nodeTurns?.runs,
    ).toMatchObject({
      upgrade: { canary: { name: 'canary', exclude: true } },
    });
  });

  it('[S4-33] of several clusters, the section names that of the run', () => {
    const two = {
      clusters: ['prod', 'test'].map((name) => ({
        name,
        api: { server: `https://api.${name}.example.com:6443`, tokenSecret: `poolkeeper/${name}` },
      })),
    };
    const runs = { upgrade: { cluster: 'test' } };

    expect(read({ 'mutex.yaml': whole }, {}, two).problems.join()).toMatch(/nodeTurns\.runs\.upgrade\.cluster/);
    expect(read({ 'mutex.yaml': whole }, { runs }, two).nodeTurns?.runs['upgrade']?.cluster).toBe('test');
  });

  it('[S4-33] the example of docs/node-by-node.md is one, in its three forms', async () => {
    const text = await readFile(new URL('../../../../docs/node-by-node.md', import.meta.url), 'utf8');
    const [file = '', named = '', whole = ''] = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => yaml);
    const section = (yaml: string): Data => parse(yaml).nodeTurns;

    const fromFile = read({ 'mutex.yaml': file }, section(named));
    const written = read({}, section(whole));

    expect([...fromFile.problems, ...fromFile.warnings, ...written.problems]).toEqual([]);
    expect(fromFile.nodeTurns?.runs['upgrade']).toMatchObject({
      cluster: 'prod',
      mode: 'turns',
      namespace: 'databases',
    });
    expect(written.nodeTurns?.runs['upgrade']).toMatchObject({ cluster: 'prod', mode: 'turns' });
    expect(Object.keys(fromFile.nodeTurns?.rules ?? {})).toEqual(['databases/move-primary']);
  });

  it.each([
    ['that is not there', 'absent', 'cannot be read (ENOENT); the path is relative to this file'],
    ['that is no YAML', 'a: [', 'is no YAML, in its document 1'],
    ['with an alias', 'a: &a 1\nb: *a\n', 'has an alias (*), which is not read here'],
    ['that is too long', `a: ${'x'.repeat(1_000_001)}`, 'is longer than 1000000 characters'],
    [
      'with a secret',
      rule.replace('move --away', 'move --token=xoxb-123456789012-abcdefghijkl --away'),
      'has what looks like a secret; a Job reads secrets of its namespace by their names',
    ],
    [
      'of another version',
      rule.replace('v1alpha1', 'v2'),
      /apiVersion must be openshift-optional\.skrzypek\.io\/v1alpha1$/,
    ],
    ['without a spec', rule.replace(/spec:[\s\S]*/, ''), 'MutexRule move-primary: spec is missing, or no mapping'],
    ['without a name', rule.replace('  name: move-primary\n', '  labels: {}\n'), 'MutexRule: metadata.name is missing'],
    [
      'with two of one name',
      rule + rule,
      'MutexRule move-primary has the name of MutexRule move-primary in mutex.yaml; only that one is read',
    ],
  ])('[S4-2] a file %s is refused', (_, text, expected) => {
    const { problems } = read({ 'mutex.yaml': text });

    expect(problems).toContainEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  it('[S4-2] what the schema refuses is named with its place', () => {
    const problemsOf = (from: string, to: string) =>
      read({ 'mutex.yaml': whole.replace(from, to) }).problems.join('; ');

    expect(problemsOf('type: kubernetes', 'type: ansible')).toMatch(/nodeTurns\.rules\["mutex\/move-primary"\]\.type/);
    expect(problemsOf('jobNamespace: databases', 'jobNamespace: "Job Namespace"')).toMatch(/\.jobNamespace: must be a/);
    expect(problemsOf('    - worker #', '    - master #')).toMatch(/control plane/);
    expect(problemsOf('spec:\n  canary:', 'spec:\n  skipTLSVerify: true\n  canary:')).toMatch(
      /skipTLSVerify: must be false/,
    );
    expect(problemsOf('- name: move-primary', '- name: other')).toMatch(/mutexRules\[0\]\.name: names no rule/);
  });

  it('[S4-2] [S4-26] a Job that reaches the node, or runs as another account, is refused with its place, unless allowed', () => {
    const hostile = whole.replace(
      '        restartPolicy: Never',
      '        restartPolicy: Never\n        hostNetwork: true\n        serviceAccountName: mover',
    );
    const at = 'nodeTurns.rules["mutex/move-primary"].jobSpec.template.spec';
    const jobs = { hostAccess: ['hostNetwork'], serviceAccounts: ['databases/mover'] };

    expect(read({ 'mutex.yaml': hostile }).problems).toEqual([
      `${at}.serviceAccountName: is an account that nodeTurns.jobs.serviceAccounts does not name with the namespace of the Job`,
      `${at}.hostNetwork: reaches the node itself; nodeTurns.jobs.hostAccess must name hostNetwork to allow that`,
    ]);
    expect(read({ 'mutex.yaml': hostile }, { jobs }).problems).toEqual([]);
    expect(read({ 'mutex.yaml': whole }, { jobs: { namespaces: ['mutex'] } }).problems).toEqual([
      'nodeTurns.rules["mutex/move-primary"].jobSpec: would run in a namespace that nodeTurns.jobs.namespaces does not name',
    ]);
  });

  it('[S4-2] of a rule without a template the place is named', () => {
    expect(
      read({ 'mutex.yaml': whole.replace(/ {4}template:[\s\S]*? {2}type: kubernetes/, '  type: kubernetes') }).problems,
    ).toEqual(['nodeTurns.rules["mutex/move-primary"].jobSpec.template: is missing']);
  });

  it('[N-30] hostile names and values break nothing', () => {
    const hostile = [
      'kind: MutexRule\napiVersion: openshift-optional.skrzypek.io/v1alpha1\nmetadata: {name: __proto__}\nspec: {constructor: 1}\n',
      `${target.replace('workers', 'w'.repeat(254))}`,
      '- 1\n- null\n',
      'text\n',
      '',
    ];

    for (const text of hostile) expect(() => read({ 'mutex.yaml': text })).not.toThrow();
  });
});

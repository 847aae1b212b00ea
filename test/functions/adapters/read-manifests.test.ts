import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../functions/adapters/yaml/read-manifests.ts';
import { anyText, fc } from '../../property.ts';

/** Milliseconds: no machine is so busy. What is tested here is what is counted. */
const patiently = 600_000;

function read(text: string, path = 'a.yaml') {
  return manifestReader(patiently)(text, path);
}

function names(text: string, path?: string): readonly string[] | string {
  const file = read(text, path);
  return file.kind === 'unreadable' ? file.why : file.manifests.map(({ kind, name }) => `${kind} ${name}`);
}

const head = 'apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n';

describe('manifests in a text', () => {
  test('are found in many documents, in lists, behind anchors and merge keys, and in JSON', () => {
    const text = `%YAML 1.1
---
${head}metadata: &m {name: a, labels: &l {x: z}}
---
# nothing
--- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: pull-secret}}]}
...
---
${head}metadata: {name: b, labels: {<<: {x: z}}}
`;

    expect(names(text)).toEqual(['MachineConfig a', 'Secret pull-secret', 'MachineConfig b']);
    expect(names('{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}', 'n.json')).toEqual(['Node n']);
  });

  test('are read as Kubernetes reads YAML: 0644 is octal, a date and 1:30 are texts', () => {
    const file = read(`${head}metadata: {name: a}\nspec: {mode: 0644, at: 2020-01-01, t: 1:30}\n`);

    expect(file).toMatchObject({ manifests: [{ body: { spec: { mode: 420, at: '2020-01-01', t: '1:30' } } }] });
  });

  test('of kinds that nobody asks for are counted as objects without being read', () => {
    const text = 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec: [broken\n';

    expect(read(text)).toEqual({ kind: 'read', manifests: [], isWhole: true });
    expect(read('replicas: 3')).toEqual({ kind: 'read', manifests: [], isWhole: false });
  });

  test('begin behind directives and comments, however long those are', () => {
    const comments = `${'#'.repeat(3_000)}\n`.repeat(20);

    expect(names(`${comments}%FOO bar\n${head}metadata: {name: a}`)).toEqual(['MachineConfig a']);
    expect(names(`${comments}x\n%FOO bar\n`)).toEqual([]);
    expect(names(`${head}metadata: {name: a}\nspec: {x: |\n%FOO bar\n}`)).toBe('it is not valid YAML');
  });

  test('[S0-3] are not missed for the way a kind is written', () => {
    const written = ['"Machine\\x43onfig"', '"Machine\\\n  Config"', '!!str MachineConfig', '&k MachineConfig'];

    const found = written.map((kind) =>
      names(`apiVersion: machineconfiguration.openshift.io/v1\nkind: ${kind}\nmetadata: {name: a}\n`),
    );

    expect(found).toEqual(written.map(() => ['MachineConfig a']));
  });

  test('that Argo CD is told to leave out are left out', () => {
    expect(names(`# +argocd:skip-file-rendering\n${head}metadata: {name: a}`)).toEqual([]);
  });

  test('[S1-21] [N-30] that Argo CD is told to leave out count where they are Butane, which is not told', () => {
    const text = '# +argocd:skip-file-rendering\nvariant: openshift\nversion: 4.18.0\nmetadata: {name: a}\n';

    expect(read(text, 'a.bu')).toMatchObject({ manifests: [{ kind: 'MachineConfig', name: 'a' }] });
  });

  test('[S0-3] [N-30] that Git LFS keeps are unknown, whatever they are', () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n';

    expect(names(pointer)).toBe('its content is kept in Git LFS');
  });

  test('keep hostile names as data', () => {
    const file = read(
      '{"apiVersion":"v1","kind":"Node","metadata":{"name":"<b>&","labels":{"__proto__":"x"}}}',
      'n.json',
    );

    expect(file).toMatchObject({ manifests: [{ name: '<b>&' }] });
    expect(Object.entries(file.kind === 'read' ? (file.manifests[0]?.labels ?? {}) : {})).toEqual([['__proto__', 'x']]);
  });
});

describe('[S0-3] [N-30] what Argo CD reads as a MachineConfig and others do not', () => {
  const config = `${head}metadata: {name: a}\n`;
  const harmless = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n';
  const [nextLine, lineSeparator, paragraphSeparator] = ['\u0085', '\u2028', '\u2029'];
  const group = 'bWFjaGluZWNvbmZpZ3VyYXRpb24ub3BlbnNoaWZ0LmlvL3Yx';
  const merged = '{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig}';

  // Each was read by k8s.io/apimachinery 0.34 and go.yaml.in/yaml/v2 2.4.2, as in Argo CD 3.2.11: one MachineConfig.
  test.each([
    ['behind a comment that ends at U+0085', `# ${nextLine}${config.replaceAll('\n', nextLine)}\n`],
    ['behind a comment that ends at U+2028', `# ${lineSeparator}${config.replaceAll('\n', lineSeparator)}\n`],
    ['behind a comment that ends at U+2029', `# ${paragraphSeparator}${config.replaceAll('\n', paragraphSeparator)}\n`],
    ['behind a comment that ends at a lone carriage return', `# \r${config.replaceAll('\n', '\r')}\n`],
    ['below a key that ends a document', `${harmless}---#x:\n${config.replaceAll(/^(?=.)/gm, '  ')}`],
    ['merged over the keys before', `${harmless}<<: ${merged}\n`],
    ['merged by a tag', `${harmless}!!merge <<: ${merged}\n`],
    ['merged twice', `<<: {kind: ConfigMap}\n<<: ${merged}\nmetadata: {name: a}\n`],
    ['by a key in base64', `${harmless}!!binary a2luZA==: MachineConfig\n`],
    ['by values in base64', `${head.replace('MachineConfig', '!!binary TWFjaGluZUNvbmZpZw==')}metadata: {name: a}\n`],
    [
      'by an escape in a tag',
      `apiVersion: !!%62inary ${group}\nkind: !!%62inary TWFjaGluZUNvbmZpZw==\nmetadata: {name: a}\n`,
    ],
    [
      'by an escape in a whole tag',
      `apiVersion: !<tag:yaml.org,2002:%62inary> ${group}\nkind: !<tag:yaml.org,2002:%62inary> TWFjaGluZUNvbmZpZw==\nmetadata: {name: a}\n`,
    ],
    ...[nextLine, lineSeparator, paragraphSeparator].map((end) => [
      `by an escaped line end U+${end.charCodeAt(0).toString(16)}`,
      config.replace(/^(\w+: )(\w+?)((?:Config|configuration).*)$/gm, `$1"$2\\${end}$3"`),
    ]),
  ])('is unreadable %s', (_, text) => {
    expect(read(text)).toEqual({ kind: 'unreadable', why: expect.stringMatching(/^readers of YAML differ/) });
  });

  test('is not read where Argo CD stops reading, after the end of a document', () => {
    expect(names(`${harmless}...\n${config}`)).not.toContain('MachineConfig a');
  });

  test('and a byte order mark at the start of a document is skipped by all alike', () => {
    expect(names(`${harmless}---\n\uFEFF${config}`)).toEqual(['ConfigMap c', 'MachineConfig a']);
  });

  test('and a merge key that comes first is read by all alike', () => {
    expect(names(`<<: ${merged}\nmetadata: {name: a}\n`)).toEqual(['MachineConfig a']);
  });
});

describe('a text that is too much', () => {
  const bomb = Array.from({ length: 30 }, (_, at) =>
    at === 0
      ? 'a0: &a0 [x,x]'
      : `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(',')}]`,
  ).join('\n');

  test.each([
    ['invalid', `${head}x: [`, 'it is not valid YAML'],
    ['a bomb of aliases', `${head}${bomb}`, 'its aliases expand too much'],
    [
      'nested without end',
      `{"kind": "MachineConfig", "x": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      'it is nested too deeply',
    ],
    ['of 11 MB', head + 'x'.repeat(11 * 1024 * 1024), 'it is larger than 10 MB'],
    ['of a million lines', `${head}x:\n${'- a\n'.repeat(1_000_000)}`, 'it exceeds the limit for one push'],
    ['of 60,000 documents', '---\n'.repeat(60_000), 'it holds more than 50,000 documents'],
    [
      'with a name that is a number',
      `${head}metadata: {name: 1}`,
      'it holds an object without a name or kind that can be read',
    ],
  ])('%s has a reason and quotes nothing', (_, text, why) => {
    expect(read(text)).toEqual({ kind: 'unreadable', why });
  });

  test('10 MB of other kinds cost no parsing', () => {
    const text = 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n---\n'.repeat(40_000);

    expect(read(text)).toEqual({ kind: 'read', manifests: [], isWhole: true });
  });

  test.each(['\n', ' ', '#\n', '%a\n', '!', 'kind:\n\n'])('[N-30] millions of %j are read without a throw', (part) => {
    const text = part.repeat((9 * 1024 * 1024) / part.length);

    const kinds = [read(text), read(`${text}x`), read(`${text}x`, 'a.bu')].map(({ kind }) => kind);

    expect(kinds.every((kind) => kind === 'read' || kind === 'unreadable')).toBe(true);
  });

  test('many files share one allowance', () => {
    const reader = manifestReader(patiently);
    const text = `${head}metadata: {name: a}\nx:\n${'- a\n'.repeat(40_000)}`;

    const kinds = [1, 2, 3, 4].map(() => reader(text, 'a.yaml').kind);

    expect(kinds).toEqual(['read', 'read', 'read', 'unreadable']);
  });

  test('nothing makes it throw', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (text) => {
        expect(['read', 'unreadable']).toContain(read(`kind: MachineConfig\n${text}`).kind);
      }),
    );
  });
});

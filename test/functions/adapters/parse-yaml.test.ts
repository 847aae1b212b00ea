import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseYaml, yamlLimits } from '../../../functions/adapters/yaml/parse-yaml.ts';
import { referencesIn } from '../../../functions/adapters/yaml/references-in.ts';
import { stoppable } from '../../../functions/adapters/yaml/stoppable.ts';
import { fromRoot } from '../../../functions/core/routing/go-path.ts';
import { fc, runs } from '../../property.ts';

function many(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

/** Milliseconds: no machine is so busy. What is tested here is what is counted. */
const patiently = 600_000;

function faultOf(text: string): string | undefined {
  const parsed = parseYaml(text, patiently);
  return 'fault' in parsed ? parsed.fault : undefined;
}

describe('[N-30] a YAML document of a stranger', () => {
  test.each([
    ['keys', (count: number) => many(count, (index) => `k${index}: 1`)],
    ['anchors', (count: number) => many(count, (index) => `- &a${index} x`)],
    ['tags', (count: number) => many(count, () => '- !!str x')],
    ['explicitKeys', (count: number) => many(count, (index) => `? k${index}`)],
  ] as const)('is read with as many %s as are allowed, and not with one more', (what, text) => {
    expect(faultOf(text(yamlLimits[what]))).toBeUndefined();
    expect(faultOf(text(yamlLimits[what] + 1))).toBe('it has more keys, anchors or tags than are read');
  });

  test.each([
    ['names of one target', `a: &a x\nl:\n${many(yamlLimits.aliases - 1, () => '- *a')}`, undefined],
    ['one name too many', `a: &a x\nl:\n${many(yamlLimits.aliases, () => '- *a')}`, 'its aliases expand too much'],
    ['a name without a target', 'a: *b', 'it is not valid YAML'],
    ['brackets in brackets', `a: ${'['.repeat(200)}${']'.repeat(200)}`, undefined],
    ['one bracket more', `a: ${'['.repeat(201)}${']'.repeat(201)}`, 'it is nested too deeply'],
    [
      'a long list named often',
      `a: &a [${'0,'.repeat(20_000)}1]\nb: [${'*a,'.repeat(900)}1]`,
      'its aliases expand too much',
    ],
    ['a long list named seldom', `a: &a [${'0,'.repeat(20_000)}1]\nb: [${'*a,'.repeat(8)}1]`, undefined],
    ['a tag that others decode', 'a: !!binary YQ==', 'readers of YAML differ on it'],
    ['a tag of its own', 'a: !b c', 'readers of YAML differ on it'],
    ['a merge key that comes second', 'a: 1\n<<: {a: 2}', 'readers of YAML differ on it'],
    ['a key twice', 'a: 1\nb: 2\na: 3', 'it is not valid YAML'],
    ['a key twice, further in', 'l:\n- {x: 1, x: 2}', 'it is not valid YAML'],
    ['a list for a key', '? [a]\n: 1', 'it is not valid YAML'],
    ['keys within keys', `${'{? '.repeat(40)}a${'}'.repeat(40)}`, 'it is not valid YAML'],
    ['keys within keys, in lines', `${'- ? '.repeat(90)}a`, 'it is not valid YAML'],
    ['maps for keys', `${'{'.repeat(90)}a${'}: 1'.repeat(90)}`, 'it is not valid YAML'],
  ])('with %s ends with a reason, or is read', (_what, text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  test('keeps the same names of keys apart by mapping, and takes numbers and merged keys', () => {
    const text = 'base: &b {x: 1, w: 2}\na: {<<: *b, x: 3}\n1: {x: 1}\nnull: 2';

    expect(parseYaml(text)).toEqual({
      value: { base: { x: 1, w: 2 }, a: { x: 3, w: 2 }, 1: { x: 1 }, '': 2 },
    });
  });

  test('is stopped where nothing else bounds its cost', () => {
    expect(
      parseYaml(
        many(yamlLimits.keys, (index) => `k${index}: [x, y]`),
        1,
      ),
    ).toEqual({
      fault: 'it takes too long to read',
    });
  });

  test('never throws, and what is read is what the library reads', () => {
    const piece = fc.constantFrom(
      ...['- ', '? ', ': ', '{', '}', '[', ']', ', ', '&a ', '*a ', '!t ', '!!map ', '"', "'", '# ', '\n', '  ', '|\n'],
      ...['>\n', '---\n', '%TAG ! !\n', 'a', '<<: ', '\t', '1'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), (pieces, times) => {
        const text = pieces.join('').repeat(times);
        const parsed = parseYaml(text, patiently);

        expect(Object.keys(parsed)).toHaveLength(1);
        if ('value' in parsed) expect(parsed.value).toEqual(parse(text, { version: '1.1', logLevel: 'silent' }));
      }),
      { numRuns: runs(400) },
    );
  });

  test.each<[string, readonly string[]]>([
    ['../base', ['../base']],
    ['../base of all', ['../base of all']],
    ['deployment.yaml', []],
    ['text\nwith ../ in it', []],
    ['github.com/acme/platform//base?ref=main', ['base']],
    ['https://github.com/acme/Platform.git//nodes/../base?ref=main', ['base']],
    ['https://github.com/acme/platform/base?ref=main', ['base']],
    ['git@github.com:acme/platform.git//base', ['base']],
    ['git::https://x:y@ghe.acme.io:8443/acme/platform//base', ['base']],
    ['https://github.com/acme/platform?ref=main', ['']],
    ['https://github.com/argoproj/argo-cd//manifests?ref=v3.0.0', []],
    ['https://example.com/install.yaml', []],
  ])('[S0-9] [N-14] of a kustomization leads from %j to %j', (reference, places) => {
    const text = JSON.stringify({ resources: [reference] });

    const found = referencesIn(text, 'acme/platform')?.map((each) =>
      each.includes('../../') ? fromRoot(`nodes/of/site/${each}`) : each,
    );

    expect(found).toEqual(places);
  });

  test('[N-14] the address of the repository in an annotation leads nowhere', () => {
    const text = JSON.stringify({
      commonAnnotations: { 'app.openshift.io/vcs-uri': 'https://github.com/acme/platform' },
    });

    expect(referencesIn(text, 'acme/platform')).toEqual([]);
  });

  test('[N-14] an address leads anywhere where the repository is not known, if it has a path', () => {
    const text = JSON.stringify({ resources: ['github.com/acme/a//base', 'github.com/acme/b'] });

    expect(referencesIn(text)?.map((each) => fromRoot(each))).toEqual(['base']);
  });

  test('is no kustomization where it is too much', () => {
    expect(referencesIn('resources: [../base]')).toEqual(['../base']);
    expect(referencesIn(`resources: [../base]\n${many(501, (index) => `a${index}: &a${index} x`)}`)).toBeUndefined();
  });
});

describe('work that may be stopped', () => {
  test('ends with its value, or with what it threw', () => {
    expect(stoppable(() => 7, 1_000)).toEqual({ kind: 'done', value: 7 });
    expect(() =>
      stoppable(() => {
        throw new RangeError('of its own');
      }, 1_000),
    ).toThrow('of its own');
  });

  test('is stopped in the middle of a loop, a catch-all and a regular expression', () => {
    const endless = () => {
      for (;;);
    };
    const stubborn = () => {
      try {
        endless();
      } catch {
        return 'went on';
      }
    };

    expect(stoppable(endless, 5)).toEqual({ kind: 'stopped' });
    expect(stoppable(stubborn, 5)).toEqual({ kind: 'stopped' });
    expect(stoppable(() => /^(?:a|a)*$/.test(`${'a'.repeat(60)}b`), 5)).toEqual({ kind: 'stopped' });
    expect(stoppable(() => 'and again', 1_000)).toEqual({ kind: 'done', value: 'and again' });
  });
});

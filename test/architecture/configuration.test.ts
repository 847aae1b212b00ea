import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Configuration } from '../../functions/core/configuration/configuration.ts';
import { AlertingPolicy, Policy, PolicyInternals } from '../../functions/core/configuration/policy.ts';
import { ConfigurationFile } from '../../functions/shell/configuration/file/configuration-file.ts';
import { internalPaths } from '../../functions/shell/configuration/file/internals.ts';
import { writtenKey } from '../../functions/shell/configuration/file/written-key.ts';
import { sourceFiles } from './source-files.ts';

type Schema = z.core.JSONSchema.BaseSchema;

type Leaf = readonly [path: string, schema: Schema];

/** All that holds a value, by its path. */
function leavesIn(schema: Schema | boolean | undefined, path: string): readonly Leaf[] {
  if (typeof schema !== 'object') return [];
  const options = schema.oneOf?.flatMap((option) => leavesIn(option, path)) ?? [];
  const named = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => leavesIn(value, `${path}.${key}`));
  const others = leavesIn(schema.additionalProperties, `${path}.<name>`);
  const items = Array.isArray(schema.items) ? [] : leavesIn(schema.items, `${path}[]`);
  const below = [...options, ...named, ...others, ...items];
  return below.length > 0 ? below : [[path.slice(1), schema]];
}

function leavesOf(schema: z.ZodType): readonly Leaf[] {
  return leavesIn(z.toJSONSchema(schema, { io: 'input', target: 'draft-7' }), '');
}

function keysOf(leaves: readonly Leaf[]): readonly string[] {
  return [...new Set(leaves.map(([path]) => path))];
}

/** As poolkeeper.yaml has it: what is for all clusters stands there once. */
function written(path: string): string {
  return path.replace('clusters[].budget.fleet', 'budget').split('.').map(writtenKey).join('.');
}

/** What may be written, without what editors are told. */
function checks([path, { description, deprecated, default: _, ...rest }]: Leaf): string {
  return `${path}: ${JSON.stringify(rest)}`;
}

const file = leavesOf(ConfigurationFile);
/** What may be written: Poolkeeper fills in the rest. */
const inCore = leavesOf(Configuration).filter(([, schema]) => schema['isFilledIn'] !== true);
const ofCluster = 'clusters[].policy.';
const deployed = keysOf(inCore).map(written);
const policy = deployed.filter((key) => key.startsWith(ofCluster)).map((key) => key.slice(ofCluster.length));

/** What the file has besides what is deployed. */
const onlyInTheFile = [
  'extends[]',
  'clusters[].api.caFile',
  'argocd[].relay.caFile',
  'windows[].clusters[]',
  ...deployed.filter((key) => key.startsWith('clusters[].windows[].')).map((key) => key.slice('clusters[].'.length)),
  ...policy.map((key) => `policy.${key}`),
  ...['policy', 'clusters[].policy'].flatMap((block) =>
    internalPaths.map((path) => `${block}.internals.${path.join('.')}`),
  ),
];

const core = sourceFiles(['functions/core/configuration']);
const shell = sourceFiles(['functions/shell/configuration']);
const listOfSections = 'functions/core/configuration/configuration.ts';

/** The files of the core that a section of the configuration stands in. */
const sections = core.flatMap(({ path, imports }) =>
  path === listOfSections
    ? [...imports.filter((target) => !target.endsWith('/fields.ts')), 'functions/core/configuration/policy.ts']
    : [],
);

describe('a setting has one truth', () => {
  test('poolkeeper.yaml has the keys that are deployed, and only named ones besides', () => {
    expect(keysOf(file).toSorted()).toEqual([...deployed, ...onlyInTheFile].toSorted());
    expect(deployed.length).toBeGreaterThan(60);
  });

  test('what may be written is what may be deployed, lengths of time aside', () => {
    const plain = inCore.filter(([path]) => !/Seconds\b/.test(path));

    expect(file.map(checks)).toEqual(
      expect.arrayContaining(plain.map(([path, schema]) => checks([written(path), schema]))),
    );
    expect(plain.length).toBeGreaterThan(50);
  });

  test('a section is a file of the core, with its form in the file derived in one of the same name', () => {
    const forms = shell.filter(({ path }) => path.includes('/configuration/file/'));

    const underived = sections.filter((section) => {
      const name = section.slice(section.lastIndexOf('/'));
      return !forms.some(({ path, imports, code }) => {
        return path.endsWith(name) && imports.includes(section) && /\bfile(?:Form|Shape)\(/.test(code);
      });
    });

    expect(underived).toEqual([]);
    expect(sections.length).toBeGreaterThanOrEqual(5);
  });

  test('a section writes its keys as a schema, and its types are what the schema yields', () => {
    const twice = core
      .filter(({ path }) => sections.includes(path))
      .flatMap(({ path, code }) =>
        [...code.matchAll(/\binterface \w+|\btype (\w+) = (?!Values<typeof \1>;).*/g)].map(
          ([found]) => `${path}: ${found}`,
        ),
      );

    expect(twice).toEqual([]);
  });

  test('no schema of a setting is made in the shell: the list of sections and what only the file has aside', () => {
    const makers = shell.flatMap(({ path, code }) =>
      /\bz\.(?:\w*[oO]bject|record|interface|array|enum|number|int|boolean|literal)\(|\bmapping\(/.test(code)
        ? [path.slice('functions/shell/configuration/'.length)]
        : [],
    );

    expect(makers.toSorted()).toEqual([
      'file/configuration-file.ts',
      'file/file-form.ts',
      'file/policy.ts',
      'file/windows.ts',
    ]);
  });

  test('an internal of the policy is one schema, whichever block it is read from', () => {
    const { alerting, ...plain } = PolicyInternals.shape;

    for (const [key, schema] of Object.entries(plain))
      expect(Object.entries(Policy.shape)).toContainEqual([key, schema]);
    for (const [key, schema] of Object.entries(alerting.unwrap().shape)) {
      expect(Object.entries(AlertingPolicy.shape).find(([name]) => name === key)?.[1]).toBe(schema);
    }
  });
});

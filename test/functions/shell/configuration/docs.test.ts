import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { internalPaths } from '../../../../functions/shell/configuration/file/internals.ts';
import {
  configurationJsonSchema,
  configurationJsonSchemaText,
} from '../../../../functions/shell/configuration/json-schema.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

type Schema = z.core.JSONSchema.BaseSchema;

function isSchema(schema: Schema | boolean | undefined): schema is Schema {
  return typeof schema === 'object';
}

/** Every key that takes a value or a list, with its default as the documentation writes it; those of earlier versions
 *  are left out. */
function keysOf(schema: Schema, path: string, required: boolean): readonly (readonly [string, string])[] {
  const options = schema.oneOf?.filter(isSchema) ?? [];
  if (options.length > 0) return options.flatMap((option) => keysOf(option, path, required));
  if (schema.type === 'object') {
    const named = Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
      isSchema(value) && value['deprecated'] !== true
        ? keysOf(value, path === '' ? key : `${path}.${key}`, schema.required?.includes(key) === true)
        : [],
    );
    const any = isSchema(schema.additionalProperties)
      ? keysOf(schema.additionalProperties, `${path}.<name>`, false)
      : [];
    return [...named, ...any];
  }
  const items = Array.isArray(schema.items) || !isSchema(schema.items) ? undefined : schema.items;
  const below = items?.type === 'object' || items?.oneOf !== undefined ? keysOf(items, `${path}[]`, true) : [];
  return [[path, defaultText(schema, required)], ...below];
}

function defaultText(schema: Schema, required: boolean): string {
  if (required) return 'required';
  if (schema.default === undefined) return 'none';
  return Array.isArray(schema.default) ? `[${schema.default.join(', ')}]` : String(schema.default);
}

/** Every key of the tables of the page, with its default. A line `Keys of` says below which key those of the next table
 *  stand; braces name several; `as` takes the defaults of the same keys below another. */
function documentedIn(page: string): readonly (readonly [string, string])[] {
  const found = new Map<string, string>();
  for (const [, rows = ''] of page.matchAll(/^\| Key \| Default \|.*\n((?:\|.*\n)+)/gm)) {
    const below = belowWhat(page.slice(0, page.indexOf(rows)));
    const cells = rows.matchAll(/^\| \[?`([^`]+)`(?:\]\(\S+\))? \| ((?:as )?`?[^`|]+?`?) \|/gm);
    for (const [, names = '', byDefault = ''] of cells) {
      const place = /^as `(.+)`$/.exec(byDefault)?.[1];
      for (const key of alternativesOf(`${below}${names}`)) {
        const asThere = place && (found.get(`${place}.${key.split('.').at(-1)}`) ?? 'nothing to be as');
        found.set(key, asThere ?? byDefault.replaceAll('`', ''));
      }
    }
  }
  return [...found].filter(([key]) => !key.startsWith('<call>.'));
}

/** What the last line before a table says, if it stands below the last heading. */
function belowWhat(before: string): string {
  const key = [...before.slice(before.lastIndexOf('\n#')).matchAll(/^Keys of `([^`]+)`/gm)].at(-1)?.[1];
  return key === undefined ? '' : `${key}.`;
}

/** As a shell reads `a.{b,c}`. */
function alternativesOf(key: string): readonly string[] {
  const [, before = '', names, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(key) ?? [];
  if (names === undefined) return [key];
  return names.split(',').flatMap((name) => alternativesOf(`${before}${name}${after}`));
}

describe('what is written about the configuration', () => {
  it('[C-8] docs/configuration.md names every key and its default, and no other', async () => {
    const keys = keysOf(configurationJsonSchema(), '', true);
    const repeats =
      /^clusters\[\]\.(?:policy\.|windows\[\]\.)|\.waitFor\.(?:all|any)\[\]\.|^nodeTurns\.(?:rules\.<name>\.gate|runs\.<name>\.gates\[\])\./;
    const expected = Object.fromEntries(keys.filter(([key]) => !repeats.test(key)));

    const documented = Object.fromEntries(documentedIn(await readFile(`${repository}docs/configuration.md`, 'utf8')));
    expect(documented).toEqual(expected);
  });

  it('[C-8] the internals are documented last, and nothing tuned stands among them', async () => {
    const text = await readFile(`${repository}docs/configuration.md`, 'utf8');

    const keys = documentedIn(text).map(([key]) => key);
    const first = keys.findIndex((key) => key.startsWith('policy.internals.'));

    expect(first).toBeGreaterThan(50);
    expect(keys.slice(first).filter((key) => !key.startsWith('policy.internals.'))).toEqual([]);
  });

  it('[C-8] editors are told which keys of the policy stand at an old place, and where they belong', () => {
    const old: Record<string, unknown> = {};
    JSON.stringify(configurationJsonSchema().properties?.['policy'], (key, value: Schema | undefined) => {
      if (value?.['deprecated'] === true) old[key] = value.description;
      return value;
    });

    const expected = internalPaths.map((path) => [path.at(-1), `Old place of policy.internals.${path.join('.')}.`]);
    expect(old).toEqual(Object.fromEntries(expected));
  });

  it('[C-8] a cluster may change every key of the common policy', () => {
    const keys = keysOf(configurationJsonSchema(), '', true).map(([key]) => key);

    const common = keys.filter((key) => key.startsWith('policy.'));
    const own = keys.filter((key) => key.startsWith('clusters[].policy.'));

    expect(common.length).toBeGreaterThan(20);
    expect(own.map((key) => key.replace('clusters[].', ''))).toEqual(common);
  });

  it('[C-8] the JSON Schema for editors says what the code says (else: npm run schemas)', async () => {
    const written = await readFile(`${repository}docs/schemas/poolkeeper.schema.json`, 'utf8');

    expect(written).toBe(configurationJsonSchemaText());
  });

  it('[C-8] every key has a description for the editor', () => {
    const bare: string[] = [];
    JSON.stringify(configurationJsonSchema(), (_, value: Schema | undefined) => {
      for (const [key, each] of Object.entries(value?.properties ?? {})) {
        if (isSchema(each) && each.description === undefined && each.const === undefined) bare.push(key);
      }
      return value;
    });

    expect(bare).toEqual([]);
  });

  it('a bundle that loads the prepared configuration holds no YAML parser', async () => {
    const { metafile } = await build({
      entryPoints: [`${repository}functions/shell/configuration/load-configuration.ts`],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });

    const inputs = Object.keys(metafile.inputs);

    expect(inputs.some((input) => input.includes('node_modules/zod/'))).toBe(true);
    expect(inputs.filter((input) => input.includes('node_modules/yaml/'))).toEqual([]);
  });
});

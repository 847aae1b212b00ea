import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAllowed, readAdvisories, shippedPackages } from '../../local/audit.ts';

const root = join(import.meta.dirname, '../..');

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const production = Object.keys(manifest.dependencies);
const declared = [...production, ...Object.keys(manifest.devDependencies)];

/** Programs and types that no file imports, and who uses them. */
const usedOtherwise: Readonly<Record<string, RegExp>> = {
  '@biomejs/biome': /biome/,
  'aws-cdk': /cdk /,
  esbuild: /./,
  knip: /knip /,
  node: /node /,
  typescript: /tsc/,
};

interface Import {
  readonly path: string;
  readonly name: string;
}

const imports: readonly Import[] = ['events', 'functions', 'infra', 'local', 'test', 'vitest.config.ts']
  .flatMap(filesBelow)
  .flatMap((path) => packagesOf(readFileSync(join(root, path), 'utf8')).map((name) => ({ path, name })));

function filesBelow(path: string): readonly string[] {
  if (/\.ts$/.test(path)) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?ts$|\.mjs$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function packagesOf(code: string): readonly string[] {
  const specifiers = code.matchAll(
    /^(?:import|export)\s[^;'"`]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...specifiers]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((name) => !name.startsWith('.') && !isBuiltin(name))
    .map((name) => (name.startsWith('@') ? name.split('/').slice(0, 2) : name.split('/').slice(0, 1)).join('/'));
}

/** `x` for a package that brings its own types, `@types/x` beside it for one that does not. */
function typesOf(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`;
}

describe('the packages we depend on', () => {
  test('are pinned to exactly one version, as is everything that they bring along', () => {
    const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    const lock: { readonly lockfileVersion: number; readonly packages: Record<string, { integrity?: string }> } =
      JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const unsealed = Object.entries(lock.packages).filter(([path, { integrity }]) => path !== '' && !integrity);

    expect(loose).toEqual([]);
    expect(lock.lockfileVersion).toBe(3);
    expect(unsealed.filter(([, entry]) => !('inBundle' in entry)).map(([path]) => path)).toEqual([]);
  });

  test('are all declared, and those of the product are no development dependencies', () => {
    const undeclared = imports.filter(({ name }) => !declared.includes(name) && !declared.includes(typesOf(name)));
    const ofTests = imports.filter(
      ({ path, name }) => /^(?:events|functions)\//.test(path) && !production.includes(name) && name !== 'aws-lambda',
    );

    expect(undeclared).toEqual([]);
    expect(ofTests).toEqual([]);
  });

  test('are each used somewhere', () => {
    const used = new Set(imports.flatMap(({ name }) => [name, typesOf(name)]));
    const commands = Object.values(manifest.scripts).join('\n');
    const idle = declared.filter(
      (name) => !used.has(name) && name !== '@types/node' && !usedOtherwise[name]?.test(commands),
    );

    expect(idle).toEqual([]);
  });
});

describe('licences', () => {
  test('of everything we ship are on the list', () => {
    const shipped = shippedPackages(root);

    expect(shipped.length).toBeGreaterThan(production.length);
    expect(shipped.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
  });

  test.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND Apache-2.0', true],
    ['MIT AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['SEE LICENSE IN LICENSE', false],
    ['UNLICENSED', false],
    ['', false],
    ['(MIT OR (GPL-2.0 AND X))', false],
  ])('%s: allowed is %s', (expression, allowed) => {
    expect(isAllowed(expression)).toBe(allowed);
  });
});

describe('advisories', () => {
  test('are counted, and a registry without them is told from one that knows of none', () => {
    const counts = { info: 1, low: 1, moderate: 1, high: 2, critical: 1, total: 6 };

    expect(readAdvisories(JSON.stringify({ auditReportVersion: 2, metadata: { vulnerabilities: counts } }))).toEqual({
      kind: 'known',
      grave: 3,
      others: 3,
    });
    expect(readAdvisories('{"message":"405 Method Not Allowed - POST https://registry.example.com/bulk"}')).toEqual({
      kind: 'unknown',
      why: '405 Method Not Allowed',
    });
    expect(readAdvisories('').kind).toBe('unknown');
  });
});

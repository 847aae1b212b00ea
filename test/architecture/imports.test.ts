import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

interface Room {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  /** The code without comments and the contents of strings that are no imports. */
  readonly code: string;
  readonly imports: readonly string[];
}

const rooms: readonly Room[] = ['events', 'functions', 'infra', 'local'].flatMap(filesBelow).map(readRoom);

/** Who may import whom. The first rule whose `from` fits a file decides; an import must fit one of `may`. */
const rules: readonly { readonly from: RegExp; readonly may: readonly RegExp[] }[] = [
  { from: /^events\/schemas\.ts$/, may: [/^events\//, /^zod$/, /^node:/] },
  { from: /^events\//, may: [/^events\//, /^zod$/, /^cloudevents(?:\/|$)/] },
  // Bytes in, bytes out: the one library of Node in the core.
  { from: /^functions\/core\/rendering\/gunzip\.ts$/, may: [/^node:zlib$/] },
  { from: /^functions\/core\//, may: [/^functions\/core\//, /^events\//, /^zod$/] },
  { from: /^functions\/ports\.ts$/, may: [/^functions\/core\//, /^events\//] },
  {
    from: /^functions\/adapters\//,
    may: [/^functions\/adapters\//, /^functions\/core\//, /^functions\/ports\.ts$/, /^events\//, package_()],
  },
  {
    from: /^functions\/shell\/services\//,
    may: [
      /^functions\/(shell|core|adapters)\//,
      /^functions\/ports\.ts$/,
      /^functions\/[a-z-]+\//,
      /^events\//,
      package_(),
    ],
  },
  {
    from: /^functions\/shell\//,
    may: [/^functions\/(shell(?!\/services)|core)\//, /^functions\/ports\.ts$/, /^events\//, package_()],
  },
  // The handshake runs a pass of keep-pools for one Application and waits for it: the one function that uses another.
  { from: /^functions\/handshake\//, may: [/^functions\/keep-pools\//, ...entryMay('handshake')] },
  ...[
    'receive-github',
    'receive-argocd',
    'receive-cluster',
    'receive-slack',
    'keep-pools',
    'send-alerts',
    'status',
    'watch-ticks',
    'redeliver',
    'preview-changes',
    'relay-pushes',
  ].map((entry) => ({
    from: new RegExp(`^functions/${entry}/`),
    may: entryMay(entry),
  })),
  { from: /^infra\//, may: [/^infra\//, package_()] },
  { from: /^local\/openshift\//, may: [/^local\/openshift\//, package_()] },
  { from: /^local\//, may: [/^local\//, /^functions\//, /^events\//, package_()] },
];

function entryMay(entry: string): readonly RegExp[] {
  return [
    new RegExp(`^functions/${entry}/`),
    /^functions\/(shell|core)\//,
    /^functions\/ports\.ts$/,
    /^events\//,
    package_(),
  ];
}

/** Anything that is no file of ours. */
function package_(): RegExp {
  return /^(?!events\/|functions\/|infra\/|local\/|test\/)/;
}

describe('the house of design section 9', () => {
  test('every file stands in a room whose imports are ruled', () => {
    const unruled = rooms.filter((room) => !rules.some((rule) => rule.from.test(room.path)));

    expect(unruled.map((room) => room.path)).toEqual([]);
    expect(rooms.length).toBeGreaterThan(100);
  });

  test('nobody imports what the rules do not allow', () => {
    const broken = rooms.flatMap((room) => {
      const rule = rules.find((each) => each.from.test(room.path));
      const forbidden = room.imports.filter((target) => !rule?.may.some((allowed) => allowed.test(target)));
      return forbidden.map((target) => `${room.path} -> ${target}`);
    });

    expect(broken).toEqual([]);
  });

  test('only the composition roots construct adapters', () => {
    const builders = rooms
      .filter((room) => room.imports.some((target) => target.startsWith('functions/adapters/')))
      .filter((room) => !/^functions\/(adapters|shell\/services)\/|^local\//.test(room.path));

    expect(builders.map((room) => room.path)).toEqual([]);
  });

  test('the core has no clock, no chance, no environment and no network', () => {
    const impure = /\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bMath\.random\(|\bprocess\.|\bfetch\(|\bsetTimeout\(/;
    const guilty = rooms.filter((room) => room.path.startsWith('functions/core/') && impure.test(room.code));

    expect(guilty.map((room) => room.path)).toEqual([]);
  });

  test('functions and events cast nothing', () => {
    const cast = /[\w)\]}>] as (?!const\b)[\w{[(]/;
    const guilty = rooms.filter(
      (room) => /^(functions|events)\//.test(room.path) && cast.test(withoutAliases(room.code)),
    );

    expect(guilty.map((room) => room.path)).toEqual([]);
  });
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?ts$|\.mjs$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function readRoom(file: string): Room {
  const text = readFileSync(file, 'utf8');
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm),
  ];
  return {
    path: relative(root, file).replaceAll('\\', '/'),
    code: text
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
      .replace(/`(?:[^`\\]|\\.)*`/g, '``'),
    imports: specifiers.map((match) => resolveImport(file, match[1] ?? match[2] ?? match[3] ?? '')),
  };
}

function resolveImport(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return relative(root, join(dirname(file), specifier)).replaceAll('\\', '/');
}

function withoutAliases(code: string): string {
  return code.replace(/^(?:import\b|export (?:type )?[{*])[^;]*;/gm, '');
}

import { describe, expect, test } from 'vitest';
import { coreRooms } from './core-rooms.ts';
import { type SourceFile, sourceFiles } from './source-files.ts';

const rooms: readonly SourceFile[] = sourceFiles(['events', 'functions', 'infra', 'local']);

/** Who may import whom. The first rule whose `from` fits a file decides; an import must fit one of `may`. */
const rules: readonly { readonly from: RegExp; readonly may: readonly RegExp[] }[] = [
  { from: /^events\/schemas\.ts$/, may: [/^events\//, /^zod$/, /^node:/] },
  { from: /^events\//, may: [/^events\//, /^zod$/, /^cloudevents(?:\/|$)/] },
  // Bytes in, bytes out: the one library of Node in the core.
  { from: /^functions\/core\/machine-config\/gunzip\.ts$/, may: [/^node:zlib$/] },
  // Schedules are data: the library reads no clock unless it is told to run something.
  {
    from: /^functions\/core\/(?:configuration\/window|windows\/spans)\.ts$/,
    may: [/^functions\/core\//, /^zod$/, /^croner$/],
  },
  { from: /^functions\/core\//, may: [/^functions\/core\//, /^events\//, /^zod$/] },
  { from: /^functions\/ports\//, may: [/^functions\/(ports|core)\//, /^events\//] },
  {
    from: /^functions\/adapters\//,
    may: [/^functions\/adapters\//, /^functions\/core\//, /^functions\/ports\//, /^events\//, package_()],
  },
  {
    from: /^functions\/shell\/services\//,
    may: [
      /^functions\/(shell|core|adapters)\//,
      /^functions\/ports\//,
      /^functions\/[a-z-]+\//,
      /^events\//,
      package_(),
    ],
  },
  {
    from: /^functions\/shell\//,
    may: [/^functions\/(shell(?!\/services)|core)\//, /^functions\/ports\//, /^events\//, package_()],
  },
  // The handshake runs a pass of keep-pools for one Application and waits for it: the one function that uses another.
  { from: /^functions\/handshake\//, may: [/^functions\/keep-pools\//, ...entryMay('handshake')] },
  ...[
    'receive-github',
    'receive-argocd',
    'receive-cluster',
    'receive-slack',
    'receive-callback',
    'fleet-lock',
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

function coreRoomOf(path: string): string | undefined {
  return /^functions\/core\/([^/]+)/.exec(path)?.[1];
}

const coreImports = rooms.flatMap(({ path, imports }) => {
  const from = coreRoomOf(path);
  if (from === undefined) return [];
  return imports.flatMap((target) => {
    const to = coreRoomOf(target);
    return to === undefined ? [] : [{ file: path, from, target, to }];
  });
});

/** Groups of files that can reach each other, each sorted; a file alone is none. */
function circles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const reach = new Map([...graph.keys()].map((file) => [file, reachableFrom(file, graph)]));
  const groups = [...graph.keys()].map((file) =>
    [...(reach.get(file) ?? [])].filter((other) => reach.get(other)?.has(file)).toSorted(),
  );
  return [...new Map(groups.filter((group) => group.length > 1).map((group) => [group.join(), group])).values()];
}

function reachableFrom(file: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [...(graph.get(file) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...(graph.get(next) ?? []));
  }
  return seen;
}

function entryMay(entry: string): readonly RegExp[] {
  return [
    new RegExp(`^functions/${entry}/`),
    /^functions\/(shell|core)\//,
    /^functions\/ports\//,
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

  test('each room of the core imports only rooms that stand above it', () => {
    const order = (room: string) => coreRooms.indexOf(room);
    const wrong = coreImports.filter(
      ({ from, to }) => from !== to && (order(to) === -1 || order(from) === -1 || order(to) > order(from)),
    );

    expect(wrong.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
    expect(new Set(rooms.flatMap(({ path }) => coreRoomOf(path) ?? []))).toEqual(new Set(coreRooms));
  });

  test('a room is entered through the files at its top', () => {
    const around = rooms.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^functions\/core\/[^/]+\/.+\//.test(target) && coreRoomOf(target) !== coreRoomOf(path))
        .map((target) => `${path} -> ${target}`),
    );

    expect(around).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(circles(new Map(rooms.map(({ path, imports }) => [path, imports])))).toEqual([]);
    expect(circles(new Map(Object.entries({ a: ['b'], b: ['c'], c: ['b'], d: ['a'] })))).toEqual([['b', 'c']]);
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

function withoutAliases(code: string): string {
  return code.replace(/^(?:import\b|export (?:type )?[{*])[^;]*;/gm, '');
}

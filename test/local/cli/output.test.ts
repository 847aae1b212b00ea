import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Command, ListedCommand } from '../../../local/cli/command.ts';
import { commands } from '../../../local/cli/commands.ts';
import { inForm } from '../../../local/cli/output.ts';
import { runCommand } from '../../../local/cli/run-command.ts';

/** What changes something, prints a file for others to read, or answers with its exit status. */
const noAnswers = [
  ...[
    'ack',
    'approve',
    'completion',
    'disconnect',
    'emergency',
    'freeze',
    'hold',
    'locks release',
    'recheck',
    'record',
  ],
  ...['resume', 'run', 'run abort', 'run go-on', 'run import', 'run pause', 'run retry', 'run skip', 'run start'],
  ...['sequence', 'sequence abort', 'sequence go-on', 'sequence import', 'sequence pause', 'sequence render'],
  ...['sequence skip', 'snooze', 'thaw', 'wait', 'config'],
  // A service.
  'serve',
  // Manifests, as YAML or JSON.
  ...['connect', 'manifests'],
];

async function everyCommand(
  listed: Readonly<Record<string, ListedCommand>>,
  above = '',
): Promise<readonly (readonly [path: string, command: Command])[]> {
  const all = await Promise.all(
    Object.entries(listed).map(async ([name, { load }]) => {
      const command = await load();
      return [[`${above}${name}`, command] as const, ...(await everyCommand(command.subcommands ?? {}, `${name} `))];
    }),
  );
  return all.flat();
}

const answering = (await everyCommand(commands)).filter(([path]) => !noAnswers.includes(path));

async function run(line: readonly string[]) {
  const said = { out: '', noted: '' };
  const status = await runCommand(line, {
    out: (text) => {
      said.out += text;
    },
    note: (text) => {
      said.noted += text;
    },
    environment: {},
    now: () => new Date('2026-03-03T10:00:00.000Z'),
  });
  return { status, ...said };
}

test.each(answering)('[C-9] %s prints its answer as text, wide, json or yaml', async (path, { help }) => {
  const { status, noted } = await run([...path.split(' '), '-o', 'xml']);

  expect(help).toMatch(/^ {2}-o, --output F {4}text \(default\), wide, (?:or )?json(?: |,).*yaml/m);
  // What else is missing may be said first.
  if (noted.includes('--output')) expect(noted).toMatch(/--output xml: must be one of text, wide, json, yaml/);
  expect(status).toBe(2);
});

test('[C-9] most commands answer something', () => {
  expect(answering.map(([path]) => path).toSorted()).toEqual(
    [
      ...[
        'config check',
        'doctor',
        'explain',
        'get',
        'impact',
        'locks',
        'preflight',
        'reboots',
        'replay',
        'run status',
      ],
      ...['sequence status', 'status', 'why', 'windows'],
    ].toSorted(),
  );
});

const snapshot = 'test/corpus/recordings/drain-in-deadlock.json';

test.each([
  [['explain', '--snapshot', snapshot]],
  [['replay', snapshot]],
  [['windows', '--config', 'poolkeeper.example.yaml']],
  [['config', 'check', 'poolkeeper.example.yaml']],
  [['doctor', '--config', 'poolkeeper.example.yaml']],
  [['impact', '--dir', 'docs/install', 'docs/install', '--everything']],
])('[C-9] the YAML of %j is its JSON', async (line) => {
  const [json, yaml, wide] = await Promise.all(
    ['json', 'yaml', 'wide'].map((form) => run([...line, '--output', form])),
  );

  expect(parse(yaml?.out ?? '')).toEqual(JSON.parse(json?.out ?? ''));
  expect(wide?.out).toMatch(/\w/);
});

test('[C-9] an answer without columns is wide as it is', async () => {
  const answer = { data: { a: undefined, b: 1 }, text: () => 'text' };

  expect(await inForm('wide', answer)).toBe('text');
  expect(await inForm('wide', { ...answer, wide: () => 'wide' })).toBe('wide');
  expect(await inForm('yaml', answer)).toBe('b: 1\n');
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { list, stage, statementsOf } from './synthesised.ts';

const adapters = 'functions/adapters/aws';

/** `fleet-lock`, `told#*`: what a module of the adapters names as partition keys. */
function partitionsIn(file: string): readonly string[] {
  const source = readFileSync(`${adapters}/${file}`, 'utf8');
  const inKeys = [...source.matchAll(/pk: (['`])(.+?)\1/g)].map(([, , key = '']) => key);
  const inFunctions = [...source.matchAll(/function partitionOf\(.*\n\s*return (['`])(.+?)\1/g)].map(
    ([, , key = '']) => key,
  );
  return [...inKeys, ...inFunctions].map((key) => key.replace(/\$\{.*$/, '*'));
}

/** Modules of the tables and notes that a composition opens: `const { fleetLocks } = dynamoTables(...)`,
 *  `replayNotes(...)`. */
function modulesOf(service: string): readonly string[] {
  const source = readFileSync(`functions/shell/services/${service}.ts`, 'utf8');
  const tables = [...source.matchAll(/const \{ ([\w, ]+) \} = dynamoTables\(/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const notes = [...source.matchAll(/: ([a-z]+Notes)\(/g)].map(([, name = '']) => name);
  return [...tables.map((name) => `dynamo-${kebab(name)}.ts`), ...notes.map((name) => `${kebab(name)}.ts`)];
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

describe('[N-30] what reaches us from outside writes the rows of its own part of the table alone', () => {
  const stack = stage('prod');

  it.each([
    ['fleet-lock', 'fleet-locker'],
    ['receive-callback', 'callback-receiver'],
    ['receive-slack', 'slack-receiver'],
    ['redeliver', 'redeliverer'],
    // What it reads of rollouts and calendars, it cannot save: functions/preview-changes/predict-ports.ts.
    ['preview-changes', 'pull-previews'],
  ])('%s: those of its adapters, no less and no more', (entry, service) => {
    const files = modulesOf(service);
    const written = files.flatMap(partitionsIn);

    const statements = statementsOf(stack, entry).filter(({ Action }) => list(Action).includes('dynamodb:PutItem'));

    expect(files).not.toEqual([]);
    expect(files.filter((file) => !readdirSync(adapters).includes(file))).toEqual([]);
    expect(statements.map(({ Condition }) => Condition)).toEqual([
      { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': expect.anything() } },
    ]);
    const granted = statements.flatMap(({ Condition }) =>
      list(Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']),
    );
    expect([...new Set(granted)].sort()).toEqual([...new Set(written)].sort());
  });

  it('and nothing that writes without such a bound is reached from outside, but for the handshake', () => {
    const unbounded = stack
      .ofType('AWS::Lambda::Function')
      .map(({ Properties }) => Properties.FunctionName.replace('poolkeeper-prod-', ''))
      .filter((entry) =>
        statementsOf(stack, entry).some(
          ({ Action, Condition }) => list(Action).includes('dynamodb:PutItem') && Condition === undefined,
        ),
      );

    expect(unbounded.sort()).toEqual(['handshake', 'keep-pools', 'relay-pushes', 'send-alerts']);
  });
});

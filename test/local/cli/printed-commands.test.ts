import { describe, expect, test } from 'vitest';
import { judge } from '../../../functions/core/judge/judge.ts';
import { undoOf } from '../../../functions/core/requests/undo-of.ts';
import { seen } from '../../../functions/core/text/observed.ts';
import type { HoldView } from '../../../functions/core/timeline/view.ts';
import { waitsOf } from '../../../functions/core/timeline/waits-of.ts';
import { connectAgain, manifestsOf } from '../../../local/cli/doctor/remedy-commands.ts';
import { runCommand } from '../../../local/cli/run-command.ts';
import { aPoolView } from '../../fakes/builders.ts';
import { everyClosedGate } from '../../functions/core/gates/ways-to-close.ts';
import { aJudgeInput } from '../../functions/core/judge/a-judge-input.ts';
import { aConnected } from './a-connected.ts';

const since = '2026-03-02T09:00:00.000Z';
const now = new Date('2026-03-02T10:00:00.000Z');

function ofGates(): readonly string[] {
  return everyClosedGate().flatMap(({ how }) => how ?? []);
}

function ofWaits(): readonly string[] {
  const kinds: readonly Partial<HoldView>[] = [
    { kind: 'manual' },
    { kind: 'freeze' },
    { kind: 'sync', phase: 'failed' },
  ];
  return kinds.flatMap((change) => {
    const hold = { id: 'x', kind: 'sync', who: 'ann', why: 'disks', phase: '', since, until: since, ...change };
    const { now: waits, override } = waitsOf(aPoolView({ paused: true, pauseOf: 'ours', holds: [hold] }));
    return [...waits.flatMap(({ how }) => how ?? []), override ?? ''];
  });
}

function ofUndo(): readonly string[] {
  const reason = 'disks are swapped';
  const requests = ['worker', '*'].flatMap((pool) => [
    { kind: 'resume', pool, reason } as const,
    { kind: 'thaw', pool, reason } as const,
    { kind: 'freeze', pool, reason, forSeconds: 3600 } as const,
  ]);
  const answer = { kind: 'slack', user: 'U1', channel: 'C1' } as never;
  return requests
    .filter(({ kind, pool }) => kind !== 'resume' || pool !== '*')
    .flatMap((request) => {
      const ended = {
        id: 'freeze/cluster/ann',
        kind: 'freeze',
        who: 'ann',
        until: '2026-03-05T10:00:00.000Z',
      } as const;
      const ofPools = request.kind === 'thaw' ? [[ended]] : [];
      const undo = undoOf({ request, cluster: 'prod', answer, who: 'slack:U1' }, undefined, { ofPools, now });
      return undo?.kind === 'command' ? [undo.command] : [];
    });
}

function ofRemedies(): readonly string[] {
  const problem = { since, why: 'exit code 3', progress: '', cluster: 'prod' };
  const runs = (['job', 'node', 'refused', 'moved', 'skipped', 'unseen', 'gate', 'lost'] as const).map((kind) => ({
    ...problem,
    kind,
    run: 'upgrade',
    node: 'w2',
  }));
  const sequences = (['timeout', 'unseen', 'aborted', 'regression', 'refused', 'drift'] as const).map((kind) => ({
    ...problem,
    kind,
    sequence: 'virt',
    item: 'storage@prod/waitFor',
  }));
  const locks = [{ group: 'default', id: 'b1d4', since, dueAt: since }];
  const input = aJudgeInput({ now, runs: seen(runs), sequences: seen(sequences), overdueLocks: seen(locks) });
  return judge(input)
    .troubles.flatMap(({ findings }) => findings)
    .flatMap(({ remedies }) => remedies.flatMap(({ command }) => command ?? []));
}

function ofDoctor(): readonly string[] {
  return [
    aConnected(),
    aConnected({ home: 'pk-dev', tokenSecret: 'dev/token', config: '/nowhere/of two/poolkeeper.yaml' }),
  ].flatMap((connected) => [
    connectAgain(connected),
    manifestsOf(connected, '--runs', 'poolkeeper.yaml', '--cluster', 'prod', '--only', 'access'),
  ]);
}

const printed = [...new Set([ofGates(), ofWaits(), ofUndo(), ofRemedies(), ofDoctor()].flat())]
  .flatMap((line) => line.split(' && '))
  .filter((line) => line.startsWith('poolkeeper '));

/** As a shell would. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

/** What a command lacks that is understood, on a machine that has nothing of what it needs. */
const lacks = [
  /kubeconfig/,
  /poolkeeper\.yaml: cannot be read/,
  /^poolkeeper: --queue is missing: [^\n]+$/,
  /^poolkeeper: --url is missing: the address of Poolkeeper, or POOLKEEPER_URL$/,
];

describe('[S1-12] [C-9] commands that people are told to run', () => {
  test('are of every kind', () => {
    const names = new Set(printed.map((line) => line.split(' ')[1]));

    expect([...names].toSorted()).toEqual(
      expect.arrayContaining([
        'approve',
        'connect',
        'emergency',
        'explain',
        'freeze',
        'hold',
        'locks',
        'resume',
        'run',
        'sequence',
        'thaw',
        'why',
      ]),
    );
  });

  test.each(printed)('%s is understood as it is', async (line) => {
    const noted: string[] = [];

    await runCommand(wordsOf(line.replace('poolkeeper ', '')), {
      out: () => {},
      note: (text) => noted.push(text),
      environment: { KUBECONFIG: '/nowhere/kubeconfig', HOME: '/nowhere' },
      now: () => now,
    });

    expect(
      lacks.some((lack) => lack.test(noted.join('\n'))),
      noted.join('\n'),
    ).toBe(true);
  });
});

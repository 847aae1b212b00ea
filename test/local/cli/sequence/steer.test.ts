import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { judgeSequence } from '../../../../functions/core/sequences/judge-sequence.ts';
import { sequenceView } from '../../../../functions/core/sequences/sequence-view.ts';
import { runCommand } from '../../../../local/cli/run-command.ts';
import { sequenceText } from '../../../../local/cli/sequence/sequence-text.ts';
import {
  lookAt,
  minutesAfterNoon,
  referenceSteps,
  sequenceOf,
} from '../../../functions/core/sequences/sequence-builder.ts';

const reference = sequenceOf(referenceSteps);
const closed = { kind: 'unhealthy', value: 'sc ocs-storagecluster-ceph-rbd is not there' } as const;
const found = {
  'storage@prod': { kind: 'healthy', value: 'odf-operator.v4.17.2 has succeeded' },
  'storage@prod/waitFor': closed,
} as const;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-sequence-'));
  const clusters = [{ name: 'prod', api: { server: 'https://api.prod.example.com:6443', tokenSecret: 'prod-token' } }];
  await writeFile(
    join(folder, 'poolkeeper.yaml'),
    stringify({ clusters, sequences: { virt: { clusters: ['prod'], steps: referenceSteps } } }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

async function run(...args: readonly string[]) {
  const said: string[] = [];
  const status = await runCommand(['sequence', ...args, '--config', join(folder, 'poolkeeper.yaml')], {
    out: (text) => said.push(text),
    note: (text) => said.push(text),
    environment: {},
    now: () => minutesAfterNoon(0),
  });
  return { status, text: said.join('') };
}

describe('sequence status', () => {
  it('[S2-23] [S2-10] says what each step waits for, since when, until when, and what holds the next one back', () => {
    let { record } = judgeSequence(lookAt(reference, found));
    ({ record } = judgeSequence(lookAt(reference, found, { record, now: minutesAfterNoon(1) })));

    const view = sequenceView({ ...lookAt(reference, {}), record, now: minutesAfterNoon(30) });

    expect(sequenceText(view, minutesAfterNoon(30))).toBe(
      [
        'Sequence virt: running, at wave 5',
        'Wave 5',
        '  ok        storage@prod: odf-operator.v4.17.2 has succeeded, for 30 min',
        '  ..        storage@prod/waitFor: sc ocs-storagecluster-ceph-rbd is not there, for 30 min',
        '            waited for since 2026-11-22T12:01:00.000Z (29 min), until 2026-11-22T16:01:00.000Z, then alert',
        'Wave 10',
        '  --        virtualization@prod: nobody has looked yet',
        '            held back: wave 5 is not healthy (storage@prod/waitFor)',
        'Timeline',
        '  2026-11-22T12:00:00.000Z storage@prod begun',
        '',
      ].join('\n'),
    );
  });

  it('[S2-23] the same is data, for scripts', () => {
    const { record } = judgeSequence(lookAt(reference, found));

    const view = sequenceView({ ...lookAt(reference, {}), record });

    expect(view).toMatchObject({ sequence: 'virt', state: 'running', wave: 5 });
    expect(view.waves.map(({ wave, items }) => [wave, items.map(({ id, state }) => `${id} ${state}`)])).toEqual([
      [5, ['storage@prod healthy', 'storage@prod/waitFor unhealthy']],
      [10, ['virtualization@prod unasked']],
    ]);
  });

  it.each([
    [['status', 'vrit'], /name one sequence of .*, which has virt/],
    [['status'], /name one sequence of/],
    [['pause', 'virt'], /--reason "\.\.\." is needed/],
    [['skip', 'virt', 'storage@prod/waitfor', '--reason', 'x'], /has no storage@prod\/waitfor; it has storage@prod, /],
    [['status', 'virt', '--output', 'xml'], /--output xml: must be one of text, wide, json, yaml/],
  ])('[S2-16] refuses what it cannot do before it asks a cluster: %j', async (args, expected) => {
    const { status, text } = await run(...args);

    expect(status).toBe(2);
    expect(text).toMatch(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { progressEndings, progressUnseen, runsUnderWay } from '../../../../functions/core/judge/run-under-way.ts';
import type { RunProgress } from '../../../../functions/core/node-turns/run-progress.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';

const now = new Date('2026-03-02T10:00:00Z');

const progress: RunProgress = {
  run: 'upgrade',
  pool: 'worker',
  pools: ['worker', 'infra'],
  since: '2026-03-02T09:00:00Z',
  done: 2,
  total: 6,
  state: 'running',
  underWay: ['worker-3: updating'],
  next: 'worker-4',
  end: undefined,
};

function input(change: Partial<RunProgress>, unseen?: string) {
  return { cluster: 'prod', now, runs: seen([]), runProgress: { runs: [{ ...progress, ...change }], unseen } };
}

describe('[S4-20] the message of a run', () => {
  it('says how far it is, whose turn it is and comes next, and what can be done', () => {
    const [trouble] = runsUnderWay(input({}));

    expect(trouble).toMatchObject({
      key: { pool: 'worker', kind: 'run-under-way' },
      severity: 'info',
      class: 'structural',
      headline: 'run upgrade: 2 of 6 nodes done',
      since: '2026-03-02T09:00:00Z',
      facts: [
        { label: 'Nodes', value: '2 of 6 nodes done' },
        { label: 'Under way', value: 'worker-3: updating' },
        { label: 'Next', value: 'worker-4' },
      ],
    });
    expect(trouble?.findings[0]).toMatchObject({ code: 'V4' });
    expect(trouble?.findings[0]?.sentence).toContain('pools worker and infra');
  });

  it('has one digest, however far the run is: nobody is told anew', () => {
    const digests = [{}, { done: 3 }, { state: 'blocked' as const }].map(
      (change) => runsUnderWay(input(change))[0]?.digest,
    );

    expect(new Set(digests).size).toBe(1);
    expect(runsUnderWay(input({ state: 'paused' }))[0]?.headline).toBe('run upgrade: 2 of 6 nodes done, paused');
  });

  it('ends with how the run ended, and not while runs could not be looked at', () => {
    const ended = input({ end: 'All 6 nodes are at the target of their pool.' });
    const unlooked = { ...input({}), runs: notAsked };

    expect(runsUnderWay(ended)).toEqual([]);
    expect(progressEndings(ended).map(([, text]) => text)).toEqual(['All 6 nodes are at the target of their pool.']);
    expect(progressUnseen(ended)).toEqual([]);
    expect(progressUnseen(unlooked).map(({ kinds }) => kinds)).toEqual([['run-under-way']]);
    expect(progressUnseen(input({}, 'no answer')).map(({ why }) => why)).toEqual(['no answer']);
  });
});

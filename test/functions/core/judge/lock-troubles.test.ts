import { expect, it } from 'vitest';
import type { OverdueLock } from '../../../../functions/core/fleet-lock/overdue-locks.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { notAsked, seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { aJudgeInput } from './a-judge-input.ts';

const lock: OverdueLock = {
  group: 'default',
  id: 'b1d4d2d9f5a84e5a',
  since: '2026-11-22T10:00:00.000Z',
  dueAt: '2026-11-22T11:00:00.000Z',
};

function judged(overdueLocks: Parameters<typeof aJudgeInput>[0]['overdueLocks']) {
  return judge(aJudgeInput({ now: new Date('2026-11-22T12:00:00.000Z'), overdueLocks }));
}

it('[N-25] a machine that does not come back is told at once as F1, with how to release its slot', () => {
  const { troubles } = judged(seen([lock]));

  expect(troubles).toMatchObject([
    {
      key: { pool: '*', kind: 'lock-overdue' },
      severity: 'high',
      class: 'structural',
      headline: 'machine b1d4d2d9f5a84e5a has not come back from its reboot',
      since: lock.dueAt,
      findings: [
        {
          code: 'F1',
          remedies: [
            {},
            {
              command: 'poolkeeper locks release --group default --id b1d4d2d9f5a84e5a --reason ...',
              risk: 'low',
            },
          ],
        },
      ],
    },
  ]);
});

it('[N-25] many machines are one incident, with ten of them at most', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ ...lock, id: `machine-${index}` }));

  const { troubles } = judged(seen(many));

  expect(troubles).toHaveLength(1);
  expect(troubles[0]?.headline).toBe('30 machines have not come back from their reboots');
  expect(troubles[0]?.findings).toHaveLength(10);
});

it('[N-25] [N-30] of every group one machine is told, however many of another have been gone for longer', () => {
  const alpha = Array.from({ length: 10 }, (_, index) => ({ ...lock, group: 'alpha', id: `alpha-${index}` }));
  const others = Array.from({ length: 12 }, (_, index) => ({ ...lock, group: `g${index}`, id: `of-g${index}` }));
  const since = '2026-11-22T10:30:00.000Z';
  const database: OverdueLock = { ...lock, group: 'database', id: 'db-1', since };

  const [before] = judged(seen(alpha)).troubles;
  const [after] = judged(seen([...alpha, database])).troubles;
  const [many] = judged(seen([...alpha, ...others, database])).troubles;

  expect(after?.findings.slice(0, 2).map(({ subject }) => subject.name)).toEqual(['alpha/alpha-0', 'database/db-1']);
  expect(after?.findings).toHaveLength(10);
  expect(after?.digest).not.toBe(before?.digest);
  expect(many?.findings.map(({ subject }) => subject.name)).toEqual([
    'alpha/alpha-0',
    ...others.map(({ group, id }) => `${group}/${id}`),
    'database/db-1',
  ]);
});

it('[N-25] slots that could not be read, or were not asked for, end no incident; of another cluster nothing is told', () => {
  const spots = [unreadable('throttled'), notAsked].map((each) => judged(each).unseen);

  for (const unseen of spots) expect(unseen).toContainEqual(expect.objectContaining({ kinds: ['lock-overdue'] }));
  expect(judged(undefined)).toMatchObject({ troubles: [] });
  expect(judged(seen([])).unseen).not.toContainEqual(expect.objectContaining({ kinds: ['lock-overdue'] }));
});

it('[N-25] an id that is no word of a shell is quoted, and shown without line breaks', () => {
  const [trouble] = judged(seen([{ ...lock, id: 'a\nb; rm -rf /' }])).troubles;

  expect(trouble?.headline).not.toContain('\n');
  expect(trouble?.findings[0]?.remedies[1]?.command).toContain("'");
});

import { expect, test } from 'vitest';
import { textOf } from '../../../functions/status/html.ts';
import { rebootsDetails } from '../../../functions/status/page/reboots.ts';
import { rebootStatus } from '../../../functions/status/reboot-status.ts';
import { aNodeRollout } from '../../fakes/index.ts';

const after = '2026-03-02T10:00:12Z';
const now = new Date('2026-03-02T11:00:00Z');
const unseen = rebootStatus(
  aNodeRollout({
    begun: { at: '2026-03-02T10:09:00Z', told: false },
    unseen: { after },
    steps: { reboot: { ended: { at: '2026-03-02T10:09:00Z', told: false } } },
    rebooted: undefined,
  }),
);

test('[N-20] [S3-5] an update that nobody watched is listed with the looks before and after, and no duration is claimed', () => {
  expect(unseen).toMatchObject({
    unseen: { after },
    endedAt: '2026-03-02T10:09:00Z',
    outcome: 'done',
    course: 'between 10:00:12 and 10:09:00, not observed, reboot by 10:09:00',
  });
  expect(unseen.seconds).toBeUndefined();
});

test('[N-20] [S3-5] the page shows it with an unknown duration beside those that were watched', () => {
  const page = rebootsDetails({ reboots: [unseen, rebootStatus(aNodeRollout())] }, now);

  const text = page === undefined ? '' : textOf(page);
  expect(text).toContain('Last 2 node updates');
  expect(text).toContain('reboot not observed');
  expect(text).toMatch(/<span class="mute">unknown<\/span>/);
});

test('[N-20] [S3-5] [N-30] image mode: the page names the image, by the beginning of its digest', () => {
  const to = `rendered-worker-${'c'.repeat(32)}@sha256:${'2'.repeat(64)}`;

  const page = rebootsDetails({ reboots: [rebootStatus(aNodeRollout({ to }))] }, new Date('2026-03-02T11:00:00Z'));

  const text = page === undefined ? '' : textOf(page);
  expect(text).toMatch(/>cccccccc…<\/code> image <code title="[^"]+">22222222…<\/code>/);
});

test('[N-20] [N-29] the page of one cluster says that older updates of it were not searched for', () => {
  const textWith = (reboots: Parameters<typeof rebootsDetails>[0]['reboots']) => {
    const page = rebootsDetails({ reboots, rebootsSearched: 5_000 }, now);
    return page === undefined ? '' : textOf(page);
  };

  expect(textWith([])).toContain('No node update is shown. Searched: the last 5000 node updates of all clusters');
  expect(textWith([unseen])).toContain('Searched: the last 5000 node updates of all clusters; older ones were not.');
  expect(rebootsDetails({ reboots: [] }, now)).toBeUndefined();
});

test('[N-20] [N-29] a node that is not in its pool any more was not removed for certain', () => {
  const ended = { at: { at: '2026-03-02T10:05:00Z', told: false }, how: 'gone' } as const;
  const page = rebootsDetails({ reboots: [rebootStatus(aNodeRollout({ ended }))] }, now);

  expect(page === undefined ? '' : textOf(page)).toContain('node removed, or moved to another pool');
});

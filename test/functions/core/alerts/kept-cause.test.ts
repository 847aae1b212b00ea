import { describe, expect, test } from 'vitest';
import { composeMessage } from '../../../../functions/core/alerts/message/compose-message.ts';
import { mailMessage } from '../../../../functions/core/alerts/message/mail.ts';
import { pagerDutyForms } from '../../../../functions/core/alerts/message/pager-duty-form.ts';
import { publishedIncident } from '../../../../functions/core/alerts/published.ts';
import { firstRing } from '../../../../functions/core/alerts/rings.ts';
import { incidentStatuses } from '../../../../functions/status/incident-status.ts';
import { aStory, lasting, minute, passing } from './incident-lab.ts';

const blocked = lasting({ headline: 'drain of worker-2 blocked by PDB shop/web', digest: 'blocked' });
const fading = passing({ headline: 'drain of worker-2 does not finish', digest: 'fading' });

const headlineAt = (story: ReturnType<typeof aStory>, minutes: number) =>
  composeMessage(story.now, {
    now: minute(minutes),
    statusUrl: undefined,
    product: 'poolkeeper',
    occasion: 'refreshed',
  }).headline;

describe('what had been the cause, while it fades', () => {
  test('is kept, and is what the end is told of', () => {
    const story = aStory();
    story.wrong(0, blocked);

    story.wrong(1, fading);
    expect(story.now.cause).toEqual(blocked);
    expect(headlineAt(story, 1)).toBe(fading.headline);

    story.gone(2);
    story.gone(8);
    expect(story.now.state).toBe('ok');
    expect(headlineAt(story, 8)).toBe(blocked.headline);
  });

  test('gives way to another cause that does not heal by itself and lasts, and is not carried into another episode', () => {
    const story = aStory();
    story.wrong(0, blocked);
    story.wrong(1, fading);

    story.wrong(2, lasting({ headline: 'another', digest: 'another' }));
    expect(story.now.cause).toEqual(blocked);
    story.wrong(4, lasting({ headline: 'another', digest: 'another' }));
    expect(story.now.cause).toBeUndefined();

    story.wrong(5, fading);
    story.gone(6);
    story.gone(12);
    story.wrong(500, fading);
    story.wrong(510, fading);
    expect(story.now).toMatchObject({ state: 'firing', number: 2, cause: undefined });
  });
});

describe('another cause that is seen just before the end', () => {
  const pod = lasting({ class: 'external', headline: 'drain of worker-2 blocked by pod shop/web-a', digest: 'pod' });

  test('[S1-13] is not what the end is told of: people were told of the first', () => {
    const story = aStory();
    story.wrong(0, blocked);

    story.wrong(30, pod);
    expect(headlineAt(story, 30)).toBe(pod.headline);
    story.gone(31);
    expect(headlineAt(story, 31)).toBe(blocked.headline);
    story.gone(37, 'web-b became Ready on worker-6');

    const { now } = story;
    expect(now.state).toBe('ok');
    expect(headlineAt(story, 37)).toBe(blocked.headline);
    expect(now.notes.map(({ text }) => text)).toEqual([
      blocked.headline,
      expect.stringContaining(`Now: ${pod.headline}`),
      'Resolved after 37 min. web-b became Ready on worker-6',
    ]);
    expect(publishedIncident(now, 'resolved')?.data.headline).toBe(blocked.headline);
    expect(incidentStatuses([now], minute(37))[0]?.headline).toBe(blocked.headline);
    const context = { now: minute(37), statusUrl: undefined, product: 'poolkeeper', occasion: 'resolved' } as const;
    const [paged] = pagerDutyForms(now, firstRing, { ...context, deliveryId: 'd', notes: [] });
    const mail = mailMessage(now, [], { ...context, deliveryId: 'd', domain: 'example.com' });
    expect(paged?.payload.summary).toContain(blocked.headline);
    expect(mail.subject).toContain(blocked.headline);
    expect(mail.text).toContain(blocked.headline);
  });

  test('stands for it once it has lasted as long as a condition must before an alert is sent', () => {
    const story = aStory();
    story.wrong(0, blocked);

    expect(story.wrong(30, pod)).toBe('updated');
    expect(story.wrong(31, pod)).toBe('nothing');
    expect(story.wrong(32, pod)).toBe('noted');
    expect(story.wrong(32, pod)).toBe('nothing');
    story.gone(33);
    story.gone(39);

    expect(headlineAt(story, 39)).toBe(pod.headline);
  });

  test('stands for it at once where it is worse: people are called for it', () => {
    const story = aStory();
    story.wrong(0, blocked);

    story.wrong(30, { ...pod, severity: 'critical' });
    story.gone(31);
    story.gone(37);

    expect(story.notes).toEqual(['opened', 'escalated', 'resolved']);
    expect(headlineAt(story, 37)).toBe(pod.headline);
  });

  test('begins anew to last when the first was seen again', () => {
    const story = aStory();
    story.wrong(0, blocked);
    story.wrong(30, pod);
    story.wrong(31, blocked);
    story.wrong(34, pod);
    story.wrong(35, pod);
    story.gone(36);
    story.gone(42);

    expect(headlineAt(story, 42)).toBe(blocked.headline);
  });
});

import { describe, expect, test } from 'vitest';
import type { IncidentNote } from '../../../../functions/core/alerts/incident.ts';
import { messageForms, slackMessage, slackReply } from '../../../../functions/core/alerts/message/slack.ts';
import { wordsOf } from '../../adapters/messengers/slack-words.ts';
import { firing, sampleNow } from './samples.ts';

const context = { now: sampleNow, occasion: 'opened', statusUrl: undefined, product: 'poolkeeper test' } as const;

/** Five who joined at once, with names as companies give them, and a long text of others. */
function joining(nth: number): IncidentNote {
  const text = `Joined: ${namesOf(nth).join(', ')}. ${'words of a tenant '.repeat(40)}`.slice(0, 600);
  return { seq: nth + 2, at: sampleNow.toISOString(), kind: 'escalated', joins: true, text };
}

function namesOf(nth: number): readonly string[] {
  return [0, 1, 2, 3, 4].map((place) => `payments-production-emea-${nth}-${place}`);
}

function lostIn(words: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, nth) => namesOf(nth))
    .flat()
    .filter((name) => !words.includes(name));
}

describe('those who joined', () => {
  test.each(messageForms.map((form) => ({ form, count: form === 'text' ? 2 : 8 })))(
    '[N-29] [N-30] are named in a message before words of others have room: $form, $count notes',
    ({ form, count }) => {
      const notes = Array.from({ length: count }, (_, nth) => joining(nth));

      const words = wordsOf(slackMessage({ ...firing, notes }, context, form, notes));

      expect(lostIn(words, count)).toEqual([]);
    },
  );

  test.each([
    { form: 'full', count: 12 },
    { form: 'short', count: 12 },
    { form: 'section', count: 4 },
    { form: 'text', count: 4 },
  ] as const)('[N-29] [N-30] are so in a thread: $form, $count notes', ({ form, count }) => {
    const notes = Array.from({ length: count }, (_, nth) => joining(nth));

    const words = wordsOf(slackReply({ ...firing, notes }, notes, context, form) ?? { text: '', blocks: [] });

    expect(lostIn(words, count)).toEqual([]);
  });

  test('[N-29] a line that is short leaves its room to the others', () => {
    const short = { ...joining(0), text: 'Joined: shop. Now: a drain is blocked.' };
    const notes = [short, joining(1), ...Array.from({ length: 6 }, (_, nth) => ({ ...short, seq: nth + 10 }))];

    const words = wordsOf(slackMessage({ ...firing, notes }, context, 'full', notes));

    expect(words).toContain(joining(1).text.trim());
  });
});

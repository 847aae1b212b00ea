import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { render } from '../../functions/core/alerts/message/render.ts';
import type { OutgoingMessage } from '../../functions/core/alerts/outgoing.ts';
import type { AlertTarget } from '../../functions/core/configuration/alerts.ts';
import type { Messenger } from '../../functions/ports/messages.ts';
import { firing, sampleNow } from '../functions/core/alerts/samples.ts';

/** What the other side does with the next message. */
export type Mishap =
  /** Nobody listens. */
  | 'unreachable'
  /** It is taken, and the answer gets lost. */
  | 'answer lost'
  /** It asks to wait. */
  | 'busy'
  /** It refuses for good. */
  | 'refused'
  /** It fails without saying whether it took the message. */
  | 'server error'
  /** It never answers. */
  | 'silence';

export interface MessengerLab {
  readonly messenger: Messenger;
  /** What people see at the other side, oldest first: all words of each message. */
  standing(): Promise<readonly string[]>;
  /** How often the other side was called. */
  calls(): number;
  mishap(mishap: Mishap): Promise<void>;
  close(): Promise<void>;
}

export interface MessengerAbilities {
  readonly target: AlertTarget;
  /** A standing message can be changed. */
  readonly edits: boolean;
  /** It can be asked whether a message is there. */
  readonly finds: boolean;
  readonly mishaps: readonly Mishap[];
}

/** What every messenger keeps, against a real other side. */
export function messengerContract(
  name: string,
  { target, edits, finds, mishaps }: MessengerAbilities,
  open: () => Promise<MessengerLab>,
): void {
  const message = (deliveryId: string, headline: string, part: 'post' | 'edit' | 'reply' = 'post'): OutgoingMessage => {
    const trouble = firing.trouble === undefined ? undefined : { ...firing.trouble, headline };
    const incident = {
      ...firing,
      trouble,
      notes: [{ seq: 1, at: firing.openedAt ?? '', kind: 'escalated' as const, text: headline }],
    };
    const rendered = render({
      incident,
      target,
      part,
      occasion: part === 'reply' ? 'escalated' : 'opened',
      notes: incident.notes,
      form: 'full',
      deliveryId,
      now: sampleNow,
      statusUrl: undefined,
      product: 'poolkeeper test',
      continued: false,
      mayRepeat: false,
    });
    if (rendered === undefined) throw new Error('nothing was rendered');
    return rendered;
  };

  describe(`messenger: ${name}`, () => {
    let lab: MessengerLab;

    beforeEach(async () => {
      lab = await open();
    });

    afterEach(() => lab.close());

    test('[C-6] posts a message that stands at the other side once, and says where', async () => {
      const outcome = await lab.messenger.post(message('d1', 'drain of node-one blocked'));

      expect(outcome).toMatchObject({ kind: 'sent', remote: { channel: expect.any(String), id: expect.any(String) } });
      const standing = await lab.standing();
      expect(standing).toHaveLength(1);
      expect(standing[0]).toContain('drain of node-one blocked');
    });

    test('[C-6] keeps ampersands, angle brackets and foreign scripts readable', async () => {
      await lab.messenger.post(message('d1', 'a<b & "c" 節點 Привет'));

      expect((await lab.standing())[0]).toContain('a<b & "c" 節點 Привет');
    });

    test('[C-6] edits in place, or leaves what stands and sends nothing', async () => {
      const posted = await lab.messenger.post(message('d1', 'drain of node-one blocked'));
      if (posted.kind !== 'sent') throw new Error(posted.why);

      const refreshed = { ...message('d2', 'drain of node-two blocked', 'edit'), occasion: 'refreshed' as const };
      const outcome = await lab.messenger.edit(posted.remote, refreshed);

      expect(outcome).toMatchObject({ kind: 'sent' });
      const standing = await lab.standing();
      expect(standing).toHaveLength(1);
      expect(standing[0]).toContain(edits ? 'node-two' : 'node-one');
    });

    test('[C-6] replies with a message of its own', async () => {
      const posted = await lab.messenger.post(message('d1', 'drain of node-one blocked'));
      if (posted.kind !== 'sent') throw new Error(posted.why);

      const outcome = await lab.messenger.reply(posted.remote, message('d2', 'severity is up now', 'reply'));

      expect(outcome).toMatchObject({ kind: 'sent' });
      const standing = await lab.standing();
      expect(standing).toHaveLength(2);
      expect(standing[1]).toContain('severity is up now');
    });

    test('does not find what was never sent', async () => {
      const answer = await lab.messenger.find('never', sampleNow, undefined);

      expect(answer).toBe(finds ? 'absent' : 'unable');
    });

    test('finds what was sent by its delivery id, where it can be read', async () => {
      const posted = await lab.messenger.post(message('d1', 'drain of node-one blocked'));
      await lab.messenger.post(message('d2', 'drain of node-two blocked'));
      if (posted.kind !== 'sent') throw new Error(posted.why);

      const answer = await lab.messenger.find('d1', sampleNow, undefined);

      expect(answer).toEqual(finds ? posted.remote : 'unable');
    });

    if (mishaps.includes('unreachable')) {
      test('[N-18] knows that nothing was sent when nobody listens', async () => {
        await lab.mishap('unreachable');

        const outcome = await lab.messenger.post(message('d1', 'drain of node-one blocked'));

        expect(outcome).toMatchObject({ kind: 'not-sent', retryAfterSeconds: undefined });
      });
    }

    if (mishaps.includes('busy')) {
      test('[N-18] knows that nothing was sent when it is asked to wait, and calls once', async () => {
        await lab.mishap('busy');

        const outcome = await lab.messenger.post(message('d1', 'drain of node-one blocked'));

        expect(outcome).toMatchObject({ kind: 'not-sent' });
        expect(await lab.standing()).toHaveLength(0);
        expect(lab.calls()).toBe(1);
      });
    }

    if (mishaps.includes('refused')) {
      test('[N-18] knows a refusal for good', async () => {
        await lab.mishap('refused');

        const outcome = await lab.messenger.post(message('d1', 'drain of node-one blocked'));

        expect(outcome).toMatchObject({ kind: 'dead', why: expect.stringMatching(/\w/) });
        expect(await lab.standing()).toHaveLength(0);
      });
    }

    for (const mishap of ['answer lost', 'server error', 'silence'] as const) {
      if (!mishaps.includes(mishap)) continue;
      test(`[N-18] does not know after: ${mishap}, and does not try again by itself`, async () => {
        await lab.mishap(mishap);

        const outcome = await lab.messenger.post(message('d1', 'drain of node-one blocked'));

        expect(outcome).toMatchObject({ kind: 'unknown' });
        expect(lab.calls()).toBe(1);
        const arrived = (await lab.standing()).length === 1;
        const found = await lab.messenger.find('d1', sampleNow, undefined);
        if (!finds) expect(found).toBe('unable');
        else if (arrived) expect(found).toMatchObject({ id: expect.any(String) });
        else expect(found).toBe('absent');
      });
    }
  });
}

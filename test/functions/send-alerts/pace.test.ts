import { afterEach, describe, expect, test } from 'vitest';
import type { Trouble } from '../../../functions/core/findings/trouble.ts';
import type { Messenger } from '../../../functions/ports/messages.ts';
import { sendAlerts } from '../../../functions/send-alerts/send.ts';
import { fc, runs } from '../../property.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { dueEvent, mailTarget, openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

let opened: SendLab[] = [];

afterEach(async () => {
  for (const lab of opened) await lab.close();
  opened = [];
});

interface Paced {
  readonly lab: SendLab;
  /** When each message reached the channel, ms. */
  readonly sentAt: readonly number[];
}

async function open(): Promise<Paced> {
  const sentAt: number[] = [];
  const note = () => sentAt.push(lab.clock.now().getTime());
  const noted = (inner: Messenger): Messenger => ({
    ...inner,
    async post(message) {
      note();
      return inner.post(message);
    },
    async reply(remote, message) {
      note();
      return inner.reply(remote, message);
    },
  });
  const lab: SendLab = await openSendLab({
    targets: [slackTarget, mailTarget],
    wrap: (messenger, { kind }) => (kind === 'slack' ? noted(messenger) : messenger),
  });
  lab.clock.set('2026-03-02T14:01:40Z');
  opened.push(lab);
  return { lab, sentAt };
}

/** Of a kind that is always told alone. */
function troublesOf(count: number): readonly Trouble[] {
  return Array.from({ length: count }, (_, index) => ({
    ...drainBlocked,
    key: { ...drainBlocked.key, cluster: `c${index % 3}`, pool: `pool-${index}`, kind: 'approval-needed' },
    findings: [],
  }));
}

/** Never more than one a second, and one. */
function expectPaced(sentAt: readonly number[]): void {
  sentAt.forEach((from, index) => {
    sentAt.slice(index).forEach((to, count) => {
      expect(count + 1).toBeLessThanOrEqual(Math.floor((to - from) / 1000) + 2);
    });
  });
}

/** One second after the other, until nothing is to be sent any more. */
async function workOff({ lab }: Paced, atOnce: number): Promise<void> {
  for (let second = 0; second < 400 && lab.queue.waiting().length > 0; second += 1) {
    lab.clock.advance(1);
    const due = lab.queue.take();
    for (let from = 0; from < due.length; from += atOnce) {
      await Promise.all(due.slice(from, from + atOnce).map(({ event }) => sendAlerts(event, lab.ports)));
    }
  }
}

describe('one message a second in a channel', () => {
  test('[N-18] [N-30] what a clock that ran hours ahead has sent keeps no later alert waiting', async () => {
    const paced = await open();
    const { lab, sentAt } = paced;
    const troubles = troublesOf(8);
    const tell = async (some: readonly Trouble[]) => {
      for (const trouble of some) await lab.see({ kind: 'true', trouble });
      await Promise.all(some.map(({ key }) => sendAlerts(dueEvent(key), lab.ports)));
      await workOff(paced, 4);
    };
    lab.clock.set('2026-03-02T20:00:00Z');
    await tell(troubles.slice(0, 4));
    const before = sentAt.length;

    lab.clock.set('2026-03-02T14:02:00Z');
    await tell(troubles.slice(4));

    expect([before, sentAt.length]).toEqual([4, 8]);
    expectPaced(sentAt.slice(before));
  });

  test('[C-6] [N-18] of twelve openings at once each arrives, one a second, and the mailbox waits for none of them', async () => {
    const paced = await open();
    const { lab, sentAt } = paced;
    const troubles = troublesOf(12);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });

    await Promise.all(troubles.map(({ key }) => sendAlerts(dueEvent(key), lab.ports)));

    expect(lab.mailbox.mails).toHaveLength(12);
    expect(sentAt).toHaveLength(2);
    await workOff(paced, 12);
    const parents = lab.slack.messages.filter(({ thread }) => thread === undefined);
    expect(new Set(parents.map(({ text }) => text.split(':')[0])).size).toBe(12);
    expect(parents).toHaveLength(12);
    expectPaced(sentAt);
  });

  test('[N-18] [N-30] a critical alert does not wait behind the notices that were there before it', async () => {
    const paced = await open();
    const { lab } = paced;
    const [critical, ...notices] = troublesOf(30).map(
      (trouble, index): Trouble => ({
        ...trouble,
        severity: index === 0 ? 'critical' : 'info',
      }),
    );
    if (critical === undefined) throw new Error('there is one');
    for (const trouble of [...notices, critical]) await lab.see({ kind: 'true', trouble });

    for (const { key } of [...notices, critical]) await sendAlerts(dueEvent(key), lab.ports);
    await workOff(paced, 30);

    const parents = lab.slack.messages.filter(({ thread }) => thread === undefined);
    expect(parents).toHaveLength(30);
    expect(parents.findIndex(({ text }) => text.includes('/pool-0'))).toBeLessThan(4);
  });

  test('[N-18] [N-30] what becomes critical while it waits among notices goes first from then on', async () => {
    const paced = await open();
    const { lab } = paced;
    const notices = troublesOf(30).map((trouble): Trouble => ({ ...trouble, severity: 'info' }));
    const last = notices.at(-1);
    if (last === undefined) throw new Error('there is one');
    for (const trouble of notices) await lab.see({ kind: 'true', trouble });
    for (const { key } of notices) await sendAlerts(dueEvent(key), lab.ports);

    await lab.see({ kind: 'true', trouble: { ...last, severity: 'critical' } });
    await sendAlerts(dueEvent(last.key), lab.ports);
    await workOff(paced, 30);

    const parents = lab.slack.messages.filter(({ thread }) => thread === undefined);
    expect(parents).toHaveLength(30);
    expect(parents.findIndex(({ text }) => text.includes('/pool-29'))).toBeLessThan(4);
  });

  test.each([
    ['as it is opened', 'critical'],
    ['later', 'warning'],
  ] as const)(
    '[N-18] [N-30] an incident that is critical %s does not wait behind notices for the list that it stands in',
    async (_when, severity) => {
      const paced = await open();
      const { lab } = paced;
      const notices = troublesOf(60).map((trouble): Trouble => ({ ...trouble, severity: 'info' }));
      const warnings = Array.from(
        { length: 11 },
        (_, index): Trouble => ({
          ...drainBlocked,
          severity: 'warning',
          key: { ...drainBlocked.key, cluster: `x${index}` },
          findings: [],
        }),
      );
      const last: Trouble = { ...drainBlocked, severity, key: { ...drainBlocked.key, cluster: 'x11' }, findings: [] };
      const all = [...notices, ...warnings, last];
      for (const trouble of all) await lab.see({ kind: 'true', trouble });
      for (const { key } of all) await sendAlerts(dueEvent(key), lab.ports);

      await lab.see({ kind: 'true', trouble: { ...last, severity: 'critical' } });
      await sendAlerts(dueEvent(last.key), lab.ports);
      await workOff(paced, 30);

      const parents = lab.slack.messages.filter(({ thread }) => thread === undefined);
      const lists = parents.filter(({ text }) => text.includes('alerts at once'));
      expect(lists.map(({ text }) => text.includes('x11/'))).toEqual([true]);
      expect(parents.findIndex(({ text }) => text.includes('alerts at once'))).toBeLessThan(10);
      expect(parents).toHaveLength(66);
    },
  );

  test.each([
    ['alone', 'approval-needed'],
    ['in a list', drainBlocked.key.kind],
  ] as const)(
    '[N-18] [N-30] what is critical and waits for its turn %s asks for it once, however often it is looked at before',
    async (_where, kind) => {
      const { lab } = await open();
      const troubles = troublesOf(30).map(
        (trouble, index): Trouble => ({
          ...trouble,
          severity: 'critical',
          key: { ...trouble.key, cluster: `c${index}`, kind },
        }),
      );
      for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
      for (const { key } of troubles) await sendAlerts(dueEvent(key), lab.ports);
      const before = lab.queue.waiting().length;

      for (const { key } of [...troubles, ...troubles]) await sendAlerts(dueEvent(key), lab.ports);

      expect(before).toBeGreaterThan(20);
      expect(lab.queue.waiting()).toHaveLength(before);
    },
  );

  /** Failed syncs of one tenant, each of which changes every so many seconds; after a minute somebody else's begins.
   *  Seconds until the channel is told of it, and messages to it before. */
  async function toldBeside(other: Trouble, own: number, every: number) {
    const { lab, sentAt } = await open();
    const digest = (look: number) => `x${look % 7}:A1:Application evil/x${look % 7};high`;
    const keys = Array.from({ length: own }, (_, index) => ({ ...drainBlocked.key, pool: `pool-${index}` }));
    const noisy = (look: number): readonly Trouble[] =>
      keys.map((key) => ({ ...drainBlocked, key: { ...key, kind: 'run-failed' }, findings: [], digest: digest(look) }));
    const tell = async (trouble: Trouble) => {
      await lab.see({ kind: 'true', trouble });
      await sendAlerts(dueEvent(trouble.key), lab.ports);
    };
    const isTold = () => lab.slack.messages.some(({ text }) => text.includes(`${other.key.cluster}/${other.key.pool}`));
    const lookAt = async (second: number) => {
      const seen = [...(second % every === 0 ? noisy(second / every) : []), ...(second === 60 ? [other] : [])];
      for (const trouble of seen) await tell(trouble);
      for (const { event } of lab.queue.take()) await sendAlerts(event, lab.ports);
    };
    for (let second = 0; second < 240; second += 1) {
      lab.clock.advance(1);
      await lookAt(second);
      if (isTold()) return { after: second - 60, sentAt };
    }
    return { after: undefined, sentAt };
  }

  test('[N-18] [N-30] incidents that change faster than each can be told have their turns, and so has a critical one', async () => {
    const critical: Trouble = { ...drainBlocked, severity: 'critical', findings: [] };

    const { after, sentAt } = await toldBeside(critical, 20, 5);

    expect(after).toBeLessThan(25);
    expect(sentAt.length).toBeGreaterThan(50);
    expectPaced(sentAt);
  });

  test('[N-18] [N-30] what changes again and again goes before no opening, however little urgent that is', async () => {
    const [approval] = troublesOf(1).map((trouble): Trouble => ({ ...trouble, severity: 'info' }));
    if (approval === undefined) throw new Error('there is one');

    const { after, sentAt } = await toldBeside(approval, 20, 5);

    expect(after).toBeLessThan(25);
    expectPaced(sentAt);
  });

  test('[N-18] a channel that asks to wait is not asked again by the next message', async () => {
    const { lab, sentAt } = await open();
    const troubles = troublesOf(4);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    lab.slack.failNext('chat.postMessage', { kind: 'status', status: 429, headers: { 'retry-after': '30' } });

    for (const { key } of troubles) await lab.send(key);

    expect(sentAt).toHaveLength(1);
    expect(lab.mailbox.mails).toHaveLength(4);
  });

  test('[N-18] [N-30] edits that the channel refuses for now keep no new alert waiting', async () => {
    const { lab, sentAt } = await open();
    const [first, second] = troublesOf(2);
    if (first === undefined || second === undefined) throw new Error('there are two');
    await lab.see({ kind: 'true', trouble: first });
    await lab.send(first.key);
    lab.clock.advance(5);
    const before = sentAt.length;
    lab.slack.failNext('chat.update', { kind: 'status', status: 429, headers: { 'retry-after': '300' } });
    await lab.see({ kind: 'true', trouble: { ...first, digest: 'another' } });
    await lab.send(first.key);

    await lab.see({ kind: 'true', trouble: second });
    await lab.send(second.key);

    expect(sentAt.slice(before)).toHaveLength(1);
    expect(lab.slack.messages.some(({ text }) => text.includes(`${second.key.cluster}/${second.key.pool}`))).toBe(true);
  });

  test('[N-18] whatever senders overlap and wherever one dies: nothing is lost, nothing doubled, and the pace is kept', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 4 }),
        fc.option(fc.tuple(fc.nat(80), fc.constantFrom('before' as const, 'after' as const))),
        async (count, atOnce, death) => {
          const paced = await open();
          const { lab, sentAt } = paced;
          const troubles = troublesOf(count);
          for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
          if (death !== null) lab.dieAt(...death);
          for (let from = 0; from < count; from += atOnce) {
            await Promise.all(troubles.slice(from, from + atOnce).map(({ key }) => lab.send(key)));
          }
          await lab.settleDown();

          const parents = lab.slack.messages.filter(({ thread }) => thread === undefined);
          expect(parents.map(({ text }) => text.split(':')[0]).toSorted()).toEqual(
            troubles.map(({ key }) => `FIRING ${key.cluster}/${key.pool}`).toSorted(),
          );
          expectPaced(sentAt);
          opened = opened.filter((each) => each !== lab);
          await lab.close();
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

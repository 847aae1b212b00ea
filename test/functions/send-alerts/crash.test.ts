import { afterEach, describe, expect, test } from 'vitest';
import type { ObservedTrouble } from '../../../functions/core/alerts/evolve.ts';
import type { SlackFault } from '../../fakes/slack-server.ts';
import { fc, runs } from '../../property.ts';
import { wordsOf } from '../adapters/messengers/slack-words.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { type LabOptions, mailTarget, openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

const key = drainBlocked.key;

let opened: SendLab[] = [];

async function open(options: LabOptions): Promise<SendLab> {
  const lab = await openSendLab(options);
  lab.clock.set('2026-03-02T14:01:40Z');
  opened.push(lab);
  return lab;
}

afterEach(async () => {
  for (const lab of opened) await lab.close();
  opened = [];
});

async function closeNow(lab: SendLab): Promise<void> {
  opened = opened.filter((each) => each !== lab);
  await lab.close();
}

interface Step {
  readonly minutes: number;
  readonly observed: ObservedTrouble;
}

const opening: ObservedTrouble = { kind: 'true', trouble: drainBlocked };
const changing: ObservedTrouble = {
  kind: 'true',
  trouble: { ...drainBlocked, digest: 'worker-3', headline: 'drain of worker-3 blocked by PDB shop/web' },
};
const worse: ObservedTrouble = { kind: 'true', trouble: { ...drainBlocked, digest: 'worker-3', severity: 'critical' } };
const going: ObservedTrouble = { kind: 'false', endedBy: 'web-b became Ready on worker-6.' };

/** The quiet mode would hide what this is about. */
const steady = { flapChanges: 99 };

/** Opened, changed, worse, gone, over, back within the window, gone for good. */
const life: readonly Step[] = [
  { minutes: 0, observed: opening },
  { minutes: 3, observed: changing },
  { minutes: 3, observed: worse },
  { minutes: 3, observed: going },
  { minutes: 6, observed: going },
  { minutes: 10, observed: worse },
  { minutes: 3, observed: going },
  { minutes: 6, observed: going },
];

/** What people find in the channel in the end, without what depends on the minute at which it was written. */
interface Channel {
  readonly parents: readonly string[];
  /** Every line of news in the thread, in order. */
  readonly news: readonly string[];
  readonly evidence: number;
}

function channelOf({ slack }: SendLab): Channel {
  const parents = slack.messages.filter(({ thread }) => thread === undefined);
  const replies = slack.messages.filter(({ thread }) => thread !== undefined).map(wordsOf);
  return {
    parents: parents.map((message) => wordsOf(message).replace(/\([^()]* ago\)/g, '')),
    news: replies.flatMap((words) => words.split('\n').filter((line) => /^\d\d:\d\d:\d\d UTC {2}/.test(line))),
    evidence: replies.filter((words) => words.includes('*Evidence*')).length,
  };
}

/** Plays the life; each state is sent once when it is new, and then only the sweeps of the evaluator help. */
async function play(lab: SendLab, steps: readonly Step[] = life): Promise<void> {
  for (const { minutes, observed } of steps) {
    lab.clock.advance(minutes * 60);
    await lab.see(observed);
    await lab.send(key);
    await lab.sweep();
  }
  await lab.settleDown();
}

describe('a sender that dies anywhere', () => {
  test('[N-18] before or after any of its effects: the channel ends as if nothing had happened', {
    timeout: 120_000,
  }, async () => {
    const undisturbed = await open({ targets: [slackTarget], policy: steady });
    await play(undisturbed);
    const expected = channelOf(undisturbed);
    const count = undisturbed.effects.length;

    expect(expected.parents).toHaveLength(1);
    expect(expected.parents[0]).toContain('RESOLVED');
    expect(expected.news.filter((line) => line.includes('Resolved after'))).toHaveLength(2);
    expect(expected.evidence).toBe(1);
    expect(count).toBeGreaterThan(30);

    for (let effect = 0; effect < count; effect += 1) {
      for (const when of ['before', 'after'] as const) {
        const lab = await open({ targets: [slackTarget], policy: steady });
        lab.dieAt(effect, when);
        await play(lab);
        expect(channelOf(lab), `died ${when} effect ${effect} (${undisturbed.effects[effect]})`).toEqual(expected);
        await closeNow(lab);
      }
    }
  });

  test('[N-18] mails, which cannot be read back, are repeated at most once and never lost', {
    timeout: 120_000,
  }, async () => {
    const undisturbed = await open({ targets: [mailTarget], policy: steady });
    await play(undisturbed);
    const states = firstLines(undisturbed);
    const count = undisturbed.effects.length;
    expect(states).toEqual(['FIRING', 'FIRING', 'RESOLVED', 'FIRING', 'RESOLVED']);

    for (let effect = 0; effect < count; effect += 1) {
      for (const when of ['before', 'after'] as const) {
        const lab = await open({ targets: [mailTarget], policy: steady });
        lab.dieAt(effect, when);
        await play(lab);
        const repeated = lab.mailbox.mails.filter(({ mail }) => mail?.text.includes('may repeat'));
        const others = lab.mailbox.mails.length - repeated.length;
        const what = `died ${when} effect ${effect} (${undisturbed.effects[effect]})`;
        expect(repeated.length, what).toBeLessThanOrEqual(1);
        expect(others, what).toBeLessThanOrEqual(states.length);
        expect(firstLines(lab).at(-1), what).toBe('RESOLVED');
        expect(lab.mailbox.mails.length, what).toBeGreaterThanOrEqual(states.length - 1);
        await closeNow(lab);
      }
    }
  });
});

function firstLines({ mailbox }: SendLab): readonly string[] {
  return mailbox.mails.map(({ mail }) => mail?.text.split(' ')[0] ?? '');
}

const aFault: fc.Arbitrary<SlackFault> = fc.oneof(
  fc.constantFrom<SlackFault>(
    { kind: 'drop', accepted: true },
    { kind: 'drop', accepted: false },
    { kind: 'status', status: 429, headers: { 'retry-after': '20' } },
    { kind: 'status', status: 503 },
    { kind: 'error', error: 'internal_error', accepted: true },
    { kind: 'error', error: 'fatal_error', accepted: false },
    { kind: 'error', error: 'invalid_blocks' },
    { kind: 'body', body: '<html>proxy</html>' },
  ),
);

/** Several senders at a time, and the sweeps afterwards. */
async function playTogether(lab: SendLab, senders: number): Promise<void> {
  for (const { minutes, observed } of life) {
    lab.clock.advance(minutes * 60);
    await lab.see(observed);
    await Promise.all(Array.from({ length: senders }, () => lab.send(key)));
  }
  await lab.settleDown(600);
}

/** One message at most, and it says the end; each piece of news once and in order, from the moment on at which the
 *  incident was first told: what ended before anybody heard of it is not told. */
function expectTruth({ parents, news, evidence }: Channel, undisturbed: Channel): void {
  expect(parents.length).toBeLessThanOrEqual(1);
  expect(evidence).toBeLessThanOrEqual(1);
  expect(undisturbed.news.slice(undisturbed.news.length - news.length)).toEqual(news);
  if (parents.length === 0) expect(news).toEqual([]);
  else expect(news.at(-1)).toContain('Resolved after');
  for (const parent of parents) expect(parent).toContain('RESOLVED');
}

test('[N-18] [N-29] a mail of its return that arrived as the sender died is followed by one of its end', async () => {
  const lab = await open({ targets: [mailTarget], policy: steady });
  await lab.see(opening);
  await lab.send(key);
  lab.clock.advance(120);
  await lab.see(going);
  lab.clock.advance(360);
  await lab.see(going);
  await lab.send(key);
  lab.clock.advance(120);
  await lab.see(opening);
  lab.dieAt(lab.effects.length + 1, 'after');
  await lab.send(key);
  lab.clock.advance(30);
  await lab.see({ kind: 'removed', why: 'the pool is no more' });
  await lab.settleDown();

  const words = lab.mailbox.mails.map(({ mail }) => mail?.subject.split(' ')[0]);
  expect(words).toEqual(['[FIRING]', '[RESOLVED]', '[FIRING]', '[RESOLVED]']);
});

describe('whatever Slack does, and wherever senders die', () => {
  test('[N-18] [I2] [I3] [I5] one message, each piece of news once, and its last word is the truth', {
    timeout: 120_000,
  }, async () => {
    const undisturbed = await open({ targets: [slackTarget], policy: steady });
    await play(undisturbed);
    const expected = channelOf(undisturbed);

    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom('chat.postMessage', 'chat.update', 'conversations.history', 'conversations.replies'),
            aFault,
          ),
          {
            maxLength: 8,
          },
        ),
        fc.option(fc.tuple(fc.nat(60), fc.constantFrom('before' as const, 'after' as const)), { nil: undefined }),
        fc.integer({ min: 1, max: 3 }),
        async (faults, death, senders) => {
          const lab = await open({ targets: [slackTarget], policy: steady });
          for (const [method, fault] of faults) lab.slack.failNext(method, fault);
          if (death !== undefined) lab.dieAt(...death);
          await playTogether(lab, senders);
          await closeNow(lab);

          expectTruth(channelOf(lab), expected);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});

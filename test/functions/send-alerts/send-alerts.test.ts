import { afterEach, describe, expect, test } from 'vitest';
import { smtpMessenger } from '../../../functions/adapters/messengers/smtp.ts';
import { attend } from '../../../functions/core/alerts/attention.ts';
import type { RemoteRef } from '../../../functions/core/alerts/incident.ts';
import { composeMessage } from '../../../functions/core/alerts/message/compose-message.ts';
import { isFailing } from '../../../functions/core/alerts/notify-failing.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import { finding, ref } from '../../../functions/core/findings/make-finding.ts';
import type { Severity, Trouble } from '../../../functions/core/findings/trouble.ts';
import { makeTrouble } from '../../../functions/core/judge/make-trouble.ts';
import { showAnew } from '../../../functions/send-alerts/joint.ts';
import { sendAlerts } from '../../../functions/send-alerts/send.ts';
import { aDelivery, anIncident } from '../../fakes/index.ts';
import type { SlackMessage } from '../../fakes/slack-server.ts';
import { startSmtp } from '../adapters/messengers/mail-servers.ts';
import { wordsOf } from '../adapters/messengers/slack-words.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { dueEvent, type LabOptions, mailTarget, openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

const key = drainBlocked.key;
const wrong = { kind: 'true' as const, trouble: drainBlocked };
const other = { ...drainBlocked, digest: 'worker-3', headline: 'drain of worker-3 blocked by PDB shop/web' };

let opened: SendLab[] = [];

async function open(options: LabOptions = {}): Promise<SendLab> {
  const lab = await openSendLab(options);
  lab.clock.set('2026-03-02T14:01:40Z');
  opened.push(lab);
  return lab;
}

afterEach(async () => {
  for (const lab of opened) await lab.close();
  opened = [];
});

function parents({ slack }: SendLab): readonly SlackMessage[] {
  return slack.messages.filter(({ thread }) => thread === undefined);
}

function replies({ slack }: SendLab): readonly string[] {
  return slack.messages.filter(({ thread }) => thread !== undefined).map(wordsOf);
}

/** It fires, is told, goes and stays away. */
async function resolve(lab: SendLab): Promise<void> {
  await lab.see({ kind: 'false', endedBy: 'web-b became Ready on worker-6.' });
  lab.clock.advance(360);
  await lab.see({ kind: 'false' });
}

async function acknowledge({ clock, incident, ports, tables }: SendLab, forSeconds: number): Promise<void> {
  const names = ports.configuration.alerts.targets.map(({ name }) => name);
  const taken = attend(
    await incident(key),
    { kind: 'acknowledged', by: 'anna', reason: '', forSeconds, askedAt: clock.now().toISOString() },
    { now: clock.now(), targets: { hear: names, all: names } },
  );
  if (taken.kind === 'attended') await tables.incidents.save(taken.incident);
}

describe('the life of an alert in a channel and by mail', () => {
  test('[C-6] one message is posted with its evidence in the thread, edited in place, and turns green at the end', async () => {
    const lab = await open();

    await lab.see(wrong);
    await lab.send(key);
    expect(parents(lab).map(({ text }) => text)).toEqual([
      'FIRING prod-eu-1/worker-gpu: drain of worker-2 blocked by PDB shop/web (11 min)',
    ]);
    expect(replies(lab)).toEqual([expect.stringContaining('oc patch pdb web')]);

    lab.clock.advance(120);
    await lab.see({ kind: 'true', trouble: other });
    await lab.send(key);
    expect(parents(lab).map(({ text, edits }) => [text, edits])).toEqual([
      ['FIRING prod-eu-1/worker-gpu: drain of worker-3 blocked by PDB shop/web (13 min)', 1],
    ]);
    expect(replies(lab)).toHaveLength(2);
    expect(replies(lab)[1]).toContain('Now: drain of worker-3 blocked');

    await resolve(lab);
    await lab.send(key);
    expect(parents(lab)).toHaveLength(1);
    expect(parents(lab).map(wordsOf)[0]).toMatch(/^🟢 RESOLVED · prod-eu-1\/worker-gpu · drain blocked · 19 min/);
    expect(replies(lab)).toHaveLength(3);
    expect(replies(lab)[2]).toContain('web-b became Ready on worker-6.');
  });

  test('[C-6] [S1-13] mails are sent for the opening and the end, in one thread, and not for every change', async () => {
    const lab = await open();
    await lab.see(wrong);
    await lab.send(key);
    await lab.see({ kind: 'true', trouble: other });
    await lab.send(key);
    await resolve(lab);
    await lab.send(key);

    const mails = lab.mailbox.mails.map(({ mail }) => mail);
    expect(mails.map((mail) => mail?.text.split('\n')[0])).toEqual([
      'FIRING 11 min - prod-eu-1/worker-gpu - drain blocked',
      'RESOLVED after 17 min - prod-eu-1/worker-gpu - drain blocked',
    ]);
    expect(mails.map((mail) => mail?.subject?.split(' ')[0])).toEqual(['[FIRING]', '[RESOLVED]']);
    expect(new Set(mails.map((mail) => mail?.subject?.replace(/^\S+ /, ''))).size).toBe(1);
    expect(new Set(mails.map((mail) => mail?.headers['References'])).size).toBe(1);
  });

  test('[C-6] [S1-13] [N-18] a severity that goes up and down is mailed once an hour, in quiet hours, too', async () => {
    const quietHours = { from: '14:10', to: '16:10', zone: 'UTC', weekends: false };
    const lab = await open({ targets: [slackTarget, { ...mailTarget, quietHours }] });
    for (let minutes = 0; minutes < 120; minutes += 1) {
      await lab.see(minutes % 2 === 0 ? { kind: 'true', trouble: { ...drainBlocked, severity: 'warning' } } : wrong);
      await lab.send(key);
      lab.clock.advance(60);
    }

    expect(lab.mailbox.mails).toHaveLength(3);
    expect(lab.slack.messages.filter(({ broadcast }) => broadcast)).toHaveLength(2);
  });

  test('[S1-13] [N-30] a cause of somebody else in an open incident is sent to mailboxes, webhooks and pagers, and shown in the channel', async () => {
    const { filter } = mailTarget;
    const hook: AlertTarget = { kind: 'slack-webhook', name: 'hook', urlSecret: 'hook', filter };
    const pager: AlertTarget = { kind: 'pagerduty', name: 'on-call', routingKeySecret: 'r', eventsUrl: 'e', filter };
    const sent: string[] = [];
    const lab = await open({
      targets: [slackTarget, mailTarget, hook, pager],
      wrap: (inner, { name }) => ({
        ...inner,
        post: (message) => {
          sent.push(name);
          return inner.post(message);
        },
        edit: (remote, message) => {
          sent.push(name);
          return inner.edit(remote, message);
        },
        reply: (remote, message) => {
          sent.push(name);
          return inner.reply(remote, message);
        },
      }),
    });
    await lab.see(wrong);
    await lab.send(key);
    lab.clock.advance(120);
    sent.splice(0);

    const headline = 'drain of worker-3 blocked by PDB pay/db';
    const digest = `${drainBlocked.digest};worker-3:P1:PodDisruptionBudget pay/db`;
    await lab.see({ kind: 'true', trouble: { ...drainBlocked, headline, digest } });
    await lab.send(key);

    expect(sent).toEqual(['ops', 'ops', 'mail', 'hook', 'on-call']);
    expect(lab.slack.messages.at(-1)).toMatchObject({ broadcast: true });
  });

  test('[S1-13] an escalation and a return are shown in the channel, other replies stay in the thread', async () => {
    const lab = await open({ targets: [slackTarget] });
    await lab.see(wrong);
    await lab.send(key);
    lab.clock.advance(60);
    await lab.see({ kind: 'true', trouble: { ...drainBlocked, severity: 'critical' } });
    await lab.send(key);
    await resolve(lab);
    await lab.send(key);
    lab.clock.advance(60);
    await lab.see(wrong);
    await lab.send(key);

    const loud = lab.slack.messages.filter(({ broadcast }) => broadcast).map(wordsOf);
    expect(loud).toEqual([
      expect.stringContaining('Severity up from high to critical'),
      expect.stringContaining('Firing again after 1 min'),
    ]);
    expect(parents(lab)).toHaveLength(1);
  });

  test('[N-18] a repeated, late or early event sends nothing twice', async () => {
    const lab = await open();
    await lab.see(wrong);

    for (let count = 0; count < 5; count += 1) await lab.send(key);

    expect(lab.slack.messages).toHaveLength(2);
    expect(lab.mailbox.mails).toHaveLength(1);
  });

  test('[N-18] an incident that ended before anybody heard of it is not told at all', async () => {
    const lab = await open();
    await lab.see(wrong);
    await resolve(lab);

    await lab.send(key);

    expect(lab.slack.messages).toEqual([]);
    expect(lab.mailbox.mails).toEqual([]);
    expect((await lab.incident(key)).deliveries['ops']).toMatchObject({
      announced: false,
      deliveredSeq: 3,
      threadSeq: 3,
    });
  });

  test('[N-18] after an outage one message tells the state of now, and how late it is', async () => {
    const lab = await open({ targets: [slackTarget] });
    lab.slack.failNext('chat.postMessage', { kind: 'status', status: 429, headers: { 'retry-after': '600' } });
    await lab.see(wrong);
    await lab.send(key);
    await lab.see({ kind: 'true', trouble: other });
    lab.clock.advance(720);

    await lab.send(key);

    expect(parents(lab)).toHaveLength(1);
    expect(parents(lab).map(wordsOf)[0]).toContain('worker-3');
    expect(parents(lab).map(wordsOf)[0]).toContain('delivered 12 min after it opened');
  });

  test('an unknown kind of a newer version is left alone', async () => {
    const lab = await open();

    await lab.send({ ...key, kind: 'from-the-future' as typeof key.kind });

    expect(lab.logger.lines.map(({ message }) => message)).toEqual(['unknown kind of incident']);
  });

  test('whoever is no target any more is left out', async () => {
    const lab = await open({ targets: [slackTarget] });
    await lab.tables.incidents.save(anIncident({ deliveries: { forgotten: aDelivery() } }));

    await lab.send(anIncident().key);

    expect(lab.slack.messages).toEqual([]);
  });
});

describe('when the other side does not take it', () => {
  test('[N-18] it is asked again when Slack asked to wait for, with jitter, and waiting is no failure', async () => {
    const lab = await open({ targets: [slackTarget] });
    lab.slack.failNext('chat.postMessage', { kind: 'status', status: 429, headers: { 'retry-after': '30' } });
    await lab.see(wrong);
    await lab.send(key);

    expect(lab.slack.messages).toEqual([]);
    const [again] = lab.queue.waiting();
    expect(again?.dueAt.toISOString()).toBe('2026-03-02T14:02:13.000Z');
    expect((await lab.incident(key)).deliveries['ops']).toMatchObject({
      attempts: 0,
      retryAt: '2026-03-02T14:02:13.000Z',
    });

    lab.clock.advance(33);
    await lab.send(key);
    expect(parents(lab)).toHaveLength(1);
  });

  test('[N-18] [N-24] one that asks to wait again and again is told to the others, until it takes messages', async () => {
    const lab = await open();
    const wait = { kind: 'status', status: 429, headers: { 'retry-after': '30' } } as const;
    lab.slack.failNext('chat.postMessage', ...Array.from({ length: 30 }, () => wait));
    await lab.see(wrong);
    await lab.send(key);

    await lab.ticks(7);
    const early = lab.mailbox.mails.length;
    await lab.ticks(5);

    expect(early).toBe(1);
    expect(lab.mailbox.mails[1]?.mail?.text).toContain('alerts do not reach ops: Slack asks to wait');

    await lab.ticks(40);
    expect(parents(lab).map(({ text }) => text)).toEqual([expect.stringContaining('drain of worker-2 blocked')]);
    expect(lab.mailbox.mails.at(-1)?.mail?.subject).toMatch(/^\[RESOLVED\]/);
  });

  test('[N-18] [N-24] one that asks for a long wait is told to the others without waiting for its end', async () => {
    const lab = await open();
    lab.slack.failNext('chat.postMessage', { kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
    await lab.see(wrong);
    await lab.send(key);

    await lab.ticks(4);

    expect(lab.mailbox.mails[1]?.mail?.text).toContain('alerts do not reach ops: Slack asks to wait');
  });

  test('[N-18] a refused form is tried in simpler ones until one is taken', async () => {
    const lab = await open({ targets: [slackTarget] });
    lab.slack.failNext(
      'chat.postMessage',
      { kind: 'error', error: 'invalid_blocks' },
      { kind: 'error', error: 'msg_blocks_too_long' },
    );
    await lab.see(wrong);
    await lab.send(key);

    const sections = parents(lab).map(({ blocks }) => blocks.length);
    expect(sections).toEqual([1]);
    const refused = lab.logger.lines.filter(({ message }) => message === 'a form was refused');
    expect(refused.map(({ fields }) => fields['form'])).toEqual(['full', 'short']);
  });

  test('[N-18] the last form is text alone', async () => {
    const lab = await open({ targets: [slackTarget] });
    const refusal = { kind: 'error', error: 'invalid_blocks' } as const;
    lab.slack.failNext('chat.postMessage', refusal, refusal, refusal);
    await lab.see(wrong);
    await lab.send(key);

    expect(parents(lab).map(({ blocks }) => blocks)).toEqual([[]]);
    expect(parents(lab)[0]?.text).toContain('Do this: Label a second node');
  });

  test('[N-18] an answer that got lost is read back, and nothing is posted twice', async () => {
    const lab = await open({ targets: [slackTarget] });
    lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted: true });
    await lab.see(wrong);
    await lab.send(key);
    await lab.send(key);
    expect(parents(lab)).toHaveLength(1);

    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    expect((await lab.incident(key)).deliveries['ops']).toMatchObject({
      announced: true,
      remote: { channel: 'C1', id: parents(lab)[0]?.ts },
    });
    expect(replies(lab)).toHaveLength(1);
  });

  test('[N-18] a lost answer of a reply is read back in its thread', async () => {
    const lab = await open({ targets: [slackTarget] });
    await lab.see(wrong);
    lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted: false });
    lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted: true });
    await lab.send(key);
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    expect(replies(lab)).toHaveLength(1);
  });

  test('[N-18] what could not be read back now is not posted again now', async () => {
    const lab = await open({ targets: [slackTarget] });
    lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted: true });
    await lab.see(wrong);
    await lab.send(key);
    lab.slack.failNext('conversations.history', { kind: 'status', status: 503 }, { kind: 'status', status: 429 });

    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
  });

  test('[N-18] where nothing can be read back, an opening is sent again and says that it may repeat', async () => {
    const lab = await open({ targets: [slackTarget] });
    lab.slack.mayRead = false;
    lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted: true });
    await lab.see(wrong);
    await lab.send(key);
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(2);
    expect(parents(lab).map(wordsOf)[1]).toContain('may repeat an earlier message');
  });

  test('[N-18] where nothing can be read back, a change is not told twice', async () => {
    const lab = await open({ targets: [slackTarget] });
    await lab.see(wrong);
    await lab.send(key);
    lab.slack.mayRead = false;
    lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted: true });
    await lab.see({ kind: 'true', trouble: other });
    await lab.send(key);
    await lab.settleDown();

    expect(replies(lab).filter((words) => words.includes('Now: drain of worker-3'))).toHaveLength(1);
  });

  test('[N-18] a mail whose fate stays unknown is not sent for ever', async () => {
    const lab = await open({ targets: [mailTarget] });
    for (let count = 0; count < 20; count += 1) lab.mailbox.failNext({ kind: 'unknown', why: 'no answer' }, true);
    await lab.see(wrong);
    await lab.send(key);
    await lab.settleDown(55);

    expect(lab.mailbox.mails.length).toBeLessThanOrEqual(4);
    expect((await lab.incident(key)).deliveries['mail']?.dead).toBe(true);
  });

  test('[C-6] a message that somebody deleted is posted anew, says so, and goes on from there', async () => {
    const lab = await open({ targets: [slackTarget] });
    await lab.see(wrong);
    await lab.send(key);
    lab.slack.delete(parents(lab)[0]?.ts ?? '');
    lab.clock.advance(60);
    await lab.see({ kind: 'true', trouble: other });
    await lab.send(key);

    expect(parents(lab)).toHaveLength(1);
    expect(parents(lab).map(wordsOf)[0]).toContain('replaces an earlier message that can no longer be edited');
    expect((await lab.incident(key)).deliveries['ops']?.remote?.id).toBe(parents(lab)[0]?.ts);

    await resolve(lab);
    await lab.send(key);
    expect(parents(lab).map(wordsOf)[0]).toContain('RESOLVED');
  });

  test.each(['thread_not_found', 'cannot_reply_to_message'])(
    '[C-6] [N-24] [N-30] a message that no reply stays with (%s) is posted less and less often, told elsewhere, and delays no other',
    async (why) => {
      const isRefused = ({ id }: RemoteRef) =>
        parents(lab).some((each) => each.ts === id && wordsOf(each).includes('prod-eu-1/worker-gpu · '));
      const lab: SendLab = await open({
        wrap: (inner, { kind }) => ({
          ...inner,
          reply: (remote, message) =>
            kind === 'slack' && isRefused(remote)
              ? Promise.resolve({ kind: 'gone', why })
              : inner.reply(remote, message),
        }),
      });
      const pool = 'storage';
      const warning = { ...drainBlocked, severity: 'warning' as const, key: { ...key, pool } };
      await lab.see(wrong);
      await lab.send(key);
      for (let second = 0; second < 1200; second += 1) {
        if (second === 300) {
          await lab.see({ kind: 'true', trouble: warning });
          await lab.send(warning.key);
          expect(parents(lab).map(wordsOf).at(-1)).toContain('prod-eu-1/storage');
        }
        lab.clock.advance(1);
        for (const { event } of lab.queue.take()) await sendAlerts(event, lab.ports);
        if (second % 60 === 0) await lab.sweep();
      }

      expect(parents(lab).filter((each) => wordsOf(each).includes('prod-eu-1/worker-gpu · ')).length).toBeLessThan(10);
      expect(lab.mailbox.mails.map(({ mail }) => mail?.text ?? '').join('\n')).toContain(
        `alerts do not reach ops: messages do not stay there: ${why}`,
      );
    },
  );

  test('[C-6] [N-24] a reply whose message was deleted meanwhile does not stay in the channel, and goes with the new one', async () => {
    let deletions = 1;
    const lab: SendLab = await open({
      targets: [slackTarget],
      wrap: (inner) => ({
        ...inner,
        async post(message) {
          const outcome = await inner.post(message);
          if (outcome.kind === 'sent' && deletions > 0) lab.slack.delete(outcome.remote.id);
          deletions -= 1;
          return outcome;
        },
      }),
    });
    await lab.see(wrong);
    await lab.send(key);
    await lab.settleDown(5);

    expect(parents(lab).map((each) => wordsOf(each).split(' · ')[0])).toEqual(['🔴 FIRING']);
    expect(replies(lab)).toHaveLength(1);
    expect(lab.slack.messages.at(-1)?.thread).toBe(parents(lab)[0]?.ts);
  });

  test.each(['edit_window_closed', 'cant_update_message'])(
    '[C-6] [N-24] where a message takes no edits (%s) it stays, changes are in its thread, and only news is posted anew',
    async (error) => {
      const lab = await open({ targets: [slackTarget] });
      lab.slack.failNext('chat.update', ...Array.from({ length: 500 }, () => ({ kind: 'error', error }) as const));
      await lab.see(wrong);
      await lab.send(key);
      for (let minute = 0; minute < 60; minute += 1) {
        lab.clock.advance(60);
        await lab.see(minute < 30 ? wrong : { kind: 'true', trouble: other });
        await lab.send(key);
      }

      expect(parents(lab)).toHaveLength(1);
      expect(lab.slack.calls.filter(({ method }) => method === 'chat.update').length).toBeGreaterThan(5);
      expect(replies(lab).some((words) => words.includes('Now: drain of worker-3 blocked'))).toBe(true);

      await lab.see({ kind: 'true', trouble: { ...other, severity: 'critical' } });
      await lab.send(key);
      expect(parents(lab)).toHaveLength(2);

      await resolve(lab);
      await lab.send(key);
      expect(parents(lab).map((each) => wordsOf(each).split(' · ')[0])).toEqual([
        '🔴 FIRING',
        '🔴 FIRING',
        '🟢 RESOLVED',
      ]);
      expect((await lab.incident(key)).deliveries['ops']).toMatchObject({ attempts: 0, lastError: undefined });
    },
  );

  test('[C-6] [N-24] [N-29] where a message takes no edits, one with the current state is posted, though a press asked for it as a reply was on its way', async () => {
    let during = async () => {};
    const lab: SendLab = await open({
      targets: [slackTarget],
      wrap: (inner) => ({
        ...inner,
        reply: async (remote, message) => {
          const answer = await inner.reply(remote, message);
          await during();
          return answer;
        },
      }),
    });
    const error = 'edit_window_closed';
    lab.slack.failNext('chat.update', ...Array.from({ length: 500 }, () => ({ kind: 'error', error }) as const));
    await lab.see(wrong);
    await lab.send(key);
    lab.clock.advance(300);
    await lab.see({ kind: 'true', trouble: other });
    during = async () => showAnew({ incident: await lab.incident(key), target: slackTarget, ports: lab.ports });
    await lab.send(key);
    during = async () => {};
    await lab.ticks(5);

    expect(parents(lab)).toHaveLength(2);
    expect(wordsOf(parents(lab).at(-1) ?? { text: '', blocks: [] })).toContain('drain of worker-3 blocked');
    expect((await lab.incident(key)).deliveries['ops']?.remote?.id).toBe(parents(lab).at(-1)?.ts);
  });

  test('[C-6] [N-24] what stays where it is posted again is no failure of its channel any more', async () => {
    let stays = false;
    const lab = await open({
      wrap: (inner, { kind }) => ({
        ...inner,
        reply: (remote, message) =>
          kind === 'slack' && !stays
            ? Promise.resolve({ kind: 'gone', why: 'thread_not_found' })
            : inner.reply(remote, message),
      }),
    });
    await lab.see(wrong);
    await lab.send(key);
    await lab.ticks(10);
    expect(isFailing((await lab.incident(key)).deliveries['ops'] ?? aDelivery())).toBe(true);

    stays = true;
    await lab.settleDown(30);

    expect(isFailing((await lab.incident(key)).deliveries['ops'] ?? aDelivery())).toBe(false);
    expect(replies(lab)[0]).toContain('Evidence');
  });

  test('[N-18] [I1] an archived channel is told by mail, at once, with what could not be delivered', async () => {
    const lab = await open();
    lab.slack.channels.set('C1', 'archived');
    await lab.see(wrong);
    await lab.send(key);
    await lab.settleDown(3);

    const subjects = lab.mailbox.mails.map(({ mail }) => mail?.subject);
    expect(subjects).toEqual([
      '[FIRING] prod-eu-1/worker-gpu: drain of worker-2 blocked by PDB shop/web [PK-1]',
      '[FIRING] prod-eu-1: alerts do not reach ops: is_archived [PK-2]',
    ]);
    expect(lab.mailbox.mails[1]?.mail?.text).toContain('Unarchive the channel');
    expect(lab.mailbox.mails[1]?.mail?.text).toContain('Not delivered PK-1');
  });

  test('[N-18] a channel that was mended gets what it missed, and the failure is over', async () => {
    const lab = await open();
    lab.slack.channels.set('C1', 'archived');
    await lab.see(wrong);
    await lab.send(key);
    await lab.settleDown(10);
    lab.slack.channels.set('C1', 'open');

    await lab.ticks(90);

    expect(parents(lab).map(({ text }) => text)).toEqual([expect.stringContaining('drain of worker-2')]);
    const failure = await lab.incident({ cluster: key.cluster, pool: '*', kind: 'notify-failing' });
    expect(failure.state).toBe('ok');
    expect(lab.mailbox.mails.at(-1)?.mail?.text).toMatch(/^RESOLVED/);
  });

  test('[N-18] [N-24] a target with another channel, because the first is archived, tells there what goes on, and its end', async () => {
    const targets: AlertTarget[] = [slackTarget, mailTarget];
    const lab = await open({ targets });
    await lab.see(wrong);
    await lab.send(key);
    lab.slack.channels.set('C1', 'archived');
    lab.slack.channels.set('C2', 'open');
    lab.clock.advance(120);
    await lab.see({ kind: 'true', trouble: { ...drainBlocked, severity: 'critical' } });
    await lab.send(key);
    await lab.ticks(3);

    targets[0] = { ...slackTarget, channel: 'C2' };
    await lab.ticks(90);
    const told = parents(lab).map((message) => [message.channel, wordsOf(message)]);
    await resolve(lab);
    await lab.ticks(2);

    expect(told).toEqual([
      ['C1', expect.stringContaining('FIRING')],
      ['C2', expect.stringMatching(/FIRING.*can no longer be edited/s)],
    ]);
    expect(parents(lab).map(wordsOf)[1]).toContain('RESOLVED');
    expect((await lab.incident({ cluster: key.cluster, pool: '*', kind: 'notify-failing' })).state).toBe('ok');
  });

  test('[N-18] a target with another channel goes on in the first one where that takes it, so that its end stands there', async () => {
    const targets = [slackTarget];
    const lab = await open({ targets });
    await lab.see(wrong);
    await lab.send(key);
    lab.slack.channels.set('C2', 'open');

    targets[0] = { ...slackTarget, channel: 'C2' };
    await resolve(lab);
    await lab.send(key);

    expect(parents(lab).map(({ channel, text }) => [channel, text])).toEqual([
      ['C1', expect.stringContaining('RESOLVED')],
    ]);
  });

  test('[N-18] a target that becomes a channel tells there what it told by mail', async () => {
    const targets: AlertTarget[] = [{ ...mailTarget, name: 'ops' }];
    const lab = await open({ targets });
    await lab.see(wrong);
    await lab.send(key);

    targets[0] = slackTarget;
    await resolve(lab);
    await lab.send(key);

    expect(parents(lab).map(({ text }) => text)).toEqual([expect.stringContaining('RESOLVED')]);
  });

  test('[C-6] [N-18] [N-24] an address that the mail server refuses is told, as long as it does', async () => {
    const two: AlertTarget = { ...mailTarget, to: ['ops@example.com', 'gone@example.com'] };
    const lab = await open({ targets: [two] });
    const sent = { kind: 'sent', remote: { channel: 'smtp', id: 'mail' } } as const;
    const refused = [{ address: 'gone@example.com', why: '550 no such user', isFinal: true }];
    lab.mailbox.failNext({ ...sent, refused }, true);
    lab.mailbox.failNext({ ...sent, refused }, true);
    await lab.see(wrong);
    await lab.send(key);

    await lab.ticks(3);
    const told = lab.mailbox.mails.map(({ mail }) => mail?.text ?? '');
    lab.mailbox.failNext({ ...sent, refused: [] }, true);
    await resolve(lab);
    await lab.send(key);
    await lab.ticks(10);

    expect(told).toHaveLength(2);
    expect(told[1]).toContain('alert mail comes back from gone@example.com: 550 no such user');
    expect(told[1]).not.toContain('SES');
    expect(lab.mailbox.mails.at(-1)?.mail?.subject).toMatch(/^\[RESOLVED\] prod-eu-1: alert mail/);
  });

  test('[N-18] [N-29] an address that the mail server does not take for now is told what it has missed', async () => {
    const two: AlertTarget = { ...mailTarget, to: ['ops@example.com', 'late@example.com'] };
    const lab = await open({ targets: [two] });
    const refused = [{ address: 'late@example.com', why: '450 try again later', isFinal: false }];
    lab.mailbox.failNext({ kind: 'sent', remote: { channel: 'smtp', id: 'mail' }, refused }, true);
    await lab.see(wrong);
    await lab.send(key);

    await lab.ticks(3);

    const told = (lab.mailbox.mails.at(-1)?.mail?.text ?? '').replaceAll(/\s+/g, ' ');
    expect(told).toContain('did not take our last mail to late@example.com for now, which told of PK-1');
    expect(told).toContain('Read PK-1 on the status page');
    expect(told).not.toContain('Correct the address');
  });

  test('[N-18] [N-30] a mail whose text the server refuses, as for words that a tenant chose, arrives in words of ours', async () => {
    const smtp = await startSmtp();
    const lab = await open({
      targets: [mailTarget],
      wrap: () => smtpMessenger({ url: smtp.url, from: mailTarget.from, to: mailTarget.to, timeoutMs: 2000 }),
    });
    const spam = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
    smtp.refusesWords.add(spam);
    const [first] = drainBlocked.findings;
    const findings = first === undefined ? [] : [{ ...first, sentence: `${first.sentence} ${spam}`, because: [] }];
    await lab.see({ kind: 'true', trouble: { ...drainBlocked, headline: `drain blocked: ${spam}`, findings } });

    await lab.send(key);
    const opening = smtp.mails.map(({ subject, text }) => `${subject}\n${text}`);
    await resolve(lab);
    await lab.send(key);
    const ending = smtp.mails.slice(1).map(({ subject }) => subject);
    await smtp.close();

    expect(opening).toEqual([expect.stringContaining('[FIRING] prod-eu-1/worker-gpu: drain blocked [PK-1]')]);
    expect(opening[0]).toContain('The mail server refused this alert as it was written');
    expect(ending).toEqual(['[RESOLVED] prod-eu-1/worker-gpu: drain blocked [PK-1]']);
    expect((await lab.incident(key)).deliveries['mail']).toMatchObject({ dead: false, attempts: 0 });
  });

  describe('a mailbox that cannot be reached for hours', () => {
    const own = ['evil', 'evil-1', 'evil-2', 'evil-3', 'evil-4'];

    function stuck(severity: Severity, owners: readonly string[]): Trouble {
      return makeTrouble({
        key,
        severity,
        headline: `sync of ${owners.slice(0, 2).join(', ')} and ${owners.length - 2} more does not finish`,
        since: drainBlocked.since,
        facts: [],
        findings: owners.map((owner) =>
          finding({
            code: 'A2',
            subject: ref('Application', 'app', owner),
            sentence: `A sync of ${owner} does not end.`,
            confidence: 'certain',
            class: 'external',
          }),
        ),
      });
    }

    /** What it is sent once it can be reached again, of one look a minute.
     *  @param takenAt the minute at which somebody takes it for five minutes */
    async function mailAfter(minutes: number, look: (minute: number) => Trouble, takenAt?: number): Promise<string> {
      let isAway = false;
      const away = { kind: 'not-sent', why: 'connection refused', retryAfterSeconds: undefined } as const;
      const lab = await open({
        targets: [mailTarget],
        wrap: (inner) => ({
          ...inner,
          post: async (message) => (isAway ? away : inner.post(message)),
          reply: async (remote, message) => (isAway ? away : inner.reply(remote, message)),
        }),
      });
      for (let at = 0; at < minutes; at += 1) {
        await lab.see({ kind: 'true', trouble: look(at) });
        if (at === takenAt) await acknowledge(lab, 300);
        await lab.send(key);
        isAway = at >= 20;
        lab.clock.advance(60);
      }
      isAway = false;
      await lab.ticks(60);
      return (lab.mailbox.mails.at(-1)?.mail?.text ?? '').replaceAll(/\s+/g, ' ');
    }

    test('[N-18] [N-29] is told of who joined meanwhile, however often the severity rises and falls after that', async () => {
      const mail = await mailAfter(720, (at) =>
        stuck(at % 2 === 0 ? 'info' : 'warning', at < 30 ? own : [...own, 'bank']),
      );

      expect(mail).toContain('bank');
    });

    test('[N-18] [N-29] is told of who joined shortly before an acknowledgement ended', async () => {
      const severityAt = (at: number) => (at < 20 ? 'warning' : at < 60 || at % 2 === 1 ? 'high' : 'critical');
      const mail = await mailAfter(120, (at) => stuck(severityAt(at), at < 23 ? own : [...own, 'bank']), 24);

      expect(mail).toContain('Acknowledgement by anna ended after 5 min');
      expect(mail).toContain('bank');
    });
  });

  test('[N-18] when no target is left the log says so', async () => {
    const lab = await open({ targets: [slackTarget] });
    lab.slack.channels.set('C1', 'not a member');
    await lab.see(wrong);
    await lab.send(key);

    expect(lab.logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toContain(
      'no alert target can be reached',
    );
    expect((await lab.incident({ cluster: key.cluster, pool: '*', kind: 'notify-failing' })).state).toBe('firing');
  });

  test('a target that fails does not keep the others waiting', async () => {
    const broken: AlertTarget = { ...slackTarget, name: 'a-broken' };
    const throws = async () => {
      throw new Error('a bug');
    };
    const lab = await open({
      targets: [broken, mailTarget],
      wrap: (messenger, { name }) => (name === 'a-broken' ? { ...messenger, post: throws } : messenger),
    });
    await lab.see(wrong);

    await expect(lab.send(key)).rejects.toThrow('a bug');

    expect(lab.mailbox.mails).toHaveLength(1);
  });
});

describe('several senders and the evaluator at once', () => {
  test('[N-18] post once between them', async () => {
    const lab = await open();
    await lab.see(wrong);

    await Promise.all(Array.from({ length: 8 }, () => lab.send(key)));
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    expect(replies(lab)).toHaveLength(1);
    expect(lab.mailbox.mails).toHaveLength(1);
  });

  test('[N-18] a state that changes during the send is told right after it, and the confirmation keeps it', async () => {
    let during: (() => Promise<unknown>) | undefined;
    const lab = await open({
      targets: [slackTarget],
      wrap: (messenger) => ({
        ...messenger,
        async post(message) {
          const outcome = await messenger.post(message);
          await during?.();
          during = undefined;
          return outcome;
        },
      }),
    });
    await lab.see(wrong);
    during = () => lab.see({ kind: 'true', trouble: other });

    await lab.send(key);

    expect(parents(lab).map(({ text, edits }) => [text.includes('worker-3'), edits])).toEqual([[true, 1]]);
    const incident = await lab.incident(key);
    expect(incident.trouble?.digest).toBe('worker-3');
    expect(incident.deliveries['ops']).toMatchObject({ deliveredSeq: incident.seq, claim: undefined });
  });

  test('[I3] the standing message is what the stored state renders to', async () => {
    const lab = await open({ targets: [slackTarget] });
    await lab.see(wrong);
    await lab.send(key);
    await resolve(lab);
    await lab.send(key);

    const message = composeMessage(await lab.incident(key), {
      now: lab.clock.now(),
      occasion: 'resolved',
      statusUrl: undefined,
      product: 'poolkeeper test',
    });
    expect(parents(lab).map(wordsOf)[0]).toContain(message.why);
    expect(parents(lab)[0]?.text).toContain(message.state);
  });

  test('the event names a key and nothing else', () => {
    expect(dueEvent(key).data).toEqual(key);
  });
});

describe('a target that cannot be asked what it has', () => {
  test('[N-18] is told the end of what it may have been told', async () => {
    const lab = await open({ targets: [mailTarget] });
    lab.mailbox.failNext({ kind: 'unknown', why: 'no answer' }, true);
    await lab.see(wrong);
    await lab.send(key);
    expect(lab.mailbox.mails).toHaveLength(1);
    for (const _ of [1, 2, 3]) lab.mailbox.failNext({ kind: 'unknown', why: 'no answer' });
    await lab.ticks(4);

    await resolve(lab);
    await lab.ticks(150);

    expect(lab.mailbox.mails.map(({ mail }) => mail?.headers['X-Poolkeeper-State'])).toEqual(['FIRING', 'RESOLVED']);
  });

  test('[N-24] is not called failing any more when nothing is owed to it', async () => {
    const lab = await open({ targets: [mailTarget, slackTarget] });
    lab.mailbox.failNext({ kind: 'dead', why: 'SMTP 550' });
    await lab.see(wrong);
    await lab.send(key);
    expect(await lab.tables.incidents.list()).toHaveLength(2);

    await resolve(lab);
    await lab.ticks(90);

    const states = lab.tables.incidents.all().map(({ key: { kind }, state }) => [kind, state]);
    expect(states).toContainEqual(['drain-blocked', 'ok']);
    expect(states).toContainEqual(['notify-failing', 'ok']);
    expect(lab.mailbox.mails).toEqual([]);
  });
});

describe('a target that knows incidents by their key', () => {
  const webhook: AlertTarget = {
    kind: 'webhook',
    name: 'feed',
    url: 'https://feed.example.com',
    filter: { clusters: [], pools: [], severities: [], causes: [] },
  };

  test('[N-18] is told the end, also when its answer to the opening was lost', async () => {
    const lab = await open({ targets: [webhook] });
    lab.mailbox.failNext({ kind: 'unknown', why: 'no answer' }, true);
    await lab.see(wrong);
    await lab.send(key);

    await resolve(lab);
    await lab.ticks(3);

    expect(lab.mailbox.mails.map(({ event }) => event?.data.state)).toEqual(['firing', 'resolved']);
  });

  test('[N-18] knows news that is told again by its id, also when the standing messages were refreshed in between', async () => {
    const lab = await open({ targets: [webhook], policy: { editEverySeconds: 60 } });
    lab.mailbox.failNext({ kind: 'unknown', why: 'no answer' }, true);
    await lab.see(wrong);
    await lab.send(key);

    lab.clock.advance(120);
    await lab.see(wrong);
    await lab.send(key);

    expect(lab.mailbox.mails.map(({ occasion }) => occasion)).toEqual(['opened', 'opened']);
    expect(new Set(lab.mailbox.mails.map(({ event }) => event?.id)).size).toBe(1);
  });

  test('[N-18] hears nothing of an incident whose opening it surely did not get', async () => {
    const lab = await open({ targets: [webhook] });
    lab.mailbox.failNext({ kind: 'not-sent', why: 'not reached', retryAfterSeconds: 3600 });
    await lab.see(wrong);
    await lab.send(key);

    await resolve(lab);
    await lab.ticks(90);

    expect(lab.mailbox.mails).toEqual([]);
  });
});

describe('PagerDuty, which rings nobody for an alert that is acknowledged there', () => {
  const pages: AlertTarget = {
    kind: 'pagerduty',
    name: 'on-call',
    routingKeySecret: 'key',
    eventsUrl: 'https://events.pagerduty.com/v2/enqueue',
    filter: slackTarget.filter,
  };

  /** What PagerDuty was sent: the action and which of its alerts, counted from 1 in the order in which they came. */
  async function acknowledged(
    trouble = drainBlocked,
    failing: { after?: number } = {},
  ): Promise<{ readonly lab: SendLab; readonly actions: () => readonly string[] }> {
    const wrap: LabOptions['wrap'] = (messenger) => ({
      ...messenger,
      edit: async (_remote, message) => {
        const outcome = await messenger.post(message);
        const isCutOff = failing.after !== undefined && failing.after-- === 0;
        return isCutOff ? { kind: 'unknown', why: 'cut off' } : outcome;
      },
    });
    const lab = await open({ targets: [pages], wrap });
    await lab.see({ kind: 'true', trouble });
    await lab.send(key);
    await acknowledge(lab, 3600);
    await lab.send(key);
    const actions = () => {
      const events = lab.mailbox.mails.flatMap(({ pagerDuty = [] }) => pagerDuty);
      const keys = [...new Set(events.map(({ dedup_key: alert }) => alert))];
      return events.map(({ event_action: action, dedup_key: alert }) => `${action} ${keys.indexOf(alert) + 1}`);
    };
    return { lab, actions };
  }

  test('[S1-13] [N-18] rings again when it has become worse', async () => {
    const { lab, actions } = await acknowledged();

    lab.clock.advance(600);
    await lab.see({ kind: 'true', trouble: { ...drainBlocked, severity: 'critical' } });
    await lab.send(key);
    lab.clock.advance(600);
    await lab.see({ kind: 'true', trouble: { ...other, severity: 'critical' } });
    await lab.send(key);

    expect(actions()).toEqual(['trigger 1', 'acknowledge 1', 'trigger 2', 'resolve 1']);
  });

  test('[S1-13] [N-18] [N-29] rings once an hour for a severity that goes up and down, whenever somebody takes it', async () => {
    const { lab, actions } = await acknowledged();

    for (let minutes = 1; minutes < 120; minutes += 1) {
      lab.clock.advance(60);
      await lab.see(minutes % 2 === 0 ? wrong : { kind: 'true', trouble: { ...drainBlocked, severity: 'critical' } });
      if (minutes % 10 === 4) await acknowledge(lab, 3600);
      await lab.send(key);
    }

    const rings = actions().filter((action) => action.startsWith('trigger'));
    expect(new Set(rings)).toEqual(new Set(['trigger 1', 'trigger 2', 'trigger 3']));
  });

  test('[S1-13] [N-18] rings again when the time is over', async () => {
    const { lab, actions } = await acknowledged();

    lab.clock.advance(3700);
    await lab.see(wrong);
    await lab.send(key);

    expect(actions()).toEqual(['trigger 1', 'acknowledge 1', 'trigger 2', 'resolve 1']);
  });

  test('[S1-13] [N-18] rings again when it has become worse after many changes that rang nobody', async () => {
    const blockedOn = (node: number) => ({ ...drainBlocked, digest: `worker-${node}:D1:shop/web;high` });
    const { lab, actions } = await acknowledged(blockedOn(0));

    for (let node = 1; node < 40; node += 1) {
      lab.clock.advance(60);
      await lab.see({ kind: 'true', trouble: blockedOn(node) });
      await lab.send(key);
    }
    await lab.see({ kind: 'true', trouble: { ...blockedOn(40), severity: 'critical' } });
    await lab.send(key);

    expect(actions()).toEqual(['trigger 1', 'acknowledge 1', 'trigger 2', 'resolve 1']);
  });

  test('[S1-13] [N-18] is told of what comes later about the alert that rang last, and of its end', async () => {
    const { lab, actions } = await acknowledged();
    lab.clock.advance(3700);
    await lab.see(wrong);
    await lab.send(key);

    await resolve(lab);
    await lab.send(key);

    expect(actions().slice(4)).toEqual(['resolve 2']);
  });

  test('[S1-13] [N-18] rings for the next one, too, whose alert is another one', async () => {
    const { lab, actions } = await acknowledged();
    await resolve(lab);
    await lab.send(key);

    lab.clock.advance(60);
    await lab.see(wrong);
    await lab.send(key);

    expect(actions().slice(2)).toEqual(['resolve 1', 'trigger 2', 'resolve 1']);
  });

  test('[S1-13] [N-18] a call that is cut off is repeated with the same alerts', async () => {
    const { lab, actions } = await acknowledged(drainBlocked, { after: 1 });
    lab.clock.advance(3700);
    await lab.see(wrong);
    await lab.send(key);

    lab.clock.advance(60);
    await lab.send(key);

    expect(actions().slice(2)).toEqual(['trigger 2', 'resolve 1', 'trigger 2', 'resolve 1']);
  });
});

import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Incident } from '../../../../functions/core/alerts/incident.ts';
import { composeMessage } from '../../../../functions/core/alerts/message/compose-message.ts';
import { newsOf } from '../../../../functions/core/alerts/message/key-form.ts';
import { mailMessage } from '../../../../functions/core/alerts/message/mail.ts';
import { type MessageContext, summaryLine } from '../../../../functions/core/alerts/message/message.ts';
import { messageForms, slackMessage, slackReply } from '../../../../functions/core/alerts/message/slack.ts';
import type { Block } from '../../../../functions/core/alerts/message/slack-blocks.ts';
import { duration, when } from '../../../../functions/core/text/durations.ts';
import { command } from '../../../../functions/core/text/shell-words.ts';
import { slackComplaint } from '../../../fakes/slack-limits.ts';
import { wordsOf } from '../../adapters/messengers/slack-words.ts';
import { deadlock, drainBlocked, firing, resolved, sampleNow } from './samples.ts';

const opening: MessageContext = {
  now: sampleNow,
  occasion: 'opened',
  statusUrl: undefined,
  product: 'poolkeeper 0.1.0',
};
const later = new Date('2026-03-02T14:48:50.000Z');
const ending: MessageContext = { ...opening, now: later, occasion: 'resolved' };
const letter = { ...opening, deliveryId: 'd1', domain: 'example.com' };

describe('what people read first', () => {
  test('[C-6] [S1-2] the first 60 characters say what state, where and what', () => {
    expect(summaryLine(composeMessage(firing, opening))).toBe(
      'FIRING prod-eu-1/worker-gpu: drain of worker-2 blocked by PDB shop/web (12 min)',
    );
    expect(summaryLine(composeMessage(firing, opening)).slice(0, 60)).toMatch(
      /FIRING prod-eu-1\/worker-gpu: drain of worker-2 blocked/,
    );
  });

  test('[S1-13] what lasted before it was opened has not lasted less when it is over', () => {
    const shown = (incident: typeof resolved) =>
      /\((?:after )?([^)]*)\)$/.exec(summaryLine(composeMessage(incident, ending)))?.[1];
    const trouble = { ...drainBlocked, since: '2026-03-02T09:00:00.000Z' };
    const ended = {
      ...resolved,
      trouble,
      openedAt: '2026-03-02T10:00:00.000Z',
      resolvedAt: '2026-03-02T10:01:00.000Z',
    };

    expect(shown(ended)).toBe('1 h 1 min');
    expect(shown({ ...ended, trouble: undefined })).toBe('1 min');
  });

  test('[S1-13] the end says how long it lasted and what ended it', () => {
    const message = composeMessage(resolved, ending);

    expect(summaryLine(message)).toMatch(/^RESOLVED .* \(after 58 min\)$/);
    expect(message.why).toContain('web-b became Ready on worker-6');
    expect(message).toMatchObject({ remedies: [], chain: [], evidence: [] });
  });

  test('what concerns a whole cluster names no pool', () => {
    const blind = { ...firing, key: { cluster: 'prod-eu-1', pool: '*', kind: 'watcher-blind' as const } };

    expect(summaryLine(composeMessage(blind, opening))).toMatch(/^FIRING prod-eu-1: /);
    expect(composeMessage(blind, opening).subject).toBe('prod-eu-1');
  });

  test.each([
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3599, '59 min'],
    [7800, '2 h 10 min'],
    [7200, '2 h'],
    [86_400, '1 day'],
    [277_200, '3 days 5 h'],
    [-5, '0 s'],
  ])('%d s is said as %s', (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });

  test('instants are absolute and relative', () => {
    expect(when('2026-03-02T14:01:40.000Z', sampleNow)).toBe('2026-03-02 14:01 UTC, 50 s ago');
    expect(when('never', sampleNow)).toBe('at an unknown time');
  });
});

describe('the message', () => {
  test('[S1-2] gives the root cause as the reason, and the way to it without repeating it', () => {
    const { why, chain, confidence, evidenceReadAt } = composeMessage(firing, opening);

    expect(why).toContain('web-b may only run on nodes labelled disk=ssd');
    expect(chain).toHaveLength(3);
    expect(chain).not.toContain(why);
    expect(confidence).toBe('confidence strong');
    expect(evidenceReadAt).toBe('14:02:11 UTC');
  });

  test('[S1-12] links the code of the root cause to where it is explained, beside the status page', () => {
    const statusUrl = 'https://pools.acme.io/prod/status';

    const { cause } = composeMessage(firing, { ...opening, statusUrl });

    expect(cause).toEqual({
      code: 'self-deadlock',
      title: 'drain and replacement wait for each other',
      link: 'https://pools.acme.io/prod/causes#self-deadlock',
    });
    expect(composeMessage(firing, { ...opening, statusUrl: undefined }).cause?.link).toBeUndefined();
    expect(JSON.stringify(slackMessage(firing, { ...opening, statusUrl }))).toContain(
      '<https://pools.acme.io/prod/causes#self-deadlock|self-deadlock: drain and replacement wait for each other>',
    );
  });

  test('[N-29] claims no duration for what was first seen now', () => {
    const since = sampleNow.toISOString();
    const fresh = { ...firing, openedAt: since, trouble: { ...drainBlocked, since, facts: [] } };

    const message = composeMessage(fresh, opening);

    expect(summaryLine(message)).toMatch(/ \(first seen now\)$/);
    expect(message.facts).toContainEqual({ label: 'For', value: 'first seen now' });
  });

  test('says in words that the cause is not known', () => {
    const unknown = { ...firing, trouble: { ...drainBlocked, findings: [] } };

    expect(composeMessage(unknown, opening)).toMatchObject({
      confidence: 'cause not known yet',
      chain: [],
      remedies: [],
    });
  });

  test('names a few further findings and counts the rest', () => {
    const others = Array.from({ length: 5 }, (_, index) => ({
      ...deadlock,
      because: [],
      sentence: `worker-${index} too.`,
    }));
    const many = { ...firing, trouble: { ...drainBlocked, findings: [deadlock, ...others] } };

    expect(composeMessage(many, opening).also).toEqual([
      'worker-0 too.',
      'worker-1 too.',
      'worker-2 too.',
      'and 2 more',
    ]);
  });

  test('puts the least risky remedy first and prints no command that cuts somebody off', () => {
    const { remedies } = composeMessage(firing, opening);
    expect(remedies.map(({ risk, harmless }) => [risk, harmless])).toEqual([
      ['no risk', true],
      ['short outage', false],
      ['short outage', false],
    ]);

    const words = wordsOf(slackMessage(firing, opening));
    expect(words).toContain('oc label node worker-6 disk=ssd');
    expect(words).not.toContain('oc delete pod');
    const thread = slackReply(firing, firing.notes, opening);
    expect(thread === undefined ? '' : wordsOf(thread)).toContain('oc delete pod web-a -n shop');
  });

  test('prints a command whole or not at all', () => {
    const remedy = {
      title: 'Patch it',
      command: `oc patch ${'x'.repeat(900)}`,
      risk: 'none' as const,
      undo: undefined,
      who: 'platform' as const,
    };
    const finding = { ...deadlock, because: [], remedies: [remedy] };
    const { remedies } = composeMessage({ ...firing, trouble: { ...drainBlocked, findings: [finding] } }, opening);

    expect(remedies).toMatchObject([{ title: 'Patch it (long command: see the status page)', command: undefined }]);
  });

  /** All forms of a message whose one remedy is this command. */
  function formsWith(shellCommand: string): readonly string[] {
    const remedy = {
      title: 'See it',
      command: shellCommand,
      risk: 'none' as const,
      undo: undefined,
      who: 'platform' as const,
    };
    const finding = { ...deadlock, because: [], remedies: [remedy] };
    const incident = { ...firing, trouble: { ...drainBlocked, findings: [finding] } };
    const mail = mailMessage(incident, incident.notes, letter);
    return [
      ...messageForms.map((form) => JSON.stringify(slackMessage(incident, opening, form))),
      JSON.stringify(slackReply(incident, incident.notes, opening)),
      mail.text,
      mail.html,
    ];
  }

  test.each([
    ['a credential', '/etc/x;rm -rf ~;data:,y'],
    ['a pull secret', `/etc/x"auths":{'; rm -rf ~; #`],
    ['the beginning of a key', '/etc/x;rm -rf ~;-----BEGIN A-----'],
    ['a back-tick', '/etc/x`;rm -rf ~;#'],
    ['two of them', '/etc/x`;rm -rf ~;`'],
    ['two blanks', '/etc/x  ;rm -rf ~'],
    ['a line end', '/etc/x\nrm -rf ~\n'],
    ['an invisible mark', "/etc/x'\u200B;rm -rf ~"],
  ])('[N-29] [N-30] no command is printed with its quotes changed by %s in a name, and why is said', (_, path) => {
    for (const text of formsWith(command('stat', path))) expect(text).not.toContain('rm -rf');

    expect(formsWith(command('stat', path))[0]).toContain(
      '(no command: a name in it has signs or words that are not printed as they are)',
    );
  });

  test('[N-29] [decoy] a command with code of a shell in its quotes is printed as it is', () => {
    const line = command('stat', '/etc/x;rm -rf ~ $(reboot)');

    for (const text of formsWith(line)) expect(text.replaceAll('&#39;', "'")).toContain(line);
  });

  test('has at most six facts, and does not say twice for how long', () => {
    const facts = [{ label: 'Paused for', value: '5 h' }, ...drainBlocked.facts, { label: 'Too much', value: 'x' }];
    const labels = composeMessage({ ...firing, trouble: { ...drainBlocked, facts } }, opening).facts.map(
      ({ label }) => label,
    );

    expect(labels).toEqual(['Cluster', 'Paused for', 'Node', 'Old config still serving', 'To', 'Trigger']);
  });

  test.each([
    [
      'old data',
      { staleSince: '2026-03-02T13:50:00.000Z', staleWhy: 'API unreachable' },
      {},
      'no fresh data since 13:50:00 UTC (API unreachable); state may have changed',
    ],
    ['a failed read of a moment ago', { staleSince: '2026-03-02T14:01:30.000Z', staleWhy: 'x' }, {}, undefined],
    ['what is explained by something else', { inhibitedBy: 'rendering failed' }, {}, 'muted: rendering failed'],
    ['the quiet mode', { flapping: true }, {}, 'flapping: reminders only'],
    ['a lost predecessor', {}, { continued: true }, 'replaces an earlier message that can no longer be edited'],
    ['a possible repetition', {}, { mayRepeat: true }, 'may repeat an earlier message'],
    ['a late delivery', { openedAt: '2026-03-02T13:46:30.000Z' }, {}, 'delivered 16 min after it opened'],
    ['nothing else', {}, {}, undefined],
  ] satisfies [string, Partial<Incident>, Partial<MessageContext>, string | undefined][])(
    'minds %s',
    (_name, incident, context, notice) => {
      const { notices } = composeMessage({ ...firing, ...incident }, { ...opening, ...context });

      expect(notices).toEqual(notice === undefined ? [] : [notice]);
    },
  );

  test('[C-6] how it ended is what was seen of it, and nothing is claimed where nothing was', () => {
    const endOf = (outcome: typeof resolved.outcome) =>
      composeMessage({ ...resolved, endedBy: undefined, outcome }, ending).why;

    expect(composeMessage(resolved, ending).why).toContain('web-b became Ready on worker-6');
    expect(endOf('fixed')).toBe('It is no longer so; what repaired it was not seen.');
    expect(endOf('superseded')).toBe('Another incident tells of it from here on.');
    expect(endOf('closed-by-person')).toBe('A person closed it.');
  });
});

describe('Slack', () => {
  test('[C-6] the blocks of a firing incident, in their order', () => {
    const { blocks, text } = slackMessage(firing, { ...opening, statusUrl: 'https://poolkeeper.example.com/status' });

    expect(blocks.map(({ type }) => type)).toEqual([
      'header',
      'section',
      'rich_text',
      'section',
      'rich_text',
      'section',
      'actions',
      'context',
    ]);
    const words = JSON.stringify(blocks);
    expect(words.indexOf('Do this')).toBeLessThan(words.indexOf('*Cluster*'));
    expect(blocks[0]).toMatchObject({ text: { text: '🔴 FIRING · high · prod-eu-1/worker-gpu · drain blocked' } });
    expect(text.length).toBeLessThanOrEqual(150);
    expect(slackComplaint({ text, blocks })).toBeUndefined();
  });

  test('instants and hashes in facts and sentences are as long as people need them; commands and evidence have them whole', () => {
    const hash = '308aa2017161936da28f1be014449a88';
    const finding = { ...deadlock, because: [], sentence: `worker-2 waits for rendered-worker-${hash}.` };
    const trouble = {
      ...drainBlocked,
      findings: [finding],
      facts: [{ label: 'Stuck for', value: `12 min, since 2026-03-02T13:50:00.000Z, at rendered-worker-${hash}` }],
    };

    const message = composeMessage({ ...firing, trouble }, opening);

    expect(message.facts).toContainEqual({
      label: 'Stuck for',
      value: '12 min, since 13:50:00 UTC, at rendered-worker-308aa201',
    });
    expect(message.why).toBe('worker-2 waits for rendered-worker-308aa201.');
  });

  test('[C-6] the blocks of a resolved incident: green, what ended it, no buttons', () => {
    const { blocks } = slackMessage(resolved, { ...ending, statusUrl: 'https://poolkeeper.example.com/status' });

    expect(blocks.map(({ type }) => type)).toEqual(['header', 'section', 'section', 'context']);
    expect(blocks[0]).toMatchObject({ text: { text: '🟢 RESOLVED · prod-eu-1/worker-gpu · drain blocked · 58 min' } });
  });

  test('each form is simpler than the one before, and Slack takes each', () => {
    const sizes = messageForms.map((form) => {
      const message = slackMessage(firing, opening, form);
      expect(slackComplaint(message)).toBeUndefined();
      return message.blocks.length;
    });

    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes.at(-1)).toBe(0);
  });

  test.each(messageForms)('[S1-13] form %s names who joined so far', (form) => {
    const joinedWith = (words: string, count: number) =>
      Array.from({ length: count }, (_, nth) => ({
        seq: nth + 1,
        at: sampleNow.toISOString(),
        kind: 'escalated' as const,
        joins: true as const,
        text: `Joined: team-${nth}. ${words}`.slice(0, 600),
      }));
    const namedIn = (words: string, count: number) => {
      const notes = joinedWith(words, count);
      const message = slackMessage({ ...firing, notes }, opening, form, notes);
      expect(slackComplaint(message)).toBeUndefined();
      return notes.filter((_, nth) => JSON.stringify(message).includes(`team-${nth}.`)).length;
    };

    expect(namedIn('x', 5)).toBe(5);
    if (form === 'full' || form === 'short') expect(namedIn('&'.repeat(600), 4)).toBe(4);
    expect(JSON.stringify(slackMessage(firing, opening, form, joinedWith('x', 11)))).toContain('and 3 more before');
  });

  test('the thread gets the evidence at the opening, later what happened, and nothing when there is nothing', () => {
    const evidence = slackReply(firing, firing.notes, opening);
    expect(evidence === undefined ? '' : wordsOf(evidence)).toContain('status.desiredHealthy = 2');

    const change = slackReply(resolved, resolved.notes.slice(1, 2), { ...ending, occasion: 'changed' });
    expect(change).toMatchObject({ broadcast: false });
    expect(change === undefined ? '' : wordsOf(change)).toMatch(/^14:31:40 UTC {2}Now: drain/);

    const bare = { ...firing, trouble: { ...drainBlocked, findings: [] } };
    expect(slackReply(bare, bare.notes, opening)).toBeUndefined();
  });

  test('names nobody, links nothing and mentions nobody by itself', () => {
    const trouble = {
      ...drainBlocked,
      headline: 'drain <!channel> by <@U1> and <https://evil.example|here> &amp; *bold*',
    };
    const { text, blocks } = slackMessage({ ...firing, trouble }, opening);

    const raw = JSON.stringify([text, blocks]).replace(/<!date\^[^>]*>/g, '');
    expect(raw).not.toMatch(/[<>]/);
    expect(raw).toContain('&lt;!channel&gt;');
    expect(raw).toContain('&amp;amp;');
    for (const verbatim of raw.matchAll(/"type":"mrkdwn"[^}]*/g)) expect(verbatim[0]).toContain('"verbatim":true');
  });

  test('our blocks are blocks by the types of Slack itself', () => {
    const asSlack = (blocks: readonly Block[]): readonly KnownBlock[] => blocks;

    expect(asSlack(slackMessage(firing, opening).blocks)).not.toHaveLength(0);
  });
});

describe('mail', () => {
  test('[C-6] [N-34] has the state in its subject, and behind it the same for the whole life', () => {
    const start = mailMessage(firing, firing.notes, letter);
    const end = mailMessage(resolved, resolved.notes, { ...letter, ...ending });

    const rest = 'prod-eu-1/worker-gpu: drain of worker-2 blocked by PDB shop/web [PK-1423]';
    expect([start.subject, end.subject]).toEqual([`[FIRING] ${rest}`, `[RESOLVED] ${rest}`]);
  });

  test.each([
    'drain of ip-10-0-12-201.eu-central-1.compute.internal blocked by PDB payments-production/checkout-backend',
    'rendered-worker-5f3c2a1b4d5e6f708192a3b4c5d6e7f8 does not arrive on worker-gpu-12 for a reason that takes long to tell',
    `${'very '.repeat(40)}long prose about openshift-machine-config-operator/machine-config-daemon-x7k2p`,
  ])('[C-6] [N-34] no name of %j is cut in its subject, whatever the state', (headline) => {
    const told = (incident: Incident) => ({
      ...incident,
      notes: firing.notes.map((note) => ({ ...note, text: headline })),
    });
    const subjects = [told(firing), told({ ...firing, state: 'resolving' }), told(resolved)].map(
      (incident) => mailMessage(incident, incident.notes, letter).subject,
    );

    const names = `prod-eu-1/worker-gpu: ${headline} [PK-1423]`.split(' ').filter((word) => /[/\d]/.test(word));
    for (const subject of subjects) {
      for (const name of names) expect(subject.split(' ')).toContain(name);
      expect(subject.length).toBeLessThanOrEqual(250);
    }
    expect(new Set(subjects.map((subject) => subject.replace(/^\[[A-Z]+\] /, ''))).size).toBe(1);
  });

  test('[C-6] a subject of one endless name has an end all the same', () => {
    const long = { ...firing, notes: firing.notes.map((note) => ({ ...note, text: 'x'.repeat(300) })) };

    expect(mailMessage(long, long.notes, letter).subject.length).toBeLessThanOrEqual(250);
  });

  test('[C-6] threads by a message id of the incident itself, and says that it is automatic', () => {
    const { headers } = mailMessage(firing, firing.notes, letter);

    expect(headers).toEqual({
      References: '<pk-1423-1772460100@example.com>',
      'In-Reply-To': '<pk-1423-1772460100@example.com>',
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'List-Id': 'Poolkeeper alerts <alerts.poolkeeper.example.com>',
      'X-Poolkeeper-Delivery': 'd1',
      'X-Poolkeeper-Incident': 'PK-1423',
      'X-Poolkeeper-State': 'FIRING',
    });
  });

  test('[C-6] the text part is complete by itself, in the order of the message', () => {
    const { text } = mailMessage(firing, firing.notes, letter);

    const order = [
      'FIRING 12 min',
      'drain of worker-2',
      'WHY',
      'CHAIN OF CAUSES',
      'DO THIS',
      'FACTS',
      'EVIDENCE',
      'WHAT HAPPENED',
      'PK-1423',
    ];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBe(0);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(76);
  });

  test('the page fetches nothing, runs nothing and changes nothing', () => {
    const { html } = mailMessage(firing, firing.notes, {
      ...letter,
      statusUrl: 'https://poolkeeper.example.com/status',
    });

    expect(html).not.toMatch(/<(?:script|img|link|iframe|form|object)\b/i);
    expect(html).not.toMatch(/url\(|@import|src=|\son\w+=/i);
    expect([...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'https://poolkeeper.example.com/status',
      'https://poolkeeper.example.com/causes#self-deadlock',
    ]);
    expect(html).toContain('prefers-color-scheme: dark');
    expect(Buffer.byteLength(html)).toBeLessThan(30_000);
  });

  test('no header value can start another header', () => {
    const evil = { ...letter, deliveryId: 'd1\r\nBcc: everybody@example.com', domain: 'example.com\r\nX-Evil: 1' };
    const key = { ...firing.key, pool: 'worker\r\nBcc: x@example.com' };
    const { headers, subject } = mailMessage({ ...firing, key }, firing.notes, evil);

    for (const value of [subject, ...Object.values(headers)]) expect(value).not.toMatch(/[\r\n]/);
  });

  test('a letter about something later says what happened', () => {
    const notes = [
      { seq: 2, at: '2026-03-02T14:30:00.000Z', kind: 'reminder' as const, text: 'Still there after 40 min.' },
    ];

    expect(mailMessage(firing, notes, letter).text).toContain('\n\nStill there after 40 min.\n\nWHY');
    expect(mailMessage(firing, notes, letter).html).toContain('Still there after 40 min.');
  });

  test('[N-18] [N-29] names each whom an escalation named that waited, first to last, before what was last', () => {
    const news = ['opened', 'escalated', 'changed', 'escalated', 'escalated', 'reminder'] as const;
    const notes = news.map((kind, nth) => ({
      seq: nth + 2,
      at: `2026-03-02T14:1${nth}:00.000Z`,
      kind,
      text: `${kind} ${nth}.`,
    }));
    const { text, html } = mailMessage(firing, notes, letter);

    const told = '14:11:00 UTC escalated 1.\n14:13:00 UTC escalated 3.\n14:14:00 UTC escalated 4.\nreminder 5.';
    expect(text).toContain(`\n\n${told}\n\nWHY`);
    for (const line of told.split('\n')) expect(html).toContain(`>${line}<`);
  });

  test('[N-18] [N-29] does not name those of before it came back', () => {
    const news = ['escalated', 'resolved', 'reopened'] as const;
    const notes = news.map((kind, seq) => ({ seq, at: sampleNow.toISOString(), kind, text: `${kind} then.` }));

    expect(mailMessage(firing, notes, letter).text).toContain('\n\nreopened then.\n\nWHY');
  });

  test('[N-18] [N-29] names each who joined before it counts the escalations that it has no room for', () => {
    const notes = Array.from({ length: 20 }, (_, seq) => {
      const each = { seq, at: sampleNow.toISOString(), kind: 'escalated' as const, text: `(${seq})` };
      return seq === 15 ? { ...each, joins: true as const } : each;
    });
    const { text } = mailMessage(firing, notes, letter);

    const named = [...(text.split('WHY')[0]?.matchAll(/\((\d+)\)/g) ?? [])].map(([, seq]) => Number(seq));
    expect(named).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 19]);
  });

  test('[N-18] [N-29] pagers are told each who joined before the last of the other escalations, and how many more there are', () => {
    const notes = Array.from({ length: 20 }, (_, seq) => {
      const each = { seq, at: sampleNow.toISOString(), kind: 'escalated' as const, text: `(${seq})` };
      return seq === 3 ? { ...each, joins: true as const } : each;
    });
    const last = Array.from({ length: 11 }, (_, at) => `(${at + 9})`);

    expect(newsOf({ ...firing, notes }, notes)).toEqual(['(3)', ...last, 'and 8 more']);
  });

  test('[N-18] [N-29] names who has joined also on a page that is too large for the rest', () => {
    const names = Array.from({ length: 9 }, (_, index) => `team-of-app-${index}`).join(', ');
    const notes = Array.from({ length: 12 }, (_, seq) => ({
      seq,
      at: sampleNow.toISOString(),
      kind: 'escalated' as const,
      text: `Joined: ${names}. ${'同'.repeat(450)}`,
    }));

    const { html } = mailMessage({ ...firing, notes }, notes, letter);

    expect(Buffer.byteLength(html)).toBeLessThan(30_000);
    expect(html.split(`Joined: ${names}.`).length - 1).toBeGreaterThanOrEqual(12);
  });

  test('[N-18] [N-29] counts the escalations that it has no room for, and clips no page', () => {
    const notes = Array.from({ length: 30 }, (_, seq) => ({
      seq,
      at: sampleNow.toISOString(),
      kind: 'escalated' as const,
      text: `${'同'.repeat(590)} (${seq})`,
    }));
    const { text, html } = mailMessage(firing, notes, letter);

    const named = [...(text.split('WHY')[0]?.matchAll(/\((\d+)\)/g) ?? [])].map(([, seq]) => Number(seq));
    expect(named).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 29]);
    expect(text).toContain('\nand 17 more\n');
    expect(html).toContain('>and 17 more<');
    expect(Buffer.byteLength(html)).toBeLessThan(30_000);
  });
});

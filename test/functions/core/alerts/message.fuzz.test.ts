import { simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { describe, expect, test } from 'vitest';
import type { Incident, NoteKind } from '../../../../functions/core/alerts/incident.ts';
import { mailMessage } from '../../../../functions/core/alerts/message/mail.ts';
import {
  messageForms,
  type SlackForm,
  slackMessage,
  slackReply,
} from '../../../../functions/core/alerts/message/slack.ts';
import { slackJoint } from '../../../../functions/core/alerts/message/slack-joint.ts';
import type { Confidence, Finding, Remedy, Severity } from '../../../../functions/core/findings/trouble.ts';
import { columns, width } from '../../../../functions/core/text/columns.ts';
import { slackComplaint } from '../../../fakes/slack-limits.ts';
import { anyText, fc, runs } from '../../../property.ts';
import { drainBlocked, firing } from './samples.ts';

/** Names, sentences and raw errors as a hostile or broken cluster may write them. */
const words: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  anyText({ maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      '<',
      '>',
      '&',
      '`',
      '*',
      '_',
      '~',
      '|',
      '"',
      "'",
      '\n',
      '\r',
      '\\',
      '!',
      '@',
      '#',
      '\u202E',
      '\u0000',
    ),
    maxLength: 80,
  }),
  fc.constantFrom(
    '<!channel> <@U123> <https://evil.example|click>',
    '</td></tr></table><script>alert(1)</script><img src=x onerror=alert(1)>',
    '節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點節點',
    '👩‍👩‍👧‍👦🏳️‍🌈🔥',
    'Z̷̢̛̻̗̱̓͆a̵l̸g̵o̶',
    'مرحبا بالعالم',
    '',
    ' ',
  ),
);
const long: fc.Arbitrary<string> = fc
  .tuple(words, fc.integer({ min: 1, max: 400 }))
  .map(([text, times]) => text.repeat(times).slice(0, 20_000));
const clusterText = fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: long });

const anInstant = fc.oneof(
  fc
    .date({ min: new Date('2026-03-01T00:00:00Z'), max: new Date('2026-03-04T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constant('not a time'),
);

const aRemedy: fc.Arbitrary<Remedy> = fc.record({
  title: clusterText,
  command: fc.option(clusterText, { nil: undefined }),
  risk: fc.constantFrom('none' as const, 'low' as const, 'outage' as const, 'data-loss' as const),
  undo: fc.option(clusterText, { nil: undefined }),
  who: fc.constantFrom('platform' as const, 'application owner' as const, 'storage' as const, 'vendor' as const),
});

const { finding: aFinding } = fc.letrec<{ finding: Finding; because: Finding[] }>((tie) => ({
  finding: fc.record({
    code: words,
    subject: fc.record({ kind: words, namespace: words, name: clusterText }),
    sentence: clusterText,
    confidence: fc.constantFrom<Confidence>('certain', 'strong', 'likely', 'possible'),
    class: fc.constant('unknown' as const),
    evidence: fc.array(
      fc.record({
        ref: fc.record({ kind: words, namespace: words, name: words }),
        path: words,
        value: clusterText,
        readAt: anInstant,
      }),
      { maxLength: 4 },
    ),
    because: tie('because'),
    remedies: fc.array(aRemedy, { maxLength: 3 }),
  }),
  because: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant<Finding[]>([]),
    fc.array(tie('finding'), { maxLength: 2 }),
  ),
}));

const anIncident: fc.Arbitrary<Incident> = fc
  .record({
    cluster: clusterText,
    pool: fc.oneof(words, fc.constant('*')),
    state: fc.constantFrom('firing' as const, 'resolving' as const, 'ok' as const),
    severity: fc.constantFrom<Severity>('critical', 'high', 'warning', 'info'),
    headline: clusterText,
    findings: fc.array(aFinding, { maxLength: 3 }),
    facts: fc.array(fc.record({ label: words, value: clusterText }), { maxLength: 8 }),
    endedBy: fc.option(clusterText, { nil: undefined }),
    staleWhy: fc.option(clusterText, { nil: undefined }),
    inhibitedBy: fc.option(clusterText, { nil: undefined }),
    flapping: fc.boolean(),
    since: anInstant,
    openedAt: fc.option(anInstant, { nil: undefined }),
    notes: fc.array(
      fc.record({
        kind: fc.constantFrom<NoteKind>(
          'opened',
          'changed',
          'escalated',
          'reminder',
          'resolved',
          'flapping',
          'reopened',
        ),
        text: clusterText,
        at: anInstant,
      }),
      { maxLength: 12 },
    ),
  })
  .map(({ cluster, pool, severity, headline, findings, facts, since, notes, staleWhy, ...rest }) => ({
    ...firing,
    ...rest,
    key: { cluster, pool, kind: 'drain-blocked' as const },
    staleWhy,
    staleSince: staleWhy === undefined ? undefined : '2026-03-01T00:00:00Z',
    resolvedAt: rest.state === 'ok' ? '2026-03-03T00:00:00Z' : undefined,
    trouble: { ...drainBlocked, severity, headline, findings, facts, since },
    attention: {
      kind: 'acknowledged' as const,
      by: headline,
      reason: staleWhy ?? headline,
      at: '2026-03-02T14:00:00Z',
      until: '2026-03-02T18:00:00Z',
      severity,
      digest: drainBlocked.digest,
      warned: false,
    },
    notes: notes.map((note, index) => ({ ...note, seq: index + 1 })),
  }));

const context = {
  now: new Date('2026-03-02T14:02:30.000Z'),
  occasion: 'opened' as const,
  statusUrl: 'https://poolkeeper.example.com/status?x=<1>',
  buttons: true,
  product: 'poolkeeper 0.1.0',
  continued: true,
  mayRepeat: true,
  deliveryId: 'd1',
  domain: 'example.com',
};

/** What Slack would parse as markup of ours; the rest must be escaped. */
function expectSlackSafe({ text, blocks }: SlackForm): void {
  expect(slackComplaint({ text, blocks })).toBeUndefined();
  expect(blocks.length).toBeLessThanOrEqual(14);
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(8000);
  for (const markup of [text, ...mrkdwnOf(blocks)]) {
    const ours = markup.replace(/<!date\^\d+\^\{date_short_pretty\} \{time\}\|[^<>|]*>/g, '');
    expect(ours).not.toMatch(/[<>]/);
    expect(ours.replace(/&(?:amp|lt|gt);/g, '')).not.toContain('&');
  }
  expect(JSON.stringify([text, blocks])).not.toMatch(/\\u0000|\u202E|\uFEFF/);
  expect(text.isWellFormed()).toBe(true);
}

function* mrkdwnOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* mrkdwnOf(each);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && value.type === 'mrkdwn' && 'text' in value && typeof value.text === 'string')
      yield value.text;
    else for (const each of Object.values(value)) yield* mrkdwnOf(each);
  }
}

describe('[I8] whatever a cluster writes', () => {
  test('Slack takes every form of the message, and nothing in it is markup but ours', () => {
    fc.assert(
      fc.property(anIncident, (incident) => {
        for (const form of messageForms) {
          expectSlackSafe(slackMessage(incident, context, form));
          const reply = slackReply(incident, incident.notes, context, form);
          if (reply !== undefined) expectSlackSafe(reply);
        }
        expect(slackMessage(incident, context).text.length).toBeLessThanOrEqual(150);
      }),
      { numRuns: runs(100) },
    );
  }, 120_000);

  test('[C-6] Slack takes every form of a message of several, and nothing in it is markup but ours', () => {
    fc.assert(
      fc.property(
        fc.array(anIncident, { minLength: 2, maxLength: 40 }),
        fc.constantFrom('many' as const, 'fleet' as const),
        fc.boolean(),
        (incidents, why, hasOneCause) => {
          const members = incidents.map((incident, index) => ({
            ...incident,
            number: index + 1,
            attention: undefined,
          }));
          for (const form of messageForms) expectSlackSafe(slackJoint({ why, members, hasOneCause }, context, form));
          for (const incident of incidents) {
            const inThreadOf = { isToldAloud: true, newMentions: incident.trouble?.mentions ?? [] };
            const reply = slackReply(incident, incident.notes, { ...context, inThreadOf });
            if (reply !== undefined) expectSlackSafe(reply);
          }
        },
      ),
      { numRuns: runs(60) },
    );
  }, 120_000);

  test('a mail stays within its columns, its size and its markup', () => {
    fc.assert(
      fc.property(anIncident, (incident) => {
        const { subject, text, html, headers } = mailMessage(incident, incident.notes, context);

        for (const line of text.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns);
        expect(subject.length).toBeLessThanOrEqual(250);
        for (const value of [subject, ...Object.values(headers)]) expect(value).not.toMatch(/\p{Cc}/u);
        expect(Buffer.byteLength(html)).toBeLessThanOrEqual(30_000);
        const tags = new Set([...html.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map((match) => match[1]?.toLowerCase()));
        expect([...tags].filter((tag) => !ownTags.has(tag ?? ''))).toEqual([]);
        expect(html.replace(/&(?:amp|lt|gt|quot|nbsp|#39);/g, '')).not.toContain('&');
      }),
      { numRuns: runs(100) },
    );
  }, 120_000);

  test('a mail comes out of a mail reader as it went in', { timeout: 120_000 }, async () => {
    const composer = createTransport({ streamTransport: true, buffer: true });
    await fc.assert(
      fc.asyncProperty(anIncident, async (incident) => {
        const { subject, text, html, headers } = mailMessage(incident, incident.notes, context);
        const { message } = await composer.sendMail({
          from: 'a@example.com',
          to: 'b@example.com',
          subject,
          text,
          html,
          headers,
        });
        const read = await simpleParser(message as Buffer);

        expect(read.subject?.trim()).toBe(subject.trim());
        expect(read.text?.trimEnd()).toBe(text.trimEnd());
        expect(read.headers.get('x-poolkeeper-state')).toBe(headers['X-Poolkeeper-State']);
        expect(read.headers.has('bcc')).toBe(false);
      }),
      { numRuns: runs(30) },
    );
  });
});

const ownTags = new Set([
  '!doctype',
  'html',
  'head',
  'meta',
  'title',
  'style',
  'body',
  'div',
  'table',
  'tr',
  'td',
  'span',
  'b',
  'a',
]);

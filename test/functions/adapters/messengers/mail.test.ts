import { afterEach, describe, expect, test } from 'vitest';
import { openSes, sesMessenger } from '../../../../functions/adapters/messengers/ses.ts';
import { smtpMessenger } from '../../../../functions/adapters/messengers/smtp.ts';
import { mailMessage } from '../../../../functions/core/alerts/message/mail.ts';
import type { OutgoingMessage } from '../../../../functions/core/alerts/outgoing.ts';
import { firing, resolved, sampleNow } from '../../core/alerts/samples.ts';
import { startSes, startSmtp } from './mail-servers.ts';

const from = 'Poolkeeper <poolkeeper@example.com>';
const to = ['ops@example.com', 'platform@example.com'];
const context = {
  now: sampleNow,
  occasion: 'opened',
  statusUrl: undefined,
  product: 'poolkeeper 0.1.0',
  deliveryId: 'd1',
  domain: 'example.com',
} as const;
const opening: OutgoingMessage = {
  deliveryId: 'd1',
  occasion: 'opened',
  mail: mailMessage(firing, firing.notes, context),
};
const ending: OutgoingMessage = {
  deliveryId: 'd2',
  occasion: 'resolved',
  mail: mailMessage(resolved, resolved.notes, { ...context, deliveryId: 'd2', occasion: 'resolved' }),
};

let closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

describe('mail by SMTP', () => {
  test('[C-6] arrives with text and page, and both mails of an incident stand in one thread', async () => {
    const smtp = await startSmtp();
    closing.push(smtp.close);
    const messenger = smtpMessenger({ url: smtp.url, from, to, timeoutMs: 2000 });

    await messenger.post(opening);
    await messenger.reply({ channel: 'smtp', id: 'x' }, ending);

    const [first, second] = smtp.mails;
    expect(first?.subject).toBe('[FIRING] prod-eu-1/worker-gpu: drain of worker-2 blocked by PDB shop/web [PK-1423]');
    expect(second?.subject).toBe(first?.subject?.replace('[FIRING]', '[RESOLVED]'));
    expect(first?.text?.trimEnd()).toBe(opening.mail?.text.trimEnd());
    expect(first?.html).toContain('FIRING');
    expect(second?.html).toContain('RESOLVED');
    expect(first?.messageId).toBe('<d1@example.com>');
    expect(second?.messageId).toBe('<d2@example.com>');
    expect(second?.references).toEqual(first?.references);
    expect(second?.inReplyTo).toBe('<pk-1423-1772460100@example.com>');
    const names = ['auto-submitted', 'x-auto-response-suppress', 'x-poolkeeper-delivery', 'x-poolkeeper-state'];
    expect(names.map((name) => first?.headers.get(name))).toEqual(['auto-generated', 'All', 'd1', 'FIRING']);
    expect([first?.to].flat()[0]?.text).toBe('ops@example.com, platform@example.com');
  });

  test.each([
    [550, true],
    [450, false],
  ])('[C-6] [N-18] says which address the server refuses with %s while it takes the other', async (code, isFinal) => {
    const smtp = await startSmtp();
    closing.push(smtp.close);
    smtp.refuses.set('ops@example.com', code);
    const messenger = smtpMessenger({ url: smtp.url, from, to, timeoutMs: 2000 });

    expect(await messenger.post(opening)).toMatchObject({
      kind: 'sent',
      refused: [{ address: 'ops@example.com', why: `${code} no such user`, isFinal }],
    });
    expect(smtp.mails).toHaveLength(1);
  });

  test('[N-18] [N-30] says whether the server refuses the text, or whoever sends or gets it', async () => {
    const smtp = await startSmtp();
    closing.push(smtp.close);
    const messenger = smtpMessenger({ url: smtp.url, from, to, timeoutMs: 2000 });

    smtp.next(554);
    const ofText = await messenger.post(opening);
    for (const address of to) smtp.refuses.set(address, 554);
    const ofAddresses = await messenger.post(opening);

    expect(ofText).toMatchObject({ kind: 'dead', isOfText: true });
    expect(ofAddresses).toMatchObject({ kind: 'dead' });
    expect(ofAddresses).not.toHaveProperty('isOfText');
  });
});

describe('mail by SES', () => {
  async function open() {
    const ses = await startSes();
    const client = openSes({
      endpoint: ses.endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    closing.push(async () => {
      client.destroy();
      await ses.close();
    });
    return { ses, messenger: sesMessenger({ client, from, to }), client };
  }

  test('[C-6] is sent with text, page, headers and tags that name the delivery and the incident', async () => {
    const { ses, messenger } = await open();

    expect(await messenger.post(opening)).toEqual({ kind: 'sent', remote: { channel: 'ses', id: 'ses-1' } });

    const [mail] = ses.mails;
    expect(mail).toMatchObject({ FromEmailAddress: from, Destination: { ToAddresses: to } });
    expect(mail?.Content.Simple.Subject.Data).toBe(opening.mail?.subject);
    expect(mail?.Content.Simple.Body.Text.Data).toBe(opening.mail?.text);
    expect(mail?.Content.Simple.Body.Html.Data).toBe(opening.mail?.html);
    const headers = Object.fromEntries((mail?.Content.Simple.Headers ?? []).map(({ Name, Value }) => [Name, Value]));
    expect(headers).toEqual(opening.mail?.headers);
    expect(mail?.EmailTags).toEqual([
      { Name: 'poolkeeper_delivery', Value: 'd1' },
      { Name: 'poolkeeper_incident', Value: 'PK-1423' },
    ]);
  });

  test.each([
    [429, 'TooManyRequestsException', 'not-sent'],
    [400, 'LimitExceededException', 'not-sent'],
    [400, 'MessageRejected', 'dead'],
    [400, 'MailFromDomainNotVerifiedException', 'dead'],
    [400, 'SendingPausedException', 'dead'],
    [403, 'AccountSuspendedException', 'dead'],
    [403, 'AccessDeniedException', 'not-sent'],
    [403, 'ExpiredTokenException', 'not-sent'],
    [403, 'SomethingForbidden', 'not-sent'],
    [400, 'RequestExpired', 'not-sent'],
    [407, 'SyntaxError', 'not-sent'],
    [408, 'RequestTimeout', 'not-sent'],
    [429, 'Slower', 'not-sent'],
    [404, 'SomethingMissing', 'dead'],
    [500, 'InternalServiceErrorException', 'unknown'],
    [503, 'ServiceUnavailable', 'unknown'],
  ] as const)('[N-18] HTTP %d %s is %s, after one call', async (status, name, kind) => {
    const { ses, messenger } = await open();
    ses.next({ kind: 'error', status, name });

    expect(await messenger.post(opening)).toMatchObject({ kind, why: expect.stringContaining('SES') });
    expect(ses.calls()).toBe(1);
  });

  test('[N-18] more recipients than SES takes are refused before the call', async () => {
    const { ses, client } = await open();
    const many = Array.from({ length: 51 }, (_, index) => `ops${index}@example.com`);

    expect(await sesMessenger({ client, from, to: many }).post(opening)).toMatchObject({ kind: 'dead' });
    expect(ses.calls()).toBe(0);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outboxMessenger } from '../../../functions/adapters/messengers/outbox.ts';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import { mailMessage } from '../../../functions/core/alerts/message/mail.ts';
import { slackMessage } from '../../../functions/core/alerts/message/slack.ts';
import { outboxRoute } from '../../../local/run/outbox-route.ts';
import { drainBlocked, firing, resolved, sampleNow } from '../../functions/core/alerts/samples.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-outbox-'));
});
afterAll(() => rm(folder, { recursive: true }));

const context = { now: sampleNow, occasion: 'opened', statusUrl: undefined, product: 'poolkeeper 0.1.0' } as const;

const italics = { type: 'mrkdwn', text: '_More in the thread._' } as const;

function message(incident: Incident) {
  const slack = slackMessage(incident, context);
  return {
    deliveryId: 'd1',
    occasion: context.occasion,
    slack: { ...slack, blocks: [...slack.blocks, { type: 'section' as const, text: italics }] },
    mail: mailMessage(incident, [], { ...context, deliveryId: 'd1', domain: 'example.com' }),
  };
}

const get = async (path: string, method = 'GET') =>
  (await outboxRoute(folder)(new Request(`http://127.0.0.1${path}`, { method }))) as Response;

test('[N-32] [S0-20] before the first message the outbox says so', async () => {
  expect(await (await get('/outbox')).text()).toContain('No message yet.');
});

test('[N-32] every version of a message is there, with its mail, under a strict policy', async () => {
  const hostile = { ...drainBlocked, headline: '<script>alert(1)</script> of *worker-2*' };
  const messenger = outboxMessenger({ directory: folder, clock: () => sampleNow });
  const sent = await messenger.post(message({ ...firing, trouble: hostile }));
  if (sent.kind === 'sent') await messenger.edit(sent.remote, message(resolved));

  const page = await get('/outbox');
  const text = await page.text();
  const mails = await Promise.all(
    ['0001.v0.html', '0001.v1.html', '0001.v1.txt'].map((file) => get(`/outbox/${file}`)),
  );

  expect(text).toContain('edited 1 time');
  // A line in italics, as Slack shows it.
  expect(text).toContain('<i>More in the thread.</i>');
  expect(text.indexOf('RESOLVED')).toBeLessThan(text.indexOf('FIRING'));
  expect(text).toContain('href="/outbox/0001.v1.html"');
  expect(text).not.toContain('<script');
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(mails.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await mails[0]?.text()).toContain('FIRING');
  expect(await mails[2]?.text()).toContain('RESOLVED');
  for (const { headers } of mails) {
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*sandbox/);
    expect(headers.get('content-security-policy')).not.toContain('script-src');
  }
});

test.each(['/outbox/../../etc/passwd', '/outbox/%2e%2e%2findex.json', '/outbox/0001.v0.json', '/outbox/9999.v0.html'])(
  '[N-32] %s is not there',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test('[N-32] nothing is written there', async () => {
  expect((await get('/outbox', 'POST')).status).toBe(405);
});

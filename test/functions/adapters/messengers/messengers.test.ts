import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import { httpPost } from '../../../../functions/adapters/messengers/http-post.ts';
import { outboxMessenger, readOutbox } from '../../../../functions/adapters/messengers/outbox.ts';
import { openSes, sesMessenger } from '../../../../functions/adapters/messengers/ses.ts';
import { slackMessenger } from '../../../../functions/adapters/messengers/slack.ts';
import { slackWebhookMessenger } from '../../../../functions/adapters/messengers/slack-webhook.ts';
import { smtpMessenger } from '../../../../functions/adapters/messengers/smtp.ts';
import { systemRuntime } from '../../../../functions/adapters/time/system-runtime.ts';
import type { AlertTarget } from '../../../../functions/core/configuration/alerts.ts';
import type { Secrets } from '../../../../functions/ports/secrets.ts';
import type { Deadline } from '../../../../functions/ports/time.ts';
import { type Mishap, messengerContract } from '../../../contracts/messenger.contract.ts';
import { startSlack } from '../../../fakes/slack-server.ts';
import { sampleNow } from '../../core/alerts/samples.ts';
import { startSes, startSmtp } from './mail-servers.ts';
import { wordsOf } from './slack-words.ts';

const filter = { clusters: [], pools: [], severities: [], causes: [] };
const allMishaps: readonly Mishap[] = ['unreachable', 'answer lost', 'busy', 'refused', 'server error', 'silence'];
/** Longer than a busy machine takes for loopback. */
const timeoutMs = 30_000;
/** Of one read of a socket, where silence can be told by a timer alone. */
const silentMs = 1000;
const from = 'poolkeeper@example.com';
const to = ['ops@example.com'];

function secretsOf(value: string): Secrets {
  return { read: async () => [value] };
}

/** Of the first request: over as soon as the other side has been asked, which then never answers. */
function deadlineOnceAsked(calls: () => number): Deadline {
  let requests = 0;
  return (ms) => {
    requests += 1;
    if (requests > 1) return systemRuntime.deadline(ms);
    const asked = new AbortController();
    const look = () => {
      if (calls() > 0) asked.abort(new DOMException('the time is over', 'TimeoutError'));
      else setTimeout(look, 5);
    };
    look();
    return asked.signal;
  };
}

const slackTarget: AlertTarget = {
  kind: 'slack',
  name: 'ops',
  channel: 'C1',
  tokenSecret: 'slack',
  apiUrl: '',
  filter,
};

messengerContract('Slack', { target: slackTarget, edits: true, finds: true, mishaps: allMishaps }, async () => {
  const slack = await startSlack();
  const method = 'chat.postMessage';
  const calls = () => slack.calls.filter((call) => call.method === method).length;
  let deadline = systemRuntime.deadline;
  return {
    messenger: slackMessenger({
      post: httpPost((ms) => deadline(ms)),
      apiUrl: slack.apiUrl,
      channel: 'C1',
      tokenSecret: 'slack',
      secrets: secretsOf('xoxb-good'),
      timeoutMs,
    }),
    standing: async () => slack.messages.map(wordsOf),
    calls,
    async mishap(mishap) {
      if (mishap === 'unreachable') await slack.close();
      else if (mishap === 'answer lost') slack.failNext(method, { kind: 'drop', accepted: true });
      else if (mishap === 'busy')
        slack.failNext(method, { kind: 'status', status: 429, headers: { 'retry-after': '7' } });
      else if (mishap === 'refused') slack.channels.set('C1', 'archived');
      else if (mishap === 'server error') slack.failNext(method, { kind: 'status', status: 503 });
      else {
        slack.failNext(method, { kind: 'hang', accepted: true });
        deadline = deadlineOnceAsked(calls);
      }
    },
    close: () => slack.close(),
  };
});

const hookTarget: AlertTarget = { kind: 'slack-webhook', name: 'hook', urlSecret: 'hook', filter };

messengerContract(
  'Slack webhook',
  { target: hookTarget, edits: false, finds: false, mishaps: allMishaps },
  async () => {
    const slack = await startSlack();
    let deadline = systemRuntime.deadline;
    return {
      messenger: slackWebhookMessenger({
        post: httpPost((ms) => deadline(ms)),
        urlSecret: 'hook',
        secrets: secretsOf(slack.webhookUrl),
        timeoutMs,
      }),
      standing: async () => slack.messages.map(wordsOf),
      calls: () => slack.calls.length,
      async mishap(mishap) {
        if (mishap === 'unreachable') await slack.close();
        else if (mishap === 'answer lost') slack.failNext('webhook', { kind: 'drop', accepted: true });
        else if (mishap === 'busy') slack.failNext('webhook', { kind: 'status', status: 429 });
        else if (mishap === 'refused') slack.failNext('webhook', { kind: 'status', status: 410 });
        else if (mishap === 'server error') slack.failNext('webhook', { kind: 'status', status: 500 });
        else {
          slack.failNext('webhook', { kind: 'hang', accepted: true });
          deadline = deadlineOnceAsked(() => slack.calls.length);
        }
      },
      close: () => slack.close(),
    };
  },
);

const mailTarget: AlertTarget = { kind: 'email', name: 'mail', from, to, via: 'smtp', filter };

messengerContract('SMTP', { target: mailTarget, edits: false, finds: false, mishaps: allMishaps }, async () => {
  const smtp = await startSmtp();
  let socketTimeout = timeoutMs;
  const open = (settings: SMTPTransport.Options) => createTransport({ ...settings, socketTimeout });
  return {
    messenger: smtpMessenger({ url: smtp.url, from, to, timeoutMs, open }),
    standing: async () => smtp.mails.map(({ subject, text }) => `${subject}\n${text}`),
    calls: () => smtp.connections(),
    async mishap(mishap) {
      if (mishap === 'unreachable') await smtp.close();
      else if (mishap === 'answer lost' || mishap === 'server error') smtp.next('drop after taking');
      else if (mishap === 'busy') smtp.next(451);
      else if (mishap === 'refused') smtp.next(550);
      else {
        smtp.next('hang');
        socketTimeout = silentMs;
      }
    },
    close: () => smtp.close(),
  };
});

messengerContract(
  'SES',
  { target: { ...mailTarget, via: 'ses' }, edits: false, finds: false, mishaps: allMishaps },
  async () => {
    const ses = await startSes();
    const clientFor = (requestTimeout: number) =>
      openSes({
        endpoint: ses.endpoint,
        region: 'eu-central-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
        requestHandler: { connectionTimeout: timeoutMs, requestTimeout, throwOnRequestTimeout: true },
      });
    const [patient, impatient] = [clientFor(timeoutMs), clientFor(silentMs)];
    let client = patient;
    return {
      get messenger() {
        return sesMessenger({ client, from, to });
      },
      standing: async () =>
        ses.mails.map(({ Content: { Simple } }) => `${Simple.Subject.Data}\n${Simple.Body.Text.Data}`),
      calls: () => ses.calls(),
      async mishap(mishap) {
        if (mishap === 'unreachable') await ses.close();
        else if (mishap === 'answer lost') ses.next({ kind: 'drop', accepted: true });
        else if (mishap === 'busy') ses.next({ kind: 'error', status: 429, name: 'TooManyRequestsException' });
        else if (mishap === 'refused') ses.next({ kind: 'error', status: 400, name: 'MessageRejected' });
        else if (mishap === 'server error') ses.next({ kind: 'error', status: 500, name: 'InternalFailure' });
        else {
          ses.next({ kind: 'hang' });
          client = impatient;
        }
      },
      async close() {
        patient.destroy();
        impatient.destroy();
        await ses.close();
      },
    };
  },
);

const outboxTarget: AlertTarget = { kind: 'outbox', name: 'outbox', filter };

messengerContract('outbox', { target: outboxTarget, edits: true, finds: true, mishaps: [] }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'poolkeeper-outbox-'));
  return {
    messenger: outboxMessenger({ directory, clock: () => sampleNow }),
    async standing() {
      const entries = await readOutbox(directory);
      return Promise.all(
        entries.map(async ({ name }) => {
          const [slack, text, html] = await Promise.all(
            ['json', 'txt', 'html'].map((type) => readFile(join(directory, `${name}.${type}`), 'utf8')),
          );
          return `${wordsOf(JSON.parse(slack ?? '{}'))}\n${text}\n${html}`;
        }),
      );
    },
    calls: () => 0,
    mishap: async () => undefined,
    close: () => rm(directory, { recursive: true, force: true }),
  };
});

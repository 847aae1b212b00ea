import type { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { alertmanagerMessenger } from '../../functions/adapters/messengers/alertmanager.ts';
import type { Post } from '../../functions/adapters/messengers/http-post.ts';
import { pagerDutyMessenger } from '../../functions/adapters/messengers/pager-duty.ts';
import { sesMessenger } from '../../functions/adapters/messengers/ses.ts';
import { slackMessenger } from '../../functions/adapters/messengers/slack.ts';
import { slackWebhookMessenger } from '../../functions/adapters/messengers/slack-webhook.ts';
import { smtpMessenger } from '../../functions/adapters/messengers/smtp.ts';
import { webhookMessenger } from '../../functions/adapters/messengers/webhook.ts';
import type { AlertTarget } from '../../functions/core/configuration/alerts.ts';
import type { Messenger } from '../../functions/ports/messages.ts';
import type { Random } from '../random.ts';
import type { Effect } from './mortal.ts';
import { headersOfSes, headersOfSmtp, type Sides } from './other-sides.ts';
import { type Fault, overHttp, type Serve, slowSeconds, type Weather } from './wire.ts';

const filter = { clusters: [], pools: [], severities: [], causes: [] };

/** One target of every kind that there is, but for files. */
export const targets = [
  { kind: 'slack', name: 'slack', channel: 'C0123456789', tokenSecret: 't', apiUrl: 'https://slack.com/api', filter },
  { kind: 'slack-webhook', name: 'hook', urlSecret: 't', filter },
  { kind: 'email', name: 'ses', from: 'a@example.com', to: ['b@example.com'], via: 'ses', filter },
  { kind: 'email', name: 'smtp', from: 'a@example.com', to: ['b@example.com'], via: 'smtp', filter },
  { kind: 'pagerduty', name: 'pagerduty', routingKeySecret: 't', eventsUrl: 'https://pd.example.com/v2', filter },
  { kind: 'alertmanager', name: 'alertmanager', url: 'https://am.example.com', filter },
  { kind: 'webhook', name: 'feed', url: 'https://feed.example.com', filter },
] as const satisfies readonly AlertTarget[];

export type TargetName = (typeof targets)[number]['name'];

export interface Stormy {
  readonly sides: Sides;
  readonly weather: Weather;
  readonly random: Random;
  /** Refuses for good, for now. */
  readonly refuses: (name: TargetName) => boolean;
  /** Does it after so many seconds. */
  readonly later: (seconds: number, act: () => void) => void;
}

/** The real messengers, each on a wire through the storm, as one process holds them. */
export function stormyMessengers(stormy: Stormy, effect: Effect): (target: { readonly name: string }) => Messenger {
  const { sides } = stormy;
  const secrets = { read: async () => ['https://hooks.example.com/x'] };
  const http = (name: TargetName, serve: Serve) => wire(stormy, effect, name, serve);
  const mail = { from: 'a@example.com', to: ['b@example.com'] };
  const messengers: Readonly<Record<TargetName, () => Messenger>> = {
    slack: () =>
      slackMessenger({
        apiUrl: 'https://slack.com/api',
        channel: 'C0123456789',
        tokenSecret: 't',
        secrets,
        post: http('slack', sides.slack.serve),
      }),
    hook: () => slackWebhookMessenger({ urlSecret: 't', secrets, post: http('hook', sides.hook.serve) }),
    ses: () => sesMessenger({ client: sesThrough(stormy, effect), ...mail }),
    smtp: () =>
      smtpMessenger({
        url: 'smtp://mail.example.com',
        ...mail,
        open: () => ({
          sendMail: async (letter) => {
            await post(stormy, effect, 'smtp', () => sides.smtp.take(headersOfSmtp(letter)));
            return { messageId: 'id' };
          },
          close: () => {},
        }),
      }),
    pagerduty: () =>
      pagerDutyMessenger({
        eventsUrl: 'https://pd.example.com/v2',
        routingKeySecret: 't',
        secrets,
        post: http('pagerduty', sides.pagerduty.serve),
      }),
    alertmanager: () =>
      alertmanagerMessenger({
        url: 'https://am.example.com',
        secrets,
        post: http('alertmanager', sides.alertmanager.serve),
      }),
    feed: () => webhookMessenger({ url: 'https://feed.example.com', secrets, post: http('feed', sides.feed.serve) }),
  };
  return ({ name }) => {
    const found = targets.find((target) => target.name === name);
    if (found === undefined) throw new Error(`there is no target ${name}`);
    return messengers[found.name]();
  };
}

/** Whose answers are read, and can be wrong. */
const readsAnswers: readonly TargetName[] = ['slack', 'hook'];

function wire({ weather, random, later }: Stormy, effect: Effect, name: TargetName, serve: Serve): Post {
  return (request) =>
    effect(`call ${name}`, () =>
      overHttp(weather.next(name), {
        serve: () => serve(request),
        later,
        waitSeconds: 1 + random.below(90),
        wrongStatus: readsAnswers.includes(name) ? 200 : 500,
      }),
    );
}

/** SES's SDK has no wire to hold in between: its client is what fails. */
function sesThrough(stormy: Stormy, effect: Effect): SESv2Client {
  const send = async ({ input }: SendEmailCommand) => {
    await post(stormy, effect, 'ses', () => stormy.sides.ses.take(headersOfSes(input)));
    return { MessageId: 'id' };
  };
  return { send } as unknown as SESv2Client;
}

/** One letter. Throws what SES's SDK or nodemailer throw. */
function post({ weather, refuses, later }: Stormy, effect: Effect, name: 'ses' | 'smtp', take: () => void) {
  return effect(`call ${name}`, () => {
    if (refuses(name)) throw failures[name]('refused');
    const fault = weather.next(name);
    if (fault === undefined) return take();
    if (fault.endsWith('accepted')) take();
    if (fault === 'slow') later(slowSeconds, take);
    throw failures[name](failureOf(fault));
  });
}

type MailFailure = 'refused' | 'busy' | 'unreached' | 'unknown';

function failureOf(fault: Fault): MailFailure {
  return fault === 'busy' || fault === 'unreached' ? fault : 'unknown';
}

const sesNames: Readonly<Record<MailFailure, string>> = {
  refused: 'MessageRejected',
  busy: 'TooManyRequestsException',
  unreached: 'ECONNREFUSED',
  unknown: 'TimeoutError',
};

const smtpFields: Readonly<Record<MailFailure, object>> = {
  refused: { responseCode: 550 },
  busy: { responseCode: 451 },
  unreached: { code: 'ECONNREFUSED' },
  unknown: { code: 'ETIMEDOUT' },
};

const failures: Readonly<Record<'ses' | 'smtp', (kind: MailFailure) => Error>> = {
  ses: (kind) => Object.assign(new Error(kind), { name: sesNames[kind] }),
  smtp: (kind) => Object.assign(new Error(kind), smtpFields[kind]),
};

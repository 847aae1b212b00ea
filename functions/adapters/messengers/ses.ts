import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { OutgoingMessage } from '../../core/alerts/outgoing.ts';
import { given } from '../../core/text/given.ts';
import type { Messenger, SendOutcome } from '../../ports/messages.ts';

export interface SesOptions {
  readonly client: SESv2Client;
  readonly from: string;
  readonly to: readonly string[];
  /** By which SES tells what became of a mail; undefined: nobody is told. */
  readonly configurationSet?: string | undefined;
}

/** A client without retries: SES has no idempotency token, so a repeated call is a second mail. */
export function openSes(config: SESv2ClientConfig = {}): SESv2Client {
  return new SESv2Client({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
    ...config,
  });
}

/** Mail by SES. A mail cannot be edited; a reply is a mail in the same thread. */
export function sesMessenger(options: SesOptions): Messenger {
  return {
    post: (message) => send(options, message),
    edit: async (remote) => ({ kind: 'sent', remote }),
    reply: (_remote, message) => send(options, message),
    find: async () => 'unable',
  };
}

/** SES allows at most 50 recipients per message. */
const recipientLimit = 50;

async function send(
  { client, from, to, configurationSet }: SesOptions,
  { mail, deliveryId }: OutgoingMessage,
): Promise<SendOutcome> {
  if (mail === undefined) return { kind: 'invalid', why: 'there is no mail form' };
  if (to.length > recipientLimit) return { kind: 'dead', why: `more than ${recipientLimit} recipients` };
  const command = new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [...to] },
    Content: {
      Simple: {
        Subject: { Data: mail.subject, Charset: 'UTF-8' },
        Body: { Text: { Data: mail.text, Charset: 'UTF-8' }, Html: { Data: mail.html, Charset: 'UTF-8' } },
        Headers: Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value })),
      },
    },
    EmailTags: [{ Name: 'poolkeeper_delivery', Value: deliveryId }, ...incidentTag(mail.headers)],
    ...given({ ConfigurationSetName: configurationSet }),
  });
  try {
    const { MessageId } = await client.send(command);
    return { kind: 'sent', remote: { channel: 'ses', id: MessageId ?? deliveryId } };
  } catch (error) {
    return outcomeOf(error);
  }
}

/** Comes back with what SES tells of the mail later. */
function incidentTag(headers: Readonly<Record<string, string>>): { readonly Name: string; readonly Value: string }[] {
  const name = headers['X-Poolkeeper-Incident'];
  return name === undefined ? [] : [{ Name: 'poolkeeper_incident', Value: name }];
}

/** By the error names of the SES v2 API; others are judged by their status. */
const refusals = new Set([
  'AccountSuspendedException',
  'BadRequestException',
  'MailFromDomainNotVerifiedException',
  'NotFoundException',
  'SendingPausedException',
]);
/** Also for an address that is not verified: one more attempt then. */
const ofText = 'MessageRejected';
/** Our role may not, or not now: the mailbox is fine, and the next attempt after the grant is restored succeeds. */
const notAllowed = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'ExpiredTokenException',
  'ExpiredToken',
  'RequestExpired',
  'RequestTimeTooSkewed',
]);
/** Not by SES, but by what is before it, as a proxy; or for want of time. */
const notNow = new Set([401, 403, 407, 408]);
const tooMany = 429;
const asksToWait = new Set(['TooManyRequestsException', 'LimitExceededException', 'ThrottlingException', 'Throttling']);
/** Before a byte of the request was sent. */
const unreached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CredentialsProviderError',
]);

/** Seconds; SES sends no Retry-After. The quota is per second. */
const pause = 5;

function outcomeOf(error: unknown): SendOutcome {
  if (!(error instanceof Error)) return { kind: 'unknown', why: 'SES failed' };
  const name = error.name;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (name === ofText) return { kind: 'dead', why: `SES: ${name}`, isOfText: true };
  if (refusals.has(name)) return { kind: 'dead', why: `SES: ${name}` };
  if (notAllowed.has(name)) return { kind: 'not-sent', why: `SES: ${name}`, retryAfterSeconds: undefined };
  if (asksToWait.has(name)) return { kind: 'not-sent', why: `SES: ${name}`, retryAfterSeconds: pause };
  if (unreached.has(code) || unreached.has(name)) {
    return { kind: 'not-sent', why: `SES was not reached: ${code || name}`, retryAfterSeconds: undefined };
  }
  return byStatus(statusOf(error), name) ?? { kind: 'unknown', why: `SES: ${code || name}` };
}

/** Undefined: it may have been sent. */
function byStatus(status: number | undefined, name: string): SendOutcome | undefined {
  if (status === undefined || status < 400 || status >= 500) return undefined;
  const why = `SES: ${name} (HTTP ${status})`;
  if (status === tooMany) return { kind: 'not-sent', why, retryAfterSeconds: pause };
  return notNow.has(status) ? { kind: 'not-sent', why, retryAfterSeconds: undefined } : { kind: 'dead', why };
}

function statusOf(error: Error): number | undefined {
  if (!('$metadata' in error)) return undefined;
  const { $metadata } = error;
  if (typeof $metadata !== 'object' || $metadata === null || !('httpStatusCode' in $metadata)) return undefined;
  return typeof $metadata.httpStatusCode === 'number' ? $metadata.httpStatusCode : undefined;
}

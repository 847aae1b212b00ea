import { createTransport, type SendMailOptions } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import type { OutgoingMessage } from '../../core/alerts/outgoing.ts';
import { given } from '../../core/text/given.ts';
import type { Messenger, RefusedAddress, SendOutcome } from '../../ports/messages.ts';

export interface SmtpOptions {
  /** `smtp://host:port` or `smtps://...`, with user and password if the server requires them. */
  readonly url: string;
  readonly from: string;
  readonly to: readonly string[];
  /** Time limit of each step. Default 8 s. */
  readonly timeoutMs?: number | undefined;
  /** How a connection is opened; the simulation of storms has its own servers. */
  readonly open?: ((settings: SMTPTransport.Options) => Mailer) | undefined;
}

/** The part of nodemailer in use. */
export interface Mailer {
  sendMail(mail: SendMailOptions): Promise<Taken>;
  close(): void;
}

/** The server has taken the mail for one address at least. */
interface Taken {
  readonly messageId: string;
  readonly rejected?: readonly (string | { readonly address: string })[];
  readonly rejectedErrors?: readonly Error[] | undefined;
}

/** Mail by SMTP. A mail cannot be edited; a reply is a mail in the same thread. The message id is derived from the
 *  delivery id, so clients recognise a mail that was sent twice. */
export function smtpMessenger(options: SmtpOptions): Messenger {
  return {
    post: (message) => send(options, message),
    edit: async (remote) => ({ kind: 'sent', remote }),
    reply: (_remote, message) => send(options, message),
    find: async () => 'unable',
  };
}

async function send(options: SmtpOptions, { mail, deliveryId }: OutgoingMessage): Promise<SendOutcome> {
  if (mail === undefined) return { kind: 'invalid', why: 'there is no mail form' };
  const timeout = options.timeoutMs ?? 8000;
  const open = options.open ?? createTransport;
  const transport: Mailer = open({
    url: options.url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const taken = await transport.sendMail(letterOf(options, mail, deliveryId));
    return { kind: 'sent', remote: { channel: 'smtp', id: taken.messageId }, refused: refusedIn(taken) };
  } catch (error) {
    return outcomeOf(error);
  } finally {
    transport.close();
  }
}

function refusedIn({ rejected = [], rejectedErrors = [] }: Taken): readonly RefusedAddress[] {
  return rejected.map((each) => {
    const address = typeof each === 'string' ? each : each.address;
    const answers = rejectedErrors.map((error) => new Map<string, unknown>(Object.entries(error)));
    const answer = answers.find((fields) => fields.get('recipient') === address);
    const [words, code] = [answer?.get('response'), answer?.get('responseCode')];
    return {
      address,
      why: typeof words === 'string' ? words : 'refused by the server',
      isFinal: typeof code !== 'number' || code >= 500,
    };
  });
}

function letterOf(
  { from, to }: SmtpOptions,
  { subject, text, html, headers }: NonNullable<OutgoingMessage['mail']>,
  deliveryId: string,
): SendMailOptions {
  const { References: references, 'In-Reply-To': inReplyTo, ...others } = headers;
  const domain =
    from
      .split('@')
      .at(-1)
      ?.replace(/[^A-Za-z0-9.-]/g, '') || 'poolkeeper.invalid';
  return {
    from,
    to: [...to],
    subject,
    text,
    html,
    headers: others,
    messageId: `<${deliveryId}@${domain}>`,
    ...given({ references, inReplyTo }),
  };
}

/** The connection was never established, by the system's code or by nodemailer's name of the phase that timed out. */
const unreached = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EDNS',
  'ETLS',
  'CONNECT_TIMEOUT',
  'GREETING_TIMEOUT',
  'UPGRADE_TIMEOUT',
]);

/** An answer of the server determines the outcome; a connection that broke later than its start does not. */
function outcomeOf(error: unknown): SendOutcome {
  if (!(error instanceof Error)) return { kind: 'unknown', why: 'SMTP failed' };
  const fields = new Map<string, unknown>(Object.entries(error));
  const names = ['code', 'originalCode', 'timeoutType']
    .map((name) => fields.get(name))
    .filter((name) => typeof name === 'string');
  const status = fields.get('responseCode');
  const why = `SMTP ${[...names, ...(typeof status === 'number' ? [status] : [])].join(' ')}`;
  // It took the sender and the addresses.
  if (typeof status === 'number' && status >= 500 && names.includes('EMESSAGE'))
    return { kind: 'dead', why, isOfText: true };
  if (typeof status === 'number') {
    return status >= 500 ? { kind: 'dead', why } : { kind: 'not-sent', why, retryAfterSeconds: undefined };
  }
  if (names.some((name) => unreached.has(name))) return { kind: 'not-sent', why, retryAfterSeconds: undefined };
  if (names.includes('EAUTH') || names.includes('EENVELOPE')) return { kind: 'dead', why };
  return { kind: 'unknown', why };
}

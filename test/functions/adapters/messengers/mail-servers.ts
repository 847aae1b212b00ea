import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface SmtpLab {
  readonly url: string;
  /** Mails that were taken, as a mail reader sees them. */
  readonly mails: readonly ParsedMail[];
  readonly connections: () => number;
  /** Addresses that it does not take, by the reply code. */
  readonly refuses: Map<string, number>;
  /** Words for which it does not take a mail, as a filter for spam does. */
  readonly refusesWords: Set<string>;
  /** What the server does with the next message, once: an SMTP reply code, or what happens to the connection. */
  next(act: number | 'drop after taking' | 'hang'): void;
  close(): Promise<void>;
}

/** A mail server on loopback. */
export async function startSmtp(): Promise<SmtpLab> {
  const mails: ParsedMail[] = [];
  const refuses = new Map<string, number>();
  const refusesWords = new Set<string>();
  let connections = 0;
  let next: number | 'drop after taking' | 'hang' | undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onRcptTo({ address }, _session, callback) {
      const responseCode = refuses.get(address);
      callback(responseCode === undefined ? undefined : Object.assign(new Error('no such user'), { responseCode }));
    },
    async onData(stream, _session, callback) {
      const act = next;
      next = undefined;
      const mail = await simpleParser(stream);
      const written = JSON.stringify([mail.subject, mail.text, mail.html]);
      const code = [...refusesWords].some((words) => written.includes(words)) ? 554 : act;
      if (typeof code === 'number') {
        callback(Object.assign(new Error('refused by the test'), { responseCode: code }));
        return;
      }
      mails.push(mail);
      if (act === 'drop after taking') for (const { _socket } of openConnections(server)) _socket.destroy();
      else if (act === undefined) callback();
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuses,
    refusesWords,
    connections: () => connections,
    next(act) {
      next = act;
    },
    close() {
      for (const { _socket } of openConnections(server)) _socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function openConnections(server: SMTPServer): readonly { readonly _socket: { destroy(): void } }[] {
  return [...(server as unknown as { connections: Set<{ _socket: { destroy(): void } }> }).connections];
}

export interface SentBySes {
  readonly FromEmailAddress: string;
  readonly Destination: { readonly ToAddresses: readonly string[] };
  readonly Content: {
    readonly Simple: {
      readonly Subject: { readonly Data: string };
      readonly Body: { readonly Text: { readonly Data: string }; readonly Html: { readonly Data: string } };
      readonly Headers: readonly { readonly Name: string; readonly Value: string }[];
    };
  };
  readonly EmailTags: readonly { readonly Name: string; readonly Value: string }[];
}

export type SesFault =
  | { readonly kind: 'error'; readonly status: number; readonly name: string }
  | { readonly kind: 'drop'; readonly accepted: boolean }
  | { readonly kind: 'hang' };

export interface SesLab {
  readonly endpoint: string;
  readonly mails: readonly SentBySes[];
  readonly calls: () => number;
  next(fault: SesFault): void;
  close(): Promise<void>;
}

/** The SendEmail call of SES v2 on loopback. */
export async function startSes(): Promise<SesLab> {
  const mails: SentBySes[] = [];
  let calls = 0;
  let next: SesFault | undefined;
  const server = http.createServer((request, response) => void handle(request, response));

  async function handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await readText(request);
    calls += 1;
    const fault = next;
    next = undefined;
    if (request.method !== 'POST' || request.url !== '/v2/email/outbound-emails') {
      response.writeHead(404).end('{}');
      return;
    }
    if (fault?.kind === 'error') {
      response.writeHead(fault.status, { 'content-type': 'application/json', 'x-amzn-errortype': fault.name });
      response.end(JSON.stringify({ message: 'refused by the test' }));
      return;
    }
    if (fault === undefined || (fault.kind === 'drop' && fault.accepted)) mails.push(JSON.parse(body));
    if (fault?.kind === 'drop') request.socket.destroy();
    if (fault !== undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ MessageId: `ses-${mails.length}` }));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    mails,
    calls: () => calls,
    next(fault) {
      next = fault;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

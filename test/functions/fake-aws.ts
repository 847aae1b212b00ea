import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Input = Readonly<Record<string, unknown>>;

export interface FakeAws {
  /** Bodies of the messages sent, by queue URL. */
  readonly sent: ReadonlyMap<string, readonly string[]>;
  /** Mails sent by SES, as the SDK asked for them. */
  readonly mails: readonly Input[];
  /** What the SDK asked for, e.g. `secretsmanager.GetSecretValue`, oldest first. */
  readonly asked: readonly string[];
  /** For process.env: the SDK finds its way here and finds no real account. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on SQS answers 500 to everything, or to what is for the queues whose URL ends so. */
  breakQueues(named?: string): void;
  close(): Promise<void>;
}

interface Output {
  readonly status: number;
  readonly body: Input;
}

/** SQS SendMessage, SES SendEmail, EventBridge PutEvents and Secrets Manager GetSecretValue on loopback, in the JSON
 *  protocols that the SDK speaks, so that the exported handlers run with the real adapters and the real SDK. `secrets`
 *  gives the two live versions by id. */
export async function startFakeAws(secrets: Readonly<Record<string, readonly [string, string?]>>): Promise<FakeAws> {
  const sent = new Map<string, string[]>();
  const asked: string[] = [];
  const mails: Input[] = [];
  let broken: string | undefined;

  const answers: Readonly<Record<string, (input: Input) => Output>> = {
    'AmazonSQS.SendMessage': ({ QueueUrl, MessageBody }) => {
      if (broken !== undefined && String(QueueUrl).endsWith(broken))
        return { status: 500, body: { __type: 'com.amazonaws.sqs#InternalError' } };
      const bodies = sent.get(String(QueueUrl)) ?? [];
      sent.set(String(QueueUrl), [...bodies, String(MessageBody)]);
      const md5 = createHash('md5').update(String(MessageBody)).digest('hex');
      return { status: 200, body: { MessageId: `message-${bodies.length}`, MD5OfMessageBody: md5 } };
    },
    'AWSEvents.PutEvents': ({ Entries }) => {
      const entries = Array.isArray(Entries) ? Entries : [];
      return {
        status: 200,
        body: { FailedEntryCount: 0, Entries: entries.map((_, n) => ({ EventId: `event-${n}` })) },
      };
    },
    'secretsmanager.GetSecretValue': ({ SecretId, VersionStage = 'AWSCURRENT' }) => {
      const [current, previous] = secrets[String(SecretId)] ?? [];
      const value = VersionStage === 'AWSPREVIOUS' ? previous : current;
      if (value === undefined) return { status: 400, body: { __type: 'ResourceNotFoundException' } };
      return {
        status: 200,
        body: { ARN: SecretId, Name: SecretId, SecretString: value, VersionStages: [VersionStage] },
      };
    },
  };

  async function answer(request: IncomingMessage): Promise<Output> {
    const target = String(request.headers['x-amz-target']);
    asked.push(target);
    const input = JSON.parse(await text(request)) as Input;
    if (request.url === '/v2/email/outbound-emails') {
      mails.push(input);
      return { status: 200, body: { MessageId: `mail-${mails.length}` } };
    }
    return answers[target]?.(input) ?? { status: 400, body: { __type: 'UnknownOperationException' } };
  }

  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    sent,
    mails,
    asked,
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    breakQueues(named = '') {
      broken = named;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

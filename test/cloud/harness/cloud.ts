import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { Agent, request } from 'undici';
import { inject, onTestFinished } from 'vitest';
import { readRecord } from '../../../functions/core/openshift/pool-record.ts';
import type { Status } from '../../../functions/status/status.ts';
import { githubSignature } from '../../../local/run/github-signature.ts';
import { type ControlPlaneAddress, openControlPlane } from '../../cluster/harness/control-plane.ts';
import type { Draft, Kube } from '../../cluster/harness/kube.ts';
import { collectionOf, paths } from '../../cluster/harness/paths.ts';
import { until } from '../../cluster/harness/until.ts';
import { account, type EmulatorAddress, region } from '../emulator/emulator.ts';
import { type Aws, openAws } from './aws.ts';
import { type Cdk, cdkIn, type Outputs, stackName } from './cdk.ts';
import { clusterName } from './configuration.ts';
import type { Inventory } from './inventory.ts';
import { type AskStandIns, askStandIns, type StandIns } from './stand-ins.ts';

/** What the global setup hands to the test files. */
export interface CloudAddress {
  readonly controlPlane: ControlPlaneAddress;
  readonly emulator: EmulatorAddress;
  readonly standIns: StandIns;
  /** Folder that was deployed. */
  readonly checkout: string;
  readonly outputs: Outputs;
  /** What the account held before the stack was deployed. */
  readonly before: Inventory;
}

/** How long something may take that passes through queues and ticks, milliseconds: a few seconds on a quiet machine. */
export const soonMs = 45_000;

export interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A pool as the API server has it. */
export interface PoolSeen {
  readonly paused: boolean;
  /** Who holds it, by its own record. */
  readonly holders: readonly string[];
  /** Changes with every change of its spec, and so with every pause and resume. */
  readonly generation: number;
}

export type SecretName =
  | 'GithubSecretArn'
  | 'ArgocdTokenArn'
  | 'ClusterTokenArn'
  | 'HandshakeTokenArn'
  | 'StatusTokenArn';

export type QueueName =
  | 'work-queue'
  | 'alert-queue'
  | `${'work-queue' | 'alert-queue' | 'ticks' | 'told'}-dead-letters`;

export interface Message {
  readonly body: string;
  readonly receiveCount: number;
  readonly visible: boolean;
}

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The deployed service with everything around it. */
export interface Cloud {
  readonly address: CloudAddress;
  readonly aws: Aws;
  readonly cdk: Cdk;
  readonly kube: Kube;
  readonly standIns: AskStandIns;
  /** Sends a request to the deployed HTTP API. */
  readonly send: (path: string, sent: Sent) => Promise<Answer>;
  /** The current value of a secret of the stack. */
  readonly secret: (name: SecretName) => Promise<string>;
  /** Delivers a body as GitHub does, signed with the current secret unless another is given. */
  readonly deliver: (
    body: unknown,
    options?: { readonly secret?: string; readonly delivery?: string },
  ) => Promise<Answer>;
  /** What lies in a queue of the stack, in flight or not. The name is without the house. */
  readonly messagesIn: (queue: QueueName) => Promise<readonly Message[]>;
  /** Mails that SES took, oldest first. */
  readonly mails: () => Promise<readonly Mail[]>;
  /** What the deployed status page knows. */
  readonly status: () => Promise<Status>;
  readonly pool: (name: string) => Promise<PoolSeen>;
  readonly untilPaused: (name: string, paused: boolean) => Promise<void>;
  /** Creates an object that goes with the test that asked for it. */
  readonly create: (object: Draft) => Promise<void>;
}

export function useCloud(): Cloud {
  const address = inject('cloud');
  const { emulator, standIns, checkout, outputs } = address;
  const controlPlane = openControlPlane(address.controlPlane);
  const { kube } = controlPlane;
  const aws = openAws(emulator);
  const agent = new Agent({ connect: { ca: readFileSync(emulator.caFile) } });
  const api = apiUrl(emulator.endpoint, outputs);

  async function send(path: string, { method = 'POST', headers = {}, body }: Sent): Promise<Answer> {
    const answer = await request(`${api}${path}`, { method, headers, body: body ?? null, dispatcher: agent });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  async function secret(name: SecretName): Promise<string> {
    const answer = await aws.secrets.send(new GetSecretValueCommand({ SecretId: outputs[name] }));
    return answer.SecretString ?? '';
  }

  /** The emulator shows what no API of AWS shows without changing it. */
  // biome-ignore lint/suspicious/noExplicitAny: the emulator's own answers, read in two places below
  async function inspect(what: string): Promise<any> {
    const answer = await request(`${emulator.endpoint}/_ministack/${what}`, { dispatcher: agent });
    return answer.body.json();
  }

  const pool: Cloud['pool'] = async (name) => {
    const { metadata, spec } = await kube.get(`${paths.pools}/${name}`);
    const read = readRecord(metadata.annotations?.['poolkeeper.dev/holds']);
    const holds = read.kind === 'record' ? read.record.holds : [];
    return { paused: spec.paused === true, holders: holds.map(({ who }) => who), generation: metadata.generation ?? 0 };
  };

  return {
    address,
    aws,
    cdk: cdkIn(checkout, emulator),
    kube,
    standIns: askStandIns(standIns.controlUrl),
    send,
    secret,
    deliver: async (body, options = {}) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const key = options.secret ?? (await secret('GithubSecretArn'));
      return send('/github', { headers: githubHeaders(bytes, key, options.delivery ?? randomUUID()), body: bytes });
    },
    messagesIn: async (queue) => {
      const { messages } = await inspect('sqs/messages');
      const queues: Readonly<Record<string, readonly EmulatorMessage[]>> = messages[account]?.[region] ?? {};
      const [, found = []] = Object.entries(queues).find(([url]) => url.endsWith(`/${stackName}-${queue}`)) ?? [];
      return found.map((each) => ({ body: each.Body, receiveCount: each.ReceiveCount, visible: each.IsVisible }));
    },
    mails: async () => {
      const { messages } = await inspect('ses/messages');
      const sent: readonly EmulatorMail[] = messages[account] ?? [];
      return sent.map((each) => ({
        from: each.Source,
        to: each.To,
        subject: each.Subject,
        text: each.BodyText,
        html: each.BodyHtml,
      }));
    },
    status: async () => {
      const headers = { authorization: `Bearer ${await secret('StatusTokenArn')}`, accept: 'application/json' };
      const { status, text } = await send('/status', { method: 'GET', headers });
      if (status !== 200) throw new Error(`the status page answered ${status}: ${text.slice(0, 200)}`);
      return JSON.parse(text);
    },
    pool,
    untilPaused: async (name, paused) => {
      await until(
        async () => (await pool(name)).paused === paused,
        soonMs,
        `pool ${name} of ${clusterName} to be ${paused ? 'paused' : 'resumed'}`,
      );
    },
    create: async (object) => {
      const collection = collectionOf(object);
      const created = await kube.post(collection, object);
      onTestFinished(() => kube.delete(`${collection}/${created.metadata.name}`));
    },
  };
}

export function githubHeaders(bytes: Buffer, secret: string, delivery: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/lab',
    'x-github-event': 'push',
    'x-github-delivery': delivery,
    'x-hub-signature-256': githubSignature(bytes, secret),
  };
}

interface EmulatorMessage {
  readonly Body: string;
  readonly ReceiveCount: number;
  readonly IsVisible: boolean;
}

interface EmulatorMail {
  readonly Source: string;
  readonly To: readonly string[];
  readonly Subject: string;
  readonly BodyText: string;
  readonly BodyHtml: string;
}

/** The emulator answers for the API's own host name under a path of its endpoint. */
function apiUrl(endpoint: string, outputs: Outputs): string {
  const [api = ''] = new URL(outputs['Url'] ?? '').hostname.split('.');
  return `${endpoint}/_aws/execute-api/${api}/$default`;
}

import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhooks } from '@octokit/webhooks';
import { onTestFinished } from 'vitest';
import type { PublishedEvent, PushSeen, WebhookDue } from '../../../events/index.ts';
import { argocdWebhooks } from '../../../functions/adapters/argocd/argocd-webhooks.ts';
import { pushOutcomes } from '../../../functions/adapters/aws/push-outcomes.ts';
import { relayedPushes, relayNotes } from '../../../functions/adapters/aws/relay-notes.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { ArgoCdSettings, RelaySettings } from '../../../functions/core/configuration/argocd.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { receiveGithub } from '../../../functions/receive-github/receive-github.ts';
import { relay } from '../../../functions/relay-pushes/relay.ts';
import type { RelayPorts } from '../../../functions/relay-pushes/relay-ports.ts';
import type { EmbeddedTable } from '../../../local/run/embedded-table.ts';
import { fakeIds, fakeMetrics } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab, type LabOptions } from '../keep-pools/keep-lab.ts';
import { answerOf, fakeSecrets, githubHeaders, post } from '../receiving.ts';

export const webhookSecret = "It's a Secret to Everybody";

/** One request as Argo CD's webhook server got it. */
export interface Got {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** How many pauses the MCO had observed by then, of the lab that it belongs to. */
  readonly wasConfirmed: boolean;
  readonly wasPaused: boolean;
  readonly at: Date;
}

/** A stand-in for argocd-server's webhook: believes only what is signed over the bytes, 400 else, as Argo CD does. */
export interface ArgocdStandIn {
  readonly url: string;
  readonly got: readonly Got[];
  /** What it answers instead, from now on; `undefined` = as Argo CD does. `down`: it closes every connection. */
  answer: number | 'down' | undefined;
  stop(): Promise<void>;
}

export async function startArgocdStandIn(
  lab: () => Pick<Got, 'wasConfirmed' | 'wasPaused' | 'at'>,
): Promise<ArgocdStandIn> {
  const got: Got[] = [];
  const signs = new Webhooks({ secret: webhookSecret });
  const state: { answer: ArgocdStandIn['answer'] } = { answer: undefined };
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    if (state.answer === 'down') {
      request.socket.destroy();
      return;
    }
    got.push({ path: request.url ?? '', headers: request.headers, bytes, ...lab() });
    const signature = String(request.headers['x-hub-signature-256']);
    const isSigned = await signs.verify(bytes.toString(), signature).catch(() => false);
    response.writeHead(state.answer ?? (isSigned ? 200 : 400)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    get answer() {
      return state.answer;
    },
    set answer(answer) {
      state.answer = answer;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Messages of the relay queue, with the times they fall due. */
interface RelayMessage {
  readonly body: string;
  readonly dueAt: Date;
  readonly receives: number;
}

export interface RelayLab {
  readonly keepLab: KeepLab;
  readonly argocd: ArgocdStandIn;
  readonly told: () => readonly Extract<PublishedEvent, { type: 'poolkeeper.push.relayed.v1' }>[];
  readonly metrics: ReturnType<typeof fakeMetrics>;
  readonly relayPorts: RelayPorts;
  /** GitHub delivers, signed. Answers the status. */
  deliver(delivery?: GithubDelivery): Promise<number>;
  /** The same, with the answer's reason. */
  deliverAndRead(delivery?: GithubDelivery): Promise<{ readonly status: number; readonly reason: unknown }>;
  /** The work queue's due messages reach keep-pools. */
  work(): Promise<void>;
  /** The relay queue's due messages reach relay-pushes; those that fail come again as the queue would bring them. */
  relays(): Promise<void>;
  /** The MCO takes note of every pool. */
  observe(): void;
  /** What waits on the relay queue. */
  waiting(): readonly RelayMessage[];
  /** Puts copies of everything that waits on the relay queue. */
  duplicate(times: number): void;
  dead(): readonly string[];
  /** Moves the clock second by second; work and relays are done as they fall due. */
  pass(seconds: number): Promise<void>;
}

export interface GithubDelivery {
  readonly event?: string;
  readonly body?: string;
  readonly id?: string;
  readonly secret?: string;
}

export interface RelayLabOptions {
  readonly relay?: Partial<RelaySettings>;
  /** Sends ApplicationSets' events to the same stand-in, path `/appset`. */
  readonly applicationSets?: boolean;
  /** Pull requests are read for previews, which go nowhere. */
  readonly previews?: boolean;
  readonly lab?: LabOptions;
}

/** keep-lab with GitHub before it and Argo CD's webhook behind it: real bytes, the real signer, real HTTP, the real
 *  table. */
export async function relayLab(table: EmbeddedTable, options: RelayLabOptions = {}): Promise<RelayLab> {
  const lab = keepLab(options.lab);
  const { clock, bus, tables, work } = lab.world;
  const isConfirmed = () => tables.races.all().some((race) => race.confirmedAt !== undefined);
  const argocd = await startArgocdStandIn(() => ({
    wasConfirmed: isConfirmed(),
    wasPaused: lab.pool().paused,
    at: clock.now(),
  }));
  onTestFinished(argocd.stop);
  const settings: RelaySettings = {
    url: `${argocd.url}/api/webhook`,
    ...(options.applicationSets === true ? { applicationSetUrl: `${argocd.url}/appset/api/webhook` } : {}),
    ca: undefined,
    waitAtMostSeconds: 30,
    sendAgainAfterSeconds: 30,
    ...options.relay,
  };
  const configuration = {
    ...lab.ports.configuration,
    argocd: lab.ports.configuration.argocd.map((each): ArgoCdSettings => ({ ...each, relay: settings })),
  };
  const stored = { ...systemRuntime, client: table.client, table: table.table, clock: clock.now };
  const outcomes = pushOutcomes(stored);
  const keepPorts: KeepPorts = { ...lab.ports, configuration, outcomes, relayed: relayedPushes(stored) };
  const metrics = fakeMetrics();
  const webhooks = argocdWebhooks({ deadline: systemRuntime.deadline, timeoutMs: 2_000 });

  let messages: RelayMessage[] = [];
  const dead: string[] = [];
  const send = async (event: WebhookDue, delaySeconds = 0) => {
    const dueAt = new Date(clock.now().getTime() + delaySeconds * 1000);
    messages.push({ body: JSON.stringify(event), dueAt, receives: 0 });
  };
  const relayPorts: RelayPorts = {
    configuration,
    outcomes,
    races: tables.races,
    checkpoints: lab.ports.checkpoints,
    notes: relayNotes(stored),
    webhooks,
    relays: { send },
    timeline: tables.timeline,
    bus,
    clock: clock.now,
    logger: lab.world.logger,
    metrics,
  };
  const receive = receiveGithub({
    newId: fakeIds(),
    secrets: fakeSecrets({ github: [webhookSecret] }),
    secret: 'github',
    work,
    relays: { send },
    previews: options.previews === true ? { send: async () => {} } : undefined,
    clock: clock.now,
    logger: lab.world.logger,
    metrics,
  });

  async function deliverAndRead({
    event = 'push',
    body = pushBody(),
    id = randomUUID(),
    secret = webhookSecret,
  }: GithubDelivery = {}) {
    const sha1 = `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
    const headers = await githubHeaders({
      body,
      secret,
      headers: { 'x-github-delivery': id, 'x-github-event': event, 'x-hub-signature': sha1, cookie: 'session=1' },
    });
    const answer = await answerOf(await receive(post('/github', Buffer.from(body), headers)));
    return { status: answer.status, reason: answer.body['reason'] };
  }

  async function handle(message: RelayMessage): Promise<void> {
    try {
      await relay(JSON.parse(message.body), relayPorts);
    } catch {
      const receives = message.receives + 1;
      // The back-off of functions/shell/queue.ts.
      const afterSeconds = [2, 10, 30, 120][receives - 1];
      if (afterSeconds === undefined) dead.push(message.body);
      else messages.push({ ...message, receives, dueAt: new Date(clock.now().getTime() + afterSeconds * 1000) });
    }
  }

  async function relays(): Promise<void> {
    for (;;) {
      const now = clock.now().getTime();
      const due = messages.filter(({ dueAt }) => dueAt.getTime() <= now);
      if (due.length === 0) return;
      messages = messages.filter(({ dueAt }) => dueAt.getTime() > now);
      await Promise.all(due.map(handle));
    }
  }

  async function doWork(): Promise<void> {
    for (const { event } of work.take()) await keep(event, keepPorts);
  }

  return {
    keepLab: lab,
    argocd,
    metrics,
    relayPorts,
    told: () => bus.published.filter((event) => event.type === 'poolkeeper.push.relayed.v1'),
    deliver: async (delivery) => (await deliverAndRead(delivery)).status,
    deliverAndRead,
    work: doWork,
    relays,
    observe: () => void lab.world.pools.observe('worker'),
    waiting: () => messages,
    duplicate(times) {
      const copies = messages.flatMap((message) => Array.from({ length: times }, () => ({ ...message })));
      messages = [...messages, ...copies];
    },
    dead: () => dead,
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1);
        await doWork();
        await relays();
      }
    },
  };
}

/** GitHub's body of a push that changes the Application of keep-lab; `message` goes into it as it is. */
export function pushBody(change: Partial<PushSeen['data']> = {}, message = 'größer — 日本語 🚀'): string {
  return JSON.stringify({
    ref: change.ref ?? 'refs/heads/main',
    before: commitA,
    after: change.after ?? commitB,
    created: false,
    deleted: change.deleted ?? false,
    forced: false,
    commits: [{ message, added: [], modified: ['nodes/99-worker-ssh.yaml'], removed: [] }],
    pusher: { name: 'ada' },
    repository: {
      full_name: 'acme/platform',
      html_url: 'https://github.com/acme/platform',
      default_branch: 'main',
      ...(change.repository?.htmlUrl === undefined ? {} : { html_url: change.repository.htmlUrl }),
    },
  });
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { receiveGithub } from '../../../functions/receive-github/receive-github.ts';
import { startLocalServer } from '../../../local/run/local-server.ts';

/** A program of the bench: one intake of webhooks on a free port. It answers the parent's questions for the processor
 *  time that it has spent. */
const secret = 'a-secret-of-the-bench';

/** The least that an intake does: reads the bytes, verifies them, parses them. */
function floor(): Server {
  return createServer((incoming, outgoing) => {
    void readAll(incoming).then((bytes) => {
      const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`);
      const given = Buffer.from(String(incoming.headers['x-hub-signature-256']));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        outgoing.writeHead(401).end();
        return;
      }
      JSON.parse(bytes.toString());
      outgoing.writeHead(202, { 'content-type': 'application/json' }).end('{"accepted":true}');
    });
  });
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @octokit/webhooks by itself, with a listener that does nothing. */
function octokit(): Server {
  const webhooks = new Webhooks({ secret });
  webhooks.on('push', () => {});
  const middleware = createNodeMiddleware(webhooks, { path: '/github' });
  return createServer((incoming, outgoing) => void middleware(incoming, outgoing));
}

/** What `npm start` serves at /github, with queues and logs that take everything and keep nothing. */
async function poolkeeper(): Promise<number> {
  const nothing = () => {};
  const handler = receiveGithub({
    secrets: { read: async () => [secret] },
    secret: 'github',
    work: { send: async () => {} },
    clock: () => new Date(),
    newId: () => crypto.randomUUID(),
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    metrics: { count: nothing, milliseconds: nothing },
  });
  const { url } = await startLocalServer({ '* /github': handler }, 0);
  return Number(new URL(url).port);
}

/** probot, where it is installed: see its package.json. */
async function probot(): Promise<Server> {
  const path: string = new URL('./probot/node_modules/probot/lib/index.js', import.meta.url).href;
  const { createNodeMiddleware: middlewareOf, createProbot } = await import(path);
  const app = (bot: { on(event: string, listener: () => void): void }) => bot.on('push', () => {});
  const options = { overrides: { appId: 1, privateKey: 'none', secret, logLevel: 'fatal' } };
  const middleware = await middlewareOf(app, { probot: createProbot(options), webhooksPath: '/github' });
  return createServer((incoming, outgoing) => void middleware(incoming, outgoing));
}

async function portOf(kind: string | undefined): Promise<number> {
  if (kind === 'poolkeeper') return poolkeeper();
  const server = kind === 'probot' ? await probot() : kind === 'octokit' ? octokit() : floor();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return port;
}

process.on('message', () => process.send?.({ usage: process.cpuUsage() }));
process.on('disconnect', () => process.exit());
process.send?.({ port: await portOf(process.argv[2]) });

import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';

/** Where an API server listens, and who asks. */
export interface PlainAccess {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** An API server over `node:https` and nothing else: the floor that the product is compared with. */
export interface PlainClient {
  get(path: string): Promise<PlainPool>;
  mergePatch(path: string, body: unknown): Promise<PlainPool>;
  close(): void;
}

/** The fields of a pool that the bench looks at. */
export interface PlainPool {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: { readonly paused?: boolean };
}

/** Keeps its connections alive, reads each answer whole and parses it, as any caller must. Throws what is not 2xx. */
export function plainClient({ server, ca, token }: PlainAccess): PlainClient {
  const { hostname, port } = new URL(server);
  const agent = new Agent({ keepAlive: true, ca });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };

  function send(method: string, path: string, body?: unknown): Promise<PlainPool> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { promise, resolve, reject } = Promise.withResolvers<PlainPool>();
    const sent = request(
      {
        hostname,
        port,
        path,
        method,
        agent,
        headers:
          text === undefined
            ? headers
            : {
                ...headers,
                'content-type': 'application/merge-patch+json',
                'content-length': Buffer.byteLength(text),
              },
      },
      (answer) => read(answer).then(resolve, reject),
    );
    sent.once('error', reject);
    sent.end(text);
    return promise;
  }

  return {
    get: (path) => send('GET', path),
    mergePatch: (path, body) => send('PATCH', path, body),
    close: () => agent.destroy(),
  };
}

function read(answer: IncomingMessage): Promise<PlainPool> {
  const { promise, resolve, reject } = Promise.withResolvers<PlainPool>();
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  answer.once('error', reject);
  answer.once('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) reject(new Error(`the API server answered ${status}: ${text.slice(0, 300)}`));
    else resolve(JSON.parse(text));
  });
  return promise;
}

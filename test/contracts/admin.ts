import { Agent, request } from 'undici';

export interface AdminOptions {
  readonly server: string;
  readonly ca?: string | undefined;
  readonly token: string;
}

/** A test's own access to an API server, besides the adapters under test: paths in, JSON out, other statuses than
 *  2xx throw. */
export interface Admin {
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown, fieldManager?: string): Promise<unknown>;
  /** A merge patch. */
  patch(path: string, body: unknown, fieldManager?: string): Promise<unknown>;
  /** At once, without the time a kubelet would take. */
  delete(path: string): Promise<void>;
  close(): Promise<void>;
}

export function connectAdmin({ server, ca, token }: AdminOptions): Admin {
  const dispatcher = new Agent({ allowH2: false, ...(ca === undefined ? {} : { connect: { ca } }) });

  async function send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
    const answer = await request(new URL(path, server), {
      method,
      dispatcher,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentTypes[method] }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  }

  return {
    get: (path) => send('GET', path),
    post: (path, body, fieldManager = 'contract-test') => send('POST', `${path}?fieldManager=${fieldManager}`, body),
    patch: (path, body, fieldManager = 'contract-test') => send('PATCH', `${path}?fieldManager=${fieldManager}`, body),
    delete: async (path) => {
      await send('DELETE', `${path}?gracePeriodSeconds=0`);
    },
    close: () => dispatcher.close(),
  };
}

const contentTypes = {
  GET: '',
  POST: 'application/json',
  PATCH: 'application/merge-patch+json',
  DELETE: 'application/json',
} as const;

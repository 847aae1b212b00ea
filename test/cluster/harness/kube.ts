import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds; each test asserts what it finds in them
type Anything = any;

/** Any object of the Kubernetes API. Tests look into it freely, so its inside is not typed here. */
export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: Anything;
  readonly status?: Anything;
  readonly data?: Anything;
  /** Of an Argo CD Application: what is asked for or runs. */
  readonly operation?: Anything;
};

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly ManagedFields[];
  readonly [field: string]: unknown;
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time: string;
  readonly fieldsV1: unknown;
}

/** What a test sends: an object that the API server has not completed yet. */
export type Draft = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<Metadata>;
  readonly spec?: Anything;
  readonly [field: string]: unknown;
};

/** An answer other than 2xx: its HTTP status, and the API server's own reason and words. */
export class KubeRefusal extends Error {
  override readonly name = 'KubeRefusal';
  readonly status: number;
  readonly reason: string;
  constructor(what: string, status: number, body: unknown) {
    const { message = '', reason = '' } = (typeof body === 'object' ? body : {}) as {
      message?: string;
      reason?: string;
    };
    super(`${what}: ${status} ${reason} ${message || String(body)}`.trim());
    this.status = status;
    this.reason = reason;
  }
}

export interface KubeAccess {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  /** User to act as; the API server asks whether the token's user may. */
  readonly impersonate?: string;
}

export interface PatchOptions {
  readonly fieldManager?: string;
  readonly type?: 'merge' | 'json' | 'apply' | 'strategic';
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/** Plain access to an API server: paths in, objects out, one kept-alive connection pool, no client library in
 *  between. */
export interface Kube {
  readonly get: (path: string) => Promise<KubeObject>;
  /** Undefined where the API server answers 404. */
  readonly find: (path: string) => Promise<KubeObject | undefined>;
  readonly list: (path: string) => Promise<readonly KubeObject[]>;
  readonly post: (path: string, body: unknown) => Promise<KubeObject>;
  readonly put: (path: string, body: unknown) => Promise<KubeObject>;
  readonly patch: (path: string, body: unknown, options?: PatchOptions) => Promise<KubeObject>;
  /** Deleting what is not there is fine. */
  readonly delete: (path: string) => Promise<void>;
  /** Streams changes until the signal ends it or the API server does. */
  readonly watch: (path: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal) => Promise<void>;
  /** Closes the connections. */
  readonly close: () => void;
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export function connectKube(access: KubeAccess): Kube {
  const agent = new Agent({ keepAlive: true, ca: access.ca });

  function open(
    method: string,
    path: string,
    body?: { readonly value: unknown; readonly type: string },
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body.value));
    const headers: Record<string, string> = { authorization: `Bearer ${access.token}`, accept: 'application/json' };
    if (access.impersonate !== undefined) headers['impersonate-user'] = access.impersonate;
    if (body !== undefined && payload !== undefined) {
      headers['content-type'] = body.type;
      headers['content-length'] = String(payload.length);
    }
    const sent = httpsRequest(
      new URL(path, access.server),
      { method, agent, headers, ...(signal ? { signal } : {}) },
      resolve,
    );
    sent.once('error', reject);
    sent.end(payload);
    return promise;
  }

  async function send(
    method: string,
    path: string,
    body?: { readonly value: unknown; readonly type: string },
  ): Promise<KubeObject> {
    const answer = await open(method, path, body);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const value: unknown = answer.headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text;
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) throw new KubeRefusal(`${method} ${path}`, status, value);
    return value as KubeObject;
  }

  return {
    get: (path) => send('GET', path),
    find: (path) => send('GET', path).catch(absent),
    list: async (path) => ((await send('GET', path)) as unknown as { items: readonly KubeObject[] }).items,
    post: (path, value) => send('POST', path, { value, type: 'application/json' }),
    put: (path, value) => send('PUT', path, { value, type: 'application/json' }),
    patch: (path, value, options = {}) => {
      const url = new URL(path, access.server);
      if (options.fieldManager !== undefined) url.searchParams.set('fieldManager', options.fieldManager);
      return send('PATCH', url.pathname + url.search, { value, type: patchTypes[options.type ?? 'merge'] });
    },
    delete: async (path) => {
      await send('DELETE', path).catch(absent);
    },
    watch: async (path, onEvent, signal) => {
      const url = new URL(path, access.server);
      url.searchParams.set('watch', 'true');
      try {
        const answer = await open('GET', url.pathname + url.search, undefined, signal);
        let rest = '';
        for await (const text of answer.setEncoding('utf8')) {
          const lines = (rest + String(text)).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) onEvent(JSON.parse(line) as WatchEvent);
        }
      } catch (cause) {
        if (!signal.aborted) throw cause;
      }
    },
    close: () => agent.destroy(),
  };
}

function absent(cause: unknown): undefined {
  if (cause instanceof KubeRefusal && cause.status === 404) return undefined;
  throw cause;
}

import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { argv } from 'node:process';

/** A program of the bench: what an environment of Lambda does with a bundle. It imports the bundle, runs its handler on
 *  every event that its parent sends, and says how long that took and what it waited for. */

/** Between two marks of `performance.now()`, milliseconds. */
export interface Wait {
  readonly on: WaitedFor;
  readonly fromMs: number;
  readonly toMs: number;
}
export type WaitedFor = 'secrets' | 'queue' | 'table' | 'bus' | 'API server, connection' | 'API server';

export interface Imported {
  readonly kind: 'imported';
  readonly wallMs: number;
  readonly processorMs: number;
}
export interface Handled {
  readonly kind: 'handled';
  readonly wallMs: number;
  readonly processorMs: number;
  /** Until the answer to the patch of a pool; undefined: no pool was patched. */
  readonly pausedMs: number | undefined;
  readonly waits: readonly Wait[];
}

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const waits: Wait[] = [];
let patchedMs: number | undefined;

/** Whom a request of the AWS SDK is for, by the operation that it names. */
const operations: readonly (readonly [string, WaitedFor])[] = [
  ['secretsmanager', 'secrets'],
  ['AmazonSQS', 'queue'],
  ['AWSEvents', 'bus'],
  ['DynamoDB', 'table'],
];

function watchAws(): void {
  const begun = new WeakMap<object, number>();
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { readonly request: object };
    begun.set(request, performance.now());
  });
  subscribe('http.client.response.finish', (message) => {
    const { request } = message as { readonly request: { getHeader(name: string): unknown } };
    const target = String(request.getHeader('x-amz-target'));
    const on = operations.find(([start]) => target.startsWith(start))?.[1];
    const fromMs = begun.get(request);
    if (on !== undefined && fromMs !== undefined) waits.push({ on, fromMs, toMs: performance.now() });
  });
}

function watchApiServer(): void {
  const begun = new WeakMap<object, number>();
  const isMeant = (request: ClientRequest) => request.getHeader('x-amz-target') === undefined;
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { readonly request: ClientRequest };
    if (!isMeant(request)) return;
    const fromMs = performance.now();
    begun.set(request, fromMs);
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        waits.push({ on: 'API server, connection', fromMs, toMs: performance.now() });
      });
    });
  });
  subscribe('http.client.response.finish', (message) => {
    const { request, response } = message as { readonly request: ClientRequest; readonly response: IncomingMessage };
    const fromMs = begun.get(request);
    if (fromMs === undefined) return;
    response.once('end', () => {
      waits.push({ on: 'API server', fromMs, toMs: performance.now() });
      if (request.method === 'PATCH' && request.path.includes('/machineconfigpools/')) patchedMs ??= performance.now();
    });
  });
}

async function measured<T>(
  work: () => Promise<T>,
): Promise<{ wallMs: number; processorMs: number; fromMs: number; made: T }> {
  const usage = process.cpuUsage();
  const fromMs = performance.now();
  const made = await work();
  const wallMs = performance.now() - fromMs;
  const { user, system } = process.cpuUsage(usage);
  return { wallMs, processorMs: (user + system) / 1000, fromMs, made };
}

watchAws();
watchApiServer();
const bundle = argv[2] ?? '';
const { made, wallMs, processorMs } = await measured(() => import(bundle) as Promise<{ readonly handler: Handler }>);
// What fails ends the process, which its parent sees.
process.on('message', (event) => void handle(event));
process.on('disconnect', () => process.exit());
process.send?.({ kind: 'imported', wallMs, processorMs } satisfies Imported);

async function handle(event: unknown): Promise<void> {
  waits.length = 0;
  patchedMs = undefined;
  const context = { awsRequestId: 'invocation', functionName: 'bench', getRemainingTimeInMillis: () => 30_000 };
  const { fromMs, ...took } = await measured(() => made.handler(event, context));
  process.send?.({
    kind: 'handled',
    wallMs: took.wallMs,
    processorMs: took.processorMs,
    pausedMs: patchedMs === undefined ? undefined : patchedMs - fromMs,
    waits: [...waits],
  } satisfies Handled);
}

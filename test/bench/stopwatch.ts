import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';

/** What is passed on the way from a push to the end of its pass. */
export type Mark =
  /** Our HTTP server has the head of the request. */
  | 'received'
  /** keep-pools turns to the cluster. */
  | 'begun'
  | 'applications read'
  | 'pools read'
  | 'memory read'
  | 'races read'
  | 'patch sent'
  | 'patched'
  /** A GET of somebody else showed the pool paused. */
  | 'read back'
  | 'announced'
  /** The last write of a pass. */
  | 'view saved';

/** Notes when each mark was first passed since the last start. */
export interface Stopwatch {
  start(): void;
  pass(mark: Mark): void;
  /** Milliseconds, comparable with `performance.now()`. Throws when it was not passed. */
  at(mark: Mark): number;
  has(mark: Mark): boolean;
  /** Resolves at once when the mark is passed; throws when that takes longer than any honest sample. */
  until(mark: Mark): Promise<void>;
}

const patienceMs = 10_000;

export function stopwatch(): Stopwatch {
  let passed = new Map<Mark, number>();
  let waiting: { readonly mark: Mark; readonly resolve: () => void }[] = [];
  return {
    start() {
      passed = new Map();
      waiting = [];
    },
    pass(mark) {
      if (passed.has(mark)) return;
      passed.set(mark, performance.now());
      for (const each of waiting) if (each.mark === mark) each.resolve();
    },
    at(mark) {
      const ms = passed.get(mark);
      if (ms === undefined) throw new Error(`"${mark}" was not passed`);
      return ms;
    },
    has: (mark) => passed.has(mark),
    async until(mark) {
      if (passed.has(mark)) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error(`"${mark}" was not passed in ${patienceMs} ms`)), patienceMs);
      waiting.push({ mark, resolve });
      await promise.finally(() => clearTimeout(timer));
    },
  };
}

/** Marks the moment at which a push reaches an HTTP server of this process. Returns how to end it. */
export function timeReceipt(watch: Stopwatch): () => void {
  const channel = 'http.server.request.start';
  const listener = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.url === '/github') watch.pass('received');
  };
  subscribe(channel, listener);
  return () => unsubscribe(channel, listener);
}

/** The same connection; what keep-pools asks it on the way to the patch is marked. `onPatched` begins as soon as a
 *  patch is answered, before keep-pools goes on; nobody waits for it. */
export function timeConnection(
  connection: ClusterConnection,
  watch: Stopwatch,
  onPatched: () => void,
): ClusterConnection {
  const { pools } = connection;
  async function markedRead<T>(read: () => Promise<T>): Promise<T> {
    watch.pass('begun');
    const found = await read();
    watch.pass('applications read');
    return found;
  }
  return {
    ...connection,
    pools: {
      ...pools,
      listPools: async () => {
        watch.pass('begun');
        const found = await pools.listPools();
        watch.pass('pools read');
        return found;
      },
      patchPool: async (...asked) => {
        watch.pass('patch sent');
        const patched = await pools.patchPool(...asked);
        watch.pass('patched');
        onPatched();
        return patched;
      },
      recordEvent: async (...asked) => {
        await pools.recordEvent(...asked);
        watch.pass('announced');
      },
    },
    argocd: (settings) => {
      const argocd = connection.argocd(settings);
      return {
        ...argocd,
        // Whom a push concerns is known from the stored table or from a list; then each of those few is read.
        listApplications: () => markedRead(() => argocd.listApplications()),
        readApplication: (ref) => markedRead(() => argocd.readApplication(ref)),
      };
    },
  };
}

/** Marks the table calls that a pass may wait for, and its last one. */
export function timeTable(client: DynamoDBClient, watch: Stopwatch): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answered = await next(args);
        const mark = tableMark(`${commandName} ${JSON.stringify(args.input)}`);
        if (mark !== undefined) watch.pass(mark);
        return answered;
      },
    { step: 'initialize', name: 'benchStopwatch' },
  );
}

function tableMark(call: string): Mark | undefined {
  if (/^(?:Batch)?GetItemCommand .*"memory"/.test(call)) return 'memory read';
  if (/^QueryCommand .*"race#/.test(call)) return 'races read';
  if (/^PutItemCommand .*"pk":\{"S":"view"\}/.test(call)) return 'view saved';
  return undefined;
}

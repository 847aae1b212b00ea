import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP door before the API server, which a test closes to take the API server away and opens to bring it back. */
export interface Door {
  readonly url: string;
  /** Connections are ended, those that are open and those that come. */
  readonly shut: () => void;
  /** Connections that are open end; those that come are taken and get no answer, so that a caller waits. */
  readonly hold: () => void;
  readonly open: () => void;
  readonly stop: () => Promise<void>;
}

export async function startDoor(server: string): Promise<Door> {
  const { hostname, port } = new URL(server);
  const sockets = new Set<Socket>();
  let state: 'open' | 'shut' | 'held' = 'open';
  const door = createServer((incoming) => {
    if (state === 'shut') {
      incoming.destroy();
      return;
    }
    sockets.add(incoming);
    incoming.once('close', () => sockets.delete(incoming));
    incoming.on('error', () => undefined);
    if (state === 'held') return;
    const outgoing = connect(Number(port), hostname);
    outgoing.on('error', () => undefined);
    incoming.once('close', () => outgoing.destroy());
    outgoing.once('close', () => incoming.destroy());
    incoming.pipe(outgoing);
    outgoing.pipe(incoming);
  });
  await new Promise<void>((resolve, reject) => {
    door.once('error', reject);
    door.listen(0, '127.0.0.1', resolve);
  });
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `https://127.0.0.1:${(door.address() as AddressInfo).port}`,
    shut: () => {
      state = 'shut';
      endAll();
    },
    hold: () => {
      state = 'held';
      endAll();
    },
    open: () => {
      // Whoever was kept waiting comes again.
      if (state === 'held') endAll();
      state = 'open';
    },
    stop: () =>
      new Promise((resolve) => {
        door.close(() => resolve());
        endAll();
      }),
  };
}

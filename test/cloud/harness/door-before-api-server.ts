import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP door before the API server, which a test closes to take the API server away and opens to bring it back. */
export interface Door {
  readonly url: string;
  /** Connections are refused, and those that are open end. */
  readonly shut: () => void;
  readonly open: () => void;
  readonly stop: () => Promise<void>;
}

export async function startDoor(server: string): Promise<Door> {
  const { hostname, port } = new URL(server);
  const sockets = new Set<Socket>();
  let isShut = false;
  const door = createServer((incoming) => {
    if (isShut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(Number(port), hostname);
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    }
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
      isShut = true;
      endAll();
    },
    open: () => {
      isShut = false;
    },
    stop: () =>
      new Promise((resolve) => {
        door.close(() => resolve());
        endAll();
      }),
  };
}

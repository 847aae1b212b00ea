import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way to an API server, on which nothing arrives any more at will: connections are made, and nobody answers. */
export interface Blindfold {
  /** Address of the API server by this way. */
  readonly server: string;
  /** From now on whatever is sent is lost, also on connections that are open. */
  readonly putOn: () => void;
  readonly takeOff: () => void;
  readonly stop: () => Promise<void>;
}

export async function startBlindfold(target: string): Promise<Blindfold> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isOn = false;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  }

  const proxy = createServer((client) => {
    keep(client);
    if (isOn) return;
    const far = keep(connect(Number(port), hostname));
    client.pipe(far).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));

  return {
    server: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    putOn: () => {
      isOn = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    takeOff: () => {
      isOn = false;
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

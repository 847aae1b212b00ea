import { connect, createServer, type Socket } from 'node:net';

/** An HTTP proxy that brings the names of deployed APIs to the emulator, and no other name anywhere. */
export interface NameProxy {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export async function startNameProxy(endpoint: string): Promise<NameProxy> {
  const { port } = new URL(endpoint);
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    sockets.add(incoming);
    incoming.on('error', () => undefined).once('close', () => sockets.delete(incoming));
    void head(incoming).then((line) => {
      if (!/^CONNECT [0-9a-f]+\.execute-api\.[a-z0-9-]+\.amazonaws\.com:443 /.test(line))
        return incoming.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      const outgoing = connect(Number(port), '127.0.0.1');
      outgoing.on('error', () => incoming.destroy()).once('close', () => incoming.destroy());
      incoming.once('close', () => outgoing.destroy());
      incoming.write('HTTP/1.1 200 Connection established\r\n\r\n');
      incoming.pipe(outgoing);
      return outgoing.pipe(incoming);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The first line, once the whole head is there. A client says nothing more until it is answered. */
async function head(incoming: Socket): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      incoming.off('data', read).pause();
      resolve(text.split('\r\n')[0] ?? '');
    };
    incoming.on('data', read);
  });
}

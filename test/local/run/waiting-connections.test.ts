import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { boundWaitingConnections } from '../../../local/run/waiting-connections.ts';

const request = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';
const unfinished = 'GET / HTTP/1.1\r\nhost: localhost\r\nx-long: aaaa';

describe('connections whose headers do not end', () => {
  async function serverOf(atMost: number, asked: () => void = () => undefined, answer = 'ok') {
    const server: Server = createServer(({ socket }, outgoing) => {
      if (socket.destroyed) return;
      asked();
      outgoing.end(answer);
    });
    boundWaitingConnections(server, atMost);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return server;
  }

  /** One after the other, so that it is known which is the oldest. */
  async function opened(server: Server, text: string): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection');
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await accepted;
    socket.resume().write(text);
    return socket;
  }

  test('[N-30] are ended from a number on, the oldest first, and others are served', async () => {
    const server = await serverOf(2);
    const oldest = await opened(server, unfinished);
    const ended = once(oldest, 'close');
    const next = await opened(server, unfinished);
    const nextEnded = once(next, 'close');
    const third = await opened(server, unfinished);
    await ended;

    const other = await opened(server, request);
    const [answer] = await once(other, 'data');

    expect(String(answer)).toContain('200 OK');
    await nextEnded;
    expect(third.closed).toBe(false);
  });

  test('[N-30] count anew after an answer on the same connection', async () => {
    const asked = vi.fn();
    const server = await serverOf(1, asked);
    const kept = await opened(server, request);
    const ended = once(kept, 'close');
    await once(kept, 'data');
    kept.write(unfinished);

    await opened(server, unfinished);

    await ended;
    expect(asked).toHaveBeenCalledOnce();
  });

  test('[N-30] so are those whose answers are not read', async () => {
    const asked = vi.fn();
    const server = await serverOf(2, asked, 'x'.repeat(64 * 1024 * 1024));
    const ended: Promise<unknown>[] = [];
    server.on('connection', (socket) => ended.push(once(socket, 'close')));
    for (let count = 1; count <= 3; count += 1) {
      (await opened(server, request)).pause();
      if (count <= 2) await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(count));
    }

    await ended[0];

    const other = await opened(server, request);
    const [answer] = await once(other, 'data');
    expect(String(answer)).toContain('200 OK');
    other.destroy();
  });

  test('[N-30] one that asks again before it was answered is ended, and costs one request', async () => {
    const asked = vi.fn();
    const server = await serverOf(10, asked);
    const impatient = await opened(server, request.repeat(1000));

    await once(impatient, 'close');

    expect(asked).toHaveBeenCalledOnce();
  });
});

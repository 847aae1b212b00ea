import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Measured: each takes 21 KiB with headers of 15 KiB that do not end. */
const waitingAtMost = 1024;

/** Ends connections whose headers are waited for where there are too many, the oldest first: whoever opens them to fill
 *  the memory loses those, and who sends at once is served. What comes after the headers counts as a body
 *  (`arriving-bodies.ts`). */
export function boundWaitingConnections(server: Server, atMost = waitingAtMost): void {
  /** The oldest first. */
  const waiting = new Set<Socket>();

  function wait(socket: Socket): void {
    if (socket.destroyed) return;
    waiting.delete(socket);
    waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size <= atMost || oldest === undefined) return;
    waiting.delete(oldest);
    oldest.destroy();
  }

  server.on('connection', (socket) => {
    socket.once('close', () => waiting.delete(socket));
    wait(socket);
  });
  server.on('request', ({ socket }, outgoing) => {
    waiting.delete(socket);
    outgoing.once('close', () => wait(socket));
  });
}

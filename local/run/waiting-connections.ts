import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Measured: each takes 21 KiB with headers of 15 KiB that do not end. */
const waitingAtMost = 1024;

/** Ends connections whose headers, or whose reader, are waited for where there are too many, the oldest first: whoever
 *  opens them to fill the memory loses those, and who sends at once is served. Ends each that asks again before it was
 *  answered: one packet can ask a thousand times, and nobody who calls webhooks or reads pages does. What comes after the
 *  headers counts as a body (`arriving-bodies.ts`). Its requests come with a destroyed socket, and are not to be
 *  answered. */
export function boundWaitingConnections(server: Server, atMost = waitingAtMost): void {
  /** The oldest first. */
  const waiting = new Set<Socket>();
  const answering = new Set<Socket>();

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
    socket.once('close', () => {
      waiting.delete(socket);
      answering.delete(socket);
    });
    wait(socket);
  });
  // Before the server's own listener, which passes over what is ended here.
  server.prependListener('request', ({ socket }, outgoing) => {
    waiting.delete(socket);
    if (answering.has(socket)) socket.destroy();
    answering.add(socket);
    outgoing.once('prefinish', () => wait(socket));
    outgoing.once('close', () => answering.delete(socket));
  });
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What this process asks of one server by Node's own client, which is what the product uses. */
export interface RequestsSent {
  /** `GET <path without query>`, in the order in which they were begun. */
  readonly calls: readonly string[];
  /** Bytes of the answers that have ended, with their headers, as they came over the wire. */
  bytes(): number;
  stop(): void;
}

/** @param server absent: whichever. */
export function countRequests(server?: string): RequestsSent {
  const host = server && new URL(server).host;
  const isMeant = (request: ClientRequest) => host === undefined || request.getHeader('host') === host;
  const calls: string[] = [];
  const read = new WeakMap<Socket, number>();
  let bytes = 0;
  const begun = (message: unknown) => {
    const { request } = message as { readonly request: ClientRequest };
    if (isMeant(request)) calls.push(`${request.method} ${request.path.split('?')[0]}`);
  };
  const answered = (message: unknown) => {
    const { request, response } = message as { readonly request: ClientRequest; readonly response: IncomingMessage };
    if (!isMeant(request)) return;
    const { socket } = response;
    response.once('close', () => {
      bytes += socket.bytesRead - (read.get(socket) ?? 0);
      read.set(socket, socket.bytesRead);
    });
  };
  subscribe('http.client.request.start', begun);
  subscribe('http.client.response.finish', answered);
  return {
    calls,
    bytes: () => bytes,
    stop() {
      unsubscribe('http.client.request.start', begun);
      unsubscribe('http.client.response.finish', answered);
    },
  };
}

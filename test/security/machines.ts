import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What Poolkeeper tells machines: PagerDuty, Alertmanager and a webhook on one port, each of which fails once and
 *  repeats what it got. */
export interface Machines {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Bodies by path. The key that PagerDuty knows its callers by stands in the body and is taken out, as a header
   *  would be. */
  readonly bodies: readonly { readonly path: string; readonly body: string }[];
  close(): Promise<void>;
}

export async function startMachines(): Promise<Machines> {
  const bodies: { readonly path: string; readonly body: string }[] = [];
  const failed = new Set<string>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = await text(request);
    bodies.push({ path, body: body.replace(/"routing_key":"[^"]*"/, '"routing_key":""') });
    const isFirst = !failed.has(path);
    failed.add(path);
    // Careless services repeat what they were sent.
    response.writeHead(isFirst ? 500 : 202, { 'content-type': 'text/plain', server: 'careless' });
    response.end(`${request.headers.authorization ?? ''} ${body}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

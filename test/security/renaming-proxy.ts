import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';

/** An API server that tells of names no real one would take: what a client sees through it has the names of
 *  `renamed`, what stands behind it has their keys. */
export interface RenamingProxy {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startRenamingProxy(
  target: string,
  renamed: Readonly<Record<string, string>>,
): Promise<RenamingProxy> {
  const names = Object.entries(renamed);
  const inside = (text: string) => names.reduce((rest, [own, shown]) => rest.replaceAll(shown, own), text);
  const outside = (json: string) =>
    names.reduce((rest, [own, shown]) => rest.replaceAll(own, JSON.stringify(shown).slice(1, -1)), json);

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '/', target);
    const path = asked.pathname.split('/').map((step) => encodeURIComponent(inside(decodeURIComponent(step))));
    const wanted = new URL(path.join('/'), target);
    for (const [name, value] of asked.searchParams) wanted.searchParams.append(name, inside(value));
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      ['authorization', 'accept', 'content-type', 'user-agent'].includes(name) && typeof value === 'string'
        ? [[name, value] as [string, string]]
        : [],
    );
    const body = await readText(request);
    const method = request.method ?? 'GET';
    const answer = await fetch(wanted, { method, headers, ...(body === '' ? {} : { body }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(outside(await answer.text()));
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { afterEach, describe, expect, test } from 'vitest';
import { healthRoutes, networkRoutes, standbyRoutes } from '../../../local/in-cluster/served-routes.ts';
import { type LocalServer, type Routes, startLocalServer } from '../../../local/run/local-server.ts';

const answering = async () => new Response('here');
const paths = [
  ...['/github', '/argocd', '/cluster', '/handshake', '/status', '/status/changes', '/metrics'],
  ...['/attention', '/outbox'],
  ...[
    '/outbox/{proxy+}',
    '/causes',
    '/healthz',
    '/slack',
    '/fleet-lock/{proxy+}',
    '/callbacks/{proxy+}',
    '/something-new',
  ],
];
const all: Routes = Object.fromEntries(paths.map((path) => [`* ${path}`, answering]));

let server: LocalServer | undefined;
afterEach(async () => server?.stop());

describe('[C-11] what the network reaches of a process in a cluster', () => {
  test('is what asks for a secret that it has, and what is nobody’s secret', () => {
    const served = (...known: readonly string[]) => Object.keys(networkRoutes(all, new Set(known)));

    expect(served()).toEqual(['* /causes', '* /slack', '* /fleet-lock/{proxy+}', '* /callbacks/{proxy+}']);
    expect(served('github', 'status')).toEqual([
      ...[
        '* /github',
        '* /status',
        '* /status/changes',
        '* /metrics',
        '* /causes',
        '* /slack',
        '* /fleet-lock/{proxy+}',
        '* /callbacks/{proxy+}',
      ],
    ]);
  });

  test('is its health alone while another process leads', async () => {
    let [leads, routes] = [false, standbyRoutes];
    const health = healthRoutes(() => leads);
    server = await startLocalServer(() => ({ ...health, ...routes }), 0, { everywhere: true });
    const status = async (path: string) => (await fetch(`${server?.url}${path}`, { method: 'POST' })).status;

    expect([await status('/healthz'), await status('/readyz'), await status('/github')]).toEqual([200, 503, 503]);
    [leads, routes] = [true, networkRoutes(all, new Set(['github']))];

    expect([await status('/healthz'), await status('/readyz'), await status('/github')]).toEqual([200, 200, 200]);
    expect([await status('/attention'), await status('/status')]).toEqual([404, 404]);
  });
});

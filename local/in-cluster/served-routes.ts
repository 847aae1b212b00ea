import { unique } from '../../functions/core/text/unique.ts';
import type { Routes } from '../run/local-server.ts';

/** The paths that ask for a secret, and its name. Without a value such a path answers on loopback alone. */
const guardedBy: Readonly<Record<string, string>> = {
  '/github': 'github',
  '/argocd': 'argocd',
  '/cluster': 'cluster',
  '/handshake': 'handshake',
  '/status': 'status',
  '/status/changes': 'status',
  '/metrics': 'status',
};

/** Slack's signing secret, the tokens of FleetLock and of callbacks come with the configuration, without which these
 *  paths are not there; causes are nobody's secret. */
const served: ReadonlySet<string> = new Set(['/slack', '/fleet-lock/{proxy+}', '/callbacks/{proxy+}', '/causes']);

/** The names of the secrets that guard paths. */
export const guardingSecrets: readonly string[] = unique(Object.values(guardedBy));

/** What the network may reach of the routes of a leader. What is for this machine alone (`/attention`, `/outbox`) is
 *  not among it. */
export function networkRoutes(routes: Routes, known: ReadonlySet<string>): Routes {
  return Object.fromEntries(
    Object.entries(routes).filter(([route]) => {
      const path = route.slice(route.indexOf(' ') + 1);
      return served.has(path) || known.has(guardedBy[path] ?? '');
    }),
  );
}

/** For the kubelet: whether the process answers, and whether it leads. A Service sends requests to the leader alone. */
export function healthRoutes(leads: () => boolean): Routes {
  return {
    '* /healthz': async () => Response.json({ ok: true }),
    '* /readyz': async () => Response.json({ leads: leads() }, { status: leads() ? 200 : 503 }),
  };
}

/** Everything else, while another process leads: the sender tries again. */
export const standbyRoutes: Routes = {
  '* /{proxy+}': async () =>
    Response.json(
      { error: 'this process is not the leader' },
      { status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } },
    ),
};

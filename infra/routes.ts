import type { HttpEntry } from './constructs/http-entry.ts';
import type { Functions } from './functions.ts';
import type { Settings } from './settings.ts';

/** Every route: its path, its function, how the caller is authenticated, and what it may use. */
export function addRoutes(http: HttpEntry, functions: Functions, { entrances }: Pick<Settings, 'entrances'>): void {
  http.addRoute(
    {
      method: 'POST',
      path: '/github',
      handler: functions['receive-github'],
      authentication: 'X-Hub-Signature-256, an HMAC over the body, which no authorizer gets to see.',
    },
    entrances.github,
  );
  http.addRoute(
    {
      method: 'POST',
      path: '/argocd',
      handler: functions['receive-argocd'],
      authentication:
        'a bearer token; two are live during a rotation, which an authorizer would have to fetch as well.',
    },
    entrances.argocd,
  );
  http.addRoute(
    {
      method: 'POST',
      path: '/cluster',
      handler: functions['receive-cluster'],
      authentication:
        'a bearer token; two are live during a rotation, which an authorizer would have to fetch as well.',
    },
    entrances.cluster,
  );
  http.addRoute(
    {
      method: 'POST',
      path: '/handshake',
      handler: functions.handshake,
      authentication:
        'a bearer token; two are live during a rotation, which an authorizer would have to fetch as well.',
    },
    entrances.handshake,
  );
  if (functions['receive-slack']) {
    http.addRoute(
      {
        method: 'POST',
        path: '/slack',
        handler: functions['receive-slack'],
        authentication: 'X-Slack-Signature, an HMAC over the body and its time, which no authorizer gets to see.',
      },
      entrances.slack,
    );
  }
  if (functions['fleet-lock']) {
    http.addRoute(
      {
        // The answer to any other method is the protocol's own, as is that to another path.
        method: 'ANY',
        path: '/fleet-lock/{proxy+}',
        handler: functions['fleet-lock'],
        authentication: 'the token of a group in the path, because the FleetLock protocol has none of its own.',
      },
      entrances.fleetLock,
    );
  }
  if (functions['receive-callback']) {
    http.addRoute(
      {
        method: 'POST',
        path: '/callbacks/{id}',
        handler: functions['receive-callback'],
        authentication: 'a bearer token that was made for the one event that is answered.',
      },
      entrances.callback,
    );
  }
  http.addRoute(
    {
      method: 'GET',
      path: '/status',
      handler: functions.status,
      authentication: 'a token that the page asks for; without it nothing about any cluster is shown.',
    },
    entrances.status,
  );
  http.addRoute(
    {
      method: 'GET',
      path: '/metrics',
      handler: functions.status,
      authentication: 'the same token as the page; a scraper sends it as a bearer token.',
    },
    entrances.status,
  );
  http.addRoute(
    {
      method: 'GET',
      path: '/healthz',
      handler: functions.status,
      authentication: 'nothing, on purpose: it says that the service answers, and nothing else.',
    },
    entrances.status,
  );
  http.addRoute(
    {
      method: 'GET',
      path: '/causes',
      handler: functions.status,
      authentication: 'nothing, on purpose: it explains the codes of messages, and knows nothing of any cluster.',
    },
    entrances.status,
  );
}

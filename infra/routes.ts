import type { HttpEntry } from './constructs/http-entry.ts';
import type { Functions } from './functions.ts';

/** Who may come in, by which path, and how each caller is known. */
export function addRoutes(door: HttpEntry, functions: Functions): void {
  door.route({
    method: 'POST',
    path: '/github',
    answeredBy: functions['receive-github'],
    callerIsKnownBy: 'X-Hub-Signature-256, an HMAC over the body, which no authorizer gets to see.',
  });
  door.route({
    method: 'POST',
    path: '/argocd',
    answeredBy: functions['receive-argocd'],
    callerIsKnownBy: 'a bearer token; two are live during a rotation, which an authorizer would have to fetch as well.',
  });
  door.route({
    method: 'POST',
    path: '/cluster',
    answeredBy: functions['receive-cluster'],
    callerIsKnownBy: 'a bearer token; two are live during a rotation, which an authorizer would have to fetch as well.',
  });
  door.route({
    method: 'POST',
    path: '/handshake',
    answeredBy: functions.handshake,
    callerIsKnownBy: 'a bearer token; two are live during a rotation, which an authorizer would have to fetch as well.',
  });
  if (functions['receive-slack']) {
    door.route({
      method: 'POST',
      path: '/slack',
      answeredBy: functions['receive-slack'],
      callerIsKnownBy: 'X-Slack-Signature, an HMAC over the body and its time, which no authorizer gets to see.',
    });
  }
  door.route({
    method: 'GET',
    path: '/status',
    answeredBy: functions.status,
    callerIsKnownBy: 'a token that the page asks for; without it nothing about any cluster is shown.',
  });
  door.route({
    method: 'GET',
    path: '/healthz',
    answeredBy: functions.status,
    callerIsKnownBy: 'nothing, on purpose: it says that the service answers, and nothing else.',
  });
  door.route({
    method: 'GET',
    path: '/causes',
    answeredBy: functions.status,
    callerIsKnownBy: 'nothing, on purpose: it explains the codes of messages, and knows nothing of any cluster.',
  });
}

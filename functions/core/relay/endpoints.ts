import type { RelaySettings } from '../configuration/argocd.ts';

/** Webhook server of an Argo CD instance: that of its Applications, or that of its ApplicationSets. */
export type Endpoint = 'applications' | 'applicationsets';

/** GitHub events that the two servers handle; they answer 400 to anything else. Source: argo-cd util/webhook/scm.go,
 *  applicationset/webhook/webhook.go. */
const handledEvents: Readonly<Record<Endpoint, readonly string[]>> = {
  applications: ['push', 'ping'],
  applicationsets: ['push', 'pull_request', 'ping'],
};

/** Whether some webhook server of Argo CD handles this GitHub event. */
export function isRelayed(event: string): boolean {
  return Object.values(handledEvents).some((events) => events.includes(event));
}

/** The configured endpoints that a GitHub event is relayed to. */
export function endpointsFor(event: string, relay: RelaySettings): readonly Endpoint[] {
  const endpoints: readonly Endpoint[] = ['applications', 'applicationsets'];
  return endpoints.filter(
    (endpoint) => handledEvents[endpoint].includes(event) && addressOf(endpoint, relay) !== undefined,
  );
}

/** URL of an endpoint; undefined: none is configured. */
export function addressOf(endpoint: Endpoint, relay: RelaySettings): string | undefined {
  switch (endpoint) {
    case 'applications':
      return relay.url;
    case 'applicationsets':
      return relay.applicationSetUrl;
    default:
      return endpoint satisfies never;
  }
}

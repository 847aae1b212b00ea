import type { RelaySettings } from '../configuration/argocd.ts';

/** Which webhook server of an Argo CD instance: that of its Applications, or that of its ApplicationSets. */
export type Endpoint = 'applications' | 'applicationsets';

/** Events of GitHub that the two servers understand; anything else they answer with 400. Source: argo-cd
 *  util/webhook/scm.go, applicationset/webhook/webhook.go. */
const understood: Readonly<Record<Endpoint, readonly string[]>> = {
  applications: ['push', 'ping'],
  applicationsets: ['push', 'pull_request', 'ping'],
};

/** Events that some Argo CD may want to hear of. */
export function isRelayed(event: string): boolean {
  return Object.values(understood).some((events) => events.includes(event));
}

/** Where an event goes on to. */
export function endpointsFor(event: string, relay: RelaySettings): readonly Endpoint[] {
  const endpoints: readonly Endpoint[] = ['applications', 'applicationsets'];
  return endpoints.filter(
    (endpoint) => understood[endpoint].includes(event) && addressOf(endpoint, relay) !== undefined,
  );
}

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

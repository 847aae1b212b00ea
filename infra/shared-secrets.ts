import type { Construct } from 'constructs';
import { SharedSecret } from './constructs/shared-secret.ts';

/** What each caller proves to know. */
export interface SharedSecrets {
  readonly github: SharedSecret;
  readonly argocd: SharedSecret;
  readonly cluster: SharedSecret;
  readonly handshake: SharedSecret;
  readonly status: SharedSecret;
}

/** Whoever sets up a caller reads the generated value in the console, once. */
export function sharedSecrets(scope: Construct): SharedSecrets {
  return {
    github: new SharedSecret(scope, 'GithubSecret', { description: 'Signs GitHub webhooks' }),
    argocd: new SharedSecret(scope, 'ArgocdToken', { description: 'Bearer token of Argo CD notifications' }),
    cluster: new SharedSecret(scope, 'ClusterToken', { description: 'Bearer token of cluster events' }),
    handshake: new SharedSecret(scope, 'HandshakeToken', { description: 'Bearer token of PreSync Jobs' }),
    status: new SharedSecret(scope, 'StatusToken', { description: 'Bearer token of the status page' }),
  };
}

/** A kubeconfig with one cluster, one user and one context. */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly { readonly name: string; readonly cluster: ClusterAddress }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token: string } }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly 'current-context': string;
}

interface ClusterAddress {
  readonly server: string;
  /** Some clients require it before they speak plain HTTP, as on loopback. */
  readonly 'insecure-skip-tls-verify': true;
}

interface Access {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

export function kubeconfigFor({ name, url, token }: Access): Kubeconfig {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

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

type ClusterAddress = { readonly server: string } & (
  | { readonly 'certificate-authority-data': string }
  /** Some clients require it before they speak plain HTTP, as on loopback. */
  | { readonly 'insecure-skip-tls-verify': true }
);

interface Access {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  /** PEM; undefined: plain HTTP. */
  readonly ca: string | undefined;
}

export function kubeconfigFor({ name, url, token, ca }: Access): Kubeconfig {
  const trust =
    ca === undefined
      ? ({ 'insecure-skip-tls-verify': true } as const)
      : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, ...trust } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

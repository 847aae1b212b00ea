/** A kubeconfig, as JSON, which is YAML. */
export interface KubeconfigContent {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string;
}

export function kubeconfig({ server, ca, token, namespace = 'default' }: KubeconfigContent): string {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [{ name: 'lab', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'lab', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab', namespace } }],
  };
  return JSON.stringify(content, undefined, 2);
}

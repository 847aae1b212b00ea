/** How much of an object the API server should send. */
export type Form = 'object' | 'metadata' | 'table' | 'text' | 'discovery';

const json = 'application/json';

/** The Accept header for a form. The API server sends the first form it supports; plain JSON has the same fields. */
export function acceptOf(form: Form, path: string): string {
  switch (form) {
    case 'object':
      return json;
    case 'metadata':
      // For a list the API server requires the list's kind, and refuses it for a single object.
      return `${json};as=PartialObjectMetadata${namesOneObject(path) ? '' : 'List'};g=meta.k8s.io;v=v1,${json}`;
    case 'table':
      return `${json};as=Table;g=meta.k8s.io;v=v1,${json}`;
    case 'discovery':
      // Since Kubernetes 1.30, and before as a beta.
      return ['v2', 'v2beta1']
        .map((version) => `${json};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
        .concat(json)
        .join(',');
    case 'text':
      // Errors are sent as JSON.
      return `text/plain,${json},*/*`;
    default:
      return form satisfies never;
  }
}

/** `/api/v1/nodes/worker-1` does, `/api/v1/nodes` and `/api/v1/namespaces/shop/pods` do not. */
function namesOneObject(path: string): boolean {
  const [root, ...rest] = path.split('/').filter(Boolean);
  const afterVersion = rest.slice(root === 'api' ? 1 : 2);
  const inNamespace = afterVersion[0] === 'namespaces' && afterVersion.length > 2;
  return (inNamespace ? afterVersion.slice(2) : afterVersion).length > 1;
}

import { parseAllDocuments } from 'yaml';
import { manifests } from '../../../local/cli/manifests.ts';
import type { ControlPlane } from '../../cluster/harness/control-plane.ts';
import type { Draft } from '../../cluster/harness/kube.ts';
import { collectionOf } from '../../cluster/harness/paths.ts';
import { argocdNamespace } from './configuration.ts';

/** Where the printed manifests put our account, and its name there. */
const account = { namespace: 'poolkeeper', name: 'poolkeeper' } as const;

/** Applies what `poolkeeper manifests` prints for the cluster, and answers a token of the account that it makes: the
 *  deployed functions have no other rights than those. */
export async function letPoolkeeperIn(controlPlane: ControlPlane): Promise<string> {
  const { kube, ensure, serviceAccountToken } = controlPlane;
  await ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: argocdNamespace } });
  for (const object of await printed('--only', 'access,admission-limit', '--argocd-namespace', argocdNamespace))
    await kube.patch(`${collectionOf(object)}/${object.metadata.name}`, object, {
      type: 'apply',
      fieldManager: 'installer',
    });
  return serviceAccountToken(account);
}

async function printed(...args: readonly string[]): Promise<readonly Draft[]> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  await manifests.run(args, { out, note: () => {}, environment: {}, now: () => new Date() });
  return parseAllDocuments(text).map((document) => document.toJS());
}

import { afterAll } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifests } from '../../local/cli/manifests.ts';
import { admissionLimitObjects } from '../../local/manifests/admission-limit.ts';
import { guardHome, guardLimitContract } from '../admission/guard-limit.contract.ts';
import { home, type LimitLab, limitContract } from '../admission/limit.contract.ts';
import { untilPoliciesInForce } from './harness/in-force.ts';
import type { Draft } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { collectionOf } from './harness/paths.ts';
import { refusalOf } from './harness/refusal-of.ts';

const { kube, argocd, controlPlane } = useLab();
const placed: Draft[] = [];

limitContract('a real kube-apiserver', async () => {
  // What the command prints, and the rights to guard besides: no level has both.
  const account = { namespace: home, name: 'poolkeeper' };
  const both = admissionLimitObjects({ account, pools: [], restartsSyncs: true, guardsSyncs: true });
  const restarts = ['--level', 'admission', '--on-refused-sync', 'restart', '--pause-health-checks'];
  return openLimits(home, [...(await printed(home, restarts)), ...both]);
});
guardLimitContract('a real kube-apiserver', async () =>
  openLimits(guardHome, await printed(guardHome, ['--level', 'guard'])),
);

afterAll(async () => {
  for (const object of placed.toReversed()) await kube.delete(pathOf(object));
});

function pathOf(object: Draft): string {
  return `${collectionOf(object)}/${object.metadata.name}`;
}

async function printed(namespace: string, level: readonly string[]): Promise<readonly Draft[]> {
  let text = '';
  const args = ['--only', 'access,admission-limit', ...level];
  await manifests.run([...args, '--namespace', namespace, '--argocd-namespace', argocd.namespace], {
    out: (more) => {
      text += more;
    },
    note: () => {},
    environment: {},
    now: () => new Date(),
  });
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** The policies alone are tried here, so the account has every right. What RBAC leaves it: cli-manifests.test.ts. */
async function openLimits(namespace: string, objects: readonly Draft[]): Promise<LimitLab> {
  await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-machine-api' } });
  const ours = controlPlane.kubeAs(
    controlPlane.tokenFor({ name: `system:serviceaccount:${namespace}:poolkeeper`, groups: ['system:masters'] }),
  );
  for (const object of objects) {
    await kube.patch(pathOf(object), object, { type: 'apply', fieldManager: 'installer' });
    if (object.kind.startsWith('Validating')) placed.push(object);
  }
  await untilPoliciesInForce(kube);
  return {
    create: (object) => refusalOf(() => ours.post(collectionOf(object), object)),
    patch: (object, change, subResource) =>
      refusalOf(() => ours.patch(`${pathOf(object)}${subResource === undefined ? '' : `/${subResource}`}`, change)),
    delete: (object) => refusalOf(() => ours.delete(pathOf(object))),
    mint: (of, spec) =>
      refusalOf(() =>
        ours.post(`${pathOf(of)}/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }),
      ),
    place: async (object) => {
      await controlPlane.ensure(object);
      placed.push(object);
    },
  };
}

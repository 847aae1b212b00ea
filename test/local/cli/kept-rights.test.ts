import { expect, test } from 'vitest';
import { patchesApplications, requireNoPausing } from '../../../local/cli/kept-rights.ts';
import { objectPath } from '../../../local/cli/object-path.ts';
import { accessObjects } from '../../../local/manifests/access.ts';
import { admissionLimitObjects } from '../../../local/manifests/admission-limit.ts';
import type { KubeObject } from '../../../local/manifests/kube-object.ts';

const account = { namespace: 'poolkeeper', name: 'poolkeeper' };
const given = { account, pauses: true, pools: ['worker'], argocdNamespaces: ['openshift-gitops'] };
const guardsIn = 'openshift-gitops';

/** Whether connecting again keeps the right on a cluster with these objects. */
function keeps(stored: readonly KubeObject[]): Promise<boolean> {
  const byPath = new Map(stored.map((object) => [objectPath(object), object]));
  const client = { get: async (path: string) => byPath.get(path) };
  return patchesApplications(client, { objects: accessObjects(given), namespace: 'poolkeeper', limits: true });
}

test('[C-13] connecting again keeps the right that level guard and retried syncs need, where a policy limits it', async () => {
  const limits = admissionLimitObjects({ account, pools: [], guardsSyncs: true });

  expect(await keeps([])).toBe(false);
  expect(await keeps([...accessObjects(given), ...limits])).toBe(false);
  expect(await keeps(accessObjects({ ...given, guardsIn }))).toBe(false);
  expect(await keeps([...accessObjects({ ...given, guardsIn }), ...limits])).toBe(true);
  expect(await keeps([...accessObjects({ ...given, restartsSyncs: true }), ...limits])).toBe(true);
});

test('[C-13] [N-29] connecting to read only is refused where the account may pause, which that would not take away', async () => {
  const asked = (stored: readonly KubeObject[]) => {
    const byPath = new Map(stored.map((object) => [objectPath(object), object]));
    return requireNoPausing({ get: async (path: string) => byPath.get(path) }, account);
  };

  await expect(asked(accessObjects(given))).rejects.toThrow(/the account may pause pools here.* disconnect/);
  await expect(asked(accessObjects({ ...given, pauses: false }))).resolves.toBeUndefined();
});

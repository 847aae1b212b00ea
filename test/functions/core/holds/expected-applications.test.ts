import { expect, test } from 'vitest';
import { ArgoCdSettings } from '../../../../functions/core/configuration/argocd.ts';
import { expectedApplications } from '../../../../functions/core/holds/new-applications/expected-applications.ts';
import type { Manifest } from '../../../../functions/core/openshift/manifest.ts';
import type { ParsedFile } from '../../../../functions/core/routing/manifest-file.ts';
import type { Route } from '../../../../functions/core/routing/route.ts';
import { aPush } from '../routing/builders.ts';

const argocd = ArgoCdSettings.parse({ name: 'hub', cluster: 'mgmt' });
const repoURL = 'https://github.com/acme/ocp';
const parent: Route = {
  ref: { argocd: 'hub', namespace: argocd.namespaces[0] ?? '', name: 'root' },
  uid: 'u',
  cluster: 'mgmt',
  sources: [{ repoURL, path: 'apps', targetRevision: 'HEAD', chart: '' }],
  generatePaths: undefined,
  automated: true,
  renders: false,
  children: [],
};

function anApplication(index: number): Manifest {
  const source = { repoURL, path: `teams/${index}`, targetRevision: 'HEAD' };
  const destination = { name: 'in-cluster' };
  const spec = { project: 'default', destination, source, syncPolicy: { automated: {} } };
  const identity = { group: 'argoproj.io', kind: 'Application', namespace: '', name: `app-${index}` };
  return { ...identity, labels: {}, annotations: {}, body: { spec } };
}

test('[N-30] a push of a thousand new Applications and of many objects is not looked through for each of them', () => {
  const identity = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', name: 'a' };
  const other: Manifest = { ...identity, labels: {}, annotations: {}, body: {} };
  const news = Array.from({ length: 1_000 }, (_, index) => anApplication(index));
  const manifests = [...news, ...Array.from({ length: 19_000 }, () => other)];
  const file: ParsedFile = {
    path: 'apps/all.yaml',
    before: { kind: 'absent' },
    after: { kind: 'read', manifests, isWhole: true },
  };

  const expected = expectedApplications({
    at: '2026-03-02T10:00:00Z',
    revision: 'b'.repeat(40),
    before: 'a'.repeat(40),
    pushed: aPush({ files: ['apps/all.yaml'] }),
    everywhere: [{ route: parent, why: 'it is pushed', through: [] }],
    sets: [],
    files: { files: [file], tools: [], incomplete: undefined },
    argocd: [argocd],
  });

  const known = expected.filter(({ change }) => !change.unknown.some(({ path }) => path === 'what it writes'));
  expect(expected).toHaveLength(1_000);
  expect(known.length).toBeLessThanOrEqual(100);
});

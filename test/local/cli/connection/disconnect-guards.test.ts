import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardsAnnotation } from '../../../../functions/core/guard/guard-record.ts';
import { windowsAfter } from '../../../../functions/core/guard/sync-windows.ts';
import { disconnect } from '../../../../local/cli/connection/disconnect.ts';
import { appProjects, namespaces } from '../../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';

const ofSequence = {
  ...{ kind: 'deny', schedule: '* * * * *', duration: '27h', applications: ['nodes'], manualSync: false },
  description: 'poolkeeper.dev/sequence: closed until the turn of this Application in its sequence has come',
};
const foreign = { kind: 'deny', schedule: '0 22 * * 2', duration: '4h', applications: ['shop'] };
let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
});
afterAll(() => demo.close());

function project(namespace = 'openshift-gitops') {
  const found = demo.world.openshift.registry
    .list(appProjects)
    .find(({ metadata }) => metadata.namespace === namespace);
  if (found === undefined) throw new Error('there is no AppProject');
  return found;
}

/** With our window behind one of somebody else and one of a sequence, and a record that a newer version has written. */
function guarded(): void {
  const { metadata, ...rest } = project();
  const windows = windowsAfter([foreign, ofSequence], { closed: new Set(['nodes']), open: new Set() });
  demo.world.openshift.registry.update(
    appProjects,
    {
      ...rest,
      metadata: { ...metadata, annotations: { [guardsAnnotation]: '{"v":2}' } },
      spec: { syncWindows: JSON.parse(JSON.stringify(windows)) },
    },
    { manager: 'poolkeeper' },
  );
}

const wishes = ['--name', 'demo', '--namespace', 'poolkeeper', '--token-dir', '/nowhere'];

test('[N-6] [C-13] disconnect takes our windows and our record out of every AppProject, unreadable or not, and leaves those of others', async () => {
  guarded();

  const dry = await demo.run(disconnect, ...wishes, '--dry-run');
  const afterDry = project().metadata.annotations;
  const { text } = await demo.run(disconnect, ...wishes);

  expect(dry.text).toContain('open    guards of AppProject default');
  expect(afterDry).toHaveProperty(guardsAnnotation);
  expect(text).toContain('guards of AppProject default are open');
  expect(project().spec).toMatchObject({ syncWindows: [foreign] });
  expect(project().metadata.annotations ?? {}).not.toHaveProperty(guardsAnnotation);
});

test('[N-6] [C-13] disconnect opens the guards of each Argo CD in the cluster, also of one without Applications in its namespace', async () => {
  guarded();
  const { metadata, ...rest } = project();
  const { name, annotations = {} } = metadata;
  const other = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gitops-of-teams' } };
  demo.world.openshift.registry.create(namespaces, JSON.parse(JSON.stringify(other)), { manager: 'kubectl' });
  const copy = { ...rest, metadata: { name, namespace: 'gitops-of-teams', annotations } };
  demo.world.openshift.registry.create(appProjects, copy, { manager: 'poolkeeper' });

  const { text } = await demo.run(disconnect, ...wishes);

  expect(text).toContain('guards of AppProject gitops-of-teams/default are open');
  expect(text).toContain('guards of AppProject openshift-gitops/default are open');
  expect(project('gitops-of-teams').spec).toMatchObject({ syncWindows: [foreign] });
});

test('[N-6] [N-21] [C-13] disconnect says of which other clusters it opens guards, as of one with the Argo CD of many', async () => {
  guarded();
  const { metadata, ...rest } = project();
  const guards = ['demo', 'payments'].map((cluster) => ({ application: 'openshift-gitops/nodes', cluster, pools: [] }));
  const annotations = { [guardsAnnotation]: JSON.stringify({ v: 1, guards }) };
  demo.world.openshift.registry.update(
    appProjects,
    { ...rest, metadata: { ...metadata, annotations } },
    { manager: 'poolkeeper' },
  );

  const { text } = await demo.run(disconnect, ...wishes, '--dry-run');

  expect(text).toContain('open    guards of AppProject openshift-gitops/default (also for cluster payments)\n');
});

test('[N-6] [C-13] disconnect opens also the guard that Poolkeeper closes before it has lost its rights', async () => {
  const { faults } = demo.world.openshift;
  const closeThen = ({ method }: { readonly method: string }) => {
    if (method !== 'DELETE') return false;
    faults.clear();
    guarded();
    return false;
  };
  faults.inject({ fault: { kind: 'reset' }, matches: closeThen });

  const { text } = await demo.run(disconnect, ...wishes);

  expect(text).toContain('guards of AppProject openshift-gitops/default are open');
  expect(project().spec).toMatchObject({ syncWindows: [foreign] });
});

test('[N-6] [N-29] disconnect does not say that nothing is left where it could not read what is there', async () => {
  const broken = { metadata: { name: 'shop', namespace: 'gitops-of-teams' }, spec: { syncWindows: 'none' } };
  demo.world.openshift.registry.create(appProjects, JSON.parse(JSON.stringify(broken)), { manager: 'kubectl' });

  const { status, text } = await demo.run(disconnect, ...wishes);

  expect(status).toBe(1);
  expect(text).not.toContain('Nothing of Poolkeeper is left');
});

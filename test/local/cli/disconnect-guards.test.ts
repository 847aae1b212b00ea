import { afterAll, beforeAll, expect, test } from 'vitest';
import { guardsAnnotation } from '../../../functions/core/guard/guard-record.ts';
import { windowsAfter } from '../../../functions/core/guard/sync-windows.ts';
import { disconnect } from '../../../local/cli/disconnect.ts';
import { appProjects } from '../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

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

function project() {
  const found = demo.world.openshift.registry.list(appProjects)[0];
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

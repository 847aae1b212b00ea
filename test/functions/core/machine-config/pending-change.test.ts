import { expect, test } from 'vitest';
import { pendingChange } from '../../../../functions/core/machine-config/pending-change.ts';
import { machineConfig } from './builders.ts';

test('[S3-14] a push that brings a hundred MachineConfigs has as many causes as fit where they are kept', () => {
  const names = Array.from({ length: 100 }, (_, index) => `50-new-${index}`);
  const current = { name: 'rendered-a', sources: ['00-worker'] };
  const target = { name: 'rendered-b', sources: ['00-worker', ...names] };
  const files = Object.fromEntries(names.map((name) => [`/etc/${name}`, 'x']));

  const change = pendingChange({
    pool: { name: 'worker', current, target },
    rendered: { before: machineConfig('rendered-a', {}), after: machineConfig('rendered-b', { files }) },
    suspects: [],
    managed: [
      {
        application: 'openshift-gitops/nodes',
        revisions: ['b'.repeat(40)],
        resources: names.map((name) => ({ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name })),
      },
    ],
    circumstances: undefined,
  });

  expect(change.partsInAll).toBe(100);
  expect(change.causes).toHaveLength(20);
  expect(change.causes[0]).toMatchObject({ kind: 'git', by: { application: 'openshift-gitops/nodes' } });
});

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

test('[S3-14] [N-29] a MachineConfig with an empty text that the MCO does not render is no cause beside the real one', () => {
  const file = (source: string, more: object = {}) => ({ mode: 420, contents: { source: `data:,${source}`, ...more } });
  const managedBy = (application: string, name: string) => ({
    application,
    revisions: ['b'.repeat(40)],
    resources: [{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', name }],
  });
  const sources = ['50-base', '99-site'];

  const { causes } = pendingChange({
    pool: { name: 'worker', current: { name: 'rendered-a', sources }, target: { name: 'rendered-b', sources } },
    rendered: {
      before: machineConfig('rendered-a', { files: { '/etc/a': file('x') } }),
      after: machineConfig('rendered-b', { files: { '/etc/a': file('y') } }),
    },
    suspects: [
      machineConfig('50-base', { files: { '/etc/a': file('x', { compression: '' }) } }),
      machineConfig('99-site', { files: { '/etc/a': file('y') } }),
    ],
    managed: [managedBy('team-base/base', '50-base'), managedBy('team-site/site', '99-site')],
    circumstances: undefined,
  });

  expect(causes.map(({ sources: of }) => of)).toEqual([['99-site']]);
});

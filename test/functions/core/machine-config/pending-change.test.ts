import { describe, expect, test } from 'vitest';
import { defaultDisruptionPolicy } from '../../../../functions/core/machine-config/disruption-policy.ts';
import type { MachineConfigContent } from '../../../../functions/core/machine-config/machine-config.ts';
import { pendingChange } from '../../../../functions/core/machine-config/pending-change.ts';
import type { OtherConfigs } from '../../../../functions/core/openshift/other-configs.ts';
import { machineConfig } from './builders.ts';

const noOthers = { names: [], mayBeMore: false };

test('[S3-14] a push that brings a hundred MachineConfigs has as many causes as fit where they are kept', () => {
  const names = Array.from({ length: 100 }, (_, index) => `50-new-${index}`);
  const current = { name: 'rendered-a', sources: ['00-worker'] };
  const target = { name: 'rendered-b', sources: ['00-worker', ...names] };
  const files = Object.fromEntries(names.map((name) => [`/etc/${name}`, 'x']));

  const change = pendingChange({
    pool: { name: 'worker', current, target },
    rendered: { before: machineConfig('rendered-a', {}), after: machineConfig('rendered-b', { files }), others: [] },
    others: noOthers,
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
      others: [],
    },
    others: noOthers,
    suspects: [
      machineConfig('50-base', { files: { '/etc/a': file('x', { compression: '' }) } }),
      machineConfig('99-site', { files: { '/etc/a': file('y') } }),
    ],
    managed: [managedBy('team-base/base', '50-base'), managedBy('team-site/site', '99-site')],
    circumstances: undefined,
  });

  expect(causes.map(({ sources: of }) => of)).toEqual([['99-site']]);
});

describe('what changes for nodes that have neither of the two configs', () => {
  const [before, after] = [{ '/etc/a': 'x' }, { '/etc/a': 'y' }].map((files) => machineConfig('rendered', { files }));
  const spec = { kernelArguments: ['nosmt'] };
  const other = machineConfig('rendered-other', { files: { '/etc/a': 'z', '/etc/ssh/sshd_config': 'x' }, spec });

  function changeFrom(others: readonly MachineConfigContent[], known: OtherConfigs, policy = defaultDisruptionPolicy) {
    if (before === undefined || after === undefined) throw new Error('there are two');
    const [current, target] = ['rendered-a', 'rendered-b'].map((name) => ({ name, sources: [] }));
    if (current === undefined || target === undefined) throw new Error('there are two');
    return pendingChange({
      pool: { name: 'worker', current, target },
      rendered: { before, after, others },
      others: known,
      suspects: [],
      managed: [],
      circumstances: { policy, isSingleNode: false, layeredPools: [] },
    });
  }

  const files = [{ path: '/etc/a', actions: [{ type: 'None', service: '' }] }];
  const sparing = { ...defaultDisruptionPolicy, files };

  test('[S3-14] [S0-24] is part of the change, each part once, and the worst of it is its class', () => {
    const alone = changeFrom([], noOthers, sparing);
    const change = changeFrom([other], { names: ['rendered-other'], mayBeMore: false }, sparing);

    expect(alone).toMatchObject({ class: 'none', parts: ['file /etc/a'], partsInAll: 1, security: [] });
    expect(alone).not.toHaveProperty('others');
    expect(change).toMatchObject({ class: 'reboot', others: ['rendered-other'], partsInAll: 3, security: ['sshd'] });
    expect(change.parts).toEqual(['file /etc/ssh/sshd_config', 'file /etc/a', 'kernel arguments']);
  });

  test.each([
    { names: ['rendered-other'], mayBeMore: false },
    { names: [], mayBeMore: true },
  ])('[S3-14] [S0-24] is not known where not all of them could be compared: %j', (known) => {
    expect(changeFrom([], known, sparing).class).toBeUndefined();
    expect(changeFrom([], known).class).toBe('reboot');
  });
});

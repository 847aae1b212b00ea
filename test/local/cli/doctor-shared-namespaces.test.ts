import { expect, it } from 'vitest';
import {
  checkNamespaces,
  checkSharedNamespaces,
  recordsThere,
} from '../../../local/cli/doctor/check-shared-namespaces.ts';
import { sequenceOf } from '../../functions/core/sequences/sequence-builder.ts';

const check = { image: 'registry.example.com/team/check:1', command: ['/check'] };

function checkedIn(...bindings: readonly object[]) {
  return checkSharedNamespaces('prod', ['checks'], { client: { list: async () => bindings }, homes: ['poolkeeper'] });
}

function binding(role: string, kind: string, name: string, namespace?: string) {
  return {
    roleRef: { kind: 'ClusterRole', name: role },
    subjects: [{ kind, name, ...(namespace === undefined ? {} : { namespace }) }],
  };
}

it('[S2-6] [N-30] names the namespaces of a cluster in which checks run as Jobs', () => {
  const sequence = sequenceOf(
    {
      own: { kind: 'check', waitFor: { ...check, resourceNamespace: 'checks' } },
      plain: { kind: 'check', waitFor: check, clusters: ['prod'] },
      objects: { kind: 'check', waitFor: { resourceType: 'sc' } },
    },
    { clusters: ['prod', 'edge'] },
  );

  expect(checkNamespaces({ virt: sequence }, 'prod')).toEqual(['checks', 'poolkeeper']);
  expect(checkNamespaces({ virt: sequence }, 'edge')).toEqual(['checks']);
  expect(checkNamespaces(undefined, 'prod')).toEqual([]);
});

it('[S2-6] [N-30] warns where others may write, and so may answer for a check', async () => {
  const findings = await checkedIn(
    binding('admin', 'User', 'anna'),
    binding('edit', 'ServiceAccount', 'pipeline', 'ci'),
    binding('view', 'Group', 'everybody'),
  );

  expect(findings).toMatchObject([
    {
      state: 'warning',
      what: 'sequences: checks run in namespace checks, where others may write, and so may answer for them: User anna (admin) and ServiceAccount pipeline (edit)',
    },
  ]);
});

it('[S2-6] is content with a namespace of their own', async () => {
  const findings = await checkedIn(
    binding('poolkeeper-sequences', 'ServiceAccount', 'poolkeeper', 'poolkeeper'),
    binding('system:image-puller', 'Group', 'system:serviceaccounts:checks'),
    binding('system:deployer', 'ServiceAccount', 'deployer', 'checks'),
    { roleRef: { kind: 'Role', name: 'empty' }, subjects: null },
  );

  expect(findings).toMatchObject([
    { state: 'ok', what: 'sequences: checks run in namespace checks, and no RoleBinding lets others write there' },
  ]);
});

it.each([
  ['an account of the name of ours in another namespace', binding('edit', 'ServiceAccount', 'poolkeeper', 'tenant')],
  [
    'a Role of the name of a ClusterRole that only reads',
    { ...binding('view', 'User', 'eve'), roleRef: { kind: 'Role', name: 'view' } },
  ],
])('[S2-6] [N-30] takes for a stranger %s', async (_, strange) => {
  expect(await checkedIn(strange)).toMatchObject([{ state: 'warning' }]);
});

it('[S4-26] [N-30] warns where others may write the records of runs, and so may let nodes go', async () => {
  const list = async () => [binding('edit', 'User', 'anna')];

  expect(
    await checkSharedNamespaces('prod', ['poolkeeper'], { client: { list }, homes: [] }, recordsThere),
  ).toMatchObject([
    {
      state: 'warning',
      what: 'runs: records are kept in namespace poolkeeper, where others may write, and so may let nodes go: User anna (edit)',
    },
  ]);
});

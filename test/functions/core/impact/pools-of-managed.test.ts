import { expect, test } from 'vitest';
import { firstReached, poolsOfManaged } from '../../../../functions/core/impact/pools-of-managed.ts';
import type { ResourceName } from '../../../../functions/core/openshift/rendered-kinds.ts';
import { roleLabel } from '../../../../functions/core/openshift/role-label.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { fc } from '../../../property.ts';
import { usualPools } from './live.ts';

const group = 'machineconfiguration.openshift.io';
const names = ['edge', 'nobody', 'gone', 'worker'];

/** MachineOSConfigs that name a pool each, of which two are not there, and a MachineConfig for each role. */
const live = {
  pools: usualPools,
  machineConfigs: names.map((name) => ({ name: `99-${name}`, labels: { [roleLabel]: name } })),
  choosers: seen(names.map((name) => ({ kind: 'MachineOSConfig', name, selector: undefined, pool: name }))),
};

function managed(kind: string, name: string): ResourceName {
  return { group, kind, namespace: '', name };
}

test('[S0-13] [N-30] objects that name pools which are not there hide no pool that others reach', () => {
  const pools = live.pools.filter(({ name }) => ['master', 'worker'].includes(name));
  const resources = [
    managed('MachineOSConfig', 'nobody'),
    managed('MachineOSConfig', 'gone'),
    managed('MachineConfig', '99-worker'),
  ];

  expect(firstReached(resources, { ...live, pools }).get('worker')?.why).toContain('99-worker');
});

test('[property] [S0-13] [N-30] every pool is found that any of the objects reaches, by the first that does', () => {
  const resource = fc.oneof(
    fc.constantFrom(...names).map((name) => managed('MachineOSConfig', name)),
    fc.constantFrom(...names).map((name) => managed('MachineConfig', `99-${name}`)),
    fc.constant(managed('MachineConfigPool', 'edge')),
  );
  fc.assert(
    fc.property(fc.array(resource, { maxLength: 8 }), (resources) => {
      const found = firstReached(resources, live);

      for (const { name } of live.pools)
        expect(found.get(name)).toEqual(
          resources.flatMap((each) => poolsOfManaged(each, live)).find(({ pool }) => pool === name),
        );
    }),
  );
});

test.each([
  ['edge', ['edge', 'worker']],
  ['pruned', ['worker']],
  ['master', ['master']],
])(
  '[S0-13] [N-30] pool %s, which a sync may narrow or remove, reaches those that get its nodes: %j',
  (name, expected) => {
    const reached = poolsOfManaged(managed('MachineConfigPool', name), live);

    expect(reached.map(({ pool }) => pool).toSorted()).toEqual(expected);
  },
);

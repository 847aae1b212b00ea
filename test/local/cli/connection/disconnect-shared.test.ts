import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ClusterConnection } from '../../../../functions/adapters/kubernetes/connect.ts';
import { guardsAnnotation } from '../../../../functions/core/guard/guard-record.ts';
import { heldPools } from '../../../../local/cli/connection/disconnect-pools.ts';
import { guardedProjects } from '../../../../local/cli/connection/disconnect-projects.ts';
import { pausedHealthChecks } from '../../../../local/cli/connection/release-health-checks.ts';
import type { Shares, Whose } from '../../../../local/cli/connection/whose.ts';
import { freeze } from '../../../../local/cli/freeze.ts';
import { pickCluster } from '../../../../local/cli/pick-cluster.ts';
import { appProjects, typeOfKind } from '../../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';
import { allOurs } from './all-ours.ts';

let demo: DemoCluster;
let connection: ClusterConnection;

beforeEach(async () => {
  demo = await demoCluster();
  ({ connection } = await pickCluster({ kubeconfig: demo.kubeconfig }, demo.surroundings));
});
afterEach(async () => {
  await connection.close();
  await demo.close();
});

function sharesOf(pools: Readonly<Record<string, Whose>>, namespaces: Whose): Shares {
  return {
    pool: (name) => pools[name] ?? 'nobodys',
    inNamespace: () => namespaces,
    isSole: false,
    others: 'the Poolkeeper in namespace pk-prod',
  };
}

test('[N-6] [N-21] [C-13] a pool that another installation may pause, too, is left with its holds and named', async () => {
  await demo.run(freeze, '--pool', 'worker', '--for', '4h', '--reason', 'trading');

  const alone = await heldPools(connection, allOurs);
  const theirs = await heldPools(connection, sharesOf({ worker: 'theirs' }, 'theirs'));
  const either = await heldPools(connection, sharesOf({ worker: 'either' }, 'theirs'));
  const nobodys = await heldPools(connection, sharesOf({}, 'theirs'));

  expect(alone.held.map(({ name }) => name)).toEqual(['worker']);
  expect(theirs).toEqual({
    held: [],
    stays: [],
    theirs: ['pool worker: stays as it is, with the Poolkeeper in namespace pk-prod'],
  });
  expect(either).toMatchObject({ held: [], stays: [expect.stringMatching(/worker: .*may have written it; by hand:/)] });
  expect(nobodys).toMatchObject({
    held: [],
    stays: [expect.stringMatching(/worker: .*no account here has the right/)],
  });
});

test('[N-6] [C-13] guards of an Argo CD that another installation may guard, too, stay closed and are named', async () => {
  const { registry } = demo.world.openshift;
  const [project] = registry.list(appProjects);
  if (project === undefined) throw new Error('there is no AppProject');
  const metadata = { ...project.metadata, annotations: { [guardsAnnotation]: '{"v":2}' } };
  registry.update(appProjects, { ...project, metadata }, { manager: 'poolkeeper' });

  const alone = await guardedProjects(connection, { shares: allOurs, name: 'demo' });
  const theirs = await guardedProjects(connection, { shares: sharesOf({}, 'theirs'), name: 'demo' });
  const either = await guardedProjects(connection, { shares: sharesOf({}, 'either'), name: 'demo' });

  expect(alone.guarding.map(({ said }) => said)).toEqual(['default']);
  expect(theirs).toEqual({
    guarding: [],
    stays: [],
    theirs: ['guards of AppProject default: stays as it is, with the Poolkeeper in namespace pk-prod'],
  });
  expect(either).toMatchObject({ guarding: [], stays: [expect.stringMatching(/default: .*by hand: docs\/guard\.md/)] });
});

test('[N-6] [C-13] a MachineHealthCheck goes with the pools that it is paused for, where both may pause it', async () => {
  const check = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineHealthCheck' };
  const type = typeOfKind(check.apiVersion, check.kind);
  if (type === undefined) throw new Error('the simulated cluster serves no MachineHealthChecks');
  for (const pools of [['dev'], ['payments'], ['dev', 'payments']]) {
    const record = JSON.stringify({ v: 1, pools, since: '2026-03-02T07:50:00Z' });
    const annotations = { 'cluster.x-k8s.io/paused': 'poolkeeper', 'poolkeeper.dev/paused-for-rollout': record };
    const metadata = { name: pools.join('-'), namespace: 'openshift-machine-api', annotations };
    const object = { ...check, metadata, spec: { selector: {} } };
    demo.world.openshift.registry.create(type, object, { manager: 'poolkeeper' });
  }

  const shares = sharesOf({ dev: 'ours', payments: 'theirs' }, 'either');
  const { ours, stays, theirs } = await pausedHealthChecks(connection.healthChecks, shares);

  expect(ours.map(({ name }) => name)).toEqual(['dev']);
  expect(theirs).toEqual([expect.stringMatching(/^MachineHealthCheck payments, .* with the Poolkeeper in/)]);
  expect(stays).toEqual([expect.stringMatching(/^MachineHealthCheck dev-payments, .* may have written it/)]);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pickSource } from '../../local/cli/explain/pick-source.ts';
import { takeSnapshot } from '../../local/cli/take-snapshot.ts';
import { machineConfigs } from '../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from '../local/cli/demo-cluster.ts';

/** Rewrites the recordings: `node test/corpus/record-simulated.ts`. The simulated OpenShift is deterministic. */
const scenes: Readonly<Record<string, (demo: DemoCluster) => Promise<void>>> = {
  'drain-in-deadlock': (demo) => demo.untilBlocked(),
  async 'file-edited-on-the-node'({ world, clock }) {
    world.openshift.daemons.drift('worker-1', 'content mismatch for file "/etc/chrony.conf"');
    await clock.advance(120_000);
  },
  async 'node-lost-in-its-reboot'({ world, clock }) {
    for (const name of ['worker-0', 'worker-1', 'worker-2']) world.openshift.kubelets.neverReturn(name);
    world.labelSecondNode();
    world.pushChange();
    await clock.advance(30 * 60_000);
  },
  async 'ignition-of-another-world'({ world, clock }) {
    const metadata = { name: '99-bad', labels: { 'machineconfiguration.openshift.io/role': 'worker' } };
    const spec = { config: { ignition: { version: '9.9.0' } } };
    world.openshift.registry.create(machineConfigs, { metadata, spec }, { manager: 'kubectl' });
    await clock.advance(60_000);
  },
  'whole-cluster-at-rest': async () => {},
};

for (const [name, play] of Object.entries(scenes)) {
  const demo = await demoCluster();
  await play(demo);
  const source = await pickSource({ config: '' }, demo.surroundings);
  const snapshot = await takeSnapshot(source, { pools: [], node: undefined }, demo.surroundings);
  writeFileSync(join(import.meta.dirname, 'recordings', `${name}.json`), `${JSON.stringify(snapshot)}\n`);
  await source.close();
  await demo.close();
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShownSequence } from '../../functions/core/sequences/shown-sequence.ts';
import type { KubernetesObject } from '../openshift/api-server/kubernetes-object.ts';
import { clusterServiceVersions, subscriptions } from '../openshift/api-server/resource-types.ts';
import { storageClass } from '../openshift/storage-world.ts';
import { awaitEvent, DemoFailed, showMessage, waitUntil } from './awaiting.ts';
import { cluster, type Demo } from './demo-set-up.ts';
import type { Scenario } from './scenario.ts';
import { inviteToSteer, scenarioSequences, scenarioYaml, sequenceName } from './sequence-scenario.ts';
import type { StepPrinter } from './step-printer.ts';

/** The second operator is not installed before the first one's storage class is there, which comes late. */
export const sequenceOfOperators: Scenario = {
  options: () => ({ sequences: scenarioSequences() }),
  run: runSequence,
  anchor: `#sequence-${sequenceName}`,
  async invitation(_, folder) {
    await writeFile(join(folder, 'poolkeeper.yaml'), scenarioYaml());
    return inviteToSteer(folder);
  },
};

async function runSequence(demo: Demo, printer: StepPrinter): Promise<void> {
  introduce(demo, printer.say);
  printer.begin();
  await firstWave(demo, printer);
  await waitForClass(demo, printer);
  await secondWave(demo, printer);
}

function introduce({ clock }: Demo, say: StepPrinter['say']): void {
  say(`A simulated OpenShift with OLM. Its time runs ${clock.speed} times as fast; all times below are the cluster's.
Sequence ${sequenceName} on cluster ${cluster}: wave 5 installs the storage operator and waits for its
StorageClass ${storageClass}; wave 10 installs virtualization, which needs that class.
`);
}

async function firstWave(demo: Demo, { step }: StepPrinter): Promise<void> {
  await waitUntil(demo, 'the storage operator to be asked for', async () => storage(demo) !== undefined);
  step('Poolkeeper', 'wave 5 begins: Subscription openshift-storage/odf-operator is applied');
  await waitUntil(demo, 'the storage operator to be installed', async () =>
    hasSucceeded(demo, 'openshift-storage', 'odf-operator.v4.17.2'),
  );
  step('OLM', 'odf-operator.v4.17.2 has succeeded; without a gate, the next wave would begin now');
}

async function waitForClass(demo: Demo, { step, say }: StepPrinter): Promise<void> {
  const gate = async () =>
    (await shown(demo))?.waves.flatMap((wave) => wave.shown).find(({ waitedSince }) => waitedSince !== undefined);
  await waitUntil(demo, 'the gate to be waited for', async () => (await gate()) !== undefined);
  step('Poolkeeper', `waits: ${(await gate())?.value}; virtualization is held back, as wave 5 is not healthy`);
  const opened = await awaitEvent(demo, 'poolkeeper.incident.opened.v1');
  step('Poolkeeper', `two minutes were allowed: PK-${opened.data.number} ${opened.data.headline}`);
  await showMessage(demo, 'FIRING', say);
  if (virtualization(demo) !== undefined) throw new DemoFailed('virtualization was installed before its storage class');
  step('Cluster', 'virtualization is not installed, and no sync of Argo CD stands open');
}

async function secondWave(demo: Demo, { step, say }: StepPrinter): Promise<void> {
  demo.storage.makeClass();
  step('ODF', `its StorageCluster is ready at last: StorageClass ${storageClass} is there`);
  await waitUntil(demo, 'virtualization to be asked for', async () => virtualization(demo) !== undefined);
  step(
    'Poolkeeper',
    'wave 5 is healthy, wave 10 begins: Subscription openshift-cnv/kubevirt-hyperconverged is applied',
  );
  await waitUntil(demo, 'the sequence to be done', async () => (await shown(demo))?.state === 'done');
  step('Poolkeeper', `every step is healthy, sequence ${sequenceName} is done`);
  const resolved = await awaitEvent(demo, 'poolkeeper.incident.resolved.v1');
  step('Poolkeeper', `PK-${resolved.data.number} is resolved`);
  await showMessage(demo, 'RESOLVED', say);
}

async function shown({ keeper }: Demo): Promise<ShownSequence | undefined> {
  return (await keeper.ports.sequenceViews?.list())?.find(({ sequence }) => sequence === sequenceName);
}

function storage(demo: Demo): KubernetesObject | undefined {
  return demo.world.openshift.registry.get(subscriptions, 'odf-operator', 'openshift-storage');
}

function hasSucceeded(demo: Demo, namespace: string, name: string): boolean {
  const csv = demo.world.openshift.registry.get(clusterServiceVersions, name, namespace);
  return csv?.status?.['phase'] === 'Succeeded';
}

function virtualization(demo: Demo): KubernetesObject | undefined {
  return demo.world.openshift.registry.get(subscriptions, 'kubevirt-hyperconverged', 'openshift-cnv');
}

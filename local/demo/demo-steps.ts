import { isInFlight, type Node } from '../../functions/core/openshift/node.ts';
import { isUpdated } from '../../functions/core/openshift/pool.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { application, fastNode, machineConfig, secondNode } from '../openshift/reference-world.ts';
import { awaitEvent, DemoFailed, showMessage, waitUntil } from './awaiting.ts';
import { cluster, type Demo } from './demo-set-up.ts';
import type { StepPrinter } from './step-printer.ts';

/** Runs the demo: one push from beginning to end through the public webhooks. Throws DemoFailed with the step that did
 *  not happen. */
export async function runSteps(demo: Demo, printer: StepPrinter): Promise<void> {
  await waitUntilSettled(demo);
  await introduce(demo, printer.say);
  printer.begin();
  await push(demo, printer);
  await syncUnderPause(demo, printer);
  await resume(demo, printer);
  await alertAndRemedy(demo, printer);
}

/** Waits for the state before the demo: the Application has synced once, the pool is updated, nothing is held. */
async function waitUntilSettled(demo: Demo): Promise<void> {
  const isSynced = () => demo.world.openshift.argocd.application(application)?.status?.sync?.status === 'Synced';
  await waitUntil(demo, 'the cluster to settle', async () => isSynced() && (await isWorkerUpdated(demo)));
  await waitUntil(demo, 'every hold of the first sync to end', async () => !(await worker(demo))?.paused);
  demo.announced.splice(0);
  demo.published.splice(0);
}

async function introduce({ clock, connection }: Demo, say: StepPrinter['say']): Promise<void> {
  const { items: nodes } = await connection.pools.listNodes({});
  say(
    `A simulated OpenShift with Argo CD. Its time runs ${clock.speed} times as fast; all times below are the cluster's.`,
  );
  say(`Cluster ${cluster}: ${nodes.map((node) => node.name).join(', ')}.`);
  say(
    `Argo CD syncs ${application} automatically. The two pods of shop/web fit only on ${fastNode}, and their PDB requires one of them.\n`,
  );
}

async function push(demo: Demo, { step }: StepPrinter): Promise<void> {
  const pushed = demo.world.pushChange();
  const payload = pushPayload(pushed);
  const { owner, name } = pushed.repository;
  step('Git push', `${owner}/${name} ${pushed.after.slice(0, 8)} changes ${machineConfig}; GitHub delivers it`);
  const delivered = await demo.deliveries.push(payload);
  demo.world.openshift.argocd.receivePush(payload);
  step('Poolkeeper', `answers ${delivered.status} to the signed delivery; Argo CD gets its own`);
}

async function syncUnderPause(demo: Demo, { step }: StepPrinter): Promise<void> {
  const paused = await awaitEvent(demo, 'poolkeeper.pool.paused.v1');
  step('Poolkeeper', `pool worker is paused: ${paused.data.why}`);
  await waitUntil(demo, 'Argo CD to run the sync', async () => demo.announced.some((id) => id.includes('/Running/')));
  step('Argo CD', `${application}: Running`);
  await waitUntil(demo, 'the sync to succeed', async () => demo.announced.some((id) => id.includes('/Succeeded/')));
  step('Argo CD', `${application}: Succeeded, ${machineConfig} is applied`);

  const { missedNodes, generation } = (await awaitEvent(demo, 'poolkeeper.pool.confirmed.v1')).data;
  const early = missedNodes.length === 0 ? 'no node was targeted before' : `too late for ${missedNodes.join(', ')}`;
  step('MCO', `has observed the pause (generation ${generation}); ${early}`);
  const { verdict } = (await awaitEvent(demo, 'poolkeeper.race.decided.v1')).data;
  step('Poolkeeper', `the sync has ended, and so does its hold; the pause was ${verdict}`);
  if (verdict !== 'early' && verdict !== 'in time') throw new DemoFailed(`the pause was ${verdict}`);
  await requireUntouchedNodes(demo);
  step('Poolkeeper', 'all nodes still run the old config: nothing rebooted under the sync');
}

async function resume(demo: Demo, printer: StepPrinter): Promise<void> {
  const resumed = await awaitEvent(demo, 'poolkeeper.pool.resumed.v1');
  const [why = '', ahead] = resumed.data.why.split('; expect blocked drains: ');
  printer.step('Poolkeeper', `the gates are open, pool worker resumes: ${why}`);
  if (ahead !== undefined) printer.step('Poolkeeper', `expects the rollout to stop: ${ahead}`);
  await followRollout(demo, printer);
}

async function alertAndRemedy(demo: Demo, { step, say }: StepPrinter): Promise<void> {
  const opened = await awaitEvent(demo, 'poolkeeper.incident.opened.v1');
  step('Poolkeeper', `PK-${opened.data.number} ${opened.data.headline}`);
  await showMessage(demo, 'FIRING', say);
  demo.world.labelSecondNode();
  step('A person', `does what the message advises: oc label node ${secondNode} disk=ssd`);
  await waitUntil(demo, 'the pool to be updated', async () => isWorkerUpdated(demo));
  step('MCO', 'every worker runs the new config; pool worker is Updated');
  const resolved = await awaitEvent(demo, 'poolkeeper.incident.resolved.v1');
  step('Poolkeeper', `PK-${resolved.data.number} is resolved; the message says why`);
  await showMessage(demo, 'RESOLVED', say);
}

async function worker({ connection }: Demo) {
  return (await connection.pools.listPools()).items.find((pool) => pool.name === 'worker');
}

async function isWorkerUpdated(demo: Demo): Promise<boolean> {
  const pool = await worker(demo);
  return pool !== undefined && isUpdated(pool);
}

async function workers({ connection }: Demo): Promise<readonly Node[]> {
  return (await connection.pools.listNodes({ matchLabels: { 'node-role.kubernetes.io/worker': '' } })).items;
}

async function requireUntouchedNodes(demo: Demo): Promise<void> {
  const touched = (await workers(demo)).filter(isInFlight);
  if (touched.length > 0)
    throw new DemoFailed(`${touched.map((node) => node.name).join(', ')} were touched under the sync`);
}

/** A step for each node that is updated, until the incident about the one that is stuck. */
async function followRollout(demo: Demo, { step }: StepPrinter): Promise<void> {
  const updated = new Set<string>();
  const targeted = new Set<string>();
  const isStuck = () => demo.published.some((event) => event.type === 'poolkeeper.incident.opened.v1');
  await waitUntil(demo, 'a node to get stuck in its drain', async () => {
    for (const node of await workers(demo)) {
      if (isInFlight(node) && !targeted.has(node.name)) step('MCO', `${node.name} is targeted, cordoned and drained`);
      if (isInFlight(node)) targeted.add(node.name);
      if (!isInFlight(node) && targeted.has(node.name) && !updated.has(node.name)) {
        updated.add(node.name);
        step('MCO', `${node.name} has rebooted into the new config`);
      }
    }
    return isStuck();
  });
}

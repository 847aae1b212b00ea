import { nodes } from '../openshift/api-server/resource-types.ts';
import type { GitPush } from '../openshift/argocd/git-repository.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { annotationOf } from '../openshift/machine-config/node-annotations.ts';
import { application, directory, machineConfig } from '../openshift/reference-world.ts';
import { awaitEvent, DemoFailed, readStatus, waitUntil } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';
import { inviteToPush } from './invite-to-push.ts';
import type { Scenario } from './scenario.ts';
import {
  awaitPause,
  followToTheEnd,
  introduceWorkers,
  nameOf,
  resume,
  waitUntilSettled,
  workers,
} from './shared-steps.ts';
import type { StepPrinter } from './step-printer.ts';

/** Poolkeeper is cut off from the cluster while a sync begins: the pause comes late, and is told as late. */
export const lateScenario: Scenario = {
  run: runLate,
  invitation: inviteToPush,
  // Its sync is as long as that of an application with thousands of objects, whatever the clock: a node goes under it.
  options: () => ({ argocdSpeed: 0.025 }),
};

async function runLate(demo: Demo, printer: StepPrinter): Promise<void> {
  demo.world.labelSecondNode();
  await waitUntilSettled(demo);
  introduceWorkers(
    demo,
    printer.say,
    `A push changes the time server of the workers while nothing gets through between the cluster, GitHub
and Poolkeeper. Its sync has a second wave and is still running when the first node is targeted.`,
  );
  printer.begin();
  const endOutage = demo.cutOff();
  const pushed = pushTwoWaves(demo);
  await missed(demo, printer, pushed);
  endOutage();
  const delivered = await demo.deliveries.push(pushPayload(pushed));
  printer.step('Poolkeeper', `is reachable again, and answers ${delivered.status} to the delivery`);
  await awaitPause(demo, printer);
  const before = await workers(demo);
  await told(demo, printer);
  await resume(demo, printer);
  await followToTheEnd(demo, printer, before);
}

async function missed(demo: Demo, { step }: StepPrinter, pushed: GitPush): Promise<void> {
  step('Git push', `${nameOf(pushed)} changes ${machineConfig}; it reaches Argo CD, and not Poolkeeper`);
  demo.world.openshift.argocd.receivePush(pushPayload(pushed));
  await waitUntil(demo, 'Argo CD to run the sync', async () => demo.announced.some((id) => id.includes('/Running/')));
  step('Argo CD', `${application}: Running; its notification is lost, and will be sent again`);
  await waitUntil(demo, 'a node to be targeted', async () => targeted(demo) !== undefined);
  step('MCO', `${targeted(demo)} is targeted, cordoned and drained, under the sync`);
}

/** By the cluster's own objects: nobody reaches its API now. */
function targeted({ world }: Demo): string | undefined {
  return world.openshift.registry
    .list(nodes)
    .find((node) => annotationOf(node, 'desiredConfig') !== annotationOf(node, 'currentConfig'))?.metadata.name;
}

async function told(demo: Demo, { step }: StepPrinter): Promise<void> {
  const { missedNodes } = (await awaitEvent(demo, 'poolkeeper.pool.confirmed.v1')).data;
  step('MCO', `has observed the pause; too late for ${missedNodes.join(', ')}, and no further node is targeted`);
  await waitUntil(demo, 'the sync to succeed', async () => demo.announced.some((id) => id.includes('/Succeeded/')));
  step('Argo CD', `${application}: Succeeded`);
  const { verdict } = (await awaitEvent(demo, 'poolkeeper.race.decided.v1')).data;
  if (verdict !== 'late') throw new DemoFailed(`the pause was ${verdict}`);
  const entry = async () => (await readStatus(demo)).timeline.find(({ text }) => text.includes('late'));
  await waitUntil(demo, 'the timeline to say so', async () => (await entry()) !== undefined);
  step('Poolkeeper', `says so on its page and timeline: ${(await entry())?.text}`);
}

/** The second wave begins when the first is healthy, a while later. */
function pushTwoWaves({ world }: Demo): GitPush {
  const metadata = {
    name: 'time-servers',
    namespace: 'shop',
    annotations: { 'argocd.argoproj.io/sync-wave': '1' },
  };
  const note = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} };
  return world.pushChange(undefined, { [`${directory}/note.json`]: `${JSON.stringify(note, undefined, 2)}\n` });
}

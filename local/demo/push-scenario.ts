import { podDisruptionBudgets, pods } from '../openshift/api-server/resource-types.ts';
import { fastNode, secondNode } from '../openshift/reference-world.ts';
import { awaitEvent, DemoFailed, showMessage, waitUntil } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';
import { inviteToPush } from './invite-to-push.ts';
import { changeOf, type OnCall } from './on-call.ts';
import type { Scenario } from './scenario.ts';
import {
  awaitEnd,
  followRollout,
  introduceWorkers,
  isLeftToTheDemo,
  isWorkerUpdated,
  push,
  resume,
  syncUnderPause,
  touchedNodes,
  waitUntilSettled,
  worker,
  workers,
} from './shared-steps.ts';
import type { StepPrinter } from './step-printer.ts';

/** One push from beginning to end through the public webhooks. It stops for the person on call, if there is one. */
export const pushScenario: Scenario = { run: runPush, invitation: inviteToPush };

async function runPush(demo: Demo, printer: StepPrinter, onCall: OnCall | undefined): Promise<void> {
  await waitUntilSettled(demo);
  introduceWorkers(
    demo,
    printer.say,
    `A push changes the time server of the workers. The two pods of shop/web fit only on ${fastNode}, and
their disruption budget (PDB) requires one of them.`,
  );
  const before = await workers(demo);
  printer.begin();
  await push(demo, printer);
  await syncUnderPause(demo, printer);
  const touched = await touchedNodes(demo, before);
  // Where the cluster is much faster than these looks, the pool may be resumed already.
  if (touched.length > 0 && (await worker(demo))?.paused === true)
    throw new DemoFailed(`touched under the sync: ${touched.join(', ')}`);
  printer.step('Poolkeeper', 'all nodes still run the old config: nothing rebooted under the sync');
  await resume(demo, printer);
  const isStuck = async () => demo.published.some(({ type }) => type === 'poolkeeper.incident.opened.v1');
  // A person may label the second node before anything is stuck.
  const isAverted = async () => onCall !== undefined && (await isWorkerUpdated(demo));
  const isOver = async () => (await isStuck()) || (await isAverted());
  await followRollout(demo, printer, { what: 'a node to get stuck in its drain', before, isOver });
  if (await isStuck()) await alertAndRemedy(demo, printer, onCall);
  else printer.step('You', 'were faster: every worker runs the new config, and nothing got stuck');
}

async function alertAndRemedy(demo: Demo, printer: StepPrinter, onCall: OnCall | undefined): Promise<void> {
  const { step, say } = printer;
  const opened = await awaitEvent(demo, 'poolkeeper.incident.opened.v1');
  step('Poolkeeper', `PK-${opened.data.number} ${opened.data.headline}`);
  await showMessage(demo, 'FIRING', say);
  const isOver = () => isWorkerUpdated(demo);
  const watch = changeOf(async () => isFree(demo), false);
  if (await isLeftToTheDemo(demo, onCall, { printer, words: advice, watch, isOver })) {
    demo.world.labelSecondNode();
    step('A person', `does what the message advises: oc label node ${secondNode} disk=ssd`);
  } else step('You', 'have ended it');
  await waitUntil(demo, 'the pool to be updated', isOver);
  step('MCO', 'every worker runs the new config; pool worker is Updated');
  await awaitEnd(demo, printer);
}

/** Whether the drain can end: nothing of the shop is left on its node, or the budget lets go of it. */
function isFree({ world: { openshift } }: Demo): boolean {
  const { registry } = openshift;
  const left = registry.list(pods, 'shop').some(({ spec }) => spec.nodeName === fastNode);
  const budgets = registry.list(podDisruptionBudgets, 'shop');
  return !left || budgets.every(({ status }) => status !== undefined && status.disruptionsAllowed > 0);
}

const advice = `${fastNode} is stuck, and you are on call. Read the message, and run one of its commands against the
cluster above:

  oc label node ${secondNode} disk=ssd

or press Enter, and the demo does.\n`;

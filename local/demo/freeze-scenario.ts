import { holdsOf } from '../../functions/core/openshift/pool-record.ts';
import { machineConfig } from '../openshift/reference-world.ts';
import { runAsPerson } from './as-person.ts';
import { awaitEvent, DemoFailed, readStatus, waitUntil } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';
import { inviteToPush } from './invite-to-push.ts';
import { changeOf, type OnCall } from './on-call.ts';
import type { Scenario } from './scenario.ts';
import {
  awaitSync,
  followToTheEnd,
  introduceWorkers,
  isLeftToTheDemo,
  push,
  requireUntouched,
  resume,
  waitUntilSettled,
  worker,
  workers,
} from './shared-steps.ts';
import type { StepPrinter } from './step-printer.ts';

/** A person freezes the pool; what is pushed meanwhile is synced, and rolls out after the thaw. */
export const freezeScenario: Scenario = { run: runFreeze, invitation: inviteToPush };

const thaw = ['thaw', '--pool', 'worker', '--reason', 'the quarter is closed'];

async function runFreeze(demo: Demo, printer: StepPrinter, onCall: OnCall | undefined): Promise<void> {
  demo.world.labelSecondNode();
  await waitUntilSettled(demo);
  introduceWorkers(
    demo,
    printer.say,
    `The quarter is being closed, and no node may reboot. A colleague who does not know it pushes a new
time server for the workers.`,
  );
  const before = await workers(demo);
  printer.begin();
  await runAsPerson(demo, printer, ['freeze', '--pool', 'worker', '--for', '4h', '--reason', 'closing the quarter']);
  await push(demo, printer);
  await awaitSync(demo, printer, `Succeeded, ${machineConfig} is applied`);
  await awaitEvent(demo, 'poolkeeper.pool.released.v1');
  await stillFrozen(demo, printer);
  await runAsPerson(demo, printer, ['why', 'worker', '--url', demo.server.url]);
  const isOver = async () => (await worker(demo))?.paused === false;
  if (
    await isLeftToTheDemo(demo, onCall, { printer, words: advice, watch: changeOf(() => isFrozen(demo), true), isOver })
  ) {
    await requireUntouched(demo, before, 'touched under the freeze:');
    await runAsPerson(demo, printer, thaw);
  } else printer.step('You', 'have ended the freeze');
  await resume(demo, printer);
  await followToTheEnd(demo, printer, before);
}

async function stillFrozen(demo: Demo, { step }: StepPrinter): Promise<void> {
  if ((await worker(demo))?.paused !== true) throw new DemoFailed('the pool was resumed in spite of the freeze');
  step('Poolkeeper', 'the hold of the sync has ended, and the freeze goes on: pool worker stays paused');
  await waitUntil(demo, 'the page to show what waits', async () => {
    const pools = (await readStatus(demo)).clusters.flatMap((each) => each.pools);
    return pools.some(({ name, pending, why }) => name === 'worker' && pending && why?.now.length === 1);
  });
}

async function isFrozen(demo: Demo): Promise<boolean> {
  const pool = await worker(demo);
  return pool !== undefined && holdsOf(pool).some(({ kind }) => kind === 'freeze');
}

const advice = `You closed the quarter. End the freeze,

  poolkeeper thaw --pool worker --reason "the quarter is closed"

or press Enter, and the demo does.\n`;

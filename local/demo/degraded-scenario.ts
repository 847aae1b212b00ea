import { isTrue } from '../../functions/core/openshift/pool.ts';
import { machineConfigs } from '../openshift/api-server/resource-types.ts';
import type { GitPush } from '../openshift/argocd/git-repository.ts';
import { directory } from '../openshift/reference-world.ts';
import { awaitEvent, DemoFailed, showMessage, waitUntil } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';
import { cloneCommand, inviteToPush } from './invite-to-push.ts';
import { changeOf, type OnCall } from './on-call.ts';
import type { Scenario } from './scenario.ts';
import {
  awaitEnd,
  awaitPause,
  awaitSync,
  followToTheEnd,
  forgetWhatWas,
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

/** A MachineConfig that the MCO cannot render degrades the pool; the message names it and its commit. */
export const degradedScenario: Scenario = { run: runDegraded, invitation: inviteToPush };

const name = '99-worker-motd';
const file = `${directory}/worker-motd.json`;

async function runDegraded(demo: Demo, printer: StepPrinter, onCall: OnCall | undefined): Promise<void> {
  demo.world.labelSecondNode();
  await waitUntilSettled(demo);
  introduceWorkers(
    demo,
    printer.say,
    `A push adds a MachineConfig that was written for an Ignition that does not exist yet. Argo CD
applies it without a complaint; the Machine Config Operator (MCO) cannot render it.`,
  );
  const before = await workers(demo);
  printer.begin();
  const pushed = pushUnrenderable(demo);
  await push(demo, printer, { pushed, change: `adds ${name}` });
  await awaitPause(demo, printer);
  await awaitSync(demo, printer, `Succeeded, ${name} is applied`);
  await mended(demo, { printer, onCall, broken: pushed.after });
  await resume(demo, printer);
  if (isThere(demo)) await followToTheEnd(demo, printer, before);
  else {
    await requireUntouched(demo, before, 'changed was');
    printer.step('MCO', 'renders what it had rendered before: no node is targeted, none reboots');
  }
  await awaitEnd(demo, printer);
}

interface Mending {
  readonly printer: StepPrinter;
  readonly onCall: OnCall | undefined;
  /** The commit that cannot be rendered. */
  readonly broken: string;
}

async function mended(demo: Demo, { printer, onCall, broken }: Mending): Promise<void> {
  const { step, say } = printer;
  const opened = await awaitEvent(demo, 'poolkeeper.incident.opened.v1');
  step('Poolkeeper', `PK-${opened.data.number} ${opened.data.headline}`);
  await showMessage(demo, 'FIRING', say);
  forgetWhatWas(demo);
  if ((await worker(demo))?.paused !== true) throw new DemoFailed('the pool was resumed with nothing rendered');
  step('Poolkeeper', 'pool worker stays paused meanwhile: its nodes have the config that they had');
  const { repository } = demo.world;
  const watch = changeOf(async () => repository.head()?.id, broken);
  // Reverted, or corrected.
  const isOver = async () => !isThere(demo) || (await isRendered(demo));
  if (await isLeftToTheDemo(demo, onCall, { printer, words: advice(demo), watch, isOver })) {
    const pushed = repository.push({ message: `Revert "add ${name}"`, files: { [file]: null } });
    await push(demo, printer, { pushed, change: 'reverts it, as the message advises' });
  } else step('You', 'have ended it');
  await waitUntil(demo, 'Argo CD to remove it', isOver);
  step('Argo CD', `has ${isThere(demo) ? 'applied your' : 'removed'} ${name}`);
}

function isThere({ world }: Demo): boolean {
  return world.openshift.registry.get(machineConfigs, name) !== undefined;
}

async function isRendered(demo: Demo): Promise<boolean> {
  const pool = await worker(demo);
  return pool !== undefined && !isTrue(pool, 'RenderDegraded');
}

function advice({ server, world: { repository } }: Demo): string {
  return `Pool worker is degraded, and you are on call. Read the message, and revert the commit:

${cloneCommand(server.url, repository)}
git revert --no-edit HEAD && git push

or press Enter, and a colleague does.\n`;
}

function pushUnrenderable({ world: { repository } }: Demo): GitPush {
  const labels = { 'machineconfiguration.openshift.io/role': 'worker' };
  const manifest = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels },
    spec: { config: { ignition: { version: '9.9.0' } } },
  };
  return repository.push({ message: `add ${name}`, files: { [file]: `${JSON.stringify(manifest, undefined, 2)}\n` } });
}

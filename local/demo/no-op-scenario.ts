import type { GitPush } from '../openshift/argocd/git-repository.ts';
import { application, directory, machineConfig, machineConfigFile } from '../openshift/reference-world.ts';
import { awaitEvent, DemoFailed, waitUntil } from './awaiting.ts';
import type { Demo } from './demo-set-up.ts';
import { inviteToPush } from './invite-to-push.ts';
import type { Scenario } from './scenario.ts';
import {
  awaitSync,
  forgetWhatWas,
  introduceWorkers,
  isWorkerUpdated,
  push,
  requireUntouched,
  resume,
  waitUntilSettled,
  workers,
} from './shared-steps.ts';
import type { StepPrinter } from './step-printer.ts';

/** Two pushes that change nothing on a node: one spares the pool, the other pauses it while it is synced. */
export const noOpScenario: Scenario = {
  run: runNoOp,
  invitation: inviteToPush,
  // Its sync is not announced by a pause: it has to be seen while it runs, on a busy machine too.
  options: () => ({ argocdSpeed: 0.005 }),
};

async function runNoOp(demo: Demo, printer: StepPrinter): Promise<void> {
  await waitUntilSettled(demo);
  introduceWorkers(
    demo,
    printer.say,
    `Two pushes into the folder with the machine config of the workers, and neither changes a node: one
adds a text that Argo CD does not sync, the other annotates the MachineConfig.`,
  );
  const before = await workers(demo);
  printer.begin();
  await spare(demo, printer);
  await letGo(demo, printer);
  await requireUntouched(demo, before, 'changed was');
  printer.step('MCO', 'has rendered nothing new: no node is targeted, none reboots');
}

/** Nothing is synced, so nothing is paused. */
async function spare(demo: Demo, printer: StepPrinter): Promise<void> {
  const { repository } = demo.world;
  const file = `${directory}/README.md`;
  const pushed = repository.push({ message: 'say what is here', files: { [file]: 'Time servers\n' } });
  await push(demo, printer, { pushed, change: `adds ${file}` });
  await sparedFor(demo, printer);
  await waitUntil(demo, 'Argo CD to compare that commit', async () => isAt(demo, pushed));
  printer.step('Argo CD', `${application} is Synced with ${pushed.after.slice(0, 8)}, without a sync`);
}

async function sparedFor(demo: Demo, { step }: StepPrinter): Promise<void> {
  const { why } = (await awaitEvent(demo, 'poolkeeper.decision.nothing.v1')).data;
  if (demo.published.some(({ type }) => type === 'poolkeeper.pool.paused.v1'))
    throw new DemoFailed('the pool was paused for nothing');
  step('Poolkeeper', `spares pool worker: ${why}`);
}

function isAt({ world }: Demo, { after }: GitPush): boolean {
  return world.openshift.argocd.application(application)?.status?.sync?.revision === after;
}

/** Argo CD syncs the MachineConfig, and a sync of one always pauses; nothing is left to roll out. What the push does to
 *  nodes is judged beside that: on a busy machine the sync has begun before, and the pool is paused at once. */
async function letGo(demo: Demo, printer: StepPrinter): Promise<void> {
  forgetWhatWas(demo);
  await push(demo, printer, { pushed: pushAnnotation(demo), change: `annotates ${machineConfig}` });
  await waitUntil(demo, 'Poolkeeper to decide', async () => decided(demo));
  const isSpared = !demo.published.some(({ type }) => type === 'poolkeeper.pool.paused.v1');
  if (isSpared) await sparedFor(demo, printer);
  const paused = await awaitEvent(demo, 'poolkeeper.pool.paused.v1');
  const how = isSpared ? 'all the same as' : 'because';
  printer.step('Poolkeeper', `pauses pool worker ${how} the sync begins: ${paused.data.why}`);
  await awaitSync(demo, printer, `Succeeded, ${machineConfig} is annotated`);
  await resume(demo, printer);
  await waitUntil(demo, 'the pool to be updated', () => isWorkerUpdated(demo));
}

function decided({ published }: Demo): boolean {
  return published.some(
    ({ type }) => type === 'poolkeeper.decision.nothing.v1' || type === 'poolkeeper.pool.paused.v1',
  );
}

function pushAnnotation({ world: { repository } }: Demo): GitPush {
  const text = repository.filesAt(repository.head()?.id ?? '').get(machineConfigFile) ?? '{}';
  const manifest = JSON.parse(text) as { readonly metadata: object };
  const metadata = { ...manifest.metadata, annotations: { 'example.com/owner': 'team-time' } };
  const files = { [machineConfigFile]: `${JSON.stringify({ ...manifest, metadata }, undefined, 2)}\n` };
  return repository.push({ message: 'chrony: name the owner', files });
}

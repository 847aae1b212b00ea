import type { GitPush } from '../openshift/argocd/git-repository.ts';
import { machineConfigManifest } from '../openshift/machine-config/machine-config-manifest.ts';
import { application, directory } from '../openshift/reference-world.ts';
import { awaitEvent, showMessage, waitUntil } from './awaiting.ts';
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
  resume,
  waitUntilSettled,
  workers,
} from './shared-steps.ts';
import type { StepPrinter } from './step-printer.ts';

/** The sync applies one half and fails: the pool stays paused and says why, until a person has mended the other. */
export const failedSyncScenario: Scenario = {
  options: () => ({ retry: { limit: 0 } }),
  run: runFailedSync,
  invitation: inviteToPush,
};

const motdFile = `${directory}/worker-motd.json`;

async function runFailedSync(demo: Demo, printer: StepPrinter, onCall: OnCall | undefined): Promise<void> {
  demo.world.labelSecondNode();
  await waitUntilSettled(demo);
  introduceWorkers(
    demo,
    printer.say,
    `One push changes the time server of the workers and adds a second MachineConfig, with a label that
Kubernetes refuses: half of the change gets into the cluster. If the nodes rebooted for that half,
they would have to do it again for the other.`,
  );
  const before = await workers(demo);
  printer.begin();
  const pushed = pushBroken(demo);
  await push(demo, printer, { pushed, change: 'changes two MachineConfigs' });
  await awaitPause(demo, printer);
  await awaitSync(demo, printer, 'Failed; one MachineConfig is applied, the other was refused');
  await mended(demo, { printer, onCall, broken: pushed.after });
  await resume(demo, printer);
  await followToTheEnd(demo, printer, before);
  await awaitEnd(demo, printer);
}

interface Mending {
  readonly printer: StepPrinter;
  readonly onCall: OnCall | undefined;
  /** The commit whose sync fails. */
  readonly broken: string;
}

async function mended(demo: Demo, { printer, onCall, broken }: Mending): Promise<void> {
  const { step, say } = printer;
  const opened = await awaitEvent(demo, 'poolkeeper.incident.opened.v1');
  step('Poolkeeper', `keeps pool worker paused. PK-${opened.data.number} ${opened.data.headline}`);
  await showMessage(demo, 'FIRING', say);
  forgetWhatWas(demo);
  const isOver = async () => demo.announced.some((id) => id.includes('/Succeeded/'));
  const watch = changeOf(async () => demo.world.repository.head()?.id, broken);
  if (await isLeftToTheDemo(demo, onCall, { printer, words: advice(demo), watch, isOver }))
    await push(demo, printer, { pushed: pushMended(demo), change: `mends the label in ${motdFile}` });
  else step('You', 'have mended it');
  await waitUntil(demo, 'the sync to succeed', isOver);
  step('Argo CD', `${application}: Succeeded`);
}

function advice({ server, world: { repository } }: Demo): string {
  return `The sync has failed, and you are on call: the pool stays paused until a sync succeeds. Read the
message, and mend the label in Git:

${cloneCommand(server.url, repository)}
sed -i.bak 's/team time/team-time/' ${motdFile}
git commit -m 'a label without a blank' ${motdFile} && git push

or press Enter, and a colleague does.\n`;
}

function pushBroken({ world }: Demo): GitPush {
  return world.pushChange(undefined, { [motdFile]: motdOf('team time') });
}

function pushMended({ world: { repository } }: Demo): GitPush {
  return repository.push({ message: 'a label without a blank', files: { [motdFile]: motdOf('team-time') } });
}

/** A second MachineConfig, with this label. */
function motdOf(owner: string): string {
  const manifest = machineConfigManifest('99-worker-motd', 'worker', { '/etc/motd': 'Times are UTC\n' });
  const labels = { ...manifest.metadata.labels, 'example.com/owner': owner };
  const labelled = { ...manifest, metadata: { ...manifest.metadata, labels } };
  return `${JSON.stringify(labelled, undefined, 2)}\n`;
}

import { dirname, join } from 'node:path';
import { styleText } from 'node:util';
import { duration } from '../../functions/core/text/durations.ts';
import type { Flags } from '../flags.ts';
import { DemoFailed } from './awaiting.ts';
import { type Demo, setUpDemo } from './demo-set-up.ts';
import { onCallAt } from './on-call.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { stepPrinter } from './step-printer.ts';

/** The demo after its last step, with everything still running. */
export interface DemoRun {
  /** False: a step did not happen. */
  readonly succeeded: boolean;
  stop(): Promise<void>;
}

/** Sets up the demo, runs its steps and leaves everything running. */
export async function runDemo(flags: Flags, say: (line: string) => void): Promise<DemoRun> {
  const scenario = await scenarios[flags.scenario].load();
  const demo = await setUpDemo(flags, scenario.options?.());
  await welcome(demo, scenario, say);
  const succeeded = await run(demo, scenario, { say, isAttended: !flags.exit });
  demo.clock.runAt(1);
  if (!flags.exit) await invite(demo, scenario, say);
  return { succeeded, stop: demo.stop };
}

/** What can be watched and touched from the first second on. */
async function welcome(demo: Demo, { anchor = '' }: Scenario, say: (line: string) => void): Promise<void> {
  const kubeconfig = join(dirname(demo.log), 'kubeconfig');
  await demo.world.openshift.writeKubeconfig(kubeconfig);
  say(`
Status     ${demo.server.url}/status${anchor}
Cluster    export KUBECONFIG=${kubeconfig}
           then oc get mcp, kubectl get nodes, npx --no-install poolkeeper why worker
Commands   export POOLKEEPER_URL=${demo.server.url}
           then npx --no-install poolkeeper status --watch
           (in this folder; npm install --global . makes it poolkeeper everywhere)
`);
}

interface Telling {
  readonly say: (line: string) => void;
  /** Somebody may be in front of the terminal. */
  readonly isAttended: boolean;
}

async function run(demo: Demo, scenario: Scenario, { say, isAttended }: Telling): Promise<boolean> {
  // Colours only where the output is a terminal; NO_COLOR and FORCE_COLOR are honoured.
  const paint = (colour: Parameters<typeof styleText>[0], text: string) =>
    styleText(colour, text, { stream: process.stdout });
  const printer = stepPrinter(demo.clock, { write: say, paint, elapsedMs: () => performance.now() });
  demo.whileWaiting.push(printer.stillWaiting);
  try {
    const onCall = isAttended ? onCallAt(process.stdin) : undefined;
    await scenario.run(demo, printer, onCall);
    say('\nDemo finished.');
    return true;
  } catch (cause) {
    if (!(cause instanceof DemoFailed)) throw cause;
    say(`\nDemo failed: ${cause.message}`);
    return false;
  }
}

/** How far the cluster's time has got ahead of this machine's, while it ran faster. */
function aheadOf({ clock }: Demo): string {
  return duration((clock.now().getTime() - Date.now()) / 1000);
}

/** Prints what to look at and what to try next. */
async function invite(demo: Demo, { anchor = '', invitation }: Scenario, say: (line: string) => void): Promise<void> {
  const invited = await invitation(demo, dirname(demo.log));
  say(`
The cluster's time runs as fast as yours from here on, and is ${aheadOf(demo)} ahead of it. Commands
go by yours: an age that they print is off by as much.

Status     ${demo.server.url}/status${anchor}
Messages   ${demo.server.url}/outbox   (files in ${demo.outbox})
Log        ${demo.log}
${invited}`);
}

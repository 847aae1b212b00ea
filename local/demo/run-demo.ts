import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Flags, Scenario } from '../flags.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { githubSignature } from '../run/github-signature.ts';
import { DemoFailed } from './awaiting.ts';
import { type Demo, type DemoOptions, setUpDemo } from './demo-set-up.ts';
import { runSteps } from './demo-steps.ts';
import { inviteToSteer, scenarioSequences, scenarioYaml, sequenceName } from './sequence-scenario.ts';
import { runSequence } from './sequence-steps.ts';
import { type StepPrinter, stepPrinter } from './step-printer.ts';

/** The demo after its last step, with everything still running. */
export interface DemoRun {
  /** False: a step did not happen. */
  readonly succeeded: boolean;
  stop(): Promise<void>;
}

interface Played {
  readonly options: () => DemoOptions;
  /** Throws DemoFailed with the step that did not happen. */
  readonly run: (demo: Demo, printer: StepPrinter) => Promise<void>;
  /** Where on the page to look. */
  readonly anchor: string;
  /** What to try next. */
  readonly invitation: (demo: Demo, folder: string) => Promise<string>;
}

/** A new scenario is one entry here. */
const scenarios: Readonly<Record<Scenario, Played>> = {
  push: { options: () => ({}), run: runSteps, anchor: '', invitation: inviteToPush },
  sequence: {
    options: () => ({ sequences: scenarioSequences() }),
    run: runSequence,
    anchor: `#sequence-${sequenceName}`,
    async invitation({ world }, folder) {
      await writeFile(join(folder, 'poolkeeper.yaml'), scenarioYaml());
      await world.openshift.writeKubeconfig(join(folder, 'kubeconfig'));
      return inviteToSteer(folder);
    },
  },
};

/** Sets up the demo, runs its steps and leaves everything running. */
export async function runDemo(flags: Flags, say: (line: string) => void): Promise<DemoRun> {
  const played = scenarios[flags.scenario];
  const demo = await setUpDemo(flags, played.options());
  if (flags.scenario === 'sequence') say(`Status     ${demo.server.url}/status${played.anchor}\n`);
  const succeeded = await run(demo, played, say);
  if (!flags.exit) await invite(demo, played, say);
  return { succeeded, stop: demo.stop };
}

async function run(demo: Demo, played: Played, say: (line: string) => void): Promise<boolean> {
  try {
    await played.run(demo, stepPrinter(demo.clock, say));
    say('\nDemo finished.');
    return true;
  } catch (cause) {
    if (!(cause instanceof DemoFailed)) throw cause;
    say(`\nDemo failed: ${cause.message}`);
    return false;
  }
}

/** Prints what to look at and what to try next. */
async function invite(demo: Demo, { anchor, invitation }: Played, say: (line: string) => void): Promise<void> {
  const invited = await invitation(demo, dirname(demo.log));
  say(`
Status     ${demo.server.url}/status${anchor}
Messages   ${demo.outbox}
Log        ${demo.log}
${invited}`);
}

async function inviteToPush(demo: Demo, folder: string): Promise<string> {
  const body = JSON.stringify(pushPayload(demo.world.pushChange()));
  const file = join(folder, 'push.json');
  await writeFile(file, body);
  return `
Try a push of your own (signed with the secret ${demo.secrets.github === 'development' ? '"development"' : 'of POOLKEEPER_GITHUB_SECRET'}):

curl -sS ${demo.server.url}/github \\
  -H 'Content-Type: application/json' -H 'X-GitHub-Event: push' -H "X-GitHub-Delivery: try-$(date +%s)" \\
  -H 'X-Hub-Signature-256: ${githubSignature(body, demo.secrets.github)}' \\
  --data-binary @${file}

Ctrl-C ends.`;
}

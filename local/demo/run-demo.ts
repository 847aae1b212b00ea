import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Flags } from '../flags.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { githubSignature } from '../run/github-signature.ts';
import { type Demo, setUpDemo } from './demo-set-up.ts';
import { DemoFailed, runSteps } from './demo-steps.ts';
import { stepPrinter } from './step-printer.ts';

/** The demo after its last step, with everything still running. */
export interface DemoRun {
  /** False: a step did not happen. */
  readonly succeeded: boolean;
  stop(): Promise<void>;
}

/** Sets up the demo, runs its steps and leaves everything running. */
export async function runDemo(flags: Flags, say: (line: string) => void): Promise<DemoRun> {
  const demo = await setUpDemo(flags);
  const succeeded = await run(demo, say);
  if (!flags.exit) await invite(demo, say);
  return { succeeded, stop: demo.stop };
}

async function run(demo: Demo, say: (line: string) => void): Promise<boolean> {
  try {
    await runSteps(demo, stepPrinter(demo.clock, say));
    say('\nDemo finished.');
    return true;
  } catch (cause) {
    if (!(cause instanceof DemoFailed)) throw cause;
    say(`\nDemo failed: ${cause.message}`);
    return false;
  }
}

/** Prints what to look at and what to try next. */
async function invite(demo: Demo, say: (line: string) => void): Promise<void> {
  const body = JSON.stringify(pushPayload(demo.world.pushChange()));
  const file = join(dirname(demo.log), 'push.json');
  await writeFile(file, body);
  say(`
Status     ${demo.server.url}/status
Messages   ${demo.outbox}
Log        ${demo.log}

Try a push of your own (signed with the secret ${demo.secrets.github === 'development' ? '"development"' : 'of POOLKEEPER_GITHUB_SECRET'}):

curl -sS ${demo.server.url}/github \\
  -H 'Content-Type: application/json' -H 'X-GitHub-Event: push' -H "X-GitHub-Delivery: try-$(date +%s)" \\
  -H 'X-Hub-Signature-256: ${githubSignature(body, demo.secrets.github)}' \\
  --data-binary @${file}

Ctrl-C ends.`);
}

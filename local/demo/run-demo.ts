import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Flags } from '../flags.ts';
import { pushPayload } from '../openshift/argocd/push-payload.ts';
import { githubSignature } from '../run/github-signature.ts';
import { narrator } from './narrator.ts';
import { playStory, WentWrong } from './play.ts';
import { buildStage, type Stage } from './stage.ts';

/** The running story: whether it came out right, and how to end the program behind it. */
export interface DemoRun {
  readonly cameOutRight: boolean;
  stop(): Promise<void>;
}

/** Builds the stage, plays the story and leaves everything running. */
export async function runStory(flags: Flags, say: (line: string) => void): Promise<DemoRun> {
  const stage = await buildStage(flags);
  const cameOutRight = await play(stage, say);
  if (!flags.exit) await invite(stage, say);
  return { cameOutRight, stop: stage.stop };
}

async function play(stage: Stage, say: (line: string) => void): Promise<boolean> {
  try {
    await playStory(stage, narrator(stage.clock, say));
    say('\nThe story came out right.');
    return true;
  } catch (cause) {
    if (!(cause instanceof WentWrong)) throw cause;
    say(`\nThe story went wrong: ${cause.message}`);
    return false;
  }
}

/** What to look at and what to try next. */
async function invite(stage: Stage, say: (line: string) => void): Promise<void> {
  const body = JSON.stringify(pushPayload(stage.world.pushChange()));
  const file = join(dirname(stage.log), 'push.json');
  await writeFile(file, body);
  say(`
Status     ${stage.server.url}/status
Messages   ${stage.outbox}
Log        ${stage.log}

Try a push of your own (signed with the secret ${stage.secrets.github === 'development' ? '"development"' : 'of POOLKEEPER_GITHUB_SECRET'}):

curl -sS ${stage.server.url}/github \\
  -H 'Content-Type: application/json' -H 'X-GitHub-Event: push' -H "X-GitHub-Delivery: try-$(date +%s)" \\
  -H 'X-Hub-Signature-256: ${githubSignature(body, stage.secrets.github)}' \\
  --data-binary @${file}

Ctrl-C ends.`);
}

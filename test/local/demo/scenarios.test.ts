import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runDemo } from '../../../local/demo/run-demo.ts';
import type { ScenarioName } from '../../../local/demo/scenarios.ts';
import { expectStory } from './expect-story.ts';

/** Everything that a scenario prints when nobody is there to decide, and whether it succeeded. */
async function play(scenario: ScenarioName, onEnd: (close: () => Promise<void>) => void) {
  // Its path stands in what is printed, whose lines have to fit.
  const data = await mkdtemp(join(tmpdir(), 'pk-'));
  onEnd(() => rm(data, { recursive: true, force: true }));
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const flags = { kubeconfig: undefined, context: undefined, config: undefined, isPortChosen: true };
  const demo = await runDemo({ ...flags, exit: true, scenario, port: 0, data, speed: 150 }, say);
  await demo.stop();
  return { succeeded: demo.succeeded, text: lines.join('\n') };
}

const stories: Readonly<
  Record<Exclude<ScenarioName, 'no-op' | 'push' | 'sequence' | 'node-by-node'>, readonly RegExp[]>
> = {
  'failed-sync': [
    /pool worker is paused: /,
    /Failed; one MachineConfig is applied, the other was/,
    /keeps pool worker paused. PK-1 sync of/,
    /FIRING .* - demo\/worker - sync failed/,
    /failed on MachineConfig\s+\| 99-worker-motd/,
    /mends the label in machine-config\/worker-motd.json/,
    /platform-machine-config: Succeeded/,
    /the gates are open, pool worker resumes/,
    /worker-0 is targeted/,
    /pool worker is Updated/,
    /RESOLVED after/,
    /WHAT ENDED IT\s+\| Argo CD synced openshift-gitops\/platform-machine-config to [0-9a-f]{8} at \d\d:\d\d/,
  ],
  degraded: [
    /Succeeded, 99-worker-motd is applied/,
    /PK-1 cannot be rendered: MachineConfig 99-worker-motd/,
    /FIRING .* - demo\/worker - render failed/,
    /In Git: revert or correct MachineConfig 99-worker-motd/,
    /pool worker stays paused meanwhile/,
    /reverts it, as the message advises/,
    /the gates are open, pool worker resumes/,
    /no node is targeted, none reboots/,
    /RESOLVED after/,
    /WHAT ENDED IT\s+\| MachineConfig 99-worker-motd is gone/,
  ],
  late: [
    /reaches Argo CD, and not\s+Poolkeeper/,
    /its notification is lost/,
    /worker-\d is targeted, cordoned and drained, under the sync/,
    /is reachable again, and answers 202/,
    /pool worker is paused/,
    /too late for worker-\d/,
    /says so on its page and timeline: the pause was late/,
    /the gates are open, pool worker resumes/,
    /pool worker is Updated/,
  ],
  freeze: [
    /poolkeeper freeze --pool worker --for 4h/,
    /frozen until .* by ann\./,
    /Succeeded, 99-worker-chrony is applied/,
    /the freeze goes on: pool worker stays/,
    /Hold of ann: closing the quarter/,
    /poolkeeper thaw --pool worker --reason/,
    /demo\/worker is thawed\./,
    /resumes: ann thawed it/,
    /worker-0 is targeted/,
    /pool worker is Updated/,
  ],
};

describe.concurrent('[N-32] npm start plays', () => {
  test.for(Object.entries(stories) as [keyof typeof stories, readonly RegExp[]][])(
    '%s, to its end, in lines that fit',
    async ([scenario, steps], { onTestFinished }) => {
      const { succeeded, text } = await play(scenario, onTestFinished);

      expectStory(text, steps);
      expect(succeeded).toBe(true);
    },
  );
});

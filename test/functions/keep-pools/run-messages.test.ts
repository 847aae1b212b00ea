import { afterEach, expect, it } from 'vitest';
import { troubleToName } from '../../../functions/core/alerts/incident-words.ts';
import { composeMessage } from '../../../functions/core/alerts/message/compose-message.ts';
import { type RunLab, runLab } from './run-lab.ts';

let run: RunLab | undefined;

afterEach(async () => {
  await run?.stop();
  run = undefined;
});

async function aRun(tellProgress: boolean): Promise<RunLab> {
  run = await runLab({ run: { tellProgress } });
  await run.tick();
  return run;
}

const messages = ({ lab }: RunLab) =>
  lab.world.tables.incidents.all().filter(({ key }) => key.kind === 'run-under-way');

it('[S4-20] a run has one message, edited once for each node, that ends with how the run ended', async () => {
  const lab = await aRun(true);
  const headlines: string[] = [];
  const edits = new Set<string>();
  await lab.change();

  await lab.until(async () => {
    const [message] = messages(lab);
    const headline = message?.trouble?.headline ?? '';
    if (headline !== headlines.at(-1) && headline !== '') headlines.push(headline);
    if (message?.state === 'firing' && message.lastEditAt !== undefined) edits.add(`${message.lastEditAt} ${headline}`);
    return !lab.isPaused() && message?.state === 'ok';
  });

  const [message, ...others] = messages(lab);
  expect(others).toEqual([]);
  expect(headlines).toEqual([0, 1, 2].map((done) => `run upgrade: ${done} of 3 nodes done`));
  expect([...edits].map((each) => each.replace(/^\S+ /, ''))).toEqual(headlines);
  expect(message?.notes.map(({ kind }) => kind)).toEqual(['opened', 'resolved']);
  expect(message?.notes.at(-1)?.text).toContain('All 3 nodes are at the target of their pool.');
  expect(lab.lab.world.tables.incidents.all()).toHaveLength(1);
  // Its last words are not how far it was when it began.
  const now = lab.clock.now();
  const shown =
    message && composeMessage(message, { now, occasion: 'resolved', product: 'poolkeeper', statusUrl: undefined });
  expect(shown).toMatchObject({
    headline: 'run upgrade has ended',
    why: 'All 3 nodes are at the target of their pool.',
  });
  expect(shown?.facts.map(({ label }) => label)).toEqual(['Cluster', 'Lasted', 'Began', 'Ended']);
  const fading = message && troubleToName({ ...message, state: 'resolving' });
  expect(fading?.headline).toBe('run upgrade: 2 of 3 nodes done');
});

it('[S4-20] [S4-21] and says who aborted it, and after how many nodes', async () => {
  const lab = await aRun(true);
  await lab.change();
  await lab.until(() => lab.seen.includes('worker-1 goes'));
  await lab.ask({ kind: 'abort', said: lab.said('not today') });
  const trouble = () => messages(lab)[0]?.trouble;
  await lab.until(() => trouble()?.headline.endsWith('aborting') === true);
  expect(trouble()?.facts.map(({ label }) => label)).toEqual(['Nodes', 'Under way']);
  await lab.until(() => messages(lab)[0]?.state === 'ok');

  expect(messages(lab)[0]?.notes.at(-1)?.text).toMatch(/ops aborted it after \d of 3 nodes: not today\.$/);
});

it('[S4-20] nobody is told where nobody asked for it', async () => {
  const lab = await aRun(false);
  await lab.change();
  await lab.until(() => !lab.isPaused());

  expect(messages(lab)).toEqual([]);
});

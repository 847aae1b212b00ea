import { expect, test } from 'vitest';
import type { Trouble } from '../../../functions/core/findings/trouble.ts';
import { wordsOf } from '../adapters/messengers/slack-words.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { openSendLab, slackTarget } from './send-alerts-lab.ts';

/** On one of two clusters, with a cause that the other one shares. */
function shared(cluster: string, pool: string): Trouble {
  const [finding] = drainBlocked.findings;
  if (finding === undefined) throw new Error('there is none');
  const subject = { ...finding.subject, kind: 'PodDisruptionBudget', name: pool };
  const cause = { ...finding, code: 'P1', because: [], subject };
  return { ...drainBlocked, key: { ...drainBlocked.key, cluster, pool }, findings: [cause] };
}

/** Seconds. */
const week = 7 * 24 * 3600;

test.each([0, week])(
  '[N-18] [N-30] however many joint messages come after it, what is still going on is not shown as over: after %d s',
  async (seconds) => {
    const lab = await openSendLab({ targets: [slackTarget] });
    lab.clock.set('2026-03-02T14:01:40Z');
    const open = async (pool: string) => {
      lab.clock.advance(120);
      for (const cluster of ['c1', 'c2']) {
        await lab.see({ kind: 'true', trouble: shared(cluster, pool) });
        await lab.settleDown();
      }
    };
    await open('victim');
    for (let flood = 0; flood < 31; flood += 1) await open(`flood-${flood}`);
    lab.clock.advance(seconds);
    await open('last');
    const { key } = shared('c1', 'victim');
    await lab.see({ kind: 'false', endedBy: 'somebody mended it.' }, key);
    lab.clock.advance(360);
    await lab.see({ kind: 'false' }, key);
    await lab.settleDown();

    const parents = lab.slack.messages.filter(({ thread }) => thread === undefined).map(wordsOf);
    const firing = parents.filter((words) => / FIRING/.test(words) && words.includes('c2/victim'));
    const over = parents.filter((words) => /over after| RESOLVED/.test(words) && words.includes('victim'));
    await lab.close();
    expect([firing.length, over.length]).toEqual([1, 1]);
    expect(parents.filter((words) => /\/last|· last ·/.test(words))).toHaveLength(seconds === 0 ? 2 : 1);
  },
);

test('[N-18] of joint messages that are all over, the oldest is forgotten for a new one', async () => {
  const lab = await openSendLab({ targets: [slackTarget] });
  lab.clock.set('2026-03-02T14:01:40Z');
  for (let count = 0; count < 32; count += 1) {
    const both = ['c1', 'c2'].map((cluster) => shared(cluster, `pool-${count}`));
    for (const trouble of both) {
      await lab.see({ kind: 'true', trouble });
      await lab.settleDown();
    }
    for (const { key } of both) await lab.see({ kind: 'false' }, key);
    lab.clock.advance(360);
    for (const { key } of both) await lab.see({ kind: 'false' }, key);
    await lab.settleDown();
  }

  const parents = lab.slack.messages.filter(({ thread }) => thread === undefined).map(wordsOf);
  await lab.close();
  expect(parents.filter((words) => words.includes('one cause on 2 clusters'))).toHaveLength(32);
});

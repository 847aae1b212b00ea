import { expect, onTestFinished, test } from 'vitest';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { soonMs, useCloud } from './harness/cloud.ts';
import { logLines } from './harness/logs.ts';

const cloud = useCloud();

/** The incident of the cluster itself, as the status page shows it. */
async function blindness() {
  return (await cloud.status()).incidents.find(({ pool, kind }) => pool === '*' && kind === 'watcher-blind');
}

/** Ticks of the schedule since then that could not see the cluster; their ids are named after their time. */
async function missedTicks(since: string): Promise<readonly string[]> {
  const lines = await logLines(cloud.aws, 'keep-pools', 'cluster could not be read');
  const ids = lines.flatMap((line) => /"event":"lab\/(\d{4}-[^"]+)"/.exec(line)?.[1] ?? []);
  return [...new Set(ids)].filter((time) => time >= since.slice(0, 19));
}

test('[C-10] [N-24] an API server that is away for three ticks changes nothing, people hear of it, and it is resolved when it is back', async () => {
  const app = await startDeployment(cloud, 'unseen');
  const { revision, push } = app.commit();
  await cloud.deliver(push);
  await cloud.untilPaused('unseen', true);
  const held = await cloud.pool('unseen');
  onTestFinished(cloud.standIns.openDoor);

  const shutAt = new Date().toISOString();
  await cloud.standIns.shutDoor();
  const begun = await app.begin(revision);
  const ended = await app.succeed(revision);
  const opened = await until(
    async () => {
      const incident = await blindness();
      return incident?.state === 'firing' && incident;
    },
    soonMs,
    'the blindness to be told',
  );
  const missed = await until(
    async () => {
      const ticks = await missedTicks(shutAt);
      return ticks.length >= 3 && ticks;
    },
    soonMs,
    'three ticks to be missed',
  );
  const meanwhile = await cloud.pool('unseen');
  const { clusters } = await cloud.status();
  await cloud.standIns.openDoor();
  await cloud.untilPaused('unseen', false);
  await until(async () => (await blindness())?.state === 'resolved', soonMs, 'the blindness to be resolved');
  const { messages } = await until(
    async () => {
      const slack = await cloud.standIns.slack();
      return slack.messages.some(({ text }) => /resolved/i.test(text) && text.includes(opened.headline)) && slack;
    },
    soonMs,
    'Slack to say that it is over',
  );

  expect([begun.status, ended.status]).toEqual([202, 202]);
  expect([meanwhile.paused, meanwhile.holders]).toEqual([held.paused, held.holders]);
  expect(missed.length).toBeGreaterThanOrEqual(3);
  expect(clusters[0]?.blind?.misses).toBeGreaterThanOrEqual(3);
  const about = messages.filter(({ text, thread }) => thread === undefined && text.includes(opened.headline));
  expect(about).toHaveLength(1);
  console.log(
    `blind: ${missed.length} ticks missed; 3 sent, accepted 3, pools changed 0; incidents opened 1, resolved 1, doubled 0`,
  );
});

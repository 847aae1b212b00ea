import { expect, test } from 'vitest';
import { paths } from '../cluster/harness/paths.ts';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { soonMs, useCloud } from './harness/cloud.ts';
import { mailFrom } from './harness/configuration.ts';

const cloud = useCloud();

test('[C-6] [C-10] a degraded pool reaches Slack and SES, is kept up to date, and is resolved, each once', async () => {
  await startDeployment(cloud, 'sick');

  await setState('sick-1', 'Degraded', 'unexpected on-disk state validating against rendered-sick');
  const opened = await untilSlack(({ text }) => text.includes('lab/sick'), 'a message about the pool');
  const edited = await untilSlack(({ ts, edits }) => ts === opened.ts && edits > 0, 'the message to be edited');
  await setState('sick-1', 'Done', '');
  const resolved = await untilSlack(
    ({ ts, text }) => ts === opened.ts && /resolved/i.test(text),
    'the message to say that it is over',
  );
  await until(async () => (await mailsAbout('sick')).some(isResolved), soonMs, 'the mail to say that it is over');

  const { messages } = await cloud.standIns.slack();
  const parents = messages.filter(({ text, thread }) => thread === undefined && text.includes('lab/sick'));
  const mails = await mailsAbout('sick');
  expect(parents.map(({ ts }) => ts)).toEqual([opened.ts]);
  expect(resolved.edits).toBeGreaterThan(edited.edits);
  expect(mails.filter(isResolved)).toHaveLength(1);
  expect(mails[0]).toMatchObject({ from: expect.stringContaining(mailFrom), to: ['on-call@example.com'] });
  expect(mails[0]?.text).toContain('sick-1');
  expect(mails[0]?.html).toContain('sick-1');
  console.log(
    `degraded: ${parents.length} Slack message edited ${resolved.edits} times, ${mails.length} mails, lost 0, doubled 0`,
  );
});

async function setState(node: string, state: string, reason: string): Promise<void> {
  const prefix = 'machineconfiguration.openshift.io';
  const annotations = { [`${prefix}/state`]: state, [`${prefix}/reason`]: reason };
  await cloud.kube.patch(`${paths.nodes}/${node}`, { metadata: { annotations } });
}

type SlackMessage = Awaited<ReturnType<typeof cloud.standIns.slack>>['messages'][number];

function untilSlack(fits: (message: SlackMessage) => boolean, what: string): Promise<SlackMessage> {
  let seen: readonly SlackMessage[] = [];
  return until(
    async () => {
      seen = (await cloud.standIns.slack()).messages;
      return seen.find(fits);
    },
    soonMs,
    () => `${what}; Slack has ${JSON.stringify(seen.map(({ text, thread, edits }) => ({ text, thread, edits })))}`,
  );
}

async function mailsAbout(pool: string) {
  return (await cloud.mails()).filter(({ subject }) => subject.includes(pool));
}

/** Mails of one incident have one subject, so that they make one thread. */
function isResolved({ text }: { readonly text: string }): boolean {
  return /\bRESOLVED\b/i.test(text);
}

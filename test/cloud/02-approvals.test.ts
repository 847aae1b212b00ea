import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { ApprovalAsked, cloudEvent } from '../../events/index.ts';
import { until } from '../cluster/harness/until.ts';
import { startDeployment } from './harness/application-by-hand.ts';
import { type Answer, soonMs, useCloud } from './harness/cloud.ts';
import { approvedPool, approvers, slackChannel, slackSigning, slackTeam } from './harness/configuration.ts';

const cloud = useCloud();
const [anna, bob] = approvers;

test('[N-17] [C-6] a change resumes its pool once two people have pressed Approve in Slack, each signed by Slack and once', async () => {
  const app = await startDeployment(cloud, approvedPool);
  const { revision, push } = app.commit();
  await cloud.deliver(push);
  await cloud.untilPaused(approvedPool, true);
  await app.begin(revision);
  await app.succeed(revision);
  const value = await asked();

  const forged = await press(anna, 'approve', value, { secret: 'guessed' });
  const stranger = await press('U0000000003', 'approve', value);
  const first = await press(anna, 'approve', value);
  const again = await press(anna, 'approve', value);
  await untilGate((why) => why.includes('approved'), 'one approval to count');
  const afterOne = await cloud.pool(approvedPool);
  await askByQueue(value);
  const refused = await untilTold((text) => text.startsWith('approve ') && text.includes(' by aws:'));
  const afterQueue = await cloud.pool(approvedPool);
  const second = await press(bob, 'approve', value);
  await cloud.untilPaused(approvedPool, false);

  expect([forged, stranger, first, again, second].map(({ status }) => status)).toEqual([401, 403, 200, 200, 200]);
  expect([afterOne, afterQueue]).toMatchObject(Array.from({ length: 2 }, () => ({ paused: true, holders: [] })));
  expect(refused).toMatch(/ by aws:\S+ was refused: not on the list of the pool$/);
  const resumed = await untilTold((text) => text.startsWith('resumed:'));
  expect(resumed).toMatch(new RegExp(`approved by slack:${anna} \\(.*\\) and slack:${bob}`));
  console.log('approvals: forged 401, stranger 403, by queue not on the list, one of two stays paused, two resume');
});

/** With the credentials of this suite, in the name of somebody who is on the list. */
async function askByQueue(value: string): Promise<void> {
  const [, cluster = '', pool = '', config = ''] = /^\d+\.([^/]+)\/([^/]+)\/(.+)$/.exec(value) ?? [];
  const now = new Date();
  const askedAt = now.toISOString();
  const event = cloudEvent({
    type: 'poolkeeper.approval.asked.v1',
    id: `slack/${askedAt}`,
    source: '/poolkeeper/receive-slack',
    subject: `${cluster}/${pool}`,
    time: now,
    correlation: config,
    data: { verb: 'approve', cluster, pool, config, by: `slack:${bob}`, reason: 'forged', askedAt },
  });
  const body = JSON.stringify(ApprovalAsked.parse(event));
  await cloud.aws.cli(
    'sqs',
    'send-message',
    '--queue-url',
    cloud.address.outputs['AlertQueueUrl'] ?? '',
    '--message-body',
    body,
  );
}

async function untilTold(fits: (text: string) => boolean): Promise<string> {
  return until(
    async () => {
      const { timeline } = await cloud.status();
      return timeline.find(({ pool, text }) => pool === approvedPool && fits(text))?.text;
    },
    soonMs,
    'the timeline to tell it',
  );
}

/** What the button below the message of the pool approves. */
async function asked(): Promise<string> {
  return until(
    async () => {
      const { messages } = await cloud.standIns.slack();
      const blocks = messages.flatMap((each) => (each.text.includes(`lab/${approvedPool}`) ? [each.blocks] : []));
      return /"action_id":"approve","value":"([^"]+)"/.exec(JSON.stringify(blocks))?.[1];
    },
    soonMs,
    'Slack to be asked for approval',
  );
}

async function untilGate(fits: (why: string) => boolean, what: string): Promise<void> {
  await until(
    async () => {
      const { clusters } = await cloud.status();
      const pool = clusters.flatMap(({ pools }) => pools).find(({ name }) => name === approvedPool);
      return pool?.closedGates.some(({ gate, why }) => gate === 'approval' && fits(why)) === true;
    },
    soonMs,
    what,
  );
}

/** A press as Slack sends and signs it. A function that has just started may have answered too late: the person sees
 *  that, and presses again. */
async function press(
  user: string,
  actionId: string,
  value: string,
  { secret = slackSigning.value }: { readonly secret?: string } = {},
): Promise<Answer> {
  const payload = {
    type: 'block_actions',
    team: { id: slackTeam },
    user: { id: user, username: `größe ${user}` },
    channel: { id: slackChannel },
    actions: [{ action_id: actionId, type: 'button', value }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return until(
    async () => {
      const answer = await cloud.send('/slack', signed(body, secret));
      return answer.status === 503 ? undefined : answer;
    },
    soonMs,
    'the press to be answered',
  );
}

function signed(body: string, secret: string): { readonly headers: Record<string, string>; readonly body: string } {
  const at = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`,
  };
  return { headers, body };
}

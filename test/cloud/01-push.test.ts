import { expect, test } from 'vitest';
import { startDeployment } from './harness/application-by-hand.ts';
import { useCloud } from './harness/cloud.ts';

const cloud = useCloud();

test('[C-10] a signed push through the deployed HTTP API pauses the pool on a real API server, and the end of its sync resumes it', async () => {
  const app = await startDeployment(cloud, 'story');
  const { revision, push } = app.commit();

  const pushed = await cloud.deliver(push);
  await cloud.untilPaused('story', true);
  const begun = await app.begin(revision);
  const held = await cloud.pool('story');
  const ended = await app.succeed(revision);
  await cloud.untilPaused('story', false);

  expect([pushed.status, begun.status, ended.status]).toEqual([202, 202, 202]);
  expect(held).toMatchObject({ paused: true, holders: [expect.stringContaining('openshift-gitops/story')] });
  expect(await cloud.pool('story')).toMatchObject({ paused: false, holders: [] });
});

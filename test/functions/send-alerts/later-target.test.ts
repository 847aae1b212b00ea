import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Trouble } from '../../../functions/core/findings/trouble.ts';
import { aDelivery } from '../../fakes/index.ts';
import type { SlackMessage } from '../../fakes/slack-server.ts';
import { wordsOf } from '../adapters/messengers/slack-words.ts';
import { deadlock, drainBlocked } from '../core/alerts/samples.ts';
import { mailTarget, openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

const { key } = drainBlocked;
const other = { ...key, cluster: 'prod-eu-2' };
const everything = slackTarget.filter;

/** The drain is blocked by somebody else's budget, too. */
const blockedByTwo = {
  ...drainBlocked,
  digest: `${drainBlocked.digest}|team-b/db`,
  findings: [
    deadlock,
    {
      ...deadlock,
      because: [
        {
          ...deadlock,
          code: 'P1',
          subject: { kind: 'PodDisruptionBudget', namespace: 'team-b', name: 'db' },
          sentence: 'PDB team-b/db never spares a pod.',
          evidence: [],
          because: [],
        },
      ],
    },
  ],
};
const critical = { ...drainBlocked, severity: 'critical' } as const;

let lab: SendLab;

/** The channel hears of what is critical: of this one twenty minutes after the mailbox. */
beforeEach(async () => {
  const channel = { ...slackTarget, filter: { ...everything, severities: ['critical'] } } as const;
  lab = await openSendLab({ targets: [mailTarget, channel], policy: { editEverySeconds: 300 } });
  lab.clock.set('2026-03-02T14:01:40Z');
  await look(drainBlocked);
  lab.clock.advance(600);
  await look(blockedByTwo);
  lab.clock.advance(600);
});

afterEach(() => lab.close());

async function look(trouble: Trouble): Promise<void> {
  await lab.see({ kind: 'true', trouble });
  await lab.send(trouble.key);
}

function head(): string {
  return wordsIn(({ thread: of }) => of === undefined);
}

function thread(): string {
  return wordsIn(({ thread: of }) => of !== undefined);
}

function wordsIn(isOf: (message: SlackMessage) => boolean): string {
  return lab.slack.messages.filter(isOf).map(wordsOf).join('\n');
}

describe('a channel that is told of an incident later than others', () => {
  test('[S1-13] [N-29] who joined before, and is gone, stays in its message and stands in its thread', async () => {
    await look(critical);
    expect(head()).toContain('14:11:40 UTC  Joined: team-b.');

    lab.clock.advance(301);
    await look(critical);

    expect(lab.slack.messages[0]?.edits).toBe(1);
    expect(head()).toContain('14:11:40 UTC  Joined: team-b.');
    expect(thread()).toContain('14:11:40 UTC  Joined: team-b.');
  });

  test('[S1-13] what the message leaves to its thread is there, once', async () => {
    await look(critical);
    lab.clock.advance(301);
    await look({ ...critical, digest: 'another', headline: 'drain of worker-2 blocked by PDB shop/api' });

    expect(thread().split('*Evidence*')).toHaveLength(2);
    expect(thread()).toContain('# Delete pod web-a');
    expect(thread()).toContain('oc patch pdb web');
  });

  test('[S1-13] a thread that begins without news has them, too, once', async () => {
    await lab.close();
    lab = await openSendLab({ targets: [mailTarget, slackTarget], policy: { editEverySeconds: 300 } });
    lab.clock.set('2026-03-02T14:01:40Z');
    await lab.see({ kind: 'true', trouble: drainBlocked });
    const { deliveries, ...stored } = await lab.incident(key);
    // The channel comes to the configuration while it is open.
    await lab.tables.incidents.save({ ...stored, deliveries: { mail: deliveries['mail'] ?? aDelivery() } });
    await lab.send(key);

    for (let looks = 0; looks < 3; looks += 1) {
      lab.clock.advance(301);
      await look(drainBlocked);
    }

    expect(lab.slack.messages.map(({ edits }) => edits)).toEqual([2, 0]);
    expect(head()).not.toMatch(/delivered .* (?:late|after it opened)/);
    expect(thread()).toContain('oc patch pdb web');
  });

  test('[S1-13] [N-29] in a list, each has what was before, and its evidence, in the thread', async () => {
    const onOther = (trouble: Trouble): Trouble => ({ ...trouble, key: other });
    await look(onOther(drainBlocked));
    lab.clock.advance(600);
    await look(onOther(blockedByTwo));

    for (const trouble of [critical, onOther(critical)]) await lab.see({ kind: 'true', trouble });
    // Each has its turn in the channel.
    for (const each of [key, other, key, other, other]) {
      await lab.send(each);
      lab.clock.advance(5);
    }

    expect(head()).toContain('one cause on 2 clusters');
    expect(thread()).toContain('14:31:40 UTC  PK-2 prod-eu-2/worker-gpu: Joined: team-b.');
    expect(thread().split('# Delete pod web-a')).toHaveLength(3);
  });

  test('[S1-13] [N-29] it is not called late for that, but for what it is late', async () => {
    await lab.see({ kind: 'true', trouble: critical });
    lab.clock.advance(180);
    await lab.send(key);

    expect(head()).toContain('⚠ delivered 3 min late');
  });

  test('[S1-13] [N-29] told at once, it is not late', async () => {
    await look(critical);

    expect(head()).not.toMatch(/delivered .* (?:late|after it opened)/);
  });
});

test('[S1-13] a message that is posted anew, as somebody deleted it, has evidence and commands in its thread, too', async () => {
  await look(critical);
  lab.slack.delete(lab.slack.messages[0]?.ts ?? '');
  lab.clock.advance(301);
  await look({ ...critical, digest: 'another', headline: 'drain of worker-2 blocked by PDB shop/api' });

  const [anew] = lab.slack.messages.filter(({ thread: of }) => of === undefined);
  const below = wordsIn(({ thread: of }) => of === anew?.ts);
  expect(below).toContain('blocked by PDB shop/api');
  expect(below).toContain('oc patch pdb web');
});

import { afterEach, describe, expect, test } from 'vitest';
import { notifyFailing } from '../../../functions/core/alerts/notify-failing.ts';
import { finding, ref } from '../../../functions/core/findings/make-finding.ts';
import type { Trouble, TroubleKey } from '../../../functions/core/findings/trouble.ts';
import { showAnew } from '../../../functions/send-alerts/joint.ts';
import { sendAlerts } from '../../../functions/send-alerts/send.ts';
import type { SlackFault, SlackMessage } from '../../fakes/slack-server.ts';
import { fc, runs } from '../../property.ts';
import { wordsOf } from '../adapters/messengers/slack-words.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { look } from '../core/diagnose/look.ts';
import { aLiveNode, aWorld, minutesAgo, newConfig, nodeSubject } from '../core/diagnose/world.ts';
import { dueEvent, type LabOptions, mailTarget, openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

let opened: SendLab[] = [];

afterEach(async () => {
  for (const lab of opened) await lab.close();
  opened = [];
});

async function open(options: LabOptions = { targets: [slackTarget] }): Promise<SendLab> {
  const lab = await openSendLab(options);
  lab.clock.set('2026-03-02T14:01:40Z');
  opened.push(lab);
  return lab;
}

/** Each with a cause of its own. */
function manyTroubles(count: number): readonly Trouble[] {
  return Array.from({ length: count }, (_, index) => ({
    ...drainBlocked,
    key: { ...drainBlocked.key, pool: `pool-${index + 1}` },
    headline: `drain of node-${index + 1} blocked`,
    findings: [],
  }));
}

/** All of one cause. */
function fleetTroubles(count: number): readonly Trouble[] {
  return Array.from({ length: count }, (_, index) => onCluster(`c${index + 1}`));
}

function onCluster(cluster: string): Trouble {
  return { ...drainBlocked, key: { ...drainBlocked.key, cluster } };
}

/** Alice pushed what most of them are about. */
function pushersOf(number: number): readonly string[] {
  if (number === 3) return ['U0000ALICE', 'U00000BOB'];
  return number < 8 ? ['U0000ALICE'] : ['U0000CAROL', 'U00000BOB'];
}

function mentionsIn(messages: readonly SlackMessage[]): readonly (readonly string[])[] {
  return messages.map(({ blocks }) => JSON.stringify(blocks).match(/(?<=<@)\w+(?=>)/g) ?? []);
}

function parents({ slack }: SendLab): readonly SlackMessage[] {
  return slack.messages.filter(({ thread }) => thread === undefined);
}

function replies({ slack }: SendLab): readonly string[] {
  return slack.messages.filter(({ thread }) => thread !== undefined).map(wordsOf);
}

async function end(lab: SendLab, ...keys: readonly TroubleKey[]): Promise<void> {
  for (const key of keys) await lab.see({ kind: 'false', endedBy: 'somebody mended it.' }, key);
  lab.clock.advance(360);
  for (const key of keys) await lab.see({ kind: 'false' }, key);
  await lab.settleDown();
}

function takeNoEdits({ slack }: SendLab): void {
  const refused = { kind: 'error', error: 'edit_window_closed' } as const;
  slack.failNext('chat.update', ...Array.from({ length: 2000 }, () => refused));
}

/** What each list says of how its incidents stand. */
function countsIn(lab: SendLab): readonly string[] {
  return parents(lab).flatMap((each) => wordsOf(each).match(/^\d+ (?:firing|resolved).*$/m) ?? []);
}

/** What a person reads of each incident in the channel: its line in a list, or its own message. */
function linesOf(lab: SendLab): readonly string[] {
  const words = parents(lab).map(wordsOf).join('\n');
  return words.split('\n').filter((line) => /`PK-\d+` \*/.test(line));
}

const atNight = { ...slackTarget, quietHours: { from: '20:00', to: '07:00', zone: 'UTC', weekends: false } };

describe('many incidents at once in one channel', () => {
  test('[N-18] [N-24] [N-30] a list that the channel asks to wait for hours waits for as long as the channel, and names the page in it', async () => {
    const lab = await open();
    const [page, ...troubles] = manyTroubles(8).map((trouble) => ({ ...trouble, severity: 'warning' as const }));
    if (page === undefined || troubles[0] === undefined) throw new Error('there is none');
    const critical = { ...page, severity: 'critical' as const, headline: 'payments is down' };
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    lab.slack.failNext('chat.postMessage', { kind: 'status', status: 429, headers: { 'retry-after': '7200' } });
    await lab.send(troubles[0].key);
    await lab.see({ kind: 'true', trouble: critical });
    for (const { key } of [...troubles.slice(1), critical]) await lab.send(key);
    await lab.ticks(5);

    const all = [critical, ...troubles];
    const incidents = await Promise.all(all.map(({ key }) => lab.incident(key)));
    const failing = notifyFailing({
      cluster: critical.key.cluster,
      incidents,
      alerts: lab.alerts,
      now: lab.clock.now(),
    });
    const before = parents(lab).length;
    await lab.ticks(15);

    expect(failing?.facts[0]?.value).toContain('payments is down');
    expect([before, parents(lab).length]).toEqual([0, 1]);
    expect(parents(lab).map(wordsOf).join()).toContain('payments is down');
    await lab.settleDown();
    const after = await Promise.all(all.map(({ key }) => lab.incident(key)));
    const told = { cluster: critical.key.cluster, incidents: after, alerts: lab.alerts, now: lab.clock.now() };
    expect(notifyFailing(told)).toBeUndefined();
  });

  test('[N-30] an alert of another pool that joins a list is told aloud in the channel; those that began it are not again', async () => {
    const lab = await open();
    const [stranger, ...troubles] = manyTroubles(8);
    if (stranger === undefined) throw new Error('there is none');
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles) await lab.send(key);
    await lab.settleDown(0);
    lab.clock.advance(5);
    const elsewhere = { ...stranger, key: { ...stranger.key, cluster: 'prod-us-1' } };
    await lab.see({ kind: 'true', trouble: elsewhere });

    await lab.send(elsewhere.key);
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    expect(linesOf(lab)).toHaveLength(8);
    const aloud = lab.slack.messages.filter(({ broadcast }) => broadcast).map(wordsOf);
    expect(aloud).toEqual([expect.stringMatching(/^PK-8 prod-us-1\/pool-1: /)]);
  });

  test('[C-6] [N-18] eight that one pass found are one message with a list; each keeps its number and its evidence', async () => {
    const lab = await open();
    const troubles = manyTroubles(8);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });

    for (const { key } of troubles) await lab.send(key);
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    const words = wordsOf(parents(lab)[0] ?? { text: '', blocks: [] });
    expect(words).toMatch(/^🔴 FIRING · high · prod-eu-1 · 8 alerts at once\n8 firing/);
    expect(linesOf(lab)).toHaveLength(8);
    expect(words).toContain('`PK-8` *prod-eu-1/pool-8* · 12 min\ndrain of node-8 blocked');
    expect(await lab.incident(troubles[3]?.key ?? drainBlocked.key)).toMatchObject({ number: 4, state: 'firing' });
  });

  test('[C-6] [N-34] it mentions who pushed, each person once; who comes to a list that was posted, in the thread', async () => {
    const lab = await open();
    const troubles = manyTroubles(9).map((trouble, index) => ({ ...trouble, mentions: pushersOf(index + 1) }));
    for (const trouble of troubles.slice(0, 6)) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles.slice(0, 6)) await lab.send(key);
    await lab.settleDown(0);
    const posted = mentionsIn(parents(lab));
    lab.clock.advance(5);
    for (const trouble of troubles.slice(6)) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles.slice(6)) await lab.send(key);
    await lab.settleDown();

    expect(posted).toEqual([['U0000ALICE', 'U00000BOB']]);
    expect(mentionsIn(parents(lab))).toEqual([['U0000ALICE', 'U00000BOB', 'U0000CAROL']]);
    expect(mentionsIn(lab.slack.messages.filter(({ thread }) => thread !== undefined)).flat()).toEqual(['U0000CAROL']);
  });

  test('[C-6] [S1-13] the end of one is shown in the list, that of the last is told in the thread, once', async () => {
    const lab = await open();
    const troubles = manyTroubles(7);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    await lab.settleDown();
    const [first, ...others] = troubles.map(({ key }) => key);
    if (first === undefined) throw new Error('there is none');

    await end(lab, first);
    const half = wordsOf(parents(lab)[0] ?? { text: '', blocks: [] });
    await end(lab, ...others);

    expect(half).toContain('6 firing, 1 resolved');
    expect(half).toMatch(
      /`PK-1` \*prod-eu-1\/pool-1\* · over after \d+ min\ndrain of node-1 blocked\nsomebody mended it\./,
    );
    expect(parents(lab)).toHaveLength(1);
    expect(wordsOf(parents(lab)[0] ?? { text: '', blocks: [] })).toMatch(
      /^🟢 RESOLVED · prod-eu-1 · 7 alerts at once\n7 resolved/,
    );
    expect(replies(lab).filter((words) => words.includes('Resolved after'))).toEqual([
      expect.stringContaining('With it all 7 of this message are over.'),
    ]);
  });

  test('[C-6] [S1-13] who takes one of them is named in its line and in the thread', async () => {
    const lab = await open();
    const troubles = manyTroubles(6);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    await lab.settleDown();
    await lab.see({ kind: 'true', trouble: { ...(troubles[1] ?? drainBlocked), severity: 'critical' } });
    await lab.settleDown();

    expect(replies(lab)).toContainEqual(
      expect.stringContaining('PK-2 prod-eu-1/pool-2: Severity up from high to critical'),
    );
    expect(parents(lab)).toHaveLength(1);
    expect(linesOf(lab)[0]).toContain('`PK-2`');
  });

  test('[C-6] mail, which cannot be edited, is sent for each', async () => {
    const lab = await open({ targets: [slackTarget, mailTarget] });
    const troubles = manyTroubles(7);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    expect(lab.mailbox.mails).toHaveLength(7);
  });

  test('[C-6] when somebody deletes the list it is posted anew, once, and goes on from there', async () => {
    const lab = await open();
    const troubles = manyTroubles(6);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    await lab.settleDown();
    lab.slack.delete(parents(lab)[0]?.ts ?? '');

    await end(lab, ...troubles.slice(3).map(({ key }) => key));

    expect(parents(lab)).toHaveLength(1);
    expect(wordsOf(parents(lab)[0] ?? { text: '', blocks: [] })).toContain('3 firing, 3 resolved');
  });

  test('[C-6] [N-24] [N-29] where a list takes no edits, it is posted anew as often as its incidents have news', async () => {
    const lab = await open();
    takeNoEdits(lab);
    const [late, ...troubles] = manyTroubles(8);
    if (late === undefined) throw new Error('there is none');
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles) await lab.send(key);
    expect(countsIn(lab)).toEqual(['7 firing']);
    lab.clock.advance(5);
    await lab.see({ kind: 'true', trouble: late });
    await lab.send(late.key);
    await lab.settleDown();
    expect(countsIn(lab).at(-1)).toBe('8 firing');
    await lab.ticks(60);
    await lab.see({ kind: 'true', trouble: { ...late, digest: 'worker-9', headline: 'drain of node-9 blocked' } });
    await lab.settleDown();
    expect(countsIn(lab)).toHaveLength(2);

    await end(lab, ...troubles.slice(0, 5).map(({ key }) => key));
    expect(countsIn(lab).at(-1)).toBe('3 firing, 5 resolved');
    await end(lab, late.key, ...troubles.slice(5).map(({ key }) => key));

    expect(countsIn(lab)).toHaveLength(4);
    expect(countsIn(lab).at(-1)).toBe('8 resolved');
  });

  test.each(['Slack answers nothing', 'the sender dies'])(
    '[C-6] [N-18] where a list takes no edits, one that was posted anew is not again, where %s',
    async (how) => {
      const lab = await open();
      takeNoEdits(lab);
      const troubles = manyTroubles(7);
      const [, one] = troubles;
      if (one === undefined) throw new Error('there is none');
      for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
      for (const { key } of troubles) await lab.send(key);
      await lab.settleDown();
      await lab.see({ kind: 'false', endedBy: 'somebody mended it.' }, one.key);
      lab.clock.advance(360);
      await lab.see({ kind: 'false' }, one.key);
      await lab.send(one.key);

      if (how === 'Slack answers nothing') lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted: true });
      // After the edit that is refused, and what is noted of it, the claim.
      else lab.dieAt(lab.effects.length + 4, 'after');
      await lab.ticks(30);

      expect(countsIn(lab)).toEqual(['7 firing', '6 firing, 1 resolved']);
    },
  );

  test.each<[string, number, (lab: SendLab, neighbour: Trouble) => Promise<void>]>([
    ['takes no edits, and a neighbour is over', 2, (lab, { key }) => end(lab, key)],
    ['is deleted', 1, async ({ slack }) => slack.delete(slack.messages[0]?.ts ?? '')],
    [
      'takes no edits, and somebody presses a button below it after a change',
      2,
      async (lab, neighbour) => {
        await lab.see({ kind: 'true', trouble: { ...neighbour, digest: 'worker-2', headline: 'another cause' } });
        await lab.ticks(3);
        await showAnew({ incident: await lab.incident(neighbour.key), target: atNight, ports: lab.ports });
      },
    ],
  ])('[N-18] [N-29] [N-30] in quiet hours a page is told at once, where its list %s', async (_, heads, happen) => {
    const lab = await open({ targets: [atNight] });
    if (heads === 2) takeNoEdits(lab);
    const troubles = manyTroubles(7).map((trouble) => ({ ...trouble, severity: 'warning' as const }));
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles) await lab.send(key);
    await lab.settleDown();
    const [, neighbour, page] = troubles;
    if (neighbour === undefined || page === undefined) throw new Error('there are not three');
    lab.clock.set('2026-03-02T21:00:00Z');
    await happen(lab, neighbour);
    await lab.ticks(5);
    const before = lab.slack.messages.length;

    await lab.see({ kind: 'true', trouble: { ...page, severity: 'critical', headline: 'payments is down' } });
    await lab.ticks(10);

    const aloud = lab.slack.messages.slice(before).filter(({ thread, broadcast }) => broadcast || thread === undefined);
    expect(aloud.map(wordsOf)).toContainEqual(expect.stringContaining('payments is down'));
    expect(parents(lab)).toHaveLength(heads);
    await lab.ticks(700);
    await end(lab, ...troubles.map(({ key }) => key));
    expect(countsIn(lab).at(-1)).toBe('7 resolved');
  });

  test('[N-18] [N-24] [N-29] in quiet hours the end of a page is told, where its list takes no edits', async () => {
    const lab = await open({ targets: [atNight] });
    takeNoEdits(lab);
    const troubles = manyTroubles(7).map((trouble, index) => ({
      ...trouble,
      severity: index === 3 ? ('critical' as const) : ('warning' as const),
    }));
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles) await lab.send(key);
    await lab.settleDown();
    const [, neighbour, , page] = troubles;
    if (neighbour === undefined || page === undefined) throw new Error('there are not four');
    lab.clock.set('2026-03-02T21:00:00Z');
    await end(lab, neighbour.key);
    await lab.ticks(5);

    await end(lab, page.key);
    await lab.ticks(5);

    expect(countsIn(lab).at(-1)).toBe('5 firing, 2 resolved');
  });

  test('[N-18] [N-24] while a list waits until quiet hours are over, its members look for it once a minute at most', async () => {
    const lab = await open({ targets: [atNight] });
    takeNoEdits(lab);
    const troubles = manyTroubles(7).map((trouble) => ({ ...trouble, severity: 'warning' as const }));
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles) await lab.send(key);
    await lab.settleDown();
    lab.clock.set('2026-03-02T21:00:00Z');
    const [, neighbour, ...others] = troubles.map(({ key }) => key);
    if (neighbour === undefined) throw new Error('there are not two');
    await end(lab, neighbour);
    await lab.ticks(2);
    await end(lab, ...others);
    await lab.ticks(3);

    let looks = 0;
    for (let seconds = 0; seconds < 300; seconds += 2) {
      lab.clock.advance(2);
      for (const { event } of lab.queue.take()) {
        looks += 1;
        await lab.send(event.data as TroubleKey);
      }
    }

    expect(looks).toBeLessThanOrEqual(6 * others.length);
  });

  test('[N-18] an anchor that is over before its message was posted leaves the list to the others', async () => {
    const lab = await open();
    const troubles = manyTroubles(7);
    const [first, ...others] = troubles.map(({ key }) => key);
    if (first === undefined) throw new Error('there is none');
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    lab.slack.failNext('chat.postMessage', { kind: 'status', status: 429, headers: { 'retry-after': '400' } });
    await lab.send(first);
    await lab.see({ kind: 'false', endedBy: 'gone' }, first);
    lab.clock.advance(360);
    await lab.see({ kind: 'false' }, first);

    for (const key of others) await lab.send(key);
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    expect(linesOf(lab).filter((line) => !line.includes('over after'))).toHaveLength(6);
  });
});

describe('a joint message of which nobody can find out whether it was sent', () => {
  const unreadable = Array.from({ length: 7 }, (): SlackFault => ({ kind: 'status', status: 503 }));

  /** Its post has no answer, and the history of the channel cannot be read; so many minutes later. */
  async function inDoubt(accepted: boolean, minutes: number): Promise<SendLab> {
    const lab = await open();
    const troubles = manyTroubles(7);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    lab.slack.failNext('chat.postMessage', { kind: 'drop', accepted });
    lab.slack.failNext('conversations.history', ...unreadable);
    for (const { key } of troubles) await lab.send(key);
    await lab.ticks(minutes);
    return lab;
  }

  test.each([true, false])(
    '[C-6] [N-18] keeps the alerts that were to join it waiting for minutes, however long the history cannot be read: accepted %s',
    async (accepted) => {
      const early = await inDoubt(accepted, 3);
      const late = await inDoubt(accepted, 8);

      // Nothing is told twice at the first failure.
      expect(parents(early)).toHaveLength(accepted ? 1 : 0);
      expect(parents(late)).toHaveLength(accepted ? 2 : 1);
      expect(wordsOf(parents(late).at(-1) ?? { text: '', blocks: [] })).toContain('7 firing');
      expect((await late.incident(manyTroubles(7)[3]?.key ?? drainBlocked.key)).deliveries['ops']).toMatchObject({
        announced: true,
        doubtful: undefined,
      });
    },
  );

  test('[C-6] [N-18] and then turns out to be there tells of its own incident alone, and none stays that says what is over', async () => {
    const lab = await inDoubt(true, 8);
    await lab.settleDown();

    const during = parents(lab).map(wordsOf);
    await end(lab, ...manyTroubles(7).map(({ key }) => key));
    const after = parents(lab).map(wordsOf);

    expect(during).toHaveLength(2);
    expect(during[0]).toContain('drain of node-1 blocked');
    expect(during[0]).not.toContain('PK-2');
    expect(during[1]).toContain('6 firing');
    expect(after).toEqual([expect.stringMatching(/RESOLVED/), expect.stringMatching(/RESOLVED/)]);
    expect(after.join()).not.toContain('FIRING');
  });

  test.each([
    ['which takes no edits', takeNoEdits],
    ['which somebody deleted', (lab: SendLab) => lab.slack.delete(parents(lab)[0]?.ts ?? '')],
  ])('[C-6] [N-18] [N-24] leaves nothing to do for one that had posted it, %s, once all are over', async (_, spoil) => {
    const lab = await open();
    const troubles = manyTroubles(7).map((trouble) => ({ ...trouble, severity: 'warning' as const }));
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
    for (const { key } of troubles) await lab.send(key);
    await lab.settleDown();
    spoil(lab);
    lab.slack.failNext('chat.postMessage', ...unreadable);
    lab.slack.failNext('conversations.history', ...unreadable);
    for (const trouble of troubles.slice(1, 3)) {
      await lab.see({ kind: 'true', trouble: { ...trouble, severity: 'critical' } });
      await lab.ticks(4);
    }
    await lab.ticks(6);
    const { messages } = await lab.tables.jointMessages.load('ops');
    expect(messages.map(({ anchor }) => anchor.key.pool)).not.toContain('pool-1');
    for (const { key } of troubles) await lab.see({ kind: 'false', endedBy: 'somebody mended it.' }, key);
    lab.clock.advance(360);
    for (const { key } of troubles) await lab.see({ kind: 'false' }, key);
    await lab.ticks(5);

    const before = [lab.effects.length, lab.slack.calls.length];
    await lab.ticks(3);

    expect([lab.effects.length, lab.slack.calls.length]).toEqual(before);
    expect(lab.queue.waiting()).toEqual([]);
    expect(countsIn(lab).at(-1)).toBe('7 resolved');
  });
});

/** Each cluster a few minutes after the one before it. */
async function oneByOne(lab: SendLab, troubles: readonly Trouble[], seconds: number): Promise<void> {
  for (const trouble of troubles) {
    await lab.see({ kind: 'true', trouble });
    await lab.send(trouble.key);
    await lab.settleDown(0);
    lab.clock.advance(seconds);
  }
  await lab.settleDown();
}

/** As the diagnosis tells it of a node whose file is not as it should be. */
async function drifted(cluster: string, file: string): Promise<Trouble> {
  const node = `${cluster}-worker-1`;
  const reason = `unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "${file}"`;
  const world = aWorld({ nodes: [aLiveNode(node, { annotations: { state: 'Degraded', reason } })] });
  const { findings } = await look(world, nodeSubject(world, node, 'failing'));
  const key = { cluster, pool: 'worker', kind: 'node-degraded' } as const;
  return { ...drainBlocked, key, headline: `${node} degraded: files on disk differ`, findings, digest: file };
}

/** As the judgement tells it of a cluster whose Argo CD does not answer. */
function unlisted(cluster: string): Trouble {
  const found = finding({
    code: 'B3',
    subject: ref('Cluster', cluster),
    sentence: `The Applications that deploy to ${cluster} should be listed every 10 min, and have not been listed completely for more than 3 times that: Argo CD hub: applications: 503 Service Unavailable. Until they are, a sync is found only by its events.`,
    confidence: 'certain',
    class: 'external',
  });
  const key = { cluster, pool: '*', kind: 'sweep-overdue' } as const;
  const headline = `the Applications of ${cluster} cannot be listed`;
  return { ...drainBlocked, key, headline, findings: [found], digest: cluster };
}

async function lost(cluster: string): Promise<Trouble> {
  const node = `${cluster}-worker-1`;
  const ready = {
    status: 'Unknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: minutesAgo(40),
  };
  const world = aWorld({
    nodes: [aLiveNode(node, { annotations: { desiredConfig: newConfig, state: 'Working' }, ready })],
  });
  const { findings } = await look(world, nodeSubject(world, node, 'rebooting'));
  const key = { cluster, pool: 'worker', kind: 'node-lost' } as const;
  return { ...drainBlocked, key, headline: `${node} has not come back`, findings, digest: node };
}

describe('one cause on several clusters', () => {
  test('[N-18] [N-30] another file that differs on another cluster has a message of its own, the same one joins', async () => {
    const lab = await open();

    await oneByOne(
      lab,
      [
        await drifted('prod-eu', '/etc/chrony.conf'),
        await drifted('prod-us', '/etc/kubernetes/kubelet-ca.crt'),
        await drifted('prod-ap', '/etc/chrony.conf'),
      ],
      240,
    );

    const words = parents(lab).map(wordsOf);
    expect(words).toHaveLength(2);
    expect(words[0]).toContain('one cause on 2 clusters');
    expect(linesOf(lab).join()).toMatch(/prod-eu.*prod-ap/);
    expect(words[1]).toContain('kubelet-ca.crt');
  });

  test('[N-18] [N-30] a node that is lost on one cluster after the other is told of each by itself', async () => {
    const lab = await open();

    await oneByOne(lab, await Promise.all(['c1', 'c2', 'c3', 'c4'].map(lost)), 540);

    expect(parents(lab)).toHaveLength(4);
  });

  test('[N-18] [N-30] a cluster is told by itself, where the one that had its cause has another one by now', async () => {
    const lab = await open();
    const [one, other] = fleetTroubles(2);
    if (one === undefined || other === undefined) throw new Error('there are not two');
    const changed = { ...(await drifted('c1', '/etc/chrony.conf')), key: one.key };

    await oneByOne(lab, [one, changed, other], 60);

    expect(parents(lab)).toHaveLength(2);
  });

  test('[N-18] [N-30] once one of them has another cause, the title no longer says that all have one, and whose the shown one is', async () => {
    const lab = await open();
    await oneByOne(lab, fleetTroubles(2), 60);
    const other = await drifted('c1', '/etc/chrony.conf');

    const changed = { ...other, key: onCluster('c1').key, severity: 'critical' as const };
    await lab.see({ kind: 'true', trouble: changed });
    await lab.send(changed.key);
    await lab.settleDown();

    const [message = { text: '', blocks: [] }] = parents(lab);
    expect(message.text).toMatch(
      /^FIRING began with one cause on 2 clusters · drain blocked: c1\/worker-gpu: c1-worker-1 degraded/,
    );
    const words = wordsOf(message);
    expect(words).toMatch(/^🔴 FIRING · critical · began with one cause on 2 clusters/);
    expect(words).toMatch(/`PK-1` \*c1\/worker-gpu\*: \*c1-worker-1 degraded: files on disk differ\*\n\*Why\* {2}/);
    expect(words).toMatch(/`PK-2` \*c2\/worker-gpu\* · \d+ min\ndrain of worker-2 blocked/);
    await end(lab, changed.key);
    expect(wordsOf(parents(lab)[0] ?? message)).toMatch(/^🔴 FIRING · high · one cause on 2 clusters/);
  });

  test.each([1, 25])(
    '[N-18] [N-30] what lies before all clusters rings once, announces none of them by itself: every %i s',
    async (seconds) => {
      const lab = await open();

      await oneByOne(
        lab,
        Array.from({ length: 12 }, (_, nth) => unlisted(`c${nth + 1}`)),
        seconds,
      );

      expect(parents(lab)).toHaveLength(1);
      expect(wordsOf(parents(lab)[0] ?? { text: '', blocks: [] })).toContain('one cause on 12 clusters');
      expect(lab.slack.messages.filter(({ broadcast }) => broadcast)).toEqual([]);
    },
  );

  test('[N-18] [N-30] clusters that join a list with the cause that another one has there are not announced by themselves', async () => {
    const lab = await open();

    await oneByOne(lab, await Promise.all(Array.from({ length: 9 }, (_, nth) => lost(`c${nth + 1}`))), 1);

    expect(lab.slack.messages.filter(({ broadcast }) => broadcast)).toEqual([]);
  });

  test('[N-18] [N-30] the title of a message that an earlier version began says that they have one cause', async () => {
    const lab = await open();
    await oneByOne(lab, [await drifted('c1', '/etc/chrony.conf'), await drifted('c2', '/etc/chrony.conf')], 60);
    const { jointMessages } = lab.tables;
    const stored = await jointMessages.load('ops');
    const messages = stored.messages.map((each) => ({ ...each, cause: 'node-degraded N1' }));
    await jointMessages.save('ops', { ...stored, messages });

    const worse = { ...(await drifted('c1', '/etc/chrony.conf')), severity: 'critical' as const };
    await lab.see({ kind: 'true', trouble: worse });
    await lab.send(worse.key);
    await lab.settleDown();

    expect(wordsOf(parents(lab)[0] ?? { text: '', blocks: [] })).toMatch(
      /^🔴 FIRING · critical · one cause on 2 clusters/,
    );
  });

  test.each([
    ['recover', 60],
    ['are over', 400],
  ])('[N-30] the next cluster is told aloud where all before it %s', async (_how, seconds) => {
    const lab = await open();
    const earlier = ['prod-eu-1', 'prod-eu-2'].map(onCluster);
    for (const trouble of earlier) {
      await lab.see({ kind: 'true', trouble });
      await lab.send(trouble.key);
      await lab.settleDown();
    }
    for (const { key } of earlier) await lab.see({ kind: 'false' }, key);
    lab.clock.advance(seconds);
    for (const { key } of earlier) await lab.see({ kind: 'false' }, key);

    const next = onCluster('prod-us-1');
    await lab.see({ kind: 'true', trouble: next });
    await lab.send(next.key);
    await lab.settleDown();

    const [, ...aloud] = lab.slack.messages.filter(({ broadcast, thread }) => broadcast || thread === undefined);
    expect(aloud.map(wordsOf)).toEqual([expect.stringMatching(/^PK-3 prod-us-1\/worker-gpu: /)]);
  });

  test('[N-18] [N-30] a cluster that comes after the target has got another channel is told there', async () => {
    const targets = [slackTarget];
    const lab = await open({ targets });
    for (const trouble of fleetTroubles(2)) {
      await lab.see({ kind: 'true', trouble });
      await lab.send(trouble.key);
      await lab.settleDown();
    }
    lab.slack.channels.set('C2', 'open');

    targets[0] = { ...slackTarget, channel: 'C2' };
    const next = onCluster('prod-us-1');
    await lab.see({ kind: 'true', trouble: next });
    await lab.send(next.key);
    await lab.settleDown();

    expect(lab.slack.messages.map(({ channel }) => channel)).toContain('C2');
  });

  test('[C-6] [N-18] is one message that names them; each cluster has its own incident; one end is told', async () => {
    const lab = await open();
    for (const cluster of ['prod-eu-1', 'prod-eu-2', 'prod-us-1']) {
      await lab.see({ kind: 'true', trouble: onCluster(cluster) });
      await lab.send(onCluster(cluster).key);
      await lab.settleDown();
    }

    expect(parents(lab)).toHaveLength(1);
    expect(parents(lab)[0]?.text).toContain('FIRING one cause on 3 clusters');
    expect(wordsOf(parents(lab)[0] ?? { text: '', blocks: [] })).toContain('*Do this*');
    expect(linesOf(lab)).toHaveLength(3);
    expect(lab.tables.incidents.all().map(({ number, state }) => [number, state])).toEqual([
      [1, 'firing'],
      [2, 'firing'],
      [3, 'firing'],
    ]);
    await end(lab, onCluster('prod-eu-1').key);
    expect(replies(lab).filter((words) => words.includes('Resolved after'))).toEqual([]);
    await end(lab, onCluster('prod-eu-2').key, onCluster('prod-us-1').key);
    expect(replies(lab).filter((words) => words.includes('Resolved after'))).toHaveLength(1);
    expect(wordsOf(parents(lab)[0] ?? { text: '', blocks: [] })).toMatch(/^🟢 RESOLVED · one cause on 3 clusters/);
  });

  test('[C-6] [N-34] who pushed to the second cluster is mentioned in the thread, unless the post did', async () => {
    const lab = await open();
    const pushed = { 'prod-eu-1': 'U0000ALICE', 'prod-eu-2': 'U00000BOB', 'prod-us-1': 'U0000ALICE' };
    for (const [cluster, who] of Object.entries(pushed)) {
      await lab.see({ kind: 'true', trouble: { ...onCluster(cluster), mentions: [who] } });
      await lab.settleDown();
    }

    expect(mentionsIn(parents(lab)).map((each) => each.toSorted())).toEqual([['U00000BOB', 'U0000ALICE']]);
    expect(mentionsIn(lab.slack.messages.filter(({ thread }) => thread !== undefined)).flat()).toEqual(['U00000BOB']);
  });

  test('[C-6] [N-24] [N-29] where the first message takes no edits, the second cluster is shown in a new one', async () => {
    const lab = await open();
    takeNoEdits(lab);
    const [one, other] = fleetTroubles(2);
    if (one === undefined || other === undefined) throw new Error('there are not two');
    for (const trouble of [one, other]) {
      await lab.see({ kind: 'true', trouble });
      await lab.send(trouble.key);
      await lab.settleDown();
    }
    expect(countsIn(lab)).toEqual(['2 firing']);
    await end(lab, one.key);
    await end(lab, other.key);

    expect(countsIn(lab)).toEqual(['2 firing', '1 firing, 1 resolved', '2 resolved']);
  });

  test('[N-18] a cluster whose cause comes after the first is over has a message of its own', async () => {
    const lab = await open();
    await lab.see({ kind: 'true', trouble: onCluster('prod-eu-1') });
    await lab.settleDown();
    await end(lab, onCluster('prod-eu-1').key);
    await lab.see({ kind: 'true', trouble: onCluster('prod-eu-2') });
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(2);
  });
});

const aFault = fc.constantFrom<SlackFault>(
  { kind: 'drop', accepted: true },
  { kind: 'drop', accepted: false },
  { kind: 'status', status: 429, headers: { 'retry-after': '20' } },
  { kind: 'status', status: 503 },
  { kind: 'error', error: 'internal_error', accepted: true },
  { kind: 'error', error: 'invalid_blocks' },
);

/** Seen in one pass, and sent by so many at a time. */
async function openTogether(lab: SendLab, troubles: readonly Trouble[], atOnce: number): Promise<void> {
  for (const trouble of troubles) await lab.see({ kind: 'true', trouble });
  for (let from = 0; from < troubles.length; from += atOnce) {
    await Promise.all(troubles.slice(from, from + atOnce).map(({ key }) => lab.send(key)));
  }
  await lab.settleDown(600);
}

/** Each of the incidents has a line, those that are over say so, no news is told twice, and one end when all are. */
function expectOneMessage(lab: SendLab, count: number, over: number): void {
  const lines = linesOf(lab);
  const numbers = Array.from({ length: count }, (_, index) => `PK-${index + 1}`).toSorted();
  const told = replies(lab).flatMap((words) => words.split('\n').filter((line) => /^\d\d:\d\d:\d\d/.test(line)));
  expect(parents(lab)).toHaveLength(1);
  expect(lines.map((line) => /`(PK-\d+)`/.exec(line)?.[1]).toSorted()).toEqual(numbers);
  expect(lines.filter((line) => line.includes('over after'))).toHaveLength(over);
  expect(new Set(told).size).toBe(told.length);
  expect(told.filter((line) => line.includes('are over.'))).toHaveLength(over === count ? 1 : 0);
}

function expectEachAlone(lab: SendLab, count: number): void {
  expect(parents(lab)).toHaveLength(count);
}

/** Of what cannot be read for minutes, a second message is sent. */
function expectationFor(count: number, isFleet: boolean, faults: readonly (readonly [string, SlackFault])[]) {
  const unread = faults.filter(([method]) => method === 'conversations.history').length;
  if (unread > 2) return expectEachShown;
  return isFleet || count > 5 ? expectOneMessage : expectEachAlone;
}

/** Nobody is left out, and nothing is shown as going on that is over. */
function expectEachShown(lab: SendLab, count: number, over: number): void {
  const words = parents(lab).map(wordsOf).join('\n');
  for (let number = 1; number <= count; number += 1) expect(words).toMatch(new RegExp(`PK-${number}\\b`));
  if (over === count) expect(words).not.toMatch(/FIRING/);
}

describe('senders of a joint message that overlap and die', () => {
  test('[N-18] whatever the order: every incident is shown as it is, in one place, and nothing is told twice', {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 9 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        fc.option(fc.tuple(fc.nat(150), fc.constantFrom('before' as const, 'after' as const)), { freq: 4 }),
        fc.nat(9),
        fc.array(
          fc.tuple(
            fc.constantFrom('chat.postMessage', 'chat.update', 'conversations.history', 'conversations.replies'),
            aFault,
          ),
          { maxLength: 6 },
        ),
        async (count, isFleet, atOnce, death, ends, faults) => {
          const lab = await open();
          for (const [method, fault] of faults) lab.slack.failNext(method, fault);
          if (death !== null) lab.dieAt(...death);
          const troubles = isFleet ? fleetTroubles(count) : manyTroubles(count);
          await openTogether(lab, troubles, atOnce);
          const over = troubles.slice(0, Math.min(ends, count)).map(({ key }) => key);
          await end(lab, ...over);

          expectationFor(count, isFleet, faults)(lab, count, over.length);
          opened = opened.filter((each) => each !== lab);
          await lab.close();
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test('[N-18] two senders of the same member at once tell it once', async () => {
    const lab = await open();
    const troubles = manyTroubles(6);
    for (const trouble of troubles) await lab.see({ kind: 'true', trouble });

    await Promise.all([...troubles, ...troubles].map(({ key }) => sendAlerts(dueEvent(key), lab.ports)));
    await lab.settleDown();

    expect(parents(lab)).toHaveLength(1);
    expect(linesOf(lab)).toHaveLength(6);
  });
});

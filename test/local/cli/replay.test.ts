import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { ObjectReader } from '../../../functions/ports/cluster.ts';
import { sendAlerts } from '../../../functions/send-alerts/send.ts';
import { explain } from '../../../local/cli/explain/explain.ts';
import { pickSource } from '../../../local/cli/explain/pick-source.ts';
import { play } from '../../../local/cli/replay/play.ts';
import { createPlayer, type PlayedMessage } from '../../../local/cli/replay/player.ts';
import { replay } from '../../../local/cli/replay/replay.ts';
import { takeSnapshot } from '../../../local/cli/take-snapshot.ts';
import type { Snapshot } from '../../../local/snapshot/snapshot.ts';
import { keepLab } from '../../functions/keep-pools/keep-lab.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

interface Watched {
  readonly recording: readonly Snapshot[];
  readonly messages: readonly PlayedMessage[];
  readonly incidents: readonly Incident[];
}

const product = 'poolkeeper test';
const target: AlertTarget = {
  kind: 'outbox',
  name: 'replay',
  filter: { clusters: [], pools: [], severities: [], causes: [] },
};

const gitops: ArgoCdSettings = {
  name: 'openshift-gitops',
  cluster: 'prod',
  namespaces: ['openshift-gitops'],
  controllerNamespace: 'openshift-gitops',
  destinations: [{ server: 'https://kubernetes.default.svc', cluster: 'prod' }],
};

let demo: DemoCluster;
let live: Watched;

beforeAll(async () => {
  demo = await demoCluster();
  live = await watchTheDemo(demo);
});

afterAll(() => demo.close());

/** The real keep-pools and send-alerts run with each tick of the demo, and each tick is recorded. */
async function watchTheDemo({ world, clock, surroundings, untilUpdated }: DemoCluster): Promise<Watched> {
  const now = () => clock.now();
  const { url, token } = world.openshift;
  const connection = connectCluster({
    ...systemRuntime,
    server: url,
    token: async () => token,
    userAgent: 'test',
    clock: now,
  });
  const source = { ...(await pickSource({ config: '' }, surroundings)), cluster: 'prod' };
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'observe' } } });
  const alerts = { targets: [target], statusUrl: undefined };
  const ports = {
    ...lab.ports,
    configuration: { ...lab.ports.configuration, argocd: [gitops], alerts },
    argocd: async () => connection.argocd(gitops),
    // Of logs nothing is recorded: the service is one that was not given the right to read them.
    cluster: async () => ({ ...connection, reader: withoutLogs(connection.reader) }),
    clock: now,
  };
  const messages: PlayedMessage[] = [];
  const send = (part: PlayedMessage['part']) => async (message: PlayedMessage['message']) => {
    messages.push({ at: now().toISOString(), part, message });
    return { kind: 'sent' as const, remote: { channel: 'live', id: String(messages.length) } };
  };
  const messenger = {
    post: send('post'),
    edit: (_remote: unknown, message: PlayedMessage['message']) => send('edit')(message),
    reply: (_remote: unknown, message: PlayedMessage['message']) => send('reply')(message),
    find: async () => 'absent' as const,
  };
  const sendPorts = {
    ...ports,
    incidents: lab.world.tables.incidents,
    jointMessages: lab.world.tables.jointMessages,
    paces: lab.world.tables.paces,
    messengerOf: () => messenger,
    random: () => 0,
    newOwner: () => 'live',
    product,
  };
  const recording: Snapshot[] = [];
  const player = createPlayer({ cluster: 'prod', policy: defaultPolicy, product });

  async function ticks(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await clock.advance(60_000);
      recording.push(await takeSnapshot(source, { pools: [], node: undefined }, surroundings, player));
      await keep(makeTick({ cluster: 'prod', why: 'clock' }, now()), ports);
      for (const { event } of lab.world.alerts.take()) await sendAlerts(event, sendPorts);
    }
  }

  await ticks(2);
  world.pushChange();
  await ticks(20);
  world.labelSecondNode();
  await untilUpdated();
  await ticks(8);
  await connection.close();
  await source.close();
  return { recording, messages, incidents: lab.world.tables.incidents.all().filter(({ number }) => number > 0) };
}

function withoutLogs({ read }: ObjectReader): ObjectReader {
  return {
    read: async (question) =>
      question.form === 'text'
        ? { kind: 'failed', why: 'logs are not recorded', readAt: demo.clock.now() }
        : read(question),
  };
}

/** Times of saves and the like are the table's; what people are told is all the rest. */
function told({ key, number, state, openedAt, resolvedAt, outcome, trouble, notes, transitions }: Incident) {
  return { key, number, state, openedAt, resolvedAt, outcome, trouble, notes, transitions };
}

function words({ at, part, message }: PlayedMessage) {
  return { at, part, occasion: message.occasion, slack: message.slack, mail: message.mail };
}

describe('a recording of the demo, replayed on its own clock', () => {
  test('[N-23] comes to the same incidents: opened, changed and resolved in the same minutes', async () => {
    const course = await play(live.recording, { policy: defaultPolicy, product });

    expect(live.incidents.map(({ key, state }) => `${key.kind} ${state}`)).toEqual(['drain-blocked ok']);
    expect(course.incidents.map(told)).toEqual(live.incidents.map(told));
  });

  test('[N-23] tells people the same, word for word and at the same times', async () => {
    const course = await play(live.recording, { policy: defaultPolicy, product });

    expect(live.messages.map(({ part, message }) => `${part} ${message.occasion}`)).toEqual(
      expect.arrayContaining(['post opened', 'edit resolved', 'reply resolved']),
    );
    expect(course.messages.map(words)).toEqual(live.messages.map(words));
  });

  test('a look that was missed is not taken for the end of the trouble', async () => {
    const holes = live.recording.map((snapshot, index) =>
      index >= 8 && index <= 9 ? { ...snapshot, readings: [] } : snapshot,
    );

    const course = await play(holes, { policy: defaultPolicy, product });

    expect(course.incidents).toHaveLength(1);
    expect(course.incidents[0]?.reopened).toBe(0);
  });

  test('[N-23] poolkeeper replay prints the course', async () => {
    const file = `${demo.folder}/demo.jsonl`;
    writeFileSync(file, live.recording.map((each) => JSON.stringify(each)).join('\n'));

    const { status, text } = await demo.run(replay, file);
    const whole = await demo.run(replay, file, '--messages');
    const json = await demo.run(replay, '--output', 'json', file);

    expect(status).toBe(0);
    expect(text).toContain('30 snapshots of prod, 2026-03-02T08:0');
    expect(text).toMatch(
      /T08:\d\d:\d\d\.\d{3}Z {2}post {3}FIRING prod\/worker: drain of worker-2 blocked by PDB shop\/web/,
    );
    expect(text).toMatch(/PK-1 {2}no longer seen 2026-03-02T0\d:\S+ {2}opened 2026-03-02T08:/);
    expect(whole.text).toContain('    DO THIS');
    expect(JSON.parse(json.text).incidents).toHaveLength(1);
  });

  test('[N-30] says nothing of what is missing where all was read', async () => {
    const { notRead } = await play(live.recording, { policy: defaultPolicy, product });

    expect(notRead).toEqual([]);
  });

  test('[N-30] what could not be read is named, and so is the message that tells of it', async () => {
    const file = `${demo.folder}/forbidden.jsonl`;
    const forbidden = { kind: 'failed' as const, why: 'nodes is forbidden', isForbidden: true };
    const blind = live.recording.map((snapshot) => ({
      ...snapshot,
      readings: snapshot.readings.map((each) =>
        each.path === '/api/v1/nodes' ? { ...each, answer: forbidden } : each,
      ),
    }));
    writeFileSync(file, `${blind.map((each) => JSON.stringify(each)).join('\n')}\n`);

    const { text } = await demo.run(replay, file);
    const json = await demo.run(replay, file, '--output', 'json');

    expect(text).toContain('FIRING prod: Nodes cannot be read');
    expect(text).toMatch(
      /NOT READ, so not known to be fine\n {2}\* \/api\/v1\/nodes, in \d+ snapshots: nodes is forbidden\n/,
    );
    expect(text).toContain('Argo CD is not recorded: nothing of syncs is among this.');
    expect(JSON.parse(json.text).notRead[0]).toMatchObject({ path: '/api/v1/nodes', why: 'nodes is forbidden' });
  });

  test('a recording that was ended in the middle of a snapshot is replayed up to there, which is said', async () => {
    const file = `${demo.folder}/cut.jsonl`;
    const [first, second, third] = live.recording.map((each) => JSON.stringify(each));
    writeFileSync(file, `${first}\n${second}\n${third?.slice(0, 3000)}`);

    const { text } = await demo.run(replay, file);

    expect(text).toContain('2 snapshots of prod');
    expect(text).toContain('The recording ends in the middle of a snapshot, which was left out.');
    await expect(demo.run(explain, '--snapshot', file)).rejects.toThrow('holds 3 snapshots, not one');
  });

  test('recordings that were put together are one in the order of their times, and never of two clusters', async () => {
    const [here, turned, mixed] = ['here', 'turned', 'mixed'].map((name) => `${demo.folder}/${name}.jsonl`);
    const write = (file = '', snapshots: readonly Snapshot[]) =>
      writeFileSync(file, `${snapshots.map((each) => JSON.stringify(each)).join('\n')}\n`);
    write(here, live.recording);
    write(turned, live.recording.toReversed());
    write(mixed, [...live.recording, ...live.recording.slice(-1).map((each) => ({ ...each, cluster: 'other' }))]);

    expect(await demo.run(replay, turned ?? '')).toEqual(await demo.run(replay, here ?? ''));
    await expect(demo.run(replay, mixed ?? '')).rejects.toThrow('2 clusters; replay each of them on its own: prod');
  });

  test('names of a recording that somebody else made do not steer the terminal', async () => {
    const file = `${demo.folder}/hostile.jsonl`;
    writeFileSync(file, JSON.stringify({ ...live.recording[0], cluster: 'prod\u001b]0;gone\u0007' }));

    const { text } = await demo.run(replay, file);

    expect(text).toContain('1 snapshot of prod]0;gone,');
  });

  test('refuses what is no recording, and says which line', async () => {
    const file = `${demo.folder}/broken.jsonl`;
    writeFileSync(file, `${JSON.stringify(live.recording[0])}\n{"v":2}\n`);

    await expect(demo.run(replay, file)).rejects.toThrow('line 2: is not a snapshot');
    await expect(demo.run(replay)).rejects.toThrow('give one file');
  });
});

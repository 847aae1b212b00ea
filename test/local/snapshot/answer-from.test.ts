import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import * as questions from '../../../functions/core/diagnose/questions.ts';
import type { Answer, Question } from '../../../functions/core/findings/question.ts';
import type { Asked } from '../../../functions/core/findings/unread.ts';
import { mcoNamespace } from '../../../functions/core/openshift/machine-config-operator.ts';
import type { ObjectReader } from '../../../functions/ports/cluster.ts';
import {
  events,
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  nodes,
  podDisruptionBudgets,
  pods,
  type ResourceType,
  replicaSets,
} from '../../../local/openshift/api-server/resource-types.ts';
import { answersFrom } from '../../../local/snapshot/answer-from.ts';
import { openMustGather } from '../../../local/snapshot/must-gather.ts';
import { Snapshot } from '../../../local/snapshot/snapshot.ts';
import { type DemoCluster, demoCluster } from '../cli/demo-cluster.ts';
import { writeMustGather } from '../cli/explain/write-must-gather.ts';

const workers = { matchLabels: { 'node-role.kubernetes.io/worker': '' } };
const fast = { matchExpressions: [{ key: 'disk', operator: 'In' as const, values: ['ssd', 'nvme'] }] };
const slow = { matchExpressions: [{ key: 'disk', operator: 'DoesNotExist' as const }] };

/** The reads that a diagnosis makes, of what is there and of what is not. */
const asked: readonly Asked<unknown>[] = [
  questions.nodeNamed('worker-2'),
  questions.nodeNamed('worker-9'),
  questions.candidateNodes({}),
  questions.candidateNodes(fast),
  questions.candidateNodes(slow),
  questions.nodeStatuses(workers),
  questions.machineConfigNode('worker-2'),
  questions.machineConfigNode('worker-9'),
  questions.podsOn('worker-2'),
  questions.podsSelected('shop', { matchLabels: { app: 'web' } }),
  questions.podsSelected('shop', {}),
  questions.podNamed('shop', 'nobody'),
  questions.budgetsOf('shop'),
  questions.budgetsOf('nowhere'),
  questions.allBudgets(),
  questions.warningsAbout({ kind: 'Node', name: 'worker-2' }, mcoNamespace),
  questions.configDaemonOn('worker-2'),
  questions.operatorPods(),
  questions.machineConfigHeads(),
  questions.machineConfigHead('99-worker-chrony'),
  questions.machineConfigHead('99-nobody'),
];

let demo: DemoCluster;
let live: ObjectReader;
let close: () => Promise<void>;

beforeAll(async () => {
  demo = await demoCluster();
  await demo.untilBlocked();
  const { url, token } = demo.world.openshift;
  const connection = connectCluster({
    ...systemRuntime,
    server: url,
    token: async () => token,
    userAgent: 'test',
    clock: demo.surroundings.now,
  });
  live = connection.reader;
  close = () => connection.close();
});

afterAll(async () => {
  await close();
  await demo.close();
});

/** What the rules make of an answer: two servers need not say it in the same bytes. */
function understood({ shape }: Asked<unknown>, answer: Answer) {
  return answer.kind === 'found' ? shape.parse(answer.body) : answer.kind;
}

describe('[N-12] a cluster that was written down answers as the API server does', () => {
  test.each(asked.map((each) => [each.what, each] as const))('%s', async (_what, each) => {
    const { registry } = demo.world.openshift;
    const types: readonly ResourceType[] = [
      machineConfigPools,
      nodes,
      machineConfigNodes,
      machineConfigs,
      pods,
      events,
      podDisruptionBudgets,
      replicaSets,
    ];
    const snapshot = aSnapshot(
      types.map((type) => ({
        path: `${type.group === '' ? '/api' : `/apis/${type.group}`}/${type.version}/${type.plural}`,
        items: registry.list(type),
      })),
    );

    const [there, here] = [await live.read(each.question), answersFrom(snapshot)(each.question)];

    expect(understood(each, here)).toEqual(understood(each, there));
  });

  test('and so does a must-gather, wherever it holds what is asked for', async () => {
    const folder = `${demo.folder}/whole`;
    await writeMustGather(folder, demo.world.openshift.registry, demo.clock.now());
    const { observed } = await openMustGather(folder);

    for (const each of asked) {
      const [there, here] = [await live.read(each.question), await observed.reader.read(each.question)];

      if (here.kind === 'failed') continue;
      expect(withoutWriters(understood(each, here)), each.what).toEqual(withoutWriters(understood(each, there)));
    }
  });
});

/** `oc` leaves the one out, and we the other. */
function withoutWriters(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (left.includes(key) ? undefined : inner)));
}

const left = ['managedFields', 'kubectl.kubernetes.io/last-applied-configuration'];

interface ListDraft {
  readonly path: string;
  readonly items: readonly unknown[];
  readonly query?: Question['query'];
  readonly form?: Question['form'];
  readonly more?: string;
}

function aSnapshot(lists: readonly ListDraft[], change: object = {}): Snapshot {
  const readAt = '2026-03-02T08:00:00.000Z';
  return Snapshot.parse({
    v: 1,
    cluster: 'prod',
    takenAt: readAt,
    readings: lists.map(({ path, items, query = {}, form = 'object', more = '' }) => ({
      path,
      query,
      form,
      readAt,
      answer: { kind: 'found', body: { items, metadata: { continue: more } } },
    })),
    ...change,
  });
}

describe('what a snapshot does not hold', () => {
  const a = { metadata: { name: 'a', namespace: 'shop', labels: { app: 'web' } } };
  const path = '/api/v1/namespaces/shop/pods';
  const question = (change: Partial<Question> = {}): Question => ({ path, query: {}, ...change });

  test.each<[string, readonly ListDraft[]]>([
    ['nothing was read', []],
    ['another namespace was read', [{ path: '/api/v1/namespaces/other/pods', items: [a] }]],
    ['only some were read, by their label', [{ path, items: [a], query: { labelSelector: 'app=web' } }]],
    ['the server held some back', [{ path, items: [a], more: 'next' }]],
    ['only the metadata was read', [{ path, items: [a], form: 'metadata' }]],
  ])('is unknown and not absent: %s', (_what, lists) => {
    const answer = answersFrom(aSnapshot(lists));

    expect(answer(question({ query: { labelSelector: 'app=db' } }))).toMatchObject({
      kind: 'failed',
      why: 'it is not in the snapshot',
    });
    expect(answer(question({ path: `${path}/b` })).kind).toBe(lists[0]?.form === 'metadata' ? 'absent' : 'failed');
  });

  test('is absent only where everything was listed', () => {
    const answer = answersFrom(aSnapshot([{ path: '/api/v1/pods', items: [a] }]));

    expect(answer(question({ path: `${path}/b` })).kind).toBe('absent');
    expect(answer(question({ path: `${path}/a` }))).toMatchObject({ kind: 'found', body: a });
    expect(answer(question({ query: { labelSelector: 'app=db' } }))).toMatchObject({ body: { items: [] } });
  });

  test('what could not be read then cannot be read now, for the same reason', () => {
    const failed = {
      path,
      query: {},
      readAt: '2026-03-02T08:00:00.000Z',
      answer: { kind: 'failed', why: 'forbidden', isForbidden: true },
    };
    const answer = answersFrom(aSnapshot([], { readings: [failed] }));

    expect(answer(question())).toMatchObject({ kind: 'failed', why: 'forbidden', isForbidden: true });
  });

  test('a page is no longer than what was asked for, and says that there is more', () => {
    const b = { metadata: { name: 'b', namespace: 'shop' } };
    const answer = answersFrom(aSnapshot([{ path, items: [a, b] }]));

    expect(answer(question({ query: { limit: '1' } }))).toMatchObject({
      body: { items: [a], metadata: { continue: 'more' } },
    });
  });
});

import { describe, expect, test } from 'vitest';
import type { KubeClient } from '../../../../functions/adapters/kubernetes/kube-client.ts';
import { clusterReader } from '../../../../functions/adapters/kubernetes/object-reader.ts';
import { everyFinding } from '../../../../functions/core/findings/chain.ts';
import { classOf } from '../../../../functions/core/judge/make-trouble.ts';
import { lookInto } from '../../../../functions/keep-pools/watch/look-into.ts';
import { codes, drainOf, flat, withCode } from './look.ts';
import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  aPod,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  nodeSubject,
  now,
  readerOver,
  refused,
  type World,
} from './world.ts';

const tomorrow = new Date(Date.parse(now) + 80_000_000).toISOString();
const slow = (name: string, metadata: Json = {}) =>
  aPod(name, {
    namespace: 'tenant',
    app: 'slow',
    node: 'worker-2',
    metadata: { deletionTimestamp: tomorrow, deletionGracePeriodSeconds: 86_400, ...metadata },
  });
const waitingFor = (...names: readonly string[]) => names.map((name) => accepted(name, 'tenant'));
const web = [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })];

/** worker-2 is drained, and its drain says all of this, in this order, as kubectl joins it. */
function aDrainThatSays(errors: readonly string[], change: Partial<World> = {}): World {
  return aWorld({
    nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
    machines: [drainFailing('worker-2', `[${errors.join(', ')}]`)],
    pods: web,
    budgets: [aBudget('web')],
    ...change,
  });
}

/** As the adapter answers, which cuts and masks the texts of others. */
async function boundedDrainOf(world: World) {
  const inMemory = readerOver(world);
  const get: KubeClient['get'] = async (path, { query = {}, form } = {}) => {
    const answer = await inMemory.read({ path, query, form });
    return answer.kind === 'found' ? answer.body : undefined;
  };
  const reader = clusterReader({ get }, () => new Date(now));
  return lookInto(nodeSubject(world, 'worker-2', 'draining'), reader, { maxCalls: 15 });
}

describe('[S1-5] [N-12] a drain that names several pods', () => {
  test('finds the budget behind pods that were evicted and take their time, whatever comes first', async () => {
    const world = aDrainThatSays([...waitingFor('slow-1', 'slow-2'), refused('web-a')], {
      pods: [...web, slow('slow-1'), slow('slow-2')],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    expect(diagnosis.findings[0]?.sentence).toBe(
      'worker-2 cannot be drained: the eviction of shop/web-a (Deployment web) is refused. 2 other pods stay, too.',
    );
    expect(classOf(diagnosis.findings)).toBe('structural');
  });

  test('[N-30] explains one of each namespace, however many of one come before it', async () => {
    const own = ['x-1', 'x-2', 'x-3', 'x-4'];
    const world = aDrainThatSays([...own.map((name) => refused(name, 'tenant')), refused('web-a')], {
      pods: [...web, ...own.map((name) => aPod(name, { namespace: 'tenant', app: 'x', node: 'worker-2' }))],
      budgets: [
        aBudget('web'),
        aBudget('x', { namespace: 'tenant', spec: { selector: { matchLabels: { app: 'x' } } } }),
      ],
    });

    const { findings } = await drainOf(world);

    const named = findings.flatMap(everyFinding).map(({ subject: { namespace } }) => namespace);
    expect(new Set(named)).toEqual(new Set(['', 'tenant', 'shop']));
  });

  describe('[N-30] more than is read of an error', () => {
    const longName = (index: number) => `x-${index}-${'y'.repeat(230)}`;
    const own = Array.from({ length: 76 }, (_, index) => longName(index));
    const ofTenant = own.map((name) => aPod(name, { namespace: 'tenant', app: 'x', node: 'worker-2' }));
    const tenants = aBudget('x', { namespace: 'tenant', spec: { selector: { matchLabels: { app: 'x' } } } });
    const denied = (words: string) =>
      `error when evicting pods/"x-1" -n "tenant": admission webhook "w.tenant.svc" denied the request: ${words}`;
    const may = 'The error of the drain is longer than what is read, and may name others.';

    test.each([
      [
        'pods of others with long names',
        [...own.slice(0, 30), '', ...own.slice(30)].map((name) => refused(name || 'web-a', name ? 'tenant' : 'shop')),
      ],
      ['a long answer of a webhook', [denied('no '.repeat(6000)), refused('web-a')]],
      ['a key in the answer of a webhook', [denied(`-----BEGIN A----- ${'x '.repeat(8500)}`), refused('web-a')]],
      ['a pull secret in the answer of a webhook', [denied(`"auths": { ${'x '.repeat(8500)}`), refused('web-a')]],
    ])('%s: hides no budget of a pod on the node, and the others are not counted as all', async (_, errors) => {
      const pods = [...web, ...ofTenant, aPod('x-1', { namespace: 'tenant', app: 'y', node: 'worker-2' })];
      const world = aDrainThatSays(errors, { pods, budgets: [aBudget('web'), tenants] });

      const { findings, calls } = await boundedDrainOf(world);

      const all = findings.flatMap(everyFinding);
      expect(all.map(({ code, subject }) => `${code} ${subject.namespace}/${subject.name}`)).toContain('P1 shop/web');
      expect(findings[0]?.sentence).toContain(may);
      expect(calls).toBeLessThanOrEqual(15);
    });

    test('is not over with the pods that it shows', async () => {
      const gone = [denied('no '.repeat(6000)), refused('gone-a')];
      const slowOnly = aDrainThatSays([accepted('slow-1', 'tenant'), ...gone], { pods: [slow('slow-1')], budgets: [] });
      const noneLeft = aDrainThatSays(gone, { pods: [], budgets: [] });

      const [first, second] = [await boundedDrainOf(slowOnly), await boundedDrainOf(noneLeft)];

      expect([first, second].map(({ findings }) => findings[0]?.class)).toEqual(['unknown', 'unknown']);
      for (const { findings } of [first, second]) expect(findings[0]?.sentence).toContain(may);
    });
  });

  test('finds it behind four evicted pods that have ended since', async () => {
    const world = aDrainThatSays([...waitingFor('slow-1', 'slow-2', 'slow-3', 'slow-4'), refused('web-a')]);

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    expect(diagnosis.calls).toBeLessThanOrEqual(15);
  });

  test('finds it behind four refused pods that are gone since, beyond the bound of single reads', async () => {
    const gone = ['old-1', 'old-2', 'old-3', 'old-4'].map((name) => refused(name));

    const diagnosis = await drainOf(aDrainThatSays([...gone, refused('web-a')]));

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    expect(diagnosis.findings[0]?.sentence).not.toContain('other pod');
    expect(diagnosis.calls).toBeLessThanOrEqual(15);
  });

  test('says that they are gone only where all of them are', async () => {
    const all = ['old-1', 'old-2', 'old-3', 'old-4', 'old-5', 'old-6'].map((name) => refused(name));
    const world = aDrainThatSays(all);

    const gone = await drainOf(world);
    const unseen = await drainOf({ ...world, refused: [{ path: /^\/api\/v1\/pods$/, why: 'forbidden' }] });

    expect(withCode(gone, 'D0')).toMatchObject({ class: 'self-healing', confidence: 'likely' });
    expect(withCode(gone, 'D0').sentence).toContain('old-4 and 2 more, which are gone now');
    expect(codes(unseen)).toEqual(['D1']);
    expect(withCode(unseen, 'D1').sentence).toContain('the pods on worker-2 could not be read (forbidden)');
    expect(classOf(unseen.findings)).toBe('unknown');
  });

  test('finds a finalizer behind any number of pods that only take their time', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `slow-${index}`);
    const world = aDrainThatSays(waitingFor(...names, 'held'), {
      pods: [
        ...names.map((name) => slow(name)),
        slow('held', {
          deletionTimestamp: minutesAgo(9),
          deletionGracePeriodSeconds: 0,
          finalizers: ['acme.io/backup'],
        }),
      ],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D2', 'T2']);
    expect(diagnosis.findings[0]).toMatchObject({ class: 'external' });
    expect(diagnosis.findings[0]?.sentence).toContain('tenant/held (Deployment slow) was evicted');
    expect(diagnosis.findings.flatMap(flat).length).toBeLessThanOrEqual(3);
    expect(diagnosis.calls).toBeLessThanOrEqual(15);
  });

  test('[decoy] only takes its time where each of them does', async () => {
    const names = ['slow-1', 'slow-2', 'slow-3', 'slow-4'];

    const diagnosis = await drainOf(aDrainThatSays(waitingFor(...names), { pods: names.map((name) => slow(name)) }));

    expect(codes(diagnosis)).toEqual(['D2', 'T1']);
    expect(diagnosis.findings[0]).toMatchObject({ class: 'self-healing', confidence: 'strong' });
    expect(classOf(diagnosis.findings)).toBe('self-healing');
  });

  test('does not call the whole a matter of time while one of them is not explained', async () => {
    const spared = { status: { disruptionsAllowed: 1, currentHealthy: 3, expectedPods: 3 } };
    const other = (name: string) => aPod(name, { namespace: 'other', node: 'worker-2' });
    const world = aDrainThatSays(
      [refused('web-a'), refused('web-c', 'third'), refused('cart', 'other'), refused('till', 'other')],
      {
        pods: [...web, aPod('web-c', { namespace: 'third', node: 'worker-2' }), other('cart'), other('till')],
        budgets: [
          aBudget('web', spared),
          aBudget('web', { namespace: 'third', ...spared }),
          aBudget('all', { namespace: 'other' }),
        ],
      },
    );

    const diagnosis = await drainOf(world);

    const [found] = diagnosis.findings;
    expect(found).toMatchObject({ code: 'D1', class: 'unknown', confidence: 'likely' });
    expect(found?.because.map(({ code, class: kind }) => [code, kind])).toEqual([
      ['D1', 'unknown'],
      ['P0', 'self-healing'],
      ['P0', 'self-healing'],
    ]);
    expect(found?.because[0]?.sentence).toBe('Why other/cart and other/till stay is not known.');
    expect(found?.because[0]?.remedies.some(({ command }) => command?.includes('spec.nodeName=worker-2'))).toBe(true);
    expect(classOf(diagnosis.findings)).toBe('unknown');
  });

  test('nor while the budgets of one of them cannot be read', async () => {
    const world = aDrainThatSays([...waitingFor('slow-1'), refused('web-a')], {
      pods: [...web, slow('slow-1')],
      refused: [{ path: /poddisruptionbudgets/, why: 'forbidden' }],
    });

    const diagnosis = await drainOf(world);

    expect(diagnosis.findings[0]).toMatchObject({ code: 'D1', class: 'unknown' });
    expect(classOf(diagnosis.findings)).toBe('unknown');
  });
});

describe('[N-29] [N-30] behind the answer of a webhook, whose own words they may be, errors of other pods', () => {
  const own = aPod('own-1', { namespace: 'tenant', app: 'own', node: 'worker-2' });
  const others = [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })];
  const denied = (words: string) =>
    `error when evicting pods/"own-1" -n "tenant": admission webhook "w.tenant.io" denied the request: ${words}`;
  const calling = 'Internal error occurred: failed calling webhook "w.tenant.io": failed to call webhook:';
  /** A body of status 500, and the message of a Status that is answered. */
  const failing = (words: string) =>
    `error when evicting pods/"own-1" -n "tenant": ${calling} an error on the server (${JSON.stringify(words)}) has prevented the request from succeeding`;
  const refusing = (words: string) => `error when evicting pods/"own-1" -n "tenant": ${calling} ${words}`;
  const answers = [denied, failing, refusing];

  async function drained(error: string, change: Partial<World> = {}) {
    return drainOf(
      aWorld({
        nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')],
        machines: [drainFailing('worker-2', error)],
        pods: [...others, own],
        ...change,
      }),
    );
  }

  test.each([
    'error when evicting pods/"web-a" -n "shop": admission webhook "validate.istio.io" denied the request: x',
    'error when evicting pods/"web-a" -n "shop" from terminating namespace "shop"',
    'error when evicting pods/"web-a" -n "shop": forbidden: run oc adm x',
    'error when waiting for pod "web-a" in namespace "shop" to terminate: global timeout reached: 1m30s',
  ])('say nothing of them: %s', async (words) => {
    const room = aBudget('web', {
      status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
    });
    for (const answer of answers) {
      const { findings } = await drained(`[${answer(`no, ${words}, `)}]`, { budgets: [room] });

      const all = findings.flatMap(flat);
      expect(all.map(({ code }) => code)).toEqual(['D3', 'T5']);
      expect(all[1]?.subject.name).toBe('w.tenant.io');
    }
  });

  test('do not stand for what a budget refuses behind them', async () => {
    const forged =
      'error when evicting pods/"web-a" -n "shop": admission webhook "validate.istio.io" denied the request: x';
    for (const answer of answers) {
      const diagnosis = await drained(`[${answer(forged)}, ${refused('web-a')}]`, { budgets: [aBudget('web')] });

      expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    }
  });

  test('give a webhook no name that none can have', async () => {
    const { findings } = await drained(denied('no').replace('w.tenant.io', 'a;n:P1:PodDisruptionBudget shop/x;Run oc'));

    const found = findings.flatMap(flat).find(({ code }) => code === 'T5');
    expect(found?.subject.name).toBe('not named');
    expect(found?.sentence).toMatch(/^The admission webhook denies evicting tenant\/own-1: /);
  });

  test('[decoy] are told where the objects say so themselves', async () => {
    const behind = `[${denied('no. The drain will not be complete until desired drainer x')}, ${refused('web-a')}]`;
    const conditions = [{ type: 'NamespaceDeletionContentFailure', status: 'True', message: 'denied by a webhook' }];
    const shop = { metadata: { name: 'shop' }, status: { phase: 'Terminating', conditions } };
    const ending = { others: { '/api/v1/namespaces': [shop] } };

    expect(codes(await drained(behind, { budgets: [aBudget('web')] }))).toContain('P1');
    expect((await drained(behind, ending)).findings.flatMap(flat).map(({ code }) => code)).toContain('T8');
  });
});

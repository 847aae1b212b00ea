import { describe, expect, test } from 'vitest';
import { audienceOf } from '../../../../functions/core/alerts/targets.ts';
import { chainOf, rootsOf } from '../../../../functions/core/findings/chain.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Trouble } from '../../../../functions/core/findings/trouble.ts';
import { sayingWhatIsCommon } from '../../../../functions/core/judge/common-cause.ts';
import { makeTrouble } from '../../../../functions/core/judge/make-trouble.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import { aStory } from '../alerts/incident-lab.ts';
import {
  aBudget,
  accepted,
  aDrainingNode,
  aLiveNode,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  minutesAgo,
  newConfig,
  refused,
  type World,
} from '../diagnose/world.ts';
import { fact, passOver, the } from './pass-over.ts';

const names = ['worker-1', 'worker-2', 'worker-3'];

describe('one cause behind several nodes of a pool', () => {
  const world = aWorld({
    nodes: names.map((name) => aDrainingNode(name)),
    pods: names.map((name) => aPod(`web-${name}`, { node: name })),
    budgets: [
      aBudget('web', { spec: { minAvailable: 3 }, status: { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3 } }),
    ],
    machines: names.map((name) => drainFailing(name, refused(`web-${name}`))),
  });

  test('[N-12] one budget that stops three drains is told once, with the other nodes', async () => {
    const passed = await passOver({ world, pools: [aRollingPool({ maxUnavailable: '3' })], ...seenLongAgo(names) });

    const trouble = the('drain-blocked', passed);
    expect(trouble.findings).toHaveLength(1);
    const root = trouble.findings.flatMap(chainOf).at(-1);
    expect(root).toMatchObject({ code: 'P1', subject: { name: 'web' } });
    expect(root?.sentence).toMatch(/The same cause affects worker-2 and worker-3\.$/);
    expect(trouble.headline).toBe('drains of worker-1, worker-2 and worker-3 blocked by PDB shop/web');
  });

  test('[N-12] a node that joins is news all the same: the identity of the causes knows every node', async () => {
    const two = await passOver({
      world: { ...world, nodes: [...world.nodes.slice(0, 2), aLiveNode('worker-3')] },
      pools: [aRollingPool({ maxUnavailable: '3' })],
      ...seenLongAgo(names),
    });
    const three = await passOver({ world, pools: [aRollingPool({ maxUnavailable: '3' })], ...seenLongAgo(names) });

    expect(two.troubles[0]?.digest).not.toBe(three.troubles[0]?.digest);
  });

  test('[N-12] three nodes that cannot pull one image have one cause; two that drifted have two', async () => {
    const failing = (reason: string, nodes: readonly string[]) =>
      passOver({
        world: aWorld({
          nodes: nodes.map((name) =>
            aLiveNode(name, { annotations: { state: 'Degraded', reason, desiredConfig: newConfig } }),
          ),
        }),
        pools: [aRollingPool()],
      });

    const pulls = await failing('failed to update OS to quay.io/x: manifest unknown', names);
    const drifts = await failing('content mismatch for file "/etc/chrony.conf"', names.slice(0, 2));

    expect(the('node-degraded', pulls).findings).toHaveLength(1);
    expect(the('node-degraded', drifts).findings).toHaveLength(2);
  });
});

describe('nodes of a pool that share a cause and have others', () => {
  const teams = ['billing', 'search', 'media'];
  const isOf = (app: string) => ({ spec: { selector: { matchLabels: { app } } } });
  const own = names.map((name) => aPod(`own-${name}`, { namespace: 'tenant', app: 'own', node: name }));

  test('[N-12] a budget that a node shares with another does not hide the budget of another team there', async () => {
    const trouble = await drainsOf({
      pods: [
        ...own,
        ...teams.flatMap((team, nth) => [
          aPod(`pay-${nth}`, { namespace: team, app: 'pay', node: names[nth] ?? '' }),
          aPod(`pay-${nth}-b`, { namespace: team, app: 'pay', node: 'worker-9' }),
        ]),
      ],
      budgets: [
        aBudget('own', { namespace: 'tenant', ...isOf('own') }),
        ...teams.map((team) => aBudget('pay', { namespace: team, ...isOf('pay') })),
      ],
      machines: teams.map((team, nth) =>
        drainFailing(
          names[nth] ?? '',
          `[${[refused(`own-${names[nth]}`, 'tenant'), refused(`pay-${nth}`, team)].join(', ')}]`,
        ),
      ),
    });

    const [first, ...others] = trouble.findings;
    expect(first && rootsOf(first).map(({ subject }) => subject.namespace)).toEqual(['tenant', 'billing']);
    expect(first && rootsOf(first).map(({ sentence }) => /The same cause affects .*/.exec(sentence)?.[0])).toEqual([
      'The same cause affects worker-2 and worker-3.',
      undefined,
    ]);
    expect(others.map((found) => rootsOf(found).map(({ subject }) => subject.namespace))).toEqual([
      ['search', 'tenant'],
      ['media', 'tenant'],
    ]);
  });

  test('[N-12] a node all of whose causes are told beside others is told with them', async () => {
    const trouble = await drainsOf({
      pods: [...own, aPod('web-a', { node: 'worker-1' }), aPod('web-b', { node: 'worker-3' })],
      budgets: [aBudget('own', { namespace: 'tenant', ...isOf('own') }), aBudget('web')],
      machines: [
        drainFailing('worker-1', `[${[refused('own-worker-1', 'tenant'), refused('web-a')].join(', ')}]`),
        drainFailing('worker-2', refused('own-worker-2', 'tenant')),
        drainFailing('worker-3', refused('web-b')),
      ],
    });

    expect(trouble.findings.flatMap(rootsOf).map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(/^PDB tenant\/own .* The same cause affects worker-2\.$/),
      expect.stringMatching(/^PDB shop\/web .* The same cause affects worker-3\.$/),
    ]);
  });

  test('[N-12] a target that hears of one cause hears of it behind a cause that is common', async () => {
    const keeping = { deletionTimestamp: minutesAgo(20), deletionGracePeriodSeconds: 0, finalizers: ['x.io/keep'] };
    const trouble = await drainsOf({
      pods: [...own, aPod('db-0', { app: 'db', node: 'worker-2', metadata: keeping })],
      budgets: [aBudget('own', { namespace: 'tenant', ...isOf('own') })],
      machines: [
        drainFailing('worker-1', refused('own-worker-1', 'tenant')),
        drainFailing('worker-2', `[${[refused('own-worker-2', 'tenant'), accepted('db-0')].join(', ')}]`),
      ],
    });
    const filter = { clusters: [], pools: [], severities: [], causes: ['T2'] };
    const mail = { via: 'ses' as const, from: 'p@example.com', to: ['s@example.com'] };
    const storage = { name: 'storage', kind: 'email' as const, ...mail, filter };

    expect(audienceOf({ targets: [storage] }, trouble).hear).toEqual(['storage']);
  });

  test('[N-12] whose pod only shuts down on a node with a common cause has not joined', async () => {
    const leaving = { deletionTimestamp: minutesAgo(-10), deletionGracePeriodSeconds: 900 };
    const pods = [...own, aPod('db-0', { namespace: 'data', app: 'db', node: 'worker-2', metadata: leaving })];
    const budgets = [aBudget('own', { namespace: 'tenant', ...isOf('own') })];
    const one = drainFailing('worker-1', refused('own-worker-1', 'tenant'));
    const two = drainFailing(
      'worker-2',
      `[${[refused('own-worker-2', 'tenant'), accepted('db-0', 'data')].join(', ')}]`,
    );
    const story = aStory();

    story.wrong(0, await drainsOf({ pods, budgets, machines: [one] }));
    const both = await drainsOf({ pods, budgets, machines: [one, two] });
    for (const minutes of [1, 10, 20, 30]) story.wrong(minutes, both);

    expect(both.digest).toContain('worker-2:T1:Pod data/db-0');
    expect(story.notes).not.toContain('escalated');
  });
});

describe('what differs from node to node', () => {
  const files = ['/etc/chrony.conf', '/etc/containers/registries.conf', '/etc/shop/agent.conf'];
  const degraded = (reasons: readonly string[], pools = [aRollingPool()]) =>
    passOver({
      world: aWorld({
        nodes: reasons.map((reason, nth) =>
          aLiveNode(names[nth] ?? '', { annotations: { state: 'Degraded', reason, desiredConfig: newConfig } }),
        ),
      }),
      pools,
    });

  test('[N-12] three files that differ on three nodes are three causes', async () => {
    const drifts = await degraded(files.map((file) => `content mismatch for file "${file}"`));

    const said = the('node-degraded', drifts).findings.map(({ sentence }) => sentence);
    expect(said).toEqual(files.map((file) => expect.stringContaining(`File ${file} on `)));
    expect(said.join()).not.toContain('The same cause');
  });

  test('[N-12] one file on three nodes is one cause, and so is a registry that each asks from a port of its own', async () => {
    const drifts = await degraded(names.map(() => 'content mismatch for file "/etc/chrony.conf"'));
    const pulls = await degraded(
      names.map(
        (_, nth) =>
          `failed to update OS to quay.io/x: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 10.0.0.2:53: read udp 10.0.1.${nth}:4${nth}123->10.0.0.2:53: i/o timeout`,
      ),
    );

    expect(the('node-degraded', drifts).findings.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(/The same cause affects worker-2 and worker-3\.$/),
    ]);
    expect(the('node-degraded', pulls).findings).toHaveLength(1);
  });

  test('[N-12] across pools, too, one file is one cause, and another file is another', () => {
    const drifted = (pool: string, file: string) =>
      makeTrouble({
        key: { cluster: 'prod', pool, kind: 'node-degraded' },
        severity: 'high',
        headline: `${pool}-1 degraded: files on disk differ`,
        since: '2026-03-02T10:00:00.000Z',
        findings: [
          finding({
            code: 'N1',
            subject: ref('Node', `${pool}-1`),
            sentence: `File ${file} on ${pool}-1 is not as its MachineConfig says, for ${pool === 'infra' ? '9' : '12'} min.`,
            confidence: 'likely',
            class: 'external',
          }),
        ],
        facts: [],
      });

    const same = sayingWhatIsCommon([drifted('worker', '/etc/a'), drifted('infra', '/etc/a')]);
    const others = sayingWhatIsCommon([drifted('worker', '/etc/a'), drifted('infra', '/etc/b')]);

    expect(same.map((each) => fact(each, 'Common cause'))).toEqual([
      'also affects pool infra',
      'also affects pool worker',
    ]);
    expect(others.map((each) => fact(each, 'Common cause'))).toEqual([undefined, undefined]);
  });
});

describe('one cause behind several pools', () => {
  function unrenderable(name: string, message: string) {
    return aPool({ name, conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message })] });
  }
  const message =
    'reconciliation failed between current config "rendered-aaa" and base config "99-all-disk": ignition disks section contains changes';

  test('[N-12] a MachineConfig that no pool can render is told as common on each of them', async () => {
    const passed = await passOver({ pools: ['worker', 'infra'].map((name) => unrenderable(name, message)) });

    expect(passed.troubles.map((each) => fact(each, 'Common cause'))).toEqual([
      'also affects pool infra',
      'also affects pool worker',
    ]);
  });

  test('[decoy] two MachineConfigs are two causes', async () => {
    const passed = await passOver({
      pools: [unrenderable('worker', message), unrenderable('infra', message.replace('99-all-disk', '99-infra-disk'))],
    });

    expect(passed.troubles.map((each) => fact(each, 'Common cause'))).toEqual([undefined, undefined]);
  });
});

/** The nodes whose machines are given drain, the others do not. */
async function drainsOf(world: Pick<World, 'pods' | 'budgets' | 'machines'>): Promise<Trouble> {
  const nodes = names.map((name, nth) => (nth < world.machines.length ? aDrainingNode(name) : aLiveNode(name)));
  const pools = [aRollingPool({ maxUnavailable: '3' })];
  return the('drain-blocked', await passOver({ world: aWorld({ ...world, nodes }), pools, ...seenLongAgo(names) }));
}

/** The drains have been open for a quarter of an hour. */
function seenLongAgo(nodes: readonly string[]) {
  const firstSeen = Object.fromEntries(
    nodes.map((name) => [`worker|draining|${name}|${newConfig}`, '2026-03-02T10:15:00.000Z']),
  );
  return { firstSeen };
}

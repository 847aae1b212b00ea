import { describe, expect, it } from 'vitest';
import {
  type CanaryPlan,
  type CanaryPool,
  type CanaryQuestion,
  canaryPlan,
  prepareWrites,
  restoreWrites,
} from '../../../../functions/core/node-turns/canary-plan.ts';
import {
  type CanaryWrite,
  type LabelledCluster,
  refusedWrite,
  withWrite,
} from '../../../../functions/core/node-turns/canary-write.ts';
import { rehearseCanary } from '../../../../functions/core/node-turns/rehearse-canary.ts';
import { type LabelSelector, poolSelects } from '../../../../functions/core/openshift/selector.ts';
import { fc } from '../../../property.ts';

type Labels = Readonly<Record<string, string>>;

const role = (name: string) => `node-role.kubernetes.io/${name}`;
const hash = 'a0'.repeat(16);
const ruleKey = 'rule.poolkeeper.dev/move-primary.databases';
const runKey = 'run.poolkeeper.dev/upgrade';

function aCanaryPool(name: string, nodeSelector: unknown, more: Partial<CanaryPool> = {}): CanaryPool {
  return {
    name,
    nodeSelector,
    paused: name !== 'canary',
    target: { name: `rendered-${name}-${hash}`, sources: [] },
    conditions: [],
    ...more,
  };
}

const byRole = (name: string) => ({ matchLabels: { [role(name)]: '' } });
const master = aCanaryPool('master', byRole('master'));
const worker = aCanaryPool('worker', byRole('worker'));
const isCanary = { ...byRole('worker'), matchExpressions: [{ key: 'isCanary', operator: 'Exists' }] };
const canary = aCanaryPool('canary', isCanary);
/** A custom pool that says more than we know of. */
const storageSelector = {
  matchLabels: { [role('storage')]: '' },
  matchExpressions: [{ key: 'quarantine', operator: 'DoesNotExist' }],
};
const storage = aCanaryPool('storage', storageSelector);

const node = (name: string, ...keys: readonly string[]) => ({
  name,
  labels: Object.fromEntries([['kubernetes.io/hostname', name], ...keys.map((key) => [key, ''])]) as Labels,
});

const nodes = [
  node('m1', role('master')),
  node('w1', role('worker')),
  node('w2', role('worker')),
  node('s1', role('worker'), role('storage')),
];

function questionOf(change: Partial<CanaryQuestion> = {}): CanaryQuestion {
  return {
    canary: 'canary',
    exclude: false,
    label: 'isCanary',
    targets: ['worker'],
    ruleLabels: [ruleKey],
    runNodeLabel: runKey,
    pools: [master, worker, canary, storage],
    nodes,
    ours: new Set(),
    begun: undefined,
    ...change,
  };
}

function planOf(change: Partial<CanaryQuestion> = {}): CanaryPlan {
  const answer = canaryPlan(questionOf(change));
  if (answer.kind === 'refused') throw new Error(answer.problems.join('; '));
  return answer;
}

function problemsOf(change: Partial<CanaryQuestion>): readonly string[] {
  const answer = canaryPlan(questionOf(change));
  return answer.kind === 'refused' ? answer.problems : [];
}

describe('a canary that asks for a label', () => {
  it('[S4-7] takes nodes of worker by that label alone, and no selector is written', () => {
    const plan = planOf();

    expect(plan.members).toEqual([
      { node: 'w1', pool: 'worker' },
      { node: 'w2', pool: 'worker' },
    ]);
    expect(plan.way).toEqual({ marks: {}, entry: { isCanary: '' }, back: { isCanary: null }, selectors: [] });
    expect(prepareWrites(plan)).toEqual([]);
  });

  it('[S4-8] [S4-36] of a custom target: that pool lets go of labelled nodes, and keeps its own expressions', () => {
    const plan = planOf({ targets: ['storage', 'worker'] });

    expect(plan.members.map(({ node: name }) => name)).toEqual(['s1', 'w1', 'w2']);
    expect(plan.way.selectors).toEqual([
      {
        pool: 'storage',
        original: storageSelector,
        during: {
          ...storageSelector,
          matchExpressions: [...storageSelector.matchExpressions, { key: 'isCanary', operator: 'DoesNotExist' }],
        },
      },
    ]);
  });

  it('may ask for a value, and for one of several', () => {
    const asking = { matchLabels: { [role('worker')]: '', ring: 'canary' } };
    const oneOf = { ...byRole('worker'), matchExpressions: [{ key: 'ring', operator: 'In', values: ['one', 'two'] }] };
    const pools = (selector: unknown) => [worker, aCanaryPool('canary', selector)];

    expect(planOf({ label: 'ring', pools: pools(asking) }).way.entry).toEqual({ ring: 'canary' });
    expect(planOf({ label: 'ring', pools: pools(oneOf) }).way.entry).toEqual({ ring: 'one' });
    expect(problemsOf({ pools: pools(oneOf) })).toEqual([
      'pool canary asks for the label ring, and canary.label of the run is isCanary',
    ]);
  });

  it('[S4-14] knows later what it knew when the run began, though its nodes and pools look otherwise then', () => {
    const targets = ['storage', 'worker'];
    const { way } = planOf({ targets });
    const begun = way.selectors[0];
    const labelled = nodes.map((each) => ({ ...each, labels: { ...each.labels, isCanary: '' } }));
    const pools = [master, worker, canary, { ...storage, nodeSelector: begun?.during }];

    const later = planOf({ targets, begun: way, nodes: labelled, pools, ours: new Set(['w1', 'w2', 's1', 'm1']) });

    expect(later.way).toEqual(way);
    expect(later.members.map(({ node: name }) => name)).toEqual(['s1', 'w1', 'w2']);
  });
});

describe('a canary that excludes labelled nodes, as the reference has it', () => {
  it('[S4-7] [S4-11] first labels, then the selectors of targets, then its own without what kept nodes out', () => {
    const plan = planOf({ exclude: true, targets: ['storage', 'worker'] });
    const absent = { key: ruleKey, operator: 'DoesNotExist' };

    expect(plan.way.entry).toEqual({ [ruleKey]: null });
    const marks = { [ruleKey]: '', [runKey]: '' };
    expect(plan.way.back).toEqual(marks);
    expect(prepareWrites(plan)).toEqual([
      ...['s1', 'w1', 'w2'].map((name) => ({ kind: 'label-node', node: name, labels: marks })),
      {
        kind: 'write-selector',
        pool: 'storage',
        selector: {
          ...storageSelector,
          matchExpressions: [...storageSelector.matchExpressions, { key: ruleKey, operator: 'Exists' }],
        },
      },
      {
        kind: 'write-selector',
        pool: 'canary',
        selector: { ...byRole('worker'), matchExpressions: [absent, { key: runKey, operator: 'Exists' }] },
      },
    ]);
  });

  it.each([
    ['worker', ['s1']],
    ['storage', ['w1', 'w2']],
  ])(
    '[S4-7] [S4-40] of target %s takes no node of another pool, and none that joins during the run',
    (target, rest) => {
      const plan = planOf({ exclude: true, targets: [target] });
      const joining = node('late', role('worker'));
      const before: LabelledCluster = { pools: [master, worker, canary, storage], nodes: [...nodes, joining] };

      const during = prepareWrites(plan).reduce((now, write) => withWrite(now, write), before);

      const selector = during.pools.find(({ name }) => name === 'canary')?.nodeSelector as LabelSelector;
      const taken = (name: string) =>
        poolSelects(selector, during.nodes.find((each) => each.name === name)?.labels ?? {});
      expect([...rest, 'late'].filter(taken)).toEqual([]);
      const [first = { node: '' }] = plan.members;
      const gone = withWrite(during, { kind: 'label-node', node: first.node, labels: plan.way.entry });
      expect(poolSelects(selector, gone.nodes.find(({ name }) => name === first.node)?.labels ?? {})).toBe(true);
    },
  );

  it('is refused without a rule', () => {
    expect(problemsOf({ exclude: true, ruleLabels: [] })).toEqual([
      'with canary.exclude a run needs a rule: its labels keep nodes out of the canary',
    ]);
  });
});

describe('a canary is refused', () => {
  it('[S4-35] where it renders other content: each node would reboot twice', () => {
    const other = aCanaryPool('canary', isCanary, {
      target: { name: `rendered-canary-${'b1'.repeat(16)}`, sources: [] },
    });

    expect(problemsOf({ pools: [worker, other] })[0]).toMatch(/which differ: each node would be updated twice$/);
    const unrendered = { target: { name: '', sources: [] } };
    expect(
      problemsOf({
        pools: [
          { ...worker, ...unrendered },
          { ...canary, ...unrendered },
        ],
      })[0],
    ).toMatch(/which differ/);
  });

  it('[S4-7] where it is paused, degraded, a target, built in, or does not exist', () => {
    const degraded = [{ type: 'Degraded', status: 'True', reason: '', message: '', since: undefined } as const];
    const withCanary = (more: Partial<CanaryPool>) => ({ pools: [worker, { ...canary, ...more }] });

    expect(problemsOf(withCanary({ paused: true }))).toEqual([
      'pool canary is paused: a node that moves there would wait for ever',
    ]);
    expect(problemsOf(withCanary({ conditions: degraded }))).toEqual(['pool canary is degraded']);
    expect(problemsOf({ targets: ['worker', 'canary'] })).toContain('pool canary is the canary and a target');
    expect(problemsOf({ canary: 'worker', targets: ['storage'] }).length).toBeGreaterThan(0);
    expect(problemsOf({ canary: 'none' })).toEqual(['pool none does not exist']);
    expect(problemsOf({ targets: ['worker', 'none'] })).toEqual(['none: no such pool']);
  });

  it('[S4-7] where it has nodes already, as the one of the older README, which takes every worker', () => {
    const taking = aCanaryPool('canary', byRole('worker'));

    expect(problemsOf({ pools: [worker, taking], targets: ['worker'], exclude: true })[0]).toMatch(
      /^pool canary has s1, w1 and w2 already, which would be updated there without Jobs$/,
    );
    expect(problemsOf({ pools: [worker, taking] }).length).toBeGreaterThan(0);
  });

  it('[S4-7] where it selects nodes of the control plane', () => {
    const ofMaster = aCanaryPool('canary', { ...byRole('master'), matchExpressions: isCanary.matchExpressions });

    expect(problemsOf({ pools: [master, worker, ofMaster] })).toEqual([
      `pool canary asks for the label ${role('master')}, which is never given to a node`,
    ]);
  });

  it('where its nodes would need a label that means something to others', () => {
    const zone = aCanaryPool('canary', { matchLabels: { 'topology.kubernetes.io/zone': 'a' } });

    expect(problemsOf({ pools: [worker, zone] })).toEqual([
      'pool canary asks for the label topology.kubernetes.io/zone, which is never given to a node',
    ]);
  });
});

describe('a write', () => {
  const cluster: LabelledCluster = { pools: [master, worker, canary, storage], nodes };

  it('[S4-36] that puts a node into two custom pools is refused', () => {
    const write: CanaryWrite = { kind: 'label-node', node: 's1', labels: { isCanary: '' } };

    expect(refusedWrite(write, cluster, new Set(['s1']))).toBe(
      'it would put s1 into two custom pools, canary and storage: then the operator updates none',
    );
  });

  it('[S4-36] of the selector of worker is never made', () => {
    const write: CanaryWrite = { kind: 'write-selector', pool: 'worker', selector: byRole('worker') };

    expect(refusedWrite(write, cluster, new Set())).toMatch(/^the node selector of worker is never written/);
  });

  it('[S4-7] that moves somebody else is refused', () => {
    const write: CanaryWrite = { kind: 'write-selector', pool: 'canary', selector: byRole('worker') };

    expect(refusedWrite(write, { ...cluster, nodes: nodes.slice(0, 3) }, new Set(['w1']))).toBe(
      'it would move w2 from worker to canary',
    );
  });
});

describe('a whole run', () => {
  const arbitrary = fc.record({
    exclude: fc.boolean(),
    targets: fc.subarray(['worker', 'storage', 'gpu'], { minLength: 1 }),
    roles: fc.array(fc.subarray(['worker', 'storage', 'gpu', 'master', 'quarantine']), { minLength: 1, maxLength: 6 }),
    letGo: fc.nat(6),
    prepared: fc.nat(12),
  });

  it('[S4-8] [S4-36] given up after any step leaves the start state, and never a node in two custom pools', () => {
    let played = 0;
    fc.assert(
      fc.property(arbitrary, ({ exclude, targets, roles, letGo, prepared }) => {
        const gpu = aCanaryPool('gpu', byRole('gpu'));
        const pools = [master, worker, canary, storage, gpu];
        const start: LabelledCluster = {
          pools,
          nodes: roles.map((keys, index) =>
            node(`n${index}`, ...keys.map((key) => (key === 'quarantine' ? key : role(key)))),
          ),
        };
        const answer = canaryPlan(questionOf({ exclude, targets, pools, nodes: start.nodes }));
        if (answer.kind === 'refused') return;
        played += 1;
        const { way, members } = answer;
        expect(rehearseCanary(answer, start)).toBeUndefined();
        const prepare = prepareWrites(answer);
        const goes = members
          .slice(0, letGo)
          .map(({ node: name }): CanaryWrite => ({ kind: 'label-node', node: name, labels: way.entry }));
        const forward = [...prepare.slice(0, prepared), ...(prepared >= prepare.length ? goes : [])];
        const labelled = [...new Set(forward.flatMap((write) => (write.kind === 'label-node' ? [write.node] : [])))];

        const end = [...forward, ...restoreWrites(way, labelled)].reduce((cluster, write) => {
          const moving = new Set(write.kind === 'label-node' ? [write.node] : []);
          expect(refusedWrite(write, cluster, moving)).toBeUndefined();
          return withWrite(cluster, write);
        }, start);

        expect(end.pools.map(({ nodeSelector }) => JSON.stringify(nodeSelector))).toEqual(
          start.pools.map(({ nodeSelector }) => JSON.stringify(nodeSelector)),
        );
        expect(end.nodes).toEqual(start.nodes);
      }),
      { numRuns: 400 },
    );

    expect(played).toBeGreaterThan(40);
  });
});

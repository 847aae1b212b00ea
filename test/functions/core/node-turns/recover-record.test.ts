import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import { type LostRecord, recoverRecord } from '../../../../functions/core/node-turns/recover-record.ts';
import { runBlock } from '../../../../functions/core/node-turns/run-block.ts';
import {
  parseRunRecord,
  type RunRecord,
  runRecordText,
  withRunRequest,
} from '../../../../functions/core/node-turns/run-record.ts';
import { turnJob } from '../../../../functions/core/node-turns/turn-job.ts';
import type { TurnNode } from '../../../../functions/core/node-turns/turn-node.ts';
import { roundText } from '../../../../functions/core/node-turns/turn-round.ts';
import { mappingAt } from '../../../../functions/core/openshift/member.ts';
import {
  anUpdatedNode,
  aRunPlan,
  aRunPool,
  aRunQuestion,
  aTurnNode,
  jobSpec,
  newConfig,
  now,
  oldConfig,
} from './run-builder.ts';

const plan = aRunPlan({ move: {}, silence: {} });

interface Made {
  readonly node?: string;
  readonly rule?: string;
  readonly part?: 'before' | 'after';
  readonly round?: string;
  readonly target?: string;
  readonly namespace?: string;
  readonly wasCordoned?: boolean;
  readonly madeAt?: string;
}

/** A Job as the run makes it. */
function aJob({ node = 'w1', rule = 'poolkeeper/move', part = 'before', round = '2-bbbbbbbb', ...of }: Made = {}) {
  const { target = newConfig, namespace = 'poolkeeper', wasCordoned = false, madeAt } = of;
  const { manifest } = turnJob(
    { jobName: 'move', jobNamespace: namespace, jobSpec, timeoutSeconds: 60, onTargetNode: false },
    { run: 'upgrade', round, node, rule, part, attempt: 1 },
    { pool: 'worker', targetConfig: target, wasCordoned },
  );
  return {
    ...manifest,
    metadata: { ...mappingAt(manifest, 'metadata'), ...(madeAt && { creationTimestamp: madeAt }) },
  };
}

function recovered(change: Partial<LostRecord>) {
  const pools = [{ name: 'worker', target: newConfig }];
  return recoverRecord({ plan, jobs: [], nodes: [aTurnNode('w1')], pools, now, ...change });
}

interface Found {
  readonly what: string;
  readonly jobs: readonly unknown[];
  readonly node: TurnNode;
  readonly turn: object;
  readonly heldSince?: string;
}

const flying = aTurnNode('w1', { desiredConfig: newConfig, state: 'Working' });

describe('what is found again where the record of a run is lost', () => {
  it('[S4-31] [S4-32] nothing goes on before a person has looked, who is told what is not known', () => {
    const { paused, lost, log } = recovered({ jobs: [aJob()] });

    expect(paused).toMatchObject({ who: 'Poolkeeper' });
    expect(lost?.what).toMatch(
      /^the record of the run was lost\. Found again by Jobs and nodes: the turn of w1\. Not known: who paused or aborted it/,
    );
    expect(log).toMatchObject([{ what: lost?.what }]);
  });

  it('[S4-31] [N-30] is understood at the next look, whatever names Jobs of others say and however many nodes have long ones', () => {
    const long = `3-${'x'.repeat(2_000)}`;
    const names = Array.from({ length: 6 }, (_, index) => `w${index}.${'a'.repeat(120)}.${'b'.repeat(120)}`);
    const updated = [anUpdatedNode('w1')];

    const found = [
      recovered({ jobs: [aJob({ round: long, part: 'after' })] }),
      recovered({ jobs: [aJob({ target: long, part: 'after' })] }),
      recovered({ jobs: [aJob({ round: long })], nodes: updated }),
      recovered({ jobs: names.map((node) => aJob({ node })), nodes: names.map((name) => anUpdatedNode(name)) }),
    ];

    expect(found.map(({ turns }) => Object.keys(turns))).toEqual([[], [], [], names]);
    expect(found.map((record) => parseRunRecord(runRecordText(record)))).toEqual(found);
  });

  it('[S4-31] [N-29] nobody has to be asked before it goes on, unless a person pauses it, too', () => {
    const record = recovered({});
    const said = { who: 'anna', why: 'not tonight', at: now.toISOString() };
    const paused = withRunRequest(record, { kind: 'pause', said });
    const problemsOf = (of: RunRecord) => judgeRun(aRunQuestion({ plan, record: of })).problems;
    const pausedOf = (of: RunRecord) => problemsOf(of)[0]?.paused;
    const actionOf = (of: RunRecord) => runBlock(plan, of, { tiles: [], problems: problemsOf(of) }).action;

    expect(pausedOf(record)).toBeUndefined();
    expect(actionOf(record)).toBe('poolkeeper run go-on upgrade --reason "..."');
    expect(pausedOf(paused)).toEqual(said);
    expect(actionOf(paused)).toBe('poolkeeper run status upgrade');
  });

  it('[S4-31] [N-29] rules without Jobs come before the last that has one, and those for other nodes are none of its own', () => {
    const mixed = aRunPlan({
      ask: {
        ...{ type: 'http', jobSpec: undefined, cleanUpJobSpec: undefined },
        http: { url: 'https://lb.example.com/drain', cleanUpUrl: 'https://lb.example.com/undrain' },
      },
      other: { nodeSelector: { kind: 'other' } },
      move: {},
      silence: {},
    });

    const { turns } = recovered({ plan: mixed, jobs: [aJob()] });

    expect(turns['w1']?.ran).toEqual(['poolkeeper/ask', 'poolkeeper/move']);
  });

  it.each<Found>([
    {
      what: 'Jobs before, node at rest',
      jobs: [aJob()],
      node: aTurnNode('w1'),
      turn: { step: 'before', ran: ['poolkeeper/move'] },
    },
    { what: 'Jobs before, node on its way', jobs: [aJob()], node: flying, turn: { step: 'gone', target: newConfig } },
    {
      what: 'Jobs before, node is back',
      jobs: [aJob()],
      node: anUpdatedNode('w1'),
      turn: { step: 'gone', ran: ['poolkeeper/move', 'poolkeeper/silence'] },
    },
    {
      what: 'a clean-up of a node that was not taken',
      jobs: [aJob(), aJob({ part: 'after' })],
      node: aTurnNode('w1'),
      turn: { step: 'after', ran: ['poolkeeper/move'], skip: 'it was not taken, as its Jobs show' },
    },
    {
      what: 'a turn to an earlier config',
      jobs: [
        aJob({ round: '1-aaaaaaaa', target: oldConfig }),
        aJob({ round: '1-aaaaaaaa', target: oldConfig, part: 'after' }),
      ],
      node: aTurnNode('w1'),
      turn: { step: 'gone', target: oldConfig, round: '1-aaaaaaaa' },
    },
    ...[false, true].map((isReversed) => {
      const former = aJob({ round: '4-bbbbbbbb-mf', part: 'after', madeAt: '2026-03-02T08:00:00Z' });
      const latter = aJob({ round: '1-bbbbbbbb-mg', madeAt: '2026-03-02T09:00:00Z' });
      return {
        what: `the round whose Jobs were made last, whatever its number: its record had been deleted at rest (${isReversed})`,
        jobs: isReversed ? [latter, former] : [former, latter],
        node: aTurnNode('w1'),
        turn: { step: 'before', round: '1-bbbbbbbb-mg' },
        heldSince: new Date(Number.parseInt('mg', 36)).toISOString(),
      };
    }),
    {
      what: 'the last of two rounds, and that the node was cordoned',
      jobs: [aJob({ round: '1-aaaaaaaa', target: oldConfig, part: 'after' }), aJob({ wasCordoned: true })],
      node: aTurnNode('w1'),
      turn: { step: 'before', round: '2-bbbbbbbb', cordoned: true },
    },
  ])('[S4-31] $what', ({ jobs, node, turn, heldSince }) => {
    const pools = [{ name: 'worker', target: newConfig, heldSince }];

    expect(recovered({ jobs, nodes: [node], pools }).turns).toMatchObject({ w1: turn });
  });

  it.each([
    { what: 'a node without a Job that somebody else let go', jobs: [], nodes: [flying] },
    { what: 'a Job in another namespace than that of its rule', jobs: [aJob({ namespace: 'tenant' })] },
    { what: 'a Job of a rule that the run does not have', jobs: [aJob({ rule: 'poolkeeper/other' })] },
    { what: 'a node that no pool of the run has', jobs: [aJob()], nodes: [aTurnNode('w1', { pool: 'infra' })] },
  ])('[S4-31] [N-30] no turn: $what', ({ jobs, nodes = [aTurnNode('w1')] }) => {
    expect(recovered({ jobs, nodes }).turns).toEqual({});
  });

  it('[S4-13] [S4-31] [N-29] a Job of an earlier hold does not count for the turn of today: its node has its Jobs before it goes', () => {
    const job = aJob({ round: roundText(3, { target: oldConfig, heldSince: '2026-11-21T10:00:00Z' }) });
    const heldSince = '2026-11-22T09:50:00.000Z';
    const said = { who: 'anna', why: 'looked at', at: now.toISOString() };

    const lost = recovered({ jobs: [job], pools: [{ name: 'worker', target: newConfig, heldSince }] });
    const record = withRunRequest(lost, { kind: 'go-on', said });
    const judged = judgeRun(aRunQuestion({ plan, nodes: [aTurnNode('w1')], record, pools: [aRunPool({ heldSince })] }));

    expect(lost.turns).toEqual({});
    expect(judged.actions).toMatchObject([{ kind: 'create-job', rule: { id: 'poolkeeper/move' }, part: 'before' }]);
    expect(judged.record.turns['w1']?.round).toBe(roundText(4, { target: newConfig, heldSince }));
  });

  it('[S4-31] [N-29] Jobs of nodes that are gone, or of rounds that no run has, leave a record that can be read again', () => {
    const jobs = [
      aJob({ round: `${'9'.repeat(30)}-bbbbbbbb` }),
      aJob({ node: 'w2', round: '-3-bbbbbbbb' }),
      ...Array.from({ length: 20 }, (_, index) => aJob({ node: `${index}${'x'.repeat(100_000)}` })),
    ];

    const stored = runRecordText(recovered({ jobs, nodes: [aTurnNode('w1'), aTurnNode('w2')] }));

    expect(parseRunRecord(stored)).toMatchObject({ turns: {}, rounds: {} });
    expect(stored.length).toBeLessThan(10_000);
  });

  it.each([
    ['at its target', anUpdatedNode('w1')],
    ['on its way', flying],
  ])(
    '[S4-31] [N-29] of a node %s: no clean-up of a rule that is for other nodes, unless it has a Job of it',
    (_, node) => {
      const plan = aRunPlan({
        move: {},
        other: { nodeSelector: { kind: 'other' } },
        moved: { nodeSelector: { a: 'b' } },
      });

      const { turns } = recovered({ plan, jobs: [aJob(), aJob({ rule: 'poolkeeper/moved' })], nodes: [node] });

      expect(turns['w1']?.ran).toEqual(['poolkeeper/move', 'poolkeeper/moved']);
    },
  );

  it('[S4-23] [S4-31] [N-29] a canary node that others had gone after has been watched to the end, also while its clean-ups are looked at', () => {
    const plan = aRunPlan({ move: {} }, { canaryNodes: ['w2'], soakSeconds: 86_400 });
    const nodes = [aTurnNode('w1'), anUpdatedNode('w2')];
    const jobs = [aJob({ node: 'w2' }), aJob({ node: 'w2', part: 'after' }), aJob()];

    const { record } = judgeRun(aRunQuestion({ plan, nodes, record: recovered({ plan, jobs, nodes }) }));

    expect(record.turns['w2']?.step).toBe('after');
    expect(record.canaries).toMatchObject({ w2: { passed: true } });
  });

  it('[S4-31] where Jobs may not be listed, a node on its way has its clean-ups', () => {
    const { turns, lost } = recovered({ jobs: undefined, nodes: [flying] });

    expect(turns).toMatchObject({ w1: { step: 'gone', ran: ['poolkeeper/move', 'poolkeeper/silence'] } });
    expect(lost?.what).toContain('Jobs could not be listed');
  });

  it('[S4-23] canary nodes are watched again, for the whole time, whatever their Jobs tell', () => {
    const plan = aRunPlan({}, { canaryNodes: ['w2'], soakSeconds: 3600 });
    const nodes = [aTurnNode('w1'), anUpdatedNode('w2')];
    const said = { who: 'anna', why: 'looked at', at: now.toISOString() };
    const record = withRunRequest(recovered({ plan, nodes }), { kind: 'go-on', said });

    const { next } = judgeRun(aRunQuestion({ plan, nodes, record }));

    expect(next.why).toBe('the canary nodes are watched until 2026-11-22T11:00:00.000Z');
  });
});

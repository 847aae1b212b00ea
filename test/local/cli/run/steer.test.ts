import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { NodeTurns } from '../../../../functions/core/configuration/node-turns.ts';
import { runsOf } from '../../../../functions/core/node-turns/run-plan.ts';
import { emptyRunRecord, type RunRecord, type Turn } from '../../../../functions/core/node-turns/run-record.ts';
import { type RunView, runView } from '../../../../functions/core/node-turns/run-view.ts';
import type { ReadyNode } from '../../../../functions/core/node-turns/turn-node.ts';
import { runText } from '../../../../local/cli/run/run-text.ts';
import { runCommand } from '../../../../local/cli/run-command.ts';
import { aNode, aPool } from '../../../fakes/builders.ts';
import { startStub } from '../../../functions/adapters/stub-server.ts';

const noon = new Date('2026-11-22T12:00:00.000Z');
const before = '2026-11-22T11:50:00.000Z';
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'move', image: 'move' }] } } };
const nodeTurns = {
  rules: { move: { jobSpec } },
  targets: { workers: { machineConfigPools: ['worker'] } },
  runs: {
    upgrade: { cluster: 'prod', mode: 'turns', mutexRules: [{ name: 'move' }], mutexTargets: [{ name: 'workers' }] },
  },
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-run-'));
  const clusters = [{ name: 'prod', api: { server: 'https://api.prod.example.com:6443', tokenSecret: 'prod-token' } }];
  await writeFile(
    join(folder, 'poolkeeper.yaml'),
    stringify({ clusters, nodeTurns }, { aliasDuplicateObjects: false }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const status = await runCommand(['run', ...args], {
    out: (text) => out.push(text),
    note: (text) => notes.push(text),
    environment: {},
    now: () => noon,
  });
  return { status, out: out.join(''), notes: notes.join('') };
}

const target = 'rendered-worker-bbb';
const worker = aPool({ paused: true, target: { name: target, sources: [] } });

function node(name: string, more: Partial<ReadyNode> = {}): ReadyNode {
  const config = more.currentConfig ?? 'rendered-worker-aaa';
  const own = aNode({
    name,
    labels: { 'node-role.kubernetes.io/worker': '' },
    currentConfig: config,
    desiredConfig: config,
    ...more,
  });
  return { ready: true, cordoned: false, ...own };
}

function turn(more: Partial<Turn>): Turn {
  const base: Turn = {
    pool: 'worker',
    target,
    round: '1-bbb',
    step: 'before',
    since: before,
    ran: ['poolkeeper/move'],
    cleaned: [],
    attempt: 1,
  };
  return { ...base, ...more };
}

function viewOf(record: Partial<RunRecord>, nodes: readonly ReadyNode[]): RunView {
  const [plan] = runsOf(NodeTurns.parse(nodeTurns), 'prod');
  if (plan === undefined) throw new Error('no plan');
  return runView({ plan, record: { ...emptyRunRecord, ...record }, pools: [worker], nodes, now: noon });
}

describe('run status', () => {
  it('[S4-22] [N-11] says why no node begins, until none is left', () => {
    const message = 'it waits for run other, which has pool worker';
    const ready = { type: 'UpgradeReady', status: 'False' as const, reason: 'UpgradeNotReady', message, at: before };
    const record = { conditions: [ready] };

    expect(runText(viewOf(record, [node('w1')]), noon)).toContain(`Next: w1, not yet: ${message}`);
    expect(runText(viewOf(record, [node('w1', { currentConfig: target, desiredConfig: target })]), noon)).not.toContain(
      'Next',
    );
  });

  it('[S4-20] [N-11] shows at a glance where every node is, and says of each what it does or waits for', () => {
    const turns = {
      w1: turn({ step: 'done', since: before }),
      w2: turn({ step: 'gone' }),
      w3: turn({ attempt: 2 }),
      w4: turn({ step: 'after', cleaned: ['poolkeeper/move'] }),
      w7: turn({ step: 'skipped', skip: 'poolkeeper/move failed' }),
    };
    const view = viewOf({ turns, log: [{ at: before, node: 'w2', what: `let go to ${target}` }] }, [
      node('w1', { currentConfig: target }),
      node('w2', { desiredConfig: target }),
      node('w3'),
      node('w4', { currentConfig: target }),
      node('w5'),
      node('w6', { labels: { 'node-role.kubernetes.io/worker': '', 'poolkeeper.dev/hold': '' } }),
      node('w7'),
      node('m1', { labels: { 'node-role.kubernetes.io/infra': '' } }),
    ]);

    expect(runText(view, noon)).toBe(
      [
        'Run upgrade on prod (mode turns): running, 1 of 7 nodes done',
        'Next: w5, when w2, w3 and w4 are done: 1 node at once',
        'Pool worker: rendered-worker-bbb, paused',
        '  #*><.h-',
        '  # done w1: at its target',
        '  * updating w2: let go to rendered-worker-bbb, for 10 min',
        '      | let go to rendered-worker-bbb',
        '  > jobs before w3: poolkeeper/move, attempt 2, for 10 min',
        '  < clean-up w4: clean-up of poolkeeper/move, for 10 min',
        '  . waiting w5: waits for its turn',
        '  h held w6: held by its label poolkeeper.dev/hold',
        '  - skipped w7: poolkeeper/move failed, for 10 min',
        'Timeline',
        '  2026-11-22T11:50:00.000Z w2: let go to rendered-worker-bbb',
        '',
      ].join('\n'),
    );
  });

  it('[S4-20] of a blocked run says why, and what one can do', () => {
    const failed = 'poolkeeper/move failed: exit code 3: no replica is in sync';
    const view = viewOf(
      {
        turns: { w1: turn({ failed }) },
        blockedSince: before,
        conditions: [
          { type: 'JobRun', status: 'False', reason: 'JobRunFailed', message: failed, at: before },
          { type: 'NodeUpgrade', status: 'True', reason: 'NodeUpgradeSucceeded', message: '0 of 1', at: before },
        ],
      },
      [node('w1')],
    );

    expect(runText(view, noon).split('\n')).toEqual([
      'Run upgrade on prod (mode turns): blocked for 10 min, 0 of 1 nodes done',
      'Pool worker: rendered-worker-bbb, paused',
      '  !',
      `  ! BLOCKED w1: ${failed}, for 10 min`,
      'Blocked: node w1, 1 of 1',
      `  ${failed}`,
      '  poolkeeper run retry upgrade w1 --reason "..."',
      '  poolkeeper run skip upgrade w1 --reason "..."',
      '',
    ]);
  });

  it('says who paused or aborted it, and when nothing is left', () => {
    const said = { who: 'ann', why: 'wrong night', at: before };

    expect(viewOf({ paused: said }, [node('w1')])).toMatchObject({ state: 'paused', said });
    expect(viewOf({ aborted: said }, [node('w1')]).state).toBe('aborting');
    expect(viewOf({ aborted: said, endedAt: before }, [node('w1')]).state).toBe('aborted');
    expect(viewOf({}, [node('w1', { currentConfig: target })])).toMatchObject({ state: 'idle', done: 1, total: 1 });
    expect(runText(viewOf({ paused: said }, []), noon)).toMatch(
      /paused, 0 of 0 nodes done by ann at .*:\s+wrong night/,
    );
  });

  it('[C-9] fits 100 columns, and its commands stay whole', () => {
    const failed = `poolkeeper/move-the-primary failed: ${'no replica is in sync, '.repeat(12)}give up`;
    const name = `worker-${'x'.repeat(60)}`;
    const record = { turns: { [name]: turn({ failed }) }, blockedSince: before };

    const lines = runText(viewOf(record, [node(name)]), noon).split('\n');

    const commands = lines.filter((line) => line.startsWith('  poolkeeper run '));
    expect(commands).toEqual([
      expect.stringContaining(`retry upgrade ${name} --reason "..."`),
      expect.stringContaining(`skip upgrade ${name} --reason "..."`),
    ]);
    expect(lines.filter((line) => line.length > 100 && !commands.includes(line))).toEqual([]);
  });

  it('of a large pool prints one sign a node, and lines only of those that do something', () => {
    const nodes = Array.from({ length: 200 }, (_, index) => node(`w${String(index).padStart(3, '0')}`));
    const text = runText(viewOf({ turns: { w007: turn({}) } }, nodes), noon).split('\n');

    expect(text.slice(1, 2)).toEqual(['Next: w000, when w007 is done: 1 node at once']);
    expect(text.slice(3, 6)).toEqual([`  >${'.'.repeat(79)}`, `  ${'.'.repeat(80)}`, `  ${'.'.repeat(40)}`]);
    expect(text.slice(6, 8)).toEqual([
      '  > jobs before w007: poolkeeper/move, for 10 min',
      '  and 199 that are done or wait',
    ]);
  });

  it.each([
    [['status', 'upgarde'], /name one run of .*, which has upgrade/],
    [['pause', 'upgrade'], /--reason "\.\.\." is needed/],
    [['skip', 'upgrade', '--reason', 'x'], /name a node of run upgrade behind it/],
    [['status', 'upgrade', '--output', 'xml'], /--output xml: must be one of text, wide, json, yaml/],
    [['stop'], /run stop: must be followed by one of status, start, pause, go-on, retry, skip, abort, import/],
  ])('refuses what it cannot do before it asks a cluster: %j', async (args, expected) => {
    const config = args[0] === 'stop' ? [] : ['--config', join(folder, 'poolkeeper.yaml')];
    const { status, notes } = await run(...args, ...config);

    expect(status).toBe(2);
    expect(notes).toMatch(expected);
  });
});

describe('run import', () => {
  const rule = {
    apiVersion: 'openshift-optional.skrzypek.io/v1alpha1',
    kind: 'MutexRule',
    metadata: { name: 'move', namespace: 'mutex' },
    spec: { type: 'kubernetes', jobName: 'move', jobNamespace: 'databases', jobSpec, host: 'https://api' },
  };

  it('[S4-33] prints the section, and names what is not taken', async () => {
    const path = join(folder, 'rule.yaml');
    await writeFile(path, stringify(rule));

    const { status, out, notes } = await run('import', path, '--cluster', 'prod');

    expect(status).toBe(0);
    expect(out).toContain('nodeTurns:\n  rules:\n    mutex/move:\n      type: kubernetes\n      jobName: move\n');
    expect(notes).toContain(`${path}: MutexRule mutex/move: spec.host has no meaning here`);
    expect(notes).toContain('1 rules, 0 targets, 0 runs.');
  });

  it('[S4-33] [S4-2] exits with 1 where something is refused', async () => {
    const path = join(folder, 'hostile.yaml');
    const pod = { restartPolicy: 'Never', hostPID: true, containers: [{ name: 'x', image: 'x' }] };
    await writeFile(path, stringify({ ...rule, spec: { jobName: 'move', jobSpec: { template: { spec: pod } } } }));

    const { status, notes } = await run('import', path);

    expect(status).toBe(1);
    expect(notes).toContain('nodeTurns.rules["mutex/move"].jobSpec.template.spec.hostPID: reaches the node itself');
  });

  it('[S4-33] reads the objects of a cluster that has them, and changes nothing there', async () => {
    const answers: Readonly<Record<string, readonly object[]>> = {
      mutexrules: [{ metadata: { ...rule.metadata, uid: 'u', resourceVersion: '7' }, spec: rule.spec, status: {} }],
      mutextargets: [{ metadata: { name: 'all', namespace: 'mutex' }, spec: { machineConfigPools: ['worker'] } }],
      mutexrunconfigs: [],
    };
    const stub = await startStub(({ path }) => {
      const items = answers[path.split('/').at(-1) ?? ''];
      return items === undefined ? { status: 404 } : { body: { kind: 'List', metadata: {}, items } };
    });
    const kubeconfig = join(folder, 'kubeconfig');
    const context = { context: { cluster: 'c', user: 'u' }, name: 'x' };
    await writeFile(
      kubeconfig,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'x',
        contexts: [context],
        clusters: [{ name: 'c', cluster: { server: stub.url, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'u', user: { token: 'a-token' } }],
      }),
    );

    const { status, out, notes } = await run(
      'import',
      '--from-cluster',
      '--kubeconfig',
      kubeconfig,
      '--cluster',
      'prod',
    );

    expect([status, notes]).toEqual([0, expect.stringContaining('1 rules, 1 targets, 0 runs.')]);
    expect(out).toContain('rules:\n    mutex/move:');
    expect(out).toContain('targets:\n    mutex/all:');
    expect(stub.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  });

  it('needs files that can be read', async () => {
    expect((await run('import')).status).toBe(2);
    expect(await run('import', join(folder, 'none.yaml'))).toMatchObject({
      status: 2,
      notes: expect.stringMatching(/ENOENT/),
    });
  });
});

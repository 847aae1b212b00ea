import { afterEach, describe, expect, it } from 'vitest';
import { TurnRule } from '../../../functions/core/configuration/node-turns.ts';
import { judgeRun } from '../../../functions/core/node-turns/judge-run.ts';
import type { TurnAction } from '../../../functions/core/node-turns/judge-turn.ts';
import { withFormerRules, withPlanKept } from '../../../functions/core/node-turns/kept-plan.ts';
import type { RunPlan } from '../../../functions/core/node-turns/run-plan.ts';
import {
  emptyRunRecord,
  isOver,
  mayRetry,
  parseRunRecord,
  type RunRecord,
  type RunRequest,
  runRecordText,
  withJobRefused,
  withJobSeen,
  withRunRequest,
} from '../../../functions/core/node-turns/run-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { performTurn } from '../../../functions/keep-pools/node-turns/perform-turn.ts';
import { readWork } from '../../../functions/keep-pools/node-turns/read-work.ts';
import type { ObjectReader } from '../../../functions/ports/cluster.ts';
import type { NodeTurnPorts } from '../../../functions/ports/node-turns.ts';
import { jobs } from '../../../local/openshift/api-server/resource-types.ts';
import { fc, runs } from '../../property.ts';
import { anUpdatedNode, aRunPlan, aRunQuestion, aTurnNode, now } from '../core/node-turns/run-builder.ts';
import { keepLab } from './keep-lab.ts';
import { jobSpec, type RunLab, runLab } from './run-lab.ts';

const noJobs = { jobSpec: undefined, cleanUpJobSpec: undefined };

/** What somebody may write of a rule that was `{ jobSpec, cleanUpJobSpec }`. */
const edits = {
  'its jobSpec is left out': { jobSpec: undefined },
  'its cleanUpJobSpec is left out': { cleanUpJobSpec: undefined },
  'it becomes a gate': {
    ...noJobs,
    type: 'gate',
    gate: { resourceType: 'machineconfigpools', resourceName: 'worker' },
  },
  'it becomes a call': { ...noJobs, type: 'http', http: { url: 'https://changes.example.com/nodes' } },
  'its jobNamespace is another': { jobNamespace: 'databases' },
  'its jobNamespace is one without rights': { jobNamespace: 'foreign' },
  'its jobNamespace is one without room': { jobNamespace: 'full' },
  'its jobName is another': { jobName: 'other' },
  'its timeout is short': { timeoutSeconds: 10 },
  'it is for other nodes': { nodeSelector: { rack: 'b' } },
} as const;

let lab: RunLab | undefined;

afterEach(async () => {
  await lab?.stop();
  lab = undefined;
});

/** Jobs that have not ended. */
const running = ({ openshift }: RunLab) =>
  openshift.registry.list(jobs).filter(({ status }) => (status?.conditions ?? []).length === 0);

/** Writes the rule of the run anew. */
function rewrite(run: RunLab, rule: object): void {
  const move = TurnRule.parse({ jobSpec, cleanUpJobSpec: jobSpec, ...rule });
  run.configure((nodeTurns) => ({ ...nodeTurns, rules: { move } }));
}

/** A run whose first Job runs, and then its rule is written anew. */
async function editedRun(edit: object, rule: Readonly<Record<string, unknown>> = {}): Promise<RunLab> {
  const run = await runLab({ nodes: ['worker-0', 'worker-1'], rules: { move: rule } });
  lab = run;
  await run.tick();
  run.openshift.kubelets.runPods(() => true, { forMs: 240_000, exitCode: 0 });
  await run.change();
  await run.until(() => running(run).length > 0);
  await run.tick();
  rewrite(run, { ...rule, ...edit });
  return run;
}

/** Whatever happens while a Job runs: nodes that go, and Jobs that are made. */
async function besideJobs(run: RunLab): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (let minute = 0; minute < 12; minute += 1) {
    const before = [...run.seen];
    const isBusy = running(run).length > 0;
    await run.tick();
    if (isBusy) wrong.push(...run.seen.slice(before.length), ...(run.isPaused() ? [] : ['its pool is let go']));
    if (running(run).length > 1) wrong.push('two Jobs at once');
    await run.clock.advance(60_000);
  }
  const { log } = await run.record();
  return [...wrong, ...log.flatMap(({ what }) => (what.includes('deleted') ? [what] : []))];
}

describe('a rule that is written anew while its Job runs', () => {
  it.each(['its jobSpec is left out', 'it becomes a gate', 'its jobName is another'] as const)(
    '[S4-12] [S4-14] %s: its node waits for the Job',
    async (edit) => {
      const run = await editedRun(edits[edit]);
      const beside = await besideJobs(run);

      expect(beside).toEqual([]);
      expect(run.seen.slice(0, 2)).toEqual(['move before worker-0', 'worker-0 goes']);
    },
  );

  it('[S4-12] [S4-14] its jobNamespace is another, and its failures are ignored: its node waits for the Job', async () => {
    const run = await editedRun(edits['its jobNamespace is another'], { onFailure: 'ignore' });
    const beside = await besideJobs(run);

    expect(beside).toEqual([]);
    expect(run.seen.slice(0, 2)).toEqual(['move before worker-0', 'worker-0 goes']);
    expect(run.openshift.registry.list(jobs).map(({ metadata }) => metadata.namespace)).toContain('databases');
  });

  it('[S4-12] [S4-21] its jobNamespace is another, and the run is aborted: its clean-up waits for the Job', async () => {
    const run = await editedRun(edits['its jobNamespace is another']);
    await run.ask({ kind: 'abort', said: run.said('wrong night') });
    const beside = await besideJobs(run);

    expect(beside).toEqual([]);
    expect(run.seen.slice(0, 2)).toEqual(['move before worker-0', 'move after worker-0']);
  });
});

it('[S4-12] [S4-21] it becomes a gate while its Job runs, and then the run is taken out: it ends after the Job', async () => {
  const run = await editedRun(edits['it becomes a gate']);
  await run.tick();
  run.takeOut('its runs');
  const beside = await besideJobs(run);

  expect(beside).toEqual([]);
  expect(run.isPaused()).toBe(false);
});

const noRights = { kind: 'status' as const, code: 403 };

async function minutes(run: RunLab, count: number): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) {
    await run.clock.advance(60_000);
    await run.tick();
  }
}

describe('a rule whose jobNamespace is one in which Poolkeeper has no rights', () => {
  const forbid = (run: RunLab, namespace: string) =>
    run.openshift.faults.inject({
      fault: noRights,
      matches: ({ path }) => path.includes(`/namespaces/${namespace}/`),
    });

  it('[S4-14] [S4-17] once that is mended, its Job is made where the rule says', async () => {
    const run = await runLab({ nodes: ['worker-0', 'worker-1'], rules: { move: { jobNamespace: 'database' } } });
    lab = run;
    forbid(run, 'database');
    await run.tick();
    run.openshift.kubelets.runPods(() => true, { forMs: 30_000, exitCode: 0 });
    await run.change();
    await minutes(run, 3);
    const before = run.lab.troubles();
    rewrite(run, { jobNamespace: 'databases' });
    await minutes(run, 1);

    expect(before).toEqual(['run-blocked']);
    expect(run.seen).toEqual(['move before worker-0']);
    expect(run.lab.troubles()).toEqual([]);
  });

  it('[S4-14] [S4-17] that of its clean-up, too', async () => {
    const run = await runLab({ nodes: ['worker-0', 'worker-1'] });
    lab = run;
    forbid(run, 'database');
    await run.tick();
    run.openshift.kubelets.runPods(() => true, { forMs: 30_000, exitCode: 0 });
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    rewrite(run, { jobNamespace: 'database' });
    await run.until(() => run.lab.troubles().includes('run-blocked'), 30);
    rewrite(run, { jobNamespace: 'databases' });
    await minutes(run, 2);

    expect(run.seen).toContain('move after worker-0');
  });

  it('[S4-14] [S4-17] that of its clean-up, which is then left out: the turn is over', async () => {
    const run = await runLab({ nodes: ['worker-0', 'worker-1'], rules: { move: { cleanUpJobSpec: jobSpec } } });
    lab = run;
    await run.tick();
    run.openshift.kubelets.runPods(() => true, { forMs: 30_000, exitCode: 0 });
    await run.change();
    await run.until(() => run.seen.includes('worker-0 goes'));
    run.openshift.faults.inject({ fault: noRights, matches: ({ path }) => path.endsWith('/jobs') });
    await run.until(() => run.lab.troubles().includes('run-blocked'), 30);
    run.openshift.faults.clear();
    rewrite(run, { cleanUpJobSpec: undefined });
    await minutes(run, 6);

    expect(run.seen).toContain('worker-1 goes');
  });

  it('[S4-14] [S4-17] of which nobody knows whether its Job was made: `retry` makes it where the rule says', async () => {
    const run = await runLab({ nodes: ['worker-0', 'worker-1'], rules: { move: { jobNamespace: 'database' } } });
    lab = run;
    await run.tick();
    run.openshift.faults.inject({ fault: { kind: 'reset' }, matches: ({ path }) => path.endsWith('/jobs') });
    await run.change();
    forbid(run, 'database');
    await minutes(run, 2);
    run.openshift.faults.clear();
    forbid(run, 'database');
    rewrite(run, { jobNamespace: 'databases' });
    await minutes(run, 2);
    const before = [...run.seen];
    const told = JSON.stringify(run.lab.world.tables.incidents.all());
    await run.ask({ kind: 'retry', node: 'worker-0', said: run.said('it was never made') });
    await minutes(run, 1);

    expect(before).toEqual([]);
    expect(told).toContain('run retry upgrade worker-0');
    expect(run.seen).toEqual(['move before worker-0']);
  });

  it('[S4-14] [S4-17] in which its Job runs: `retry` makes another one only when the time of that one is over', async () => {
    const run = await editedRun({ jobNamespace: 'databases', timeoutSeconds: 600 }, { timeoutSeconds: 600 });
    forbid(run, 'poolkeeper/jobs');
    await minutes(run, 2);
    await run.ask({ kind: 'retry', node: 'worker-0', said: run.said('too early') });
    await minutes(run, 2);
    const early = [...run.seen];
    await minutes(run, 15);
    await run.ask({ kind: 'retry', node: 'worker-0', said: run.said('its time is over') });
    await minutes(run, 1);

    expect(early).toEqual(['move before worker-0']);
    expect(run.seen).toEqual(['move before worker-0', 'move before worker-0']);
  });
});

it.each(['stop', 'ignore'])(
  '[S4-12] [S4-14] a timeout that is raised while its Job waits to begin counts for that Job (onFailure: %s)',
  async (onFailure) => {
    const rule = { timeoutSeconds: 600, onFailure, jobSpec: { ...jobSpec, suspend: true } };
    const run = await runLab({ nodes: ['worker-0', 'worker-1'], rules: { move: rule } });
    lab = run;
    await run.tick();
    await run.change();
    await minutes(run, 3);
    rewrite(run, { ...rule, timeoutSeconds: 7200 });
    await minutes(run, 20);

    expect(run.seen).toEqual(['move before worker-0']);
    expect(run.lab.troubles()).toEqual([]);
  },
);

it.each(['stop', 'ignore'])(
  '[S4-12] [S4-14] a Job that an earlier version began, whose place is another one since: it waits for a person (onFailure: %s)',
  async (onFailure) => {
    const run = await editedRun({ jobName: 'other', onFailure });
    const { records } = run.connection.nodeTurns;
    const record = await run.record();
    const turns = Object.entries(record.turns).map(([node, { job: _, ...turn }]) => [node, turn] as const);
    const text = runRecordText({ ...record, turns: Object.fromEntries(turns) });
    const stored = await records.load('poolkeeper', 'upgrade');
    await records.save('poolkeeper', 'upgrade', { text, resourceVersion: stored?.resourceVersion });
    await minutes(run, 2);

    expect(run.seen).toEqual(['move before worker-0']);
    expect(run.lab.troubles()).toEqual(['run-blocked']);
  },
);

interface MadeJob {
  readonly node: string;
  readonly endsAt: number;
  readonly manifest: object;
  state: 'running' | 'Complete' | 'Failed';
}

/** Two nodes, the Jobs of a run wherever they are, and a rule that anybody writes anew at any moment. */
class EditedWorld {
  private record: RunRecord = emptyRunRecord;
  private seconds = 0;
  private readonly jobs = new Map<string, MadeJob>();
  private readonly nodes = new Map(['w1', 'w2'].map((name) => [name, aTurnNode(name)]));
  private readonly own = keepLab();
  readonly wrong: string[] = [];
  plan: RunPlan;

  constructor(plan: RunPlan) {
    this.plan = plan;
  }

  private get now(): Date {
    return new Date(now.getTime() + this.seconds * 1000);
  }

  get areTurnsOver(): boolean {
    return Object.values(this.record.turns).every(isOver);
  }

  /** Jobs end by their own deadline. */
  pass(seconds: number): void {
    this.seconds += seconds;
    for (const job of this.jobs.values())
      if (job.state === 'running' && job.endsAt <= this.seconds) job.state = 'Failed';
  }

  end(state: 'Complete' | 'Failed'): void {
    for (const job of this.jobs.values()) if (job.state === 'running') job.state = state;
  }

  ask(request: RunRequest): void {
    this.record = withRunRequest(this.record, request);
  }

  /** Whoever is told of it lets it try again, and Jobs succeed. */
  async lookAndRetry(): Promise<void> {
    const at = this.now.toISOString();
    for (const [node, turn] of Object.entries(this.record.turns))
      if (!isOver(turn) && mayRetry(turn, at)) this.ask({ kind: 'retry', node, said: this.said() });
    await this.look();
    this.end('Complete');
  }

  said() {
    return { who: 'ops', why: 'decided', at: this.now.toISOString() };
  }

  /** @param dies it stores what it decides, and does nothing of it */
  async look({ dies = false }: { readonly dies?: boolean } = {}): Promise<void> {
    const plan = withFormerRules(this.plan, this.record);
    const { ports, world } = this.own;
    const reader = { read: async ({ path }: { readonly path: string }) => this.read(path) };
    const cluster = { ...world, reader };
    const calling = { ...ports, clock: () => this.now, ruleCalls: { post: async () => answered } };
    const seen = await readWork(plan, this.record, cluster, calling);
    const { now } = this;
    const judged = judgeRun(aRunQuestion({ plan, record: this.record, nodes: [...this.nodes.values()], seen, now }));
    const stored = parseRunRecord(runRecordText(withPlanKept(judged.record, plan)));
    if (stored === 'unreadable') throw new Error('the record cannot be understood');
    this.record = stored;
    this.wrong.push(...stored.log.flatMap(({ what }) => (what.includes('deleted') ? [what] : [])));
    const performing = { plan, lookedAt: now.toISOString(), pools: [], cluster, turns: this.turns, ports: calling };
    for (const action of dies ? [] : judged.actions) await this.perform(action, performing);
  }

  private async perform(action: TurnAction, performing: Parameters<typeof performTurn>[1]): Promise<void> {
    const { node } = action;
    if (action.kind === 'let-go') {
      if (this.isBusy(node)) this.wrong.push(`${node} goes beside its Job`);
      this.nodes.set(node, anUpdatedNode(node));
      return;
    }
    const { isMade, isRefused = false } = await performTurn(action, performing);
    if (isRefused && action.kind === 'create-job')
      this.record = withJobRefused(this.record, { node, turn: action.turn });
    if (isMade && action.kind === 'create-job' && action.turn.since !== this.now.toISOString())
      this.record = withJobSeen(this.record, { node, turn: action.turn, now: this.now });
  }

  private isBusy(node: string): boolean {
    return [...this.jobs.values()].some((job) => job.node === node && job.state === 'running');
  }

  private read(path: string): Awaited<ReturnType<ObjectReader['read']>> {
    if (path.includes('/namespaces/foreign/')) return { kind: 'failed', why: '', isForbidden: true, readAt: this.now };
    const job = this.jobs.get(path);
    if (job === undefined) return { kind: 'absent', readAt: this.now };
    const conditions = job.state === 'running' ? [] : [{ type: job.state, status: 'True' }];
    return { kind: 'found', body: { ...job.manifest, status: { conditions } }, readAt: this.now };
  }

  private get turns(): NodeTurnPorts {
    const createJob = async (namespace: string, manifest: object) => {
      const { metadata, spec } = manifest as {
        readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
        readonly spec: { readonly activeDeadlineSeconds: number };
      };
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${metadata.name}`;
      if (namespace === 'foreign' || namespace === 'full')
        throw new Transient(`POST ${path}: 403`, { kind: 'forbidden', isAnswered: true });
      if (this.jobs.has(path)) return 'there' as const;
      const node = metadata.labels['poolkeeper.dev/node'] ?? '';
      if (this.isBusy(node)) this.wrong.push(`${path} is made beside another Job of ${node}`);
      this.jobs.set(path, { node, manifest, endsAt: this.seconds + spec.activeDeadlineSeconds, state: 'running' });
      return 'created' as const;
    };
    return { jobs: { createJob } } as unknown as NodeTurnPorts;
  }
}

const answered = { kind: 'answered' as const, status: 200, said: '' };

type Step = (world: EditedWorld) => Promise<void> | void;

describe('a rule that is written anew at any moment', () => {
  const written = { timeoutSeconds: 1200, backOffSeconds: 60 };
  const shown = <T extends Step>(name: string, step: T): T => Object.assign(step, { [fc.toStringMethod]: () => name });
  const look = shown('look', (world: EditedWorld) => world.look());

  const editTo = (base: object) =>
    fc.constantFrom(...Object.entries({ ...edits, 'as it was': {} })).map(([name, edit]) =>
      shown(name, (world: EditedWorld) => {
        world.plan = aRunPlan({ move: { ...written, ...base, ...edit }, tell: written }, { atOnce: 2 });
      }),
    );
  const takeOut = shown('taken out', (world: EditedWorld) => {
    world.plan = { ...world.plan, rules: world.plan.rules.filter(({ name }) => name !== 'move') };
  });
  const asked = fc
    .constantFrom('skip' as const, 'retry' as const)
    .map((kind) => shown(kind, (world: EditedWorld) => world.ask({ kind, node: 'w1', said: world.said() })));
  const abort = shown('abort', (world: EditedWorld) => world.ask({ kind: 'abort', said: world.said() }));

  const stepsOf = (base: object): fc.Arbitrary<Step> =>
    fc.oneof(
      { weight: 12, arbitrary: fc.constant<Step>(look) },
      { weight: 2, arbitrary: fc.constant<Step>(shown('dies', (world) => world.look({ dies: true }))) },
      { weight: 6, arbitrary: editTo(base) },
      { weight: 1, arbitrary: fc.constant<Step>(takeOut) },
      {
        weight: 4,
        arbitrary: fc
          .constantFrom(60, 300, 900)
          .map((seconds) => shown(`${seconds} s`, (world: EditedWorld) => world.pass(seconds))),
      },
      {
        weight: 2,
        arbitrary: fc
          .constantFrom('Complete' as const, 'Failed' as const)
          .map((state) => shown(state, (world: EditedWorld) => world.end(state))),
      },
      { weight: 2, arbitrary: asked },
      { weight: 1, arbitrary: fc.constant<Step>(abort) },
    );

  it.each([{}, { retries: 1 }, { onFailure: 'ignore' }, { onFailure: 'skip' }])(
    '[S4-12] [S4-14] [S4-21] (%o) no node goes beside its Job, no Job is made beside it, nobody is said to have deleted it, and an abort ends',
    async (base) => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepsOf(base), { maxLength: 80 }), async (steps) => {
          const world = new EditedWorld(aRunPlan({ move: { ...written, ...base }, tell: written }, { atOnce: 2 }));
          for (const step of steps) await step(world);
          abort(world);
          for (let looks = 0; looks < 30 && !world.areTurnsOver; looks += 1) {
            await world.look();
            world.pass(600);
          }

          expect(world.wrong).toEqual([]);
          expect(world.areTurnsOver).toBe(true);
        }),
        { numRuns: runs(120) },
      );
    },
  );

  const mended = fc
    .constantFrom(
      'its jobSpec is left out' as const,
      'its cleanUpJobSpec is left out' as const,
      'its jobNamespace is another' as const,
      'it becomes a call' as const,
    )
    .map((name) => ({ name, edit: edits[name] }));

  it.each([{}, { retries: 1 }, { onFailure: 'ignore' }])(
    '[S4-12] [S4-14] [S4-17] (%o) once it is one that can run, each turn ends with `retry` alone',
    async (base) => {
      await fc.assert(
        fc.asyncProperty(fc.array(stepsOf(base), { maxLength: 60 }), mended, async (steps, { edit }) => {
          const cannotRun = edits['its jobNamespace is one without room'];
          const world = new EditedWorld(aRunPlan({ move: { ...written, ...base }, tell: written }, { atOnce: 2 }));
          for (const step of steps) await step(world);
          world.plan = aRunPlan({ move: { ...written, ...base, ...cannotRun }, tell: written }, { atOnce: 2 });
          for (let looks = 0; looks < 3; looks += 1) await world.lookAndRetry();
          world.plan = aRunPlan({ move: { ...written, ...base, ...edit }, tell: written }, { atOnce: 2 });
          for (let looks = 0; looks < 60 && !world.areTurnsOver; looks += 1) {
            await world.lookAndRetry();
            world.pass(600);
          }

          expect(world.areTurnsOver).toBe(true);
        }),
        { numRuns: runs(60) },
      );
    },
  );
});

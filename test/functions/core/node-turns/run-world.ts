import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import type { TurnAction, WorkSeen } from '../../../../functions/core/node-turns/judge-turn.ts';
import type { RunPlan } from '../../../../functions/core/node-turns/run-plan.ts';
import {
  emptyRunRecord,
  type RunRecord,
  type RunRequest,
  type Turn,
  withRunRequest,
} from '../../../../functions/core/node-turns/run-record.ts';
import { isAt, mayGo, rests, type TurnNode, whyStays } from '../../../../functions/core/node-turns/turn-node.ts';
import { aRunPool, aTurnNode, newConfig, now } from './run-builder.ts';
import { WorldJobs } from './world-jobs.ts';

/** A cluster in which keepers, the MCO, Jobs and people do one thing after another, in any order, and in which what
 *  must never happen is noted. */
export class RunWorld {
  readonly plan: RunPlan;
  readonly nodes = new Map<string, TurnNode>();
  private readonly jobs = new WorldJobs();
  /** What must never happen, and did. */
  readonly wrong: string[] = [];
  readonly reboots = new Map<string, number>();
  target = newConfig;
  record: RunRecord = emptyRunRecord;
  version = 0;
  paused = true;
  seconds = 0;
  /** Jobs cannot be looked at. */
  isBlind = false;

  constructor(plan: RunPlan, names: readonly string[]) {
    this.plan = plan;
    for (const name of names) this.nodes.set(name, aTurnNode(name));
  }

  private get members(): readonly TurnNode[] {
    return [...this.nodes.values()].filter(({ pool }) => pool === 'worker');
  }

  get now(): Date {
    return new Date(now.getTime() + this.seconds * 1000);
  }

  /** One look: what it read is old by the time it writes, and between any two effects it may die. */
  *keeper(): Generator<void, void> {
    const { record, version } = this;
    const [nodes, seen] = [[...this.nodes.values()], this.seen(record)];
    yield;
    const pools = [aRunPool({ target: this.target, isPaused: this.paused })];
    const judged = judgeRun({ plan: this.plan, record, nodes, pools, seen, controllers: new Set(), now: this.now });
    yield;
    if (JSON.stringify(judged.record) !== JSON.stringify(record)) {
      if (version !== this.version) return;
      this.save(judged.record);
    }
    for (const action of judged.actions) {
      yield;
      this.perform(action);
    }
    yield;
    const isLetGo = this.record.pools['worker']?.done === this.target || this.record.endedAt !== undefined;
    if (isLetGo) this.resume();
    else this.paused = true;
  }

  private isHeld({ labels }: TurnNode): boolean {
    return Object.hasOwn(labels, this.plan.run.holdLabel);
  }

  passMinute(): void {
    this.seconds += 60;
  }

  ask(request: RunRequest): void {
    this.save(withRunRequest(this.record, request));
  }

  private save(record: RunRecord): void {
    this.jobs.note(record);
    this.record = record;
    this.version += 1;
  }

  private resume(): void {
    const left = this.members.filter((node) => node.desiredConfig !== this.target).map(({ name }) => name);
    if (this.record.aborted === undefined && left.length > 0)
      this.wrong.push(`resumed while ${left.join()} had no turn`);
    this.paused = false;
  }

  private seen(record: RunRecord): ReadonlyMap<string, WorkSeen> {
    const seen = this.jobs.seen(record);
    if (!this.isBlind) return seen;
    return new Map([...seen.keys()].map((node) => [node, { kind: 'unseen', why: 'it did not answer' }]));
  }

  private perform(action: TurnAction): void {
    const node = this.nodes.get(action.node);
    switch (action.kind) {
      case 'create-job': {
        const { turn, rule, part } = action;
        this.jobs.create(turn, { node: action.node, rule: rule.id, part });
        return;
      }
      case 'let-go':
        this.letGo(node, action.turn);
        return;
      case 'cordon-again':
        if (node !== undefined) this.change(node, { cordoned: true });
        return;
      default:
        action satisfies never;
    }
  }

  private letGo(node: TurnNode | undefined, turn: Turn): void {
    if (node === undefined || node.pool !== 'worker' || !mayGo(node, turn, this.target)) return;
    if (whyStays(node, this.plan, turn) !== undefined) return;
    this.checkRules(node.name, turn);
    if (node.pool !== turn.pool) this.wrong.push(`${node.name} is not in pool ${turn.pool}`);
    if (this.isHeld(node) || node.cordoned) this.wrong.push(`${node.name} went while it was held`);
    this.change(node, { desiredConfig: turn.target });
    const flying = [...this.nodes.values()].filter((each) => each.desiredConfig !== each.currentConfig);
    if (flying.length > this.plan.run.atOnce) this.wrong.push(`${flying.length} nodes update at once`);
  }

  private checkRules(name: string, turn: Turn): void {
    for (const { id, rule } of this.plan.rules) {
      const isEnough = (state: string) => state === 'complete' || (state === 'failed' && rule.onFailure === 'ignore');
      const isDone = this.jobs.statesBefore(turn.round, name, id).some(isEnough);
      if (!isDone) this.wrong.push(`${name} went before ${id} had succeeded`);
    }
  }

  change(node: TurnNode, change: Partial<TurnNode>): void {
    this.nodes.set(node.name, { ...node, ...change });
  }

  /** One step of the MCO for one node; unpaused, it takes what is left. */
  mco(index: number): void {
    const node = [...this.nodes.values()][index % this.nodes.size];
    if (node === undefined) return;
    if (!this.paused && node.pool === 'worker' && rests(node) && node.currentConfig !== this.target) {
      this.change(node, { desiredConfig: this.target });
      return;
    }
    if (node.state === 'Done' && node.desiredConfig !== node.currentConfig) {
      this.change(node, { state: 'Working', cordoned: true, desiredDrain: `drain-${node.desiredConfig}` });
    } else if (node.state === 'Working' && node.ready) {
      this.change(node, { ready: false });
      const key = `${node.name}/${node.desiredConfig}`;
      this.reboots.set(key, (this.reboots.get(key) ?? 0) + 1);
      if (this.reboots.get(key) === 2) this.wrong.push(`${node.name} was rebooted twice`);
    } else if (node.state === 'Working') {
      const drain = `uncordon-${node.desiredConfig}`;
      const done = { currentConfig: node.desiredConfig, state: 'Done', ready: true, cordoned: false };
      this.change(node, { ...done, desiredDrain: drain, lastAppliedDrain: drain });
    }
  }

  endJob(index: number, state: 'complete' | 'failed'): void {
    this.jobs.end(index, state);
  }

  checkCleanUps(): void {
    this.wrong.push(...this.jobs.wrongCleanUps);
  }

  get isDone(): boolean {
    return !this.paused && this.members.every((node) => isAt(node, this.target));
  }

  /** Everybody does their work, and a person tries again what failed. */
  settle(): void {
    for (let round = 0; round < 400 && !this.isDone; round += 1) this.minute();
  }

  /** A minute in which everybody does their work; `onEffect` is called between any two effects of the keeper. */
  minute(onEffect: () => void = () => undefined): void {
    this.passMinute();
    for (const _ of this.keeper()) onEffect();
    this.jobs.completeAll();
    for (let index = 0; index < this.nodes.size; index += 1) this.mco(index);
    const said = { who: 'ops', why: 'mended', at: this.now.toISOString() };
    for (const [node, turn] of Object.entries(this.record.turns))
      if (turn.failed !== undefined || turn.step === 'skipped') this.ask({ kind: 'retry', node, said });
  }
}

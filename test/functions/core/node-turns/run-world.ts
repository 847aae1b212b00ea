import { judgeRun } from '../../../../functions/core/node-turns/judge-run.ts';
import type { TurnAction, WorkSeen } from '../../../../functions/core/node-turns/judge-turn.ts';
import { rolloutsOf } from '../../../../functions/core/node-turns/pool-rollouts.ts';
import type { RunPlan } from '../../../../functions/core/node-turns/run-plan.ts';
import {
  emptyRunRecord,
  type RunRecord,
  type RunRequest,
  type Turn,
  withRunRequest,
} from '../../../../functions/core/node-turns/run-record.ts';
import { isAt, mayGo, rests, type TurnNode, whyStays } from '../../../../functions/core/node-turns/turn-node.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aHold, aPool } from '../../../fakes/builders.ts';
import { aRunPool, aTurnNode, newConfig, now, oldConfig } from './run-builder.ts';
import { WorldJobs } from './world-jobs.ts';

/** A pool as it stands. Whoever writes it by an old version is refused. */
interface WorldPool {
  version: number;
  isPaused: boolean;
  /** The config that all its nodes had last. */
  current: string;
}

/** What one look found: old by the time something is written by it. */
interface WorldLook {
  readonly record: RunRecord;
  readonly version: number;
  readonly nodes: readonly TurnNode[];
  readonly pools: readonly Pool[];
}

/** A cluster in which keepers, the MCO, Jobs and people do one thing after another, in any order, and in which what
 *  must never happen is noted. */
export class RunWorld {
  readonly plan: RunPlan;
  readonly nodes = new Map<string, TurnNode>();
  private readonly jobs = new WorldJobs();
  /** What must never happen, and did. */
  readonly wrong: string[] = [];
  readonly reboots = new Map<string, number>();
  /** Of each pool of the run. */
  private readonly pools: ReadonlyMap<string, WorldPool>;
  private rendered = newConfig;
  record: RunRecord = emptyRunRecord;
  version = 0;
  seconds = 0;
  /** Jobs cannot be looked at. */
  isBlind = false;

  constructor(plan: RunPlan, names: readonly string[], others: Readonly<Record<string, string>> = {}) {
    this.plan = plan;
    this.pools = new Map(
      plan.pools.map((pool) => [pool, { version: 0, isPaused: true, current: ofPool(oldConfig, pool) }]),
    );
    for (const name of names) this.nodes.set(name, inPool(aTurnNode(name), 'worker'));
    for (const [name, pool] of Object.entries(others)) this.nodes.set(name, inPool(aTurnNode(name), pool));
  }

  private get members(): readonly TurnNode[] {
    return [...this.nodes.values()].filter(({ pool }) => this.pools.has(pool ?? ''));
  }

  private isThere(node: TurnNode): boolean {
    return isAt(node, this.targetOf(node.pool));
  }

  /** What is rendered for pool worker; other pools have the same content. */
  get target(): string {
    return this.rendered;
  }

  set target(config: string) {
    this.rendered = config;
    for (const pool of this.pools.values()) pool.version += 1;
  }

  private targetOf(pool: string | undefined): string {
    return ofPool(this.rendered, pool ?? '');
  }

  /** Any pool of the run. */
  get paused(): boolean {
    return [...this.pools.values()].some(({ isPaused }) => isPaused);
  }

  get now(): Date {
    return new Date(now.getTime() + this.seconds * 1000);
  }

  private look(): WorldLook {
    const { record, version } = this;
    const pools = [...this.pools].map(([name, { version: resourceVersion, isPaused, current }]) => {
      const holds = isPaused ? [aHold({ id: `rollout/${this.plan.name}`, kind: 'rollout' })] : [];
      return aPool({
        name,
        resourceVersion: String(resourceVersion),
        paused: isPaused,
        target: { name: this.targetOf(name), sources: [] },
        current: { name: current, sources: [] },
        record: { kind: 'record', record: { v: 1, pause: 'ours', pausedSince: now.toISOString(), holds } },
      });
    });
    return { record, version, nodes: [...this.nodes.values()], pools };
  }

  /** One pass: what it read is old by the time it writes, and between any two effects it may die. */
  *keeper(): Generator<void, void> {
    const found = this.look();
    yield;
    const { plan } = this;
    const records = new Map([[plan.name, found.record]]);
    const rollouts = rolloutsOf({ plans: [plan], pools: found.pools, records, nodes: found.nodes, update: 'none' });
    for (const pool of found.pools) {
      const wants = rollouts.get(pool.name)?.wants;
      if (wants === 'let go') this.resume(pool, found);
      else if (wants === 'hold') this.pause(pool);
      yield;
    }
    if ([...rollouts.values()].some(({ wants }) => wants === 'hold')) yield* this.keepRun(found);
  }

  /** Nodes and Jobs are read later than the record. */
  private *keepRun({ record, version }: WorldLook): Generator<void, void> {
    const { nodes, pools: all } = this.look();
    const seen = this.seen(record);
    yield;
    const pools = all.map(({ name, paused: isPaused, target }) => aRunPool({ name, isPaused, target: target.name }));
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

  private pause(found: Pool): void {
    const pool = this.pools.get(found.name);
    if (pool === undefined || pool.isPaused || String(pool.version) !== found.resourceVersion) return;
    pool.isPaused = true;
    pool.version += 1;
  }

  /** Whoever joins after the look that it is let go by is the MCO's. */
  private resume(found: Pool, { nodes }: WorldLook): void {
    const pool = this.pools.get(found.name);
    if (pool === undefined || !pool.isPaused || String(pool.version) !== found.resourceVersion) return;
    const left = nodes.filter((node) => node.pool === found.name && node.desiredConfig !== found.target.name);
    if (this.record.aborted === undefined && left.length > 0)
      this.wrong.push(`${found.name} resumed while ${left.map(({ name }) => name).join()} had no turn`);
    pool.isPaused = false;
    pool.version += 1;
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
    const isMember = node !== undefined && node.pool === turn.pool && this.pools.get(turn.pool)?.isPaused === true;
    if (!isMember || !mayGo(node, turn, this.targetOf(turn.pool))) return;
    if (whyStays(node, this.plan, turn) !== undefined) return;
    this.checkRules(node.name, turn);
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
    const pool = this.pools.get(node.pool ?? '');
    if (pool?.isPaused === false && rests(node) && node.currentConfig !== this.targetOf(node.pool)) {
      this.change(node, { desiredConfig: this.targetOf(node.pool) });
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
    this.noteCurrent();
  }

  private noteCurrent(): void {
    for (const [name, pool] of this.pools)
      if (this.members.every((node) => node.pool !== name || this.isThere(node))) pool.current = this.targetOf(name);
  }

  endJob(index: number, state: 'complete' | 'failed'): void {
    this.jobs.end(index, state);
  }

  checkCleanUps(): void {
    this.wrong.push(...this.jobs.wrongCleanUps);
  }

  get isDone(): boolean {
    return !this.paused && this.members.every((node) => this.isThere(node));
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

/** The config of a pool with the same content. */
function ofPool(config: string, pool: string): string {
  return config.replace(/^rendered-[a-z]+-/, `rendered-${pool}-`);
}

function inPool(node: TurnNode, pool: string): TurnNode {
  const config = ofPool(node.currentConfig, pool);
  const drain = `uncordon-${config}`;
  return { ...node, pool, currentConfig: config, desiredConfig: config, desiredDrain: drain, lastAppliedDrain: drain };
}

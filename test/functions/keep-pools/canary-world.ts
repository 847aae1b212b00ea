import { isSameContent } from '../../../functions/core/node-turns/canary-plan.ts';
import { judgeCanaryRun, type SeenPool } from '../../../functions/core/node-turns/canary-run.ts';
import { canariesOn, readCanaryState } from '../../../functions/core/node-turns/canary-state.ts';
import { isSameSelector } from '../../../functions/core/node-turns/canary-write.ts';
import type { TurnAction } from '../../../functions/core/node-turns/judge-turn.ts';
import type { RunPlan } from '../../../functions/core/node-turns/run-plan.ts';
import type { RunPool } from '../../../functions/core/node-turns/run-question.ts';
import {
  emptyRunRecord,
  isOver,
  type RunRecord,
  type RunRequest,
  withRunRequest,
} from '../../../functions/core/node-turns/run-record.ts';
import { rests, type TurnNode } from '../../../functions/core/node-turns/turn-node.ts';
import { rolloutHoldId } from '../../../functions/core/openshift/hold.ts';
import { selectorIn } from '../../../functions/core/openshift/manifest-selector.ts';
import { membershipOf } from '../../../functions/core/openshift/membership.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { performCanary } from '../../../functions/keep-pools/node-turns/perform-canary.ts';
import type { FreshPool } from '../../../functions/ports/node-turns.ts';
import { aHold, aPool, aRecord } from '../../fakes/builders.ts';
import { fakeLogger } from '../../fakes/index.ts';
import { aTurnNode, now } from '../core/node-turns/run-builder.ts';
import { WorldJobs } from '../core/node-turns/world-jobs.ts';

interface WorldPool {
  readonly name: string;
  /** The content that it renders. */
  content: string;
  paused: boolean;
  nodeSelector: unknown;
  noted: string | undefined;
  version: number;
  /** As people want it. */
  wanted: unknown;
}

interface WorldNode {
  node: TurnNode;
  version: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** One look, which goes on when it is told to. */
export interface Keeper {
  /** Its next effect or read; false: it has ended. */
  readonly step: () => Promise<boolean>;
}

const role = (name: string) => `node-role.kubernetes.io/${name}`;
const byRole = (name: string) => ({ matchLabels: { [role(name)]: '' } });
const targets = ['storage', 'worker'];
/** Of a person: it concerns no node, and nobody but they may take it away. */
const quarantine = { key: 'quarantine', operator: 'DoesNotExist' };

/** A cluster in which keepers in mode canary, the MCO, Jobs and people do one thing after another, in any order, and in
 *  which what must never happen is noted. What is written goes through `performCanary`, as in production. */
export class CanaryWorld {
  readonly plan: RunPlan;
  readonly nodes: Map<string, WorldNode>;
  readonly pools: ReadonlyMap<string, WorldPool>;
  private readonly jobs = new WorldJobs();
  /** What must never happen, and did. */
  readonly wrong: string[] = [];
  readonly reboots = new Map<string, number>();
  record: RunRecord = emptyRunRecord;
  private version = 0;
  seconds = 0;

  /** Two nodes of a custom pool, and workers. */
  constructor(plan: RunPlan, workers: readonly string[]) {
    this.plan = plan;
    const isCanary = { ...byRole('worker'), matchExpressions: [{ key: 'isCanary', operator: 'Exists' }] };
    const selectors = { worker: byRole('worker'), storage: byRole('storage'), canary: isCanary };
    this.pools = new Map(
      Object.entries(selectors).map(([name, nodeSelector]) => [
        name,
        {
          ...{ name, content: 'bbbbbbbb', paused: name !== 'canary', nodeSelector, wanted: nodeSelector },
          ...{ noted: undefined, version: 1 },
        },
      ]),
    );
    const all = [['s1', 'storage'] as const, ...workers.map((name) => [name, 'worker'] as const)];
    this.nodes = new Map(
      all.map(([name, pool]) => {
        const labels = { [role('worker')]: '', [role(pool)]: '' };
        const config = `rendered-${pool}-aaaaaaaa`;
        const drain = `uncordon-${config}`;
        const configs = { currentConfig: config, desiredConfig: config, desiredDrain: drain, lastAppliedDrain: drain };
        return [name, { node: aTurnNode(name, { pool, labels, ...configs }), version: 1, labels }];
      }),
    );
  }

  get now(): Date {
    return new Date(now.getTime() + this.seconds * 1000);
  }

  private poolOf({ labels }: Pick<TurnNode, 'labels'>): string | undefined {
    const found = membershipOf({ labels }, this.selecting());
    return found.kind === 'member' ? found.pool : undefined;
  }

  private selecting() {
    return [...this.pools.values()].map(({ name, nodeSelector }) => {
      const read = selectorIn(nodeSelector);
      return { name, nodeSelector: read === 'unreadable' ? undefined : read };
    });
  }

  private readonly severals = (): readonly string[] =>
    [...this.nodes.values()]
      .filter(({ node }) => membershipOf(node, this.selecting()).kind === 'several')
      .map(({ node }) => node.name);

  /** One look: what it read is old by the time it writes, and between any two effects it may die. */
  keeper(): Keeper {
    const waiting: (() => void)[] = [];
    const state = { hasEnded: false };
    const gate = () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    void this.look(gate).finally(() => {
      state.hasEnded = true;
    });
    return {
      step: async () => {
        waiting.shift()?.();
        // Everything that it does before its next effect happens at once.
        await new Promise((resolve) => setImmediate(resolve));
        return !state.hasEnded;
      },
    };
  }

  private async look(gate: () => Promise<void>): Promise<void> {
    const { record, version } = this;
    const nodes = [...this.nodes.values()].map(({ node }) => ({ ...node, pool: this.poolOf(node) }));
    const [seen, fresh] = [this.jobs.seen(record), this.freshPools()];
    const pools = fresh.map(({ name, nodeSelector }): SeenPool => ({ ...this.asPool(name), nodeSelector }));
    const own = targets.map((name): RunPool => {
      const { paused, target } = this.asPool(name);
      return { name, target: target.name, isPaused: paused, closed: undefined };
    });
    await gate();
    const { judged, steps } = judgeCanaryRun(
      { plan: this.plan, record, nodes, pools: own, seen, controllers: new Set(), now: this.now },
      { pools, states: canariesOn(fresh), layered: new Set() },
    );
    await gate();
    if (JSON.stringify(judged.record) !== JSON.stringify(record)) {
      if (version !== this.version) return;
      this.save(judged.record);
    }
    for (const action of judged.actions) {
      await gate();
      this.act(action);
    }
    const { turns, cluster } = this.ports(gate, pools);
    const ports = { clock: () => this.now, logger: fakeLogger() };
    const { plan, now } = this;
    // However late it writes.
    const lookedAt = now.toISOString();
    const performing = { run: plan.name, plan, lookedAt, nodes, pools, cluster, turns, ports };
    await performCanary(steps, performing);
    await gate();
    this.holdOrLetGo();
  }

  /** Labels and selectors are the run's just now. */
  get isNoted(): boolean {
    return [...this.pools.values()].some(({ noted }) => noted !== undefined);
  }

  /** As `rolloutsOf` and `withCanaries` have it. */
  private holdOrLetGo(): void {
    const isOpen = Object.values(this.record.turns).some((turn) => !isOver(turn));
    const isDone = targets.every((name) => this.record.pools[name]?.done === this.asPool(name).target.name);
    const isLetGo = !this.isNoted && (this.record.endedAt !== undefined || (isDone && !isOpen));
    for (const name of targets) {
      const pool = this.pools.get(name);
      if (pool === undefined || pool.paused === !isLetGo) continue;
      const left = this.members(name).filter(({ desiredConfig }) => !this.isContentOf(desiredConfig, pool));
      if (isLetGo && this.record.aborted === undefined && left.length > 0)
        this.wrong.push(`${name} resumed while ${left.map((each) => each.name).join()} had no turn`);
      pool.paused = !isLetGo;
      pool.version += 1;
    }
  }

  private members(pool: string): readonly TurnNode[] {
    return [...this.nodes.values()].map(({ node }) => node).filter((node) => this.poolOf(node) === pool);
  }

  private isContentOf(config: string, { name, content }: WorldPool): boolean {
    return isSameContent(config, `rendered-${name}-${content}`);
  }

  private freshPools(): readonly FreshPool[] {
    return [...this.pools.values()].map(({ name, nodeSelector, noted, version }) => ({
      ...{ name, nodeSelector, noted, resourceVersion: String(version) },
    }));
  }

  private asPool(name: string): Pool {
    const pool = this.pools.get(name);
    const target = { name: `rendered-${name}-${pool?.content}`, sources: [] };
    const hold = aHold({ id: rolloutHoldId(this.plan.name), kind: 'rollout' });
    const isHeld = targets.includes(name) && pool?.paused === true;
    const record = isHeld
      ? { kind: 'record' as const, record: aRecord({ pause: 'ours', holds: [hold] }) }
      : { kind: 'none' as const };
    return aPool({ name, target, paused: pool?.paused ?? false, record });
  }

  /** Between two reads anything happens; a write follows its last read at once. */
  private ports(gate: () => Promise<void>, seen: readonly SeenPool[]) {
    const conflict = () => new Transient('somebody was faster', { kind: 'conflict' });
    return {
      cluster: {
        pools: {
          readPool: async (name: string) => {
            await gate();
            return this.asPool(name);
          },
        },
      },
      turns: {
        canary: {
          listFreshPools: async () => {
            await gate();
            return this.freshPools();
          },
          readFreshPool: async (name: string) => {
            await gate();
            return this.freshPools().find((pool) => pool.name === name);
          },
          changePool: async ({ name, resourceVersion }: FreshPool, change: object) => {
            const pool = this.pools.get(name);
            if (pool === undefined || resourceVersion !== String(pool.version)) throw conflict();
            if ('nodeSelector' in change) this.checkSelector(pool, seen);
            const before = this.severals();
            Object.assign(pool, 'noted' in change ? { noted: change.noted ?? undefined } : change);
            pool.version += 1;
            this.checkSeveral(before, `the selector of ${name}`);
          },
        },
        nodes: {
          listReadyNodes: async () => ({ items: [], unreadable: [] }),
          readReadyNode: async (name: string) => {
            await gate();
            const found = this.nodes.get(name);
            return found && { node: found.node, resourceVersion: String(found.version) };
          },
          changeNode: async (
            { node: { name }, resourceVersion }: { readonly node: { readonly name: string }; resourceVersion: string },
            change: object,
          ) => {
            const found = this.nodes.get(name);
            if (found === undefined || resourceVersion !== String(found.version)) throw conflict();
            const labels: Readonly<Record<string, string | null>> =
              'labels' in change ? (change.labels as Readonly<Record<string, string | null>>) : {};
            const before = this.severals();
            this.label(name, labels);
            this.checkSeveral(before, `labels of ${name}`);
            this.checkEntered(name);
          },
        },
      },
    };
  }

  /** What somebody wrote after the look is never overwritten. */
  private checkSelector({ name, nodeSelector }: WorldPool, seen: readonly SeenPool[]): void {
    if (name === 'worker') this.wrong.push('the selector of worker was written');
    const looked = seen.find((pool) => pool.name === name)?.nodeSelector;
    if (!isSameSelector(looked, nodeSelector))
      this.wrong.push(`the selector of ${name} was written over ${JSON.stringify(nodeSelector)}`);
  }

  private checkSeveral(before: readonly string[], what: string): void {
    const added = this.severals().filter((name) => !before.includes(name));
    if (added.length > 0) this.wrong.push(`${what} put ${added.join()} into two custom pools`);
  }

  private checkEntered(name: string): void {
    const found = this.nodes.get(name);
    if (found === undefined || this.poolOf(found.node) !== 'canary') return;
    const content = this.pools.get('canary')?.content ?? '';
    if (!found.node.currentConfig.endsWith(content)) this.checkRules(name);
    const away = this.members('canary').filter((node) => !node.currentConfig.endsWith(content));
    if (away.length > this.plan.run.atOnce) this.wrong.push(`${away.length} nodes are in the canary at once`);
    if (found.node.cordoned || Object.hasOwn(found.node.labels, this.plan.run.holdLabel))
      this.wrong.push(`${name} went while it was held`);
  }

  private checkRules(name: string): void {
    const turn = this.record.turns[name];
    for (const { id } of this.plan.rules) {
      if (!this.jobs.statesBefore(turn?.round, name, id).includes('complete'))
        this.wrong.push(`${name} went before ${id} had succeeded`);
    }
  }

  label(name: string, labels: Readonly<Record<string, string | null>>): void {
    const found = this.nodes.get(name);
    if (found === undefined) return;
    const kept = { ...found.node.labels, ...labels };
    const all = Object.fromEntries(
      Object.entries(kept).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
    );
    this.change(name, { labels: all });
  }

  change(name: string, change: Partial<TurnNode>): void {
    const found = this.nodes.get(name);
    if (found === undefined) return;
    found.node = { ...found.node, ...change };
    found.version += 1;
  }

  /** A person writes a selector of their own, or, as Argo CD does, the one that they want, over that of the run. */
  edit(name: string, kind: 'their own' | 'as wanted'): void {
    const pool = this.pools.get(name);
    if (pool === undefined) return;
    const { matchExpressions = [], ...rest } = Object(pool.wanted) as { readonly matchExpressions?: unknown[] };
    if (kind === 'their own') pool.wanted = { ...rest, matchExpressions: [...matchExpressions, quarantine] };
    pool.nodeSelector = pool.wanted;
    pool.version += 1;
  }

  /** A person puts back what stood there when the run began, as the incident asks them to. What began stands in the
   *  record, or for a look in the note on the pool alone. */
  putBack(): void {
    const noted = [...this.pools.values()].find((pool) => pool.noted !== undefined)?.noted;
    const state = readCanaryState(this.record.canary ?? (noted === undefined ? undefined : JSON.parse(noted)));
    for (const { pool: name, original, during } of state === 'unreadable' ? [] : state.way.selectors) {
      const pool = this.pools.get(name);
      if (pool === undefined || [original, during].some((each) => isSameSelector(pool.nodeSelector, each))) continue;
      Object.assign(pool, { nodeSelector: original, wanted: original, version: pool.version + 1 });
    }
  }

  /** A person takes the note of the run away: only its record knows what it has written. */
  removeNote(): void {
    for (const pool of this.pools.values()) {
      if (pool.noted === undefined) continue;
      pool.noted = undefined;
      pool.version += 1;
    }
  }

  ask(request: RunRequest): void {
    this.save(withRunRequest(this.record, request));
  }

  private save(record: RunRecord): void {
    this.jobs.note(record);
    this.record = record;
    this.version += 1;
  }

  private act(action: TurnAction): void {
    if (action.kind !== 'create-job') {
      this.wrong.push(`${action.node}: ${action.kind} in mode canary`);
      return;
    }
    const { node, turn, rule, part } = action;
    this.jobs.create(turn, { node, rule: rule.id, part });
  }

  passMinute(): void {
    this.seconds += 60;
  }

  /** One step of the MCO for one node, in the pool that it is in now. */
  mco(index: number): void {
    const found = [...this.nodes.values()][index % this.nodes.size];
    const node = found?.node;
    const pool = node && this.pools.get(this.poolOf(node) ?? '');
    if (node === undefined) return;
    if (node.state === 'Done' && node.desiredConfig === node.currentConfig) {
      const config = `rendered-${pool?.name}-${pool?.content}`;
      if (pool === undefined || pool.paused || !rests(node) || node.cordoned || config === node.currentConfig) return;
      this.change(node.name, { desiredConfig: config });
      return;
    }
    const isUpdate = !isSameContent(node.currentConfig, node.desiredConfig);
    if (node.state === 'Done') {
      const begins = { state: 'Working' as const, cordoned: isUpdate, desiredDrain: `drain-${node.desiredConfig}` };
      this.change(node.name, begins);
    } else if (node.ready && isUpdate) {
      this.change(node.name, { ready: false });
      const key = `${node.name}/${node.desiredConfig.slice(-8)}`;
      this.reboots.set(key, (this.reboots.get(key) ?? 0) + 1);
      if (this.reboots.get(key) === 2) this.wrong.push(`${node.name} was rebooted twice`);
    } else {
      const drain = `uncordon-${node.desiredConfig}`;
      const done = { currentConfig: node.desiredConfig, state: 'Done' as const, ready: true, cordoned: false };
      this.change(node.name, { ...done, desiredDrain: drain, lastAppliedDrain: drain });
    }
  }

  endJob(index: number, state: 'complete' | 'failed'): void {
    this.jobs.end(index, state);
  }

  checkCleanUps(): void {
    this.wrong.push(...this.jobs.wrongCleanUps);
  }

  /** What is left of the run: nothing may be. */
  get left(): readonly string[] {
    const pools = [...this.pools.values()].flatMap(({ name, noted, nodeSelector, wanted, paused }) => [
      ...(noted === undefined ? [] : [`a note on ${name}`]),
      ...(isSameSelector(nodeSelector, wanted) ? [] : [`a selector of ${name}`]),
      ...(paused ? [`a pause of ${name}`] : []),
    ]);
    const nodes = [...this.nodes.values()].flatMap(({ node, labels }) =>
      JSON.stringify(node.labels) === JSON.stringify(labels) ? [] : [`labels of ${node.name}`],
    );
    return [...pools, ...nodes];
  }

  get isDone(): boolean {
    return this.left.length === 0 && [...this.nodes.values()].every(({ node }) => this.isUpdated(node));
  }

  private isUpdated(node: TurnNode): boolean {
    const pool = this.pools.get(this.poolOf(node) ?? '');
    return pool !== undefined && rests(node) && this.isContentOf(node.currentConfig, pool);
  }

  /** A minute in which everybody does their work, and a person tries again what failed. */
  async minute(): Promise<void> {
    this.passMinute();
    const keeper = this.keeper();
    while (await keeper.step());
    this.jobs.completeAll();
    for (let index = 0; index < this.nodes.size; index += 1) this.mco(index);
    const said = { who: 'ops', why: 'mended', at: this.now.toISOString() };
    for (const [node, turn] of Object.entries(this.record.turns))
      if (turn.failed !== undefined || turn.step === 'skipped') this.ask({ kind: 'retry', node, said });
  }

  async settle(isOver: () => boolean): Promise<void> {
    for (let round = 0; round < 300 && !isOver(); round += 1) await this.minute();
  }
}

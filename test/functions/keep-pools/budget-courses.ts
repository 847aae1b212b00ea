import { makeTick } from '../../../events/index.ts';
import type { Places } from '../../../functions/core/budget/place.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { PoolChange, Pools } from '../../../functions/ports/cluster.ts';
import { Crashed } from '../../fakes/faults.ts';
import { allPools, budgetFleet, type ClusterName, clusterNames, machines, type Ref } from './budget-fleet.ts';
import { keepLab } from './keep-lab.ts';

/** What is limited, over all clusters, and to how much: pools, clusters with a pool that rolls, or nodes. */
export interface Limit {
  readonly of: 'pools' | 'clusters' | 'nodes';
  readonly most: number;
}

export interface Look {
  readonly cluster: ClusterName;
  /** Seconds by which the clock of its process differs. */
  readonly skew: number;
  /** What its first resume meets. */
  readonly fault: 'none' | 'answer lost' | 'unanswered' | 'carried out late' | 'other writer' | 'refused';
}

export type Act =
  | { readonly kind: 'look'; readonly look: Look; readonly seconds: number }
  /** Looks by several processes, whose calls come in this order. */
  | { readonly kind: 'together'; readonly looks: readonly Look[]; readonly order: readonly number[] }
  /** The process dies at one of its effects. */
  | {
      readonly kind: 'dying';
      readonly cluster: ClusterName;
      readonly effect: number;
      readonly when: 'before' | 'after';
    }
  /** The table does not answer when the places are read or written. */
  | {
      readonly kind: 'no table';
      readonly cluster: ClusterName;
      readonly op: 'places.load' | 'places.save';
      readonly when: 'before' | 'after';
    }
  /** Of a pool: its next nodes go, or all; a sync brings a change and has paused it; a person resumes it; it is deleted
   *  and made again. */
  | { readonly kind: 'next' | 'all' | 'change' | 'by hand' | 'anew'; readonly which: number }
  | { readonly kind: 'size'; readonly which: number; readonly atOnce: number }
  | { readonly kind: 'limit'; readonly most: number }
  /** The API server answers no more, or again; so it is for resumes alone; the cluster is taken out of the file, or is
   *  back. */
  | { readonly kind: 'reach' | 'resumes' | 'file'; readonly cluster: ClusterName }
  | { readonly kind: 'table lost' }
  | { readonly kind: 'minutes'; readonly minutes: number };

/** Plays a course, and judges each resume by what the clusters know themselves. */
export function budgetCourse(first: Limit) {
  const lab = keepLab();
  const { clock, faults, tables } = lab.world;
  const fleet = budgetFleet({ clock: clock.now, faults });
  const broken: string[] = [];
  const unreachable = new Set<string>();
  const unanswering = new Set<string>();
  /** Resumes that were not answered, and are carried out at some time (ms). */
  let ahead: readonly { readonly at: number; carryOut(): Promise<Pool> }[] = [];
  const missing = new Set<string>();
  /** What others began, or what was forgotten: Poolkeeper cannot know of it until it has looked. */
  const unseen = new Map<Ref, number>();
  /** How many nodes each takes at once, as it was last seen. */
  const sizesSeen = new Map<Ref, number>(allPools.map((ref) => [ref, ref.atOnce]));
  /** Clusters that were looked at in this act, and that one began before. */
  const looked = new Map<string, number>();
  let limit = first;
  /** What was taken when the limit was lowered is not taken back. */
  let floor = 0;
  let had: Places['taken'] = [];
  let acts = 0;

  const taken = async () => (await tables.budgetPlaces.load()).taken;
  const isOf = (ref: Ref) => (each: { readonly cluster: string; readonly pool: string }) =>
    each.cluster === ref.cluster && each.pool === ref.pool;

  function used(refs: readonly Ref[]): number {
    if (limit.of === 'pools') return refs.length;
    if (limit.of === 'clusters') return new Set(refs.map(({ cluster }) => cluster)).size;
    return refs.reduce((sum, ref) => sum + Math.min(fleet.sizeOf(ref), sizesSeen.get(ref) ?? 1), 0);
  }

  async function usedByPlaces(): Promise<number> {
    const places = await taken();
    return used(allPools.filter((ref) => places.some(isOf(ref))));
  }

  /** Whoever has a place for all of its nodes keeps it, and a cluster that is on its way may take further pools. */
  function judge(ref: Ref, most: number): void {
    const rolling = allPools.filter((each) => each !== ref && fleet.isRolling(each));
    const others = rolling.filter((each) => !unseen.has(each));
    // A look that died may have stored what it saw.
    const isKnown = (each: Ref) => others.includes(each) || had.some(isOf(each));
    const mayJoin = limit.of === 'clusters' && rolling.some((each) => each.cluster === ref.cluster && isKnown(each));
    const hasPlace = had.some((each) => isOf(ref)(each) && (limit.of !== 'nodes' || each.nodes >= fleet.sizeOf(ref)));
    if (mayJoin || hasPlace || used([...others, ref]) <= Math.max(most, floor)) return;
    const names = others.map(({ cluster, pool }) => `${cluster}/${pool}`);
    broken.push(`${ref.cluster}/${ref.pool} went beside ${names.join(', ')}: at most ${most} ${limit.of}`);
  }

  function configuration(): Configuration {
    const most = limit.of === 'nodes' ? shareOf(limit.most) : limit.most;
    const budget = Budget.parse({ fleet: { [limit.of]: most } });
    const clusters = lab.ports.configuration.clusters.flatMap((only) =>
      clusterNames.filter((name) => !missing.has(name)).map((name) => ({ ...only, name, budget })),
    );
    return { ...lab.ports.configuration, clusters, argocd: [] };
  }

  async function meeting(fault: Look['fault'], carryOut: () => Promise<Pool>): Promise<Pool> {
    switch (fault) {
      case 'refused':
        throw new Transient('refused', { isAnswered: true });
      case 'carried out late':
        ahead = [...ahead, { at: clock.now().getTime() + lateMs, carryOut }];
        throw noAnswer();
      case 'answer lost':
        await carryOut();
        throw noAnswer();
      case 'unanswered':
        throw noAnswer();
      case 'none':
      case 'other writer':
        return carryOut();
      default:
        return fault satisfies never;
    }
  }

  /** The pools of a cluster, as one process sees them. */
  function seenBy({ fault }: Look, cluster: ClusterName): Pick<Pools, 'listPools' | 'readPool' | 'patchPool'> {
    const own = fleet.poolsOf(cluster);
    const { most } = limit;
    let next = fault;
    const answers = () => {
      if (unreachable.has(cluster)) throw noAnswer();
    };
    async function resume(ref: Ref, pool: Parameters<Pools['patchPool']>[0], change: PoolChange): Promise<Pool> {
      const meets = unanswering.has(cluster) ? 'unanswered' : next;
      next = 'none';
      if (meets === 'other writer') own.change(ref.pool, 'machine-config-controller', {});
      return meeting(meets, async () => {
        const wasRolling = fleet.isRolling(ref);
        const stored = await own.patchPool(pool, change);
        if (!wasRolling && fleet.isPending(ref)) judge(ref, most);
        return stored;
      });
    }
    return {
      async listPools() {
        answers();
        return own.listPools();
      },
      async readPool(name) {
        answers();
        return own.readPool(name);
      },
      async patchPool(pool, change) {
        answers();
        const ref = allPools.find(isSame(cluster, pool.name));
        return change.paused === false && ref !== undefined ? resume(ref, pool, change) : own.patchPool(pool, change);
      },
    };
  }

  function portsOf(look: Look, turn: () => Promise<void>): KeepPorts {
    const { budgetPlaces, checkpoints } = lab.ports;
    const { reader, renderings } = lab.world;
    const seen = seenBy(look, look.cluster);
    const pools: Pools = {
      ...fleet.poolsOf(look.cluster),
      listPools: inTurn(turn, seen.listPools),
      readPool: inTurn(turn, seen.readPool),
      patchPool: inTurn(turn, seen.patchPool),
    };
    return {
      ...lab.ports,
      configuration: configuration(),
      cluster: async () => ({ pools, reader, renderings }),
      budgetPlaces: { load: inTurn(turn, budgetPlaces.load), save: inTurn(turn, budgetPlaces.save) },
      checkpoints: {
        ...checkpoints,
        load: inTurn(turn, checkpoints.load),
        save: inTurn(turn, checkpoints.save),
      },
      clock: () => new Date(clock.now().getTime() + 1000 * look.skew),
    };
  }

  async function takeLook(look: Look, turn = async () => {}): Promise<void> {
    const { cluster } = look;
    if (missing.has(cluster)) return;
    try {
      await keep(makeTick({ cluster, why: 'clock' }, clock.now()), portsOf(look, turn));
      if (!unreachable.has(cluster)) looked.set(cluster, acts);
    } catch (cause) {
      if (!(cause instanceof Transient || cause instanceof Crashed)) throw cause;
    }
  }

  async function passes(seconds: number): Promise<void> {
    had = await taken();
    const end = clock.now().getTime() + 1000 * seconds;
    for (const { at, carryOut } of ahead.filter((each) => each.at <= end)) {
      clock.set(new Date(Math.max(at, clock.now().getTime())));
      // Of a pool that was written since, the API server refuses it.
      await carryOut().catch(() => undefined);
    }
    ahead = ahead.filter(({ at }) => at > end);
    clock.set(new Date(end));
  }

  const plainLook = (cluster: ClusterName) => takeLook({ cluster, skew: 0, fault: 'none' });

  async function failingLook(cluster: ClusterName, fail: () => void): Promise<void> {
    await passes(30);
    faults.forget();
    fail();
    await plainLook(cluster);
    faults.restart();
    faults.forget();
    looked.clear();
  }

  async function together(looks: readonly Look[], order: readonly number[]): Promise<void> {
    const waiting: (() => void)[] = [];
    let running = looks.length;
    const taking = looks.map((look) =>
      takeLook(look, () => new Promise((resolve) => waiting.push(resolve))).finally(() => {
        running -= 1;
      }),
    );
    for (let at = 0; running > 0; at += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const next = (order[at % order.length] ?? 0) % Math.max(1, waiting.length);
      waiting.splice(next, 1)[0]?.();
    }
    await Promise.all(taking);
  }

  function playOnPool(kind: Extract<Act, { readonly which: number }>['kind'], ref: Ref, atOnce: number): void {
    switch (kind) {
      case 'next':
        fleet.move(ref);
        break;
      case 'all':
        fleet.finish(ref);
        break;
      case 'change':
        fleet.change(ref);
        break;
      case 'anew':
        fleet.makeAnew(ref);
        break;
      case 'size':
        fleet.resize(ref, atOnce);
        break;
      case 'by hand':
        if (!fleet.get(ref).paused) break;
        unseen.set(ref, acts);
        fleet.resumeByHand(ref);
        break;
      default:
        kind satisfies never;
    }
  }

  function forget(refs: readonly Ref[]): void {
    for (const ref of refs) unseen.set(ref, acts);
  }

  function toggleFile(cluster: ClusterName): void {
    if (!missing.delete(cluster) && missing.size < clusterNames.length - 1) missing.add(cluster);
    // It counts for an hour more, and when it is back others may be looked at first.
    forget(allPools.filter((ref) => ref.cluster === cluster));
  }

  async function playInWorld(act: Exclude<Act, { readonly which: number }>): Promise<void> {
    switch (act.kind) {
      case 'look':
        await passes(act.seconds);
        return takeLook(act.look);
      case 'together':
        await passes(20);
        return together(act.looks, act.order);
      case 'dying':
        return failingLook(act.cluster, () => faults.crashAtEffect(act.effect, act.when));
      case 'no table':
        return failingLook(act.cluster, () => faults.failNth(act.op, 1, { when: act.when }));
      case 'limit':
        floor = Math.max(floor, await usedByPlaces());
        limit = { ...limit, most: act.most };
        return;
      case 'reach':
        if (!unreachable.delete(act.cluster)) unreachable.add(act.cluster);
        return;
      case 'resumes':
        if (!unanswering.delete(act.cluster)) unanswering.add(act.cluster);
        return;
      case 'file':
        return toggleFile(act.cluster);
      case 'table lost':
        tables.wipe();
        // Nobody knows of these any more.
        ahead = [];
        return forget(allPools);
      case 'minutes':
        return passes(60 * act.minutes);
      default:
        return act satisfies never;
    }
  }

  async function play(act: Act): Promise<void> {
    acts += 1;
    had = await taken();
    const ref = 'which' in act ? allPools[act.which] : undefined;
    if (!('which' in act)) await playInWorld(act);
    else if (ref !== undefined) playOnPool(act.kind, ref, act.kind === 'size' ? act.atOnce : 1);
    for (const each of allPools.filter(({ cluster }) => looked.has(cluster))) {
      sizesSeen.set(each, fleet.sizeOf(each));
      if ((unseen.get(each) ?? acts) < acts) unseen.delete(each);
    }
    looked.clear();
    floor = Math.min(floor, await usedByPlaces());
  }

  async function lookAtAll(): Promise<void> {
    for (const cluster of clusterNames) {
      await passes(120);
      had = await taken();
      await plainLook(cluster);
    }
  }

  return {
    play,
    /** Resumes without a place, in words. */
    broken: broken as readonly string[],
    /** When everything is well again, everything goes in its turn: what waits after that, and what is still taken. */
    async end(): Promise<{ readonly waiting: readonly Ref[]; readonly taken: Places['taken'] }> {
      unreachable.clear();
      unanswering.clear();
      missing.clear();
      for (let rounds = 0; rounds < allPools.length + 2; rounds += 1) {
        await lookAtAll();
        for (const ref of allPools) fleet.finish(ref);
      }
      await passes(600);
      await lookAtAll();
      return { waiting: allPools.filter((ref) => fleet.get(ref).paused), taken: await taken() };
    },
  };
}

/** For which an API server may go on with what it has not answered. */
const lateMs = 100_000;

function noAnswer(): Transient {
  return new Transient('no answer', { kind: 'unreachable' });
}

/** A process may have to wait before a call, and before it hears the answer. */
function inTurn<A extends readonly unknown[], R>(turn: () => Promise<void>, call: (...args: A) => Promise<R>) {
  return async (...args: A): Promise<R> => {
    await turn();
    const answer = await call(...args);
    await turn();
    return answer;
  };
}

function isSame(cluster: string, pool: string): (ref: Ref) => boolean {
  return (ref) => ref.cluster === cluster && ref.pool === pool;
}

function shareOf(nodes: number): string {
  return `${Math.ceil((100 * nodes) / (machines * allPools.length))}%`;
}

/** What is known of a step or a gate of a sequence. */
export interface OrderedItem {
  readonly id: string;
  readonly cluster: string;
  readonly wave: number;
  /** `unseen`: its cluster cannot be read. `unasked`: nobody has looked since its wave came. */
  readonly state: 'healthy' | 'unhealthy' | 'unseen' | 'unasked';
  /** It was let go; of a gate, its step was. */
  readonly begun: boolean;
  /** The gates that are waited for before it begins. */
  readonly before: readonly string[];
}

export interface OrderRules {
  /** In the order in which they begin, where not all begin at once. */
  readonly clusters: readonly string[];
  readonly canary: readonly string[];
  /** Clusters of one wave; undefined: any number. */
  readonly atOnce?: number | undefined;
}

/** Whether a step may go now. */
export interface Turn {
  readonly mayGo: boolean;
  /** Why not, in words; empty if it may. */
  readonly why: string;
  /** What it waits for, by id; at most a few. */
  readonly waitsFor: readonly string[];
  /** Pools of its cluster that are steps of the sequence and whose turn has not come; absent: not known, or none. */
  readonly poolsWaiting?: readonly string[];
}

export interface Order {
  /** The lowest wave that is not healthy; undefined: all are. */
  readonly wave: number | undefined;
  readonly turns: ReadonlyMap<string, Turn>;
  /** Gates before steps that are waited for now: nothing but such gates holds their steps back, or their own wave has
   *  come first. */
  readonly awaitedBefore: ReadonlySet<string>;
  /** Of the lowest wave that is not healthy: what other clusters have waited for, which may begin now because it is
   *  healthy. */
  readonly letGo: ReadonlySet<string>;
}

/** Names that are said of what is waited for. */
const namedAtMost = 5;

const may: Turn = { mayGo: true, why: '', waitsFor: [] };

/** Which steps may go: those of the lowest wave that is not healthy, and of those below it. In that wave canary
 *  clusters are first, and at most `atOnce` clusters are on their way. What cannot be seen is not healthy. */
export function orderOf(items: readonly OrderedItem[], rules: OrderRules): Order {
  const open = items.filter(({ state }) => state !== 'healthy');
  if (open.length === 0) {
    const turns = new Map(items.map(({ id }) => [id, may]));
    return { wave: undefined, turns, awaitedBefore: new Set(), letGo: new Set() };
  }
  const wave = open.reduce((lowest, each) => Math.min(lowest, each.wave), Number.POSITIVE_INFINITY);
  const inWave = open.filter((each) => each.wave === wave);
  const closed = new Set(open.map(({ id }) => id));
  const higher = waiting(
    `wave ${wave} is not healthy`,
    inWave.map(({ id }) => id),
  );
  const clusters = clustersThatMay(inWave, rules);
  const turns = new Map(
    items.map((item): readonly [string, Turn] => {
      if (item.wave > wave) return [item.id, higher];
      if (item.state === 'unseen') return [item.id, waiting(`cluster ${item.cluster} cannot be seen`, [])];
      const isFree =
        item.begun || (item.state === 'healthy' && !(item.wave === wave && clusters.isBehind(item.cluster)));
      const turn = isFree ? may : clusters.turnOf(item.cluster);
      const before = item.before.filter((each) => closed.has(each));
      return [item.id, turn.mayGo && before.length > 0 ? waiting('it is waited for first', before) : turn];
    }),
  );
  const mayBegin = (cluster: string) => clusters.turnOf(cluster).mayGo;
  const isOver = (each: OrderedItem) => each.wave === wave && clusters.letsGo(each.cluster);
  return {
    wave,
    turns,
    awaitedBefore: awaitedBefore(items, { open, wave, mayBegin }),
    letGo: new Set(items.filter(isOver).map(({ id }) => id)),
  };
}

function awaitedBefore(
  items: readonly OrderedItem[],
  {
    open,
    wave,
    mayBegin,
  }: {
    readonly open: readonly OrderedItem[];
    readonly wave: number;
    readonly mayBegin: (cluster: string) => boolean;
  },
): ReadonlySet<string> {
  const waves = new Map(open.map((each) => [each.id, each.wave]));
  return new Set(
    items.flatMap((step) => {
      if (step.before.length === 0 || step.state === 'unseen') return [];
      if (!step.begun && !mayBegin(step.cluster)) return [];
      const isHeld = step.wave <= wave && step.state !== 'healthy' && !step.begun;
      return step.before.filter((gate) => waves.has(gate) && (isHeld || (waves.get(gate) ?? wave) <= wave));
    }),
  );
}

/** Which clusters may begin in the wave. One that has begun goes on, and keeps its place until it is healthy, seen or
 *  not. */
function clustersThatMay(inWave: readonly OrderedItem[], { clusters, canary, atOnce }: OrderRules) {
  const canaries = new Set(canary);
  const awaited = inWave.filter(({ cluster }) => canaries.has(cluster)).map(({ id }) => id);
  const onTheirWay = new Set(inWave.filter(({ begun }) => begun).map(({ cluster }) => cluster));
  const waitingClusters = new Set(inWave.filter(({ state }) => state !== 'unseen').map(({ cluster }) => cluster));
  const rank = new Map(clusters.map((cluster, index) => [cluster, index]));
  const rankOf = (cluster: string) => rank.get(cluster) ?? clusters.length;
  const open = new Set(inWave.map(({ cluster }) => cluster));
  const next = [...waitingClusters]
    .filter((cluster) => awaited.length === 0 || canaries.has(cluster))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const allowed = new Set(onTheirWay);
  for (const cluster of next) {
    if (allowed.size >= (atOnce ?? Number.POSITIVE_INFINITY)) break;
    allowed.add(cluster);
  }
  const turnOf = (cluster: string): Turn => {
    if (awaited.length > 0 && !canaries.has(cluster)) return waiting('canary clusters are first', awaited);
    if (allowed.has(cluster)) return may;
    const active = inWave.filter((each) => allowed.has(each.cluster)).map(({ id }) => id);
    return waiting(`at most ${String(atOnce)} clusters at once`, active);
  };
  const going = [...allowed].filter((cluster) => turnOf(cluster).mayGo);
  const isTaken = allowed.size >= (atOnce ?? Number.POSITIVE_INFINITY);
  const isLater = (cluster: string) =>
    (awaited.length > 0 && !canaries.has(cluster)) || (isTaken && !allowed.has(cluster));
  return {
    turnOf,
    /** It waits for others: what of it is healthy must not begin either, or it would count as on its way. */
    isBehind: (cluster: string) => open.has(cluster) && isLater(cluster),
    /** It is healthy, and others go that were to wait for it. */
    letsGo(cluster: string): boolean {
      if (open.has(cluster)) return false;
      const isCanary = canaries.has(cluster);
      if (isCanary && going.some((each) => !canaries.has(each))) return true;
      const isFull = going.length >= (atOnce ?? Number.POSITIVE_INFINITY);
      return isFull && going.some((each) => canaries.has(each) === isCanary && rankOf(each) > rankOf(cluster));
    },
  };
}

function waiting(why: string, waitsFor: readonly string[]): Turn {
  return { mayGo: false, why, waitsFor: waitsFor.slice(0, namedAtMost) };
}

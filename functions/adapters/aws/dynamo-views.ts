import { ownerOfHold } from '../../core/openshift/hold.ts';
import { racesToShow } from '../../core/races/choose-races.ts';
import { Transient } from '../../core/text/errors.ts';
import { latest } from '../../core/text/instant.ts';
import { byTurns } from '../../core/text/rounds.ts';
import type { ClusterView, HoldView, PoolView } from '../../core/timeline/view.ts';
import { keepsPaused } from '../../core/timeline/waits-of.ts';
import type { Views } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import type { Row } from './row.ts';
import { StoredView } from './stored/view.ts';
import type { Table } from './table.ts';

/** Seconds: 30 days. A cluster removed from the configuration disappears by itself. */
const keepSeconds = 30 * 24 * 3600;

/** One view per cluster. A slow pass does not overwrite the view of a later read. */
export function dynamoViews(table: Table): Views {
  return {
    async save(view) {
      const version = readAtMs(view);
      const draft = { pk: 'view', sk: view.cluster, body: fittingBody(view, cuts), version, keepSeconds };
      await table.write(draft, { kind: 'not later' });
    },
    async load(cluster) {
      const row = await table.read({ pk: 'view', sk: cluster });
      return row && viewOf(row);
    },
    async list() {
      const rows = await table.query({ pk: 'view' });
      return rows.map(viewOf);
    },
  };
}

/** What cannot be parsed is the view of a cluster that was not observed, and hides no other's. */
function viewOf(row: Row): ClusterView {
  try {
    return readBody(StoredView, row);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const since = new Date(row.version).toISOString();
    return { cluster: row.sk, readAt: '', blind: { why: cause.message, since, misses: 0 }, pools: [] };
  }
}

/** A cluster that was never read sorts before every read. */
function readAtMs({ readAt }: ClusterView): number {
  return readAt === '' ? 0 : new Date(readAt).getTime();
}

/** Races of a pool that are kept if space is short. */
const fewRaces = 5;

/** Holds of a pool that are kept if space is short, one of them for all others. */
const keptHolds = 10;

/** Whoever may write Applications can make up any number: what keeps the pool paused comes first, of that what is no
 *  sync, and of syncs one of each namespace after the other. Others are told of, or a person would resume past them. */
function fewHolds(holds: readonly HoldView[]): readonly HoldView[] {
  if (holds.length <= keptHolds) return holds;
  const [keeping, past] = [holds.filter(keepsPaused), holds.filter((hold) => !keepsPaused(hold))];
  const inOrder = [...inTurns(keeping), ...inTurns(past)];
  const left = inOrder.slice(keptHolds - 1);
  const [first] = left;
  if (first === undefined) return inOrder;
  const rest = {
    ...first,
    id: 'more',
    who: `${left.length} more`,
    why: 'not named here: so many hold its pools that there is no room; the annotations of the pool name them',
    until: latest(left.map(({ until }) => until)) ?? first.until,
  };
  return [...inOrder.slice(0, keptHolds - 1), rest];
}

function inTurns(holds: readonly HoldView[]): readonly HoldView[] {
  const isSync = ({ kind }: HoldView) => kind === 'sync';
  return [...holds.filter((hold) => !isSync(hold)), ...byTurns(holds.filter(isSync), ({ id }) => ownerOfHold(id))];
}

/** What can be dropped from a view, least important first. */
const cuts = [
  eachPool((pool) => ({ ...pool, races: racesToShow(pool.races, fewRaces) })),
  eachPool((pool) => ({ ...pool, races: [], nodes: [], joined: [], message: pool.message.slice(0, 500) })),
  eachPool((pool) => ({
    ...pool,
    message: '',
    holds: fewHolds(pool.holds).map((hold) => ({ ...hold, why: hold.why.slice(0, 200) })),
    closedGates: pool.closedGates.slice(0, 5).map((gate) => ({ ...gate, why: gate.why.slice(0, 200) })),
  })),
  (view: ClusterView): ClusterView => ({ ...view, pools: view.pools.slice(0, 40) }),
];

function eachPool(cut: (pool: PoolView) => PoolView): (view: ClusterView) => ClusterView {
  return (view) => ({ ...view, pools: view.pools.map(cut) });
}

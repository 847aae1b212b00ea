import type { Budget } from '../configuration/budget.ts';
import { counted, listed } from '../text/phrases.ts';
import type { Place, Places } from './place.ts';

/** A limit that one more place would overrun. */
export interface Overrun {
  readonly why: string;
  /** What was found, in a few words. */
  readonly value: string;
  /** What it has to be, in a few words. */
  readonly threshold: string;
  /** What makes room. */
  readonly opens: string;
}

/** The first limit that a new place would overrun; undefined: there is room. A share of few nodes is one node, so that
 *  no pool waits forever because its cluster is small. */
export function overrunBy(place: Place, { taken, nodes }: Places, { fleet, ...own }: Budget): Overrun | undefined {
  const { cluster } = place;
  const inCluster = taken.filter((each) => each.cluster === cluster);
  const ofCluster = { limits: own, where: `cluster ${cluster}`, taken: inCluster, total: nodes[cluster] ?? 0 };
  const total = Object.values(nodes).reduce((sum, each) => sum + each, 0);
  const ofFleet = { limits: fleet ?? {}, where: 'all clusters', taken, total };
  return (
    poolsOverrun(ofCluster) ??
    nodesOverrun(place, ofCluster) ??
    clustersOverrun(cluster, fleet?.clusters, taken) ??
    poolsOverrun(ofFleet) ??
    nodesOverrun(place, ofFleet)
  );
}

/** Of a place by which nobody knows whether its pool was resumed. */
export function unanswered({ since }: Pick<Place, 'since'>): Overrun {
  return {
    why: `the API server has not answered its last resume, and may still carry it out (since ${since})`,
    value: 'no answer',
    threshold: 'an answer',
    opens: 'it is seen paused three minutes later; pools of other clusters may go before it then',
  };
}

/** What is asked within one cluster, or within all. */
interface Within {
  readonly limits: { readonly pools?: number | undefined; readonly nodes?: string | undefined };
  /** In words. */
  readonly where: string;
  readonly taken: readonly Place[];
  /** Nodes that are known. */
  readonly total: number;
}

function poolsOverrun({ limits: { pools }, where, taken }: Within): Overrun | undefined {
  if (pools === undefined || taken.length < pools) return undefined;
  return {
    why: `at most ${counted(pools, 'pool')} of ${where} may roll at once: ${rolling(taken)}`,
    value: `${counted(taken.length, 'pool')} of ${where} rolling`,
    threshold: `fewer than ${pools}`,
    opens: 'one of them is done',
  };
}

function clustersOverrun(cluster: string, most: number | undefined, taken: readonly Place[]): Overrun | undefined {
  const clusters = new Set(taken.map((place) => place.cluster));
  if (most === undefined || clusters.has(cluster) || clusters.size < most) return undefined;
  return {
    why: `pools of at most ${counted(most, 'cluster')} may roll at once: ${rolling(taken)}`,
    value: `pools of ${counted(clusters.size, 'cluster')} rolling`,
    threshold: `fewer than ${most}`,
    opens: 'one of these clusters is done',
  };
}

function nodesOverrun(place: Place, { limits: { nodes: share }, where, taken, total }: Within): Overrun | undefined {
  if (share === undefined) return undefined;
  const most = Math.max(1, Math.floor((Number.parseInt(share, 10) * total) / 100));
  const used = taken.reduce((sum, { nodes }) => sum + nodes, 0);
  if (used + place.nodes <= most) return undefined;
  const limit = `at most ${share} of the ${counted(total, 'node')} of ${where}, ${most}, may be updated at once`;
  if (place.nodes > most) {
    return {
      why: `${limit}, and pool ${place.pool} alone updates ${place.nodes}`,
      value: `${place.nodes} nodes of this pool at once`,
      threshold: `at most ${most}`,
      opens: `maxUnavailable of pool ${place.pool} is at most ${most}, or poolkeeper.yaml has a larger share`,
    };
  }
  return {
    why: `${limit}; ${used} are: ${rolling(taken)}; this pool would take ${place.nodes}`,
    value: `${used + place.nodes} nodes of ${where} at once with this pool`,
    threshold: `at most ${most}`,
    opens: 'one of them is done',
  };
}

function rolling(taken: readonly Place[]): string {
  return listed(taken.map(({ cluster, pool, since }) => `${cluster}/${pool} (since ${since})`));
}

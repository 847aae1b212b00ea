/** Minutes that one node of a pool is on its way, from the begin of its update to its return. */
export interface NodePace {
  /** 90th percentile. */
  readonly slow: number;
}

/** The pace of a pool's own nodes. */
export interface OwnPace extends NodePace {
  /** Minutes of half of the nodes at most. */
  readonly usual: number;
  /** Node rollouts that it is known from. */
  readonly rollouts: number;
}

/** For a pool without enough history. Source: `oc adm upgrade status` plans 10 min for the drain of a node and 5 for
 *  its update and reboot; a slow node is taken to need twice that. */
export const plannedPace: NodePace = { slow: 30 };

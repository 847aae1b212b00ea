/** What one rolling pool takes of the budget. */
export interface Place {
  readonly cluster: string;
  readonly pool: string;
  /** Nodes that are updated at the same time. */
  readonly nodes: number;
  /** ISO instant at which it was taken. */
  readonly since: string;
  /** ISO instant from which it no longer counts, unless the pool is seen rolling before. */
  readonly until: string;
  /** The last resume by it was not answered at `since`, and may still be carried out: the pool is not resumed by it
   *  again. Absent: so it is not. */
  readonly inDoubt?: true | undefined;
}

/** All that rolls, over all clusters. One row, written only by whoever saw its last version: two passes never take the
 *  last place together. */
export interface Places {
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  readonly taken: readonly Place[];
  /** Nodes of each cluster that was asked so far. */
  readonly nodes: Readonly<Record<string, number>>;
}

export const noPlaces: Places = { version: 0, taken: [], nodes: {} };

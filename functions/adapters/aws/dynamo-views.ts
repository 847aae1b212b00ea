import { Transient } from '../../core/text/errors.ts';
import type { ClusterView } from '../../core/timeline/view.ts';
import { viewCuts } from '../../core/timeline/view-cuts.ts';
import type { Views } from '../../ports/tables.ts';
import { fittingBody, largestBodyBytes, readBody } from './body.ts';
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
      const draft = {
        pk: 'view',
        sk: view.cluster,
        body: fittingBody(view, viewCuts(largestBodyBytes)),
        version,
        keepSeconds,
      };
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

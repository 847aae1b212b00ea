import type { Approval } from '../../core/gates/approvals.ts';
import type { Approvals } from '../../ports/tables.ts';
import { readBody } from './body.ts';
import { StoredApproval } from './stored/approval.ts';
import type { Table } from './table.ts';

/** Seconds: 8 days, a day more than an approval may count. */
const keepSeconds = 8 * 24 * 3600;
/** People of one pool say little: more rows than this are a defect, and the oldest are history. */
const mostLoaded = 1000;

/** One row for each identity and rendered config, so that two people who press at once both count. Its version is the
 *  time of the request: an older one that is delivered again, or late, never replaces a newer one. Losing a row closes
 *  a gate. */
export function dynamoApprovals(table: Table): Approvals {
  return {
    async list(cluster, pool) {
      const rows = await table.query({ pk: partitionOf({ cluster, pool }), limit: mostLoaded, consistent: true });
      return rows.map((row) => readBody(StoredApproval, row));
    },
    async save(approval) {
      const written = await table.write(
        {
          pk: partitionOf(approval),
          sk: `${approval.config}#${approval.who}`,
          body: JSON.stringify(approval),
          version: versionOf(approval),
          keepSeconds,
        },
        { kind: 'not newer' },
      );
      return written.kind === 'written';
    },
  };
}

function partitionOf({ cluster, pool }: Pick<Approval, 'cluster' | 'pool'>): string {
  return `approval#${cluster}/${pool}`;
}

/** Milliseconds, doubled: of one instant, a revocation is the later one. */
function versionOf({ at, verb }: Approval): number {
  return 2 * Date.parse(at) + (verb === 'revoke' ? 1 : 0);
}

import type { Shares } from '../../../../local/cli/connection/whose.ts';

/** Of a cluster with one installation. */
export const allOurs: Shares = { pool: () => 'ours', inNamespace: () => 'ours', isSole: true, others: '' };

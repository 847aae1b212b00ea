import { syncsToRetry } from '../../core/holds/retry-sync.ts';
import type { WrittenPass } from '../pass-state.ts';
import { performPorts } from './decide-and-write.ts';
import { perform } from './perform.ts';
import type { RetriedSync } from './retry-sync.ts';

/** Retries, once each, the syncs that the admission policy refused and whose pools are now paused. */
export async function retrySyncs(pass: WrittenPass, now: Date): Promise<readonly RetriedSync[]> {
  const { snapshot, performed } = pass;
  const due = syncsToRetry({ ...snapshot, pools: performed.map(({ pool }) => pool) }, now);
  const ports = performPorts(pass, snapshot);
  const retried = await Promise.all(due.map((application) => perform({ kind: 'sync', application }, ports)));
  return retried.flatMap((each) => (each.kind === 'sync' ? [each] : []));
}

import { readRecordLast } from '../hold.ts';
import { isDegraded } from '../pool.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** Stop the bleeding: while a pool that Poolkeeper resumed is degraded, no other pool is let go. */
export const health: Gate = { name: 'health', ask };

function ask({ pool, pools }: GateQuestion): GateAnswer {
  const sick = pools.find(
    (other) => other.name !== pool.name && isDegraded(other) && readRecordLast(other.record)?.did === 'resumed',
  );
  if (sick === undefined) return open;
  return closed(`pool ${sick.name} is degraded since Poolkeeper resumed it`, `pool ${sick.name} is no longer degraded`);
}

import { condition, isTrue, type Pool } from '../openshift/pool.ts';
import type { UnreadMachineConfigs } from '../openshift/pool-chooser.ts';
import type { Release } from '../openshift/pool-record.ts';
import { poolSelects } from '../openshift/selector.ts';
import { byName } from '../text/by-name.ts';
import { duration } from '../text/durations.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { counted } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unseen } from './gate.ts';

/** One rollout must cover everything the syncs applied: the render has settled, has not failed, and lists every
 *  MachineConfig of the synced Applications that this pool selects. Without it two syncs mean two reboots. */
export const rendered: Gate = { name: 'rendered', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask(question: GateQuestion): GateAnswer {
  const { pool, release, policy, now } = question;
  if (isTrue(pool, 'RenderDegraded')) {
    const why = condition(pool, 'RenderDegraded')?.message || 'the Machine Config Operator cannot render this pool';
    return closed({
      why,
      value: 'RenderDegraded',
      threshold: 'rendered without an error',
      opens: 'changing or reverting the MachineConfig that cannot be rendered',
      who: 'whoever may change its MachineConfigs, usually in Git',
      how: poolkeeperCommand('explain', '--pool', pool.name),
    });
  }
  if (release === undefined) return open;

  const missing = missingFromRender(question);
  if (missing.length > 0) {
    const names = missing.slice(0, 3).join(', ');
    return closed({
      why: `${pool.target.name} does not list ${names} yet`,
      value: `${counted(missing.length, 'MachineConfig')} not in the rendered config`,
      threshold: 'all MachineConfigs that the syncs applied',
      opens: 'the render of the next config, usually within 5 s',
      who: 'the Machine Config Operator, by itself',
    });
  }
  const [unread] = unreadForRender(pool, release, question.unreadMachineConfigs);
  if (unread !== undefined) {
    const [name, why] = unread;
    return unseen({
      why: `whether ${pool.target.name} lacks ${name} is not known: ${why}`,
      value: 'unknown',
      threshold: 'all MachineConfigs that the syncs applied',
      opens: 'the next successful read of its labels',
      who: 'Poolkeeper, by itself',
    });
  }
  const settlesAt = plusSeconds(new Date(release.finishedAt), policy.renderSettleSeconds);
  if (isPast(settlesAt, now)) return open;
  return closed({
    why: 'the sync has just ended and its render is still settling',
    value: `the sync was seen to end at ${release.finishedAt}`,
    threshold: `${duration(policy.renderSettleSeconds)} after the end of the sync`,
    opens: `by itself at ${settlesAt}`,
    who: 'time, by itself',
    opensAt: settlesAt,
  });
}

/** MachineConfigs that the pool may have to wait for: what was applied, is not in its rendered config, and could not be
 *  read. */
export function unreadForRender(
  { target }: Pick<Pool, 'target'>,
  release: Pick<Release, 'machineConfigs'> | undefined,
  unread: UnreadMachineConfigs = new Map(),
): readonly (readonly [name: string, why: string])[] {
  const awaited = new Set(release?.machineConfigs.filter((name) => !target.sources.includes(name)));
  return [...unread].filter(([name]) => awaited.has(name));
}

function missingFromRender({ pool, release, machineConfigs }: GateQuestion): readonly string[] {
  return (release?.machineConfigs ?? []).filter((name) => !isCovered(pool, byName(machineConfigs, name), name));
}

/** A MachineConfig that has been deleted since, or that this pool does not select, is not waited for. */
function isCovered(pool: Pool, head: GateQuestion['machineConfigs'][number] | undefined, name: string): boolean {
  if (pool.target.sources.includes(name)) return true;
  return head === undefined || !poolSelects(pool.machineConfigSelector, head.labels);
}

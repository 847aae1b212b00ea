import { condition, isTrue, type Pool } from '../openshift/pool.ts';
import { poolSelects } from '../openshift/selector.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** One rollout must cover everything the syncs applied: the render has settled, has not failed, and lists every
 *  MachineConfig of the synced Applications that this pool selects. Without it two syncs mean two reboots. */
export const rendered: Gate = { name: 'rendered', inEmergency: 'asked', ask };

function ask(question: GateQuestion): GateAnswer {
  const { pool, release, policy, now } = question;
  if (isTrue(pool, 'RenderDegraded')) {
    const why = condition(pool, 'RenderDegraded')?.message || 'the Machine Config Operator cannot render this pool';
    return closed(why, 'changing or reverting the MachineConfig that cannot be rendered');
  }
  if (release === undefined) return open;

  const missing = missingFromRender(question);
  if (missing.length > 0) {
    const names = missing.slice(0, 3).join(', ');
    return closed(
      `${pool.target.name} does not list ${names} yet`,
      'the render of the next config, usually within 5 s',
    );
  }
  const settlesAt = plusSeconds(new Date(release.finishedAt), policy.renderSettleSeconds);
  if (isPast(settlesAt, now)) return open;
  return {
    ...closed('the sync has just ended and its render is still settling', `by itself at ${settlesAt}`),
    opensAt: settlesAt,
  };
}

function missingFromRender({ pool, release, machineConfigs }: GateQuestion): readonly string[] {
  return (release?.machineConfigs ?? []).filter(
    (name) =>
      !isCovered(
        pool,
        machineConfigs.find((each) => each.name === name),
        name,
      ),
  );
}

/** A MachineConfig that has been deleted since, or that this pool does not select, is not waited for. */
function isCovered(pool: Pool, head: GateQuestion['machineConfigs'][number] | undefined, name: string): boolean {
  if (pool.target.sources.includes(name)) return true;
  return head === undefined || !poolSelects(pool.machineConfigSelector, head.labels);
}

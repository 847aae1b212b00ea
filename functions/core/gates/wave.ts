import { isDegraded, isUpdated, type Pool } from '../openshift/pool.ts';
import { isAboutToResume } from '../openshift/pool-record.ts';
import { command } from '../text/shell-words.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost } from './gate.ts';

/** Pools of lower waves are Updated and not Degraded; pools of the same wave resume together. */
export const wave: Gate = { name: 'wave', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask({ pool, pools, unreadablePools = [], settings, settingsOf }: GateQuestion): GateAnswer {
  const unread = unreadablePools.find(({ name }) => settingsOf(name).wave < settings.wave);
  if (unread !== undefined)
    return closed({
      why: `pool ${unread.name} of wave ${settingsOf(unread.name).wave} cannot be parsed`,
      value: `pool ${unread.name} cannot be parsed`,
      threshold: thresholdOf(settings.wave),
      opens: `pool ${unread.name} can be parsed, is updated and healthy`,
      who: `whoever can mend pool ${unread.name}`,
      how: command('oc', 'get', 'mcp', unread.name, '-o', 'yaml'),
    });
  const before = pools.filter((other) => other.name !== pool.name && settingsOf(other.name).wave < settings.wave);
  const waitedFor = before.find((other) => !isDone(other));
  if (waitedFor === undefined) return open;
  const number = settingsOf(waitedFor.name).wave;
  return closed({
    why: `pool ${waitedFor.name} of wave ${number} ${whyNotDone(waitedFor)}`,
    value: `pool ${waitedFor.name} ${whyNotDone(waitedFor)}`,
    threshold: thresholdOf(settings.wave),
    opens: `pool ${waitedFor.name} is updated and healthy`,
    who: isDegraded(waitedFor) ? `whoever can mend pool ${waitedFor.name}` : `the rollout of pool ${waitedFor.name}`,
    how: command('npx', 'poolkeeper', ...(isDegraded(waitedFor) ? ['explain', '--pool'] : ['why']), waitedFor.name),
  });
}

function thresholdOf(number: number): string {
  return `every pool below wave ${number} updated and healthy`;
}

function isDone(pool: Pool): boolean {
  return isUpdated(pool) && !isDegraded(pool) && !isAboutToResume(pool);
}

function whyNotDone(pool: Pool): string {
  if (isDegraded(pool)) return 'is degraded';
  if (isAboutToResume(pool) && isUpdated(pool)) return 'is about to resume';
  return pool.paused ? 'is still paused with a change waiting' : 'is not updated yet';
}

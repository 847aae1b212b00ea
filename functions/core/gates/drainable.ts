import type { Obstacle } from '../diagnose/preflight.ts';
import { chainOf } from '../findings/chain.ts';
import type { Remedy } from '../findings/trouble.ts';
import { clipped, counted, listed } from '../text/phrases.ts';
import type { DrainForecast } from './evidence.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, pausedAtMost, unread, unseen } from './gate.ts';
import { rolloutOf } from './rollout.ts';

/** Finds what will block the drains that follow a resume, before they begin. The pool setting `drainable` says whether
 *  that keeps the pool paused or only warns. A pool of which no node
 *  would go anywhere drains nothing. */
export const drainable: Gate = { name: 'drainable', inEmergency: 'asked', ask, timeout: pausedAtMost };

function ask(question: GateQuestion): GateAnswer {
  const { settings } = question;
  const { drains } = question.evidence;
  if (settings.drainable === 'off') return open;
  const rollout = rolloutOf(question);
  if (rollout.kind === 'none') return open;
  if (rollout.kind === 'unread')
    return settings.drainable === 'block' ? rollout.answer : { open: true, lacks: 'nodesBehind' };
  if (drains.kind === 'not-asked') return notRead(settings.drainable);
  const forecast: DrainForecast =
    drains.kind === 'seen' ? drains.value : { touched: 0, obstacles: [], unread: [drains.why] };
  if (settings.drainable === 'warn') return { open: true, warning: warningOf(forecast) };
  const [worst] = forecast.obstacles;
  if (worst !== undefined) return blocked(forecast, worst);
  if (forecast.unread.length === 0) return open;
  return unseen({
    why: unreadText(forecast),
    value: 'unknown',
    threshold: nothingBlocks,
    opens: 'the next successful read',
    who: 'Poolkeeper, by itself',
  });
}

function notRead(mode: 'warn' | 'block'): GateAnswer {
  if (mode === 'warn') return { open: true, lacks: 'drains' };
  return unread('what will block its drains', nothingBlocks, 'drains');
}

const nothingBlocks = 'no drain that will block';

function blocked(forecast: DrainForecast, worst: Obstacle): GateAnswer {
  const remedy = firstRemedy(worst);
  const nodes = new Set(forecast.obstacles.flatMap((each) => each.nodes)).size;
  return closed({
    why: blockedText(forecast),
    value: nodes === 0 ? counted(forecast.obstacles.length, 'obstacle') : `${counted(nodes, 'drain')} will block`,
    threshold: nothingBlocks,
    opens: opensText(worst),
    who: remedy === undefined ? 'whoever owns what blocks it' : remedy.who,
    how: remedy?.command,
  });
}

function warningOf(forecast: DrainForecast): string | undefined {
  const [worst] = forecast.obstacles;
  if (worst !== undefined) return `expect blocked drains: ${blockedText(forecast)} First: ${opensText(worst)}`;
  return forecast.unread.length === 0 ? undefined : unreadText(forecast);
}

function unreadText({ unread }: DrainForecast): string {
  return `what will block its drains could not be read: ${listed(unread, 2)}`;
}

/** Characters quoted from a finding: the status page and the pool's record show the sentence beside others. */
const sentenceCharacters = 240;

/** How many nodes will block, the root cause of the worst obstacle, and how many more there are. */
function blockedText({ touched, obstacles }: DrainForecast): string {
  const blocked = new Set(obstacles.flatMap(({ nodes }) => nodes)).size;
  const [worst] = obstacles;
  const root = worst === undefined ? undefined : chainOf(worst.finding).at(-1);
  const more = obstacles.length > 1 ? ` And ${obstacles.length - 1} more.` : '';
  const nodes = blocked === 0 ? '' : `${blocked} of ${counted(touched, 'node')} will block. `;
  return `${nodes}${clipped(root?.sentence ?? '', sentenceCharacters)}${more}`;
}

/** What opens the gate: the first remedy, nearest to the root cause. */
function opensText(worst: Obstacle): string {
  return firstRemedy(worst)?.title ?? 'removing what blocks it';
}

function firstRemedy({ finding }: Obstacle): Remedy | undefined {
  return chainOf(finding)
    .toReversed()
    .flatMap(({ remedies }) => remedies)[0];
}

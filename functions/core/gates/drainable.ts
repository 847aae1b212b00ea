import type { Obstacle } from '../diagnose/preflight.ts';
import { chainOf } from '../findings/chain.ts';
import { hasPendingChange } from '../openshift/pool.ts';
import { clipped, counted, listed } from '../text/phrases.ts';
import type { DrainForecast } from './evidence.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** Dead ends of the drains that follow a resume, found before they begin. Whether it keeps the pool or only warns is
 *  said by `drainable` of the pool's settings. Where nothing waits behind the pause, nothing is drained. */
export const drainable: Gate = { name: 'drainable', ask };

function ask({ pool, settings, evidence: { drains } }: GateQuestion): GateAnswer {
  if (settings.drainable === 'off' || !hasPendingChange(pool)) return open;
  if (drains.kind === 'not-asked') return notRead(settings.drainable);
  const forecast: DrainForecast =
    drains.kind === 'seen' ? drains.value : { touched: 0, obstacles: [], unread: [drains.why] };
  if (settings.drainable === 'warn') return { open: true, warning: warningOf(forecast) };
  const [worst] = forecast.obstacles;
  if (worst !== undefined) return closed(blockedText(forecast), opensText(worst));
  if (forecast.unread.length === 0) return open;
  return closed(unreadText(forecast), 'the next good read');
}

function notRead(mode: 'warn' | 'block'): GateAnswer {
  if (mode === 'warn') return { open: true, lacks: 'drains' };
  const answer = closed('what will block its drains was not read yet', 'a read, as soon as the other gates are open');
  return { ...answer, lacks: 'drains' };
}

function warningOf(forecast: DrainForecast): string | undefined {
  const [worst] = forecast.obstacles;
  if (worst !== undefined) return `expect a stop: ${blockedText(forecast)} First: ${opensText(worst)}`;
  return forecast.unread.length === 0 ? undefined : unreadText(forecast);
}

function unreadText({ unread }: DrainForecast): string {
  return `what will block its drains could not be read: ${listed(unread, 2)}`;
}

/** Longest sentence that is taken over; the status page and the record keep it beside others. */
const sentenceCharacters = 240;

function blockedText({ touched, obstacles }: DrainForecast): string {
  const stopped = new Set(obstacles.flatMap(({ nodes }) => nodes)).size;
  const [worst] = obstacles;
  const root = worst === undefined ? undefined : chainOf(worst.finding).at(-1);
  const more = obstacles.length > 1 ? ` And ${obstacles.length - 1} more.` : '';
  const nodes = stopped === 0 ? '' : `${stopped} of ${counted(touched, 'node')} will block. `;
  return `${nodes}${clipped(root?.sentence ?? '', sentenceCharacters)}${more}`;
}

function opensText({ finding }: Obstacle): string {
  const first = chainOf(finding)
    .toReversed()
    .flatMap(({ remedies }) => remedies)[0];
  return first === undefined ? 'an end of what blocks it' : first.title;
}

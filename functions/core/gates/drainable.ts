import type { Obstacle } from '../diagnose/preflight.ts';
import { chainOf } from '../findings/chain.ts';
import { hasPendingChange } from '../openshift/pool.ts';
import { clipped, counted, listed } from '../text/phrases.ts';
import { closed, type DrainForecast, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** Dead ends of the drains that follow a resume, found before they begin. What it costs, and whether it keeps the
 *  pool, is said by `drainable` of the pool's settings. */
export const drainable: Gate = { name: 'drainable', ask };

function ask(question: GateQuestion): GateAnswer {
  const { pool, settings, drains } = question;
  if (!forecastsDrains(question)) return open;
  const forecast = drains?.get(pool.name);
  if (settings.drainable === 'warn') return { open: true, warning: forecast && warningOf(forecast) };
  if (forecast === undefined)
    return closed('what will block its drains was not looked at yet', 'a look, as soon as the other gates are open');
  const [worst] = forecast.obstacles;
  if (worst !== undefined) return closed(blockedText(forecast), opensText(worst));
  if (forecast.unread.length === 0) return open;
  return closed(`what will block its drains could not be seen: ${listed(forecast.unread, 2)}`, 'the next good read');
}

/** Where nothing waits behind the pause, nothing is drained. */
export function forecastsDrains({ pool, settings }: Pick<GateQuestion, 'pool' | 'settings'>): boolean {
  return settings.drainable !== 'off' && hasPendingChange(pool);
}

function warningOf(forecast: DrainForecast): string | undefined {
  const [worst] = forecast.obstacles;
  if (worst !== undefined) return `expect a stop: ${blockedText(forecast)} First: ${opensText(worst)}`;
  return forecast.unread.length === 0
    ? undefined
    : `what will block its drains could not be seen: ${listed(forecast.unread, 2)}`;
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

import type { GithubHook } from '../core/configuration/github.ts';
import {
  type DeliveryAttempt,
  hookName,
  hooksInTurn,
  lookBackFrom,
  ownerOf,
  planRedelivery,
  redeliveriesPerRun,
} from '../core/relay/redelivery.ts';
import { Misconfigured, Transient } from '../core/text/errors.ts';
import { metricNames } from '../shell/metric-names.ts';
import type { RedeliverPorts } from './redeliver-ports.ts';

/** Requests a redelivery from GitHub for each push of the last half hour that did not arrive. Claimed before the
 *  request: a run that crashes in between loses that one (the sweep still finds its sync), and none is ever requested
 *  twice. Every hook is handled, except those whose rate limit is used up; then the first failure is thrown. */
export async function redeliver(ports: RedeliverPorts): Promise<void> {
  const problems: Error[] = [];
  const limited = new Set<string>();
  for (const hook of hooksInTurn(ports.hooks, ports.clock())) {
    const limit = ports.hasLimitPerOwner ? ownerOf(hook) : 'token';
    const problem = limited.has(limit) ? undefined : await problemOf(hook, ports);
    if (problem !== undefined) problems.push(problem);
    if (problem instanceof Transient && problem.kind === 'busy') limited.add(limit);
  }
  const [problem] = problems;
  if (problem !== undefined) throw problem;
}

/** Why a hook was not handled to the end; undefined: it was. */
async function problemOf(hook: GithubHook, ports: RedeliverPorts): Promise<Transient | Misconfigured | undefined> {
  try {
    await redeliverHook(hook, ports);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
    ports.logger.warn('deliveries could not be checked', { hook: hookName(hook), error: cause });
    return cause;
  }
}

async function redeliverHook(hook: GithubHook, ports: RedeliverPorts): Promise<void> {
  const now = ports.clock();
  const { attempts, unreadable } = await ports.deliveries.list(hook, lookBackFrom(now));
  let asked = 0;
  for (const attempt of planRedelivery(attempts, now)) {
    if (asked === redeliveriesPerRun) break;
    if (await redeliverOne(hook, attempt, ports)) asked += 1;
  }
  // Last: what could be read does not wait for the rest.
  if (unreadable > 0)
    throw new Transient(`${unreadable} deliveries in GitHub's list for ${hookName(hook)} could not be read`);
}

/** False: it was asked for before. */
async function redeliverOne(
  hook: GithubHook,
  { id, guid }: DeliveryAttempt,
  { deliveries, notes, logger, metrics }: RedeliverPorts,
): Promise<boolean> {
  const name = hookName(hook);
  if (!(await notes.claim(name, guid))) return false;
  metrics.count(metricNames.deliveriesLost);
  try {
    const outcome = await deliveries.redeliver(hook, id);
    logger.info('lost delivery', { hook: name, delivery: guid, outcome });
    if (outcome === 'asked') metrics.count(metricNames.deliveriesRedelivered);
    if (outcome === 'not-asked') await notes.release(name, guid);
    return true;
  } catch (cause) {
    await notes.release(name, guid);
    throw cause;
  }
}

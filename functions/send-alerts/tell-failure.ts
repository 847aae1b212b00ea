import { evolve } from '../core/alerts/evolve.ts';
import type { Incident } from '../core/alerts/incident.ts';
import { isSameKey } from '../core/alerts/inhibit.ts';
import { audienceOfFailure, notifyFailing } from '../core/alerts/notify-failing.ts';
import { defaultPolicy } from '../core/configuration/policy.ts';
import type { TroubleKey } from '../core/findings/trouble.ts';
import type { SendPorts } from './send-ports.ts';

const raceLimit = 5;

/** A target accepts nothing: the others are alerted now, not at the next tick. Returns the incident to bring up to
 *  date. */
export async function tellFailure(cluster: string, ports: SendPorts): Promise<TroubleKey | undefined> {
  for (let race = 0; race < raceLimit; race += 1) {
    const incidents = await ports.incidents.load(cluster);
    const next = await evolved(cluster, incidents, ports);
    if (next === undefined) return undefined;
    if (await ports.incidents.save(next)) return next.key;
  }
  return undefined;
}

async function evolved(
  cluster: string,
  incidents: readonly Incident[],
  ports: SendPorts,
): Promise<Incident | undefined> {
  const { configuration, clock, logger } = ports;
  const { alerts } = configuration;
  const now = clock();
  const trouble = notifyFailing({ cluster, incidents, alerts, now });
  if (trouble === undefined) return undefined;
  const targets = audienceOfFailure(alerts, trouble, incidents, now);
  if (targets.hear.length === 0) logger.error('no alert target can be reached', { cluster, why: trouble.headline });
  const stored = incidents.find(({ key }) => isSameKey(key, trouble.key));
  const policy = configuration.clusters.find(({ name }) => name === cluster)?.policy ?? defaultPolicy;
  const step = (nextNumber: number | undefined) =>
    evolve(stored, { kind: 'true', trouble }, { policy: policy.alerting, now, nextNumber, targets });
  const first = step(undefined);
  const { incident, effect } = first.effect === 'needs-number' ? step(await ports.incidents.nextNumber()) : first;
  return effect === 'opened' || effect === 'updated' ? incident : undefined;
}

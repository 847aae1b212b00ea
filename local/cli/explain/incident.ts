import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { Status } from '../../../functions/status/status.ts';
import { askStatus, noStatus } from '../ask-status.ts';
import type { Surroundings } from '../command.ts';
import type { ExplainedIncident } from './explanation.ts';

const Answer = Status.pick({ incidents: true }).loose();

/** An incident as reported by the running Poolkeeper. */
export type AskedIncident = Omit<ExplainedIncident, 'isClusterKnown'>;

/** Reads it from the status page. Throws Misconfigured for an unknown incident, and as `askStatus` does. */
export async function askForIncident(
  name: string,
  url: string,
  surroundings: Pick<Surroundings, 'environment'>,
): Promise<AskedIncident> {
  const { status, body } = await askStatus(url, surroundings);
  const read = Answer.safeParse(body);
  if (!read.success) throw noStatus(url, status);
  const wanted = name.toUpperCase();
  const found = read.data.incidents.find((incident) => incident.name === wanted);
  if (found === undefined) throw new Misconfigured([`--incident ${name}: not on the status page (any more)`]);
  const { cluster, pool, state, headline } = found;
  return { name: wanted, cluster, pool, state, headline };
}

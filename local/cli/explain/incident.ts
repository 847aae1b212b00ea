import * as z from 'zod';
import { Misconfigured, Transient } from '../../../functions/core/errors.ts';
import { Status } from '../../../functions/status/status.ts';
import type { Surroundings } from '../command.ts';

/** Milliseconds. A cold start takes well under a second. */
const patienceMs = 10_000;

const Answer = Status.pick({ incidents: true }).loose();

/** What the running Poolkeeper says of one of its incidents. */
export interface AskedIncident {
  readonly name: string;
  readonly cluster: string;
  /** `*` for what concerns the whole cluster. */
  readonly pool: string;
  readonly state: string;
  readonly headline: string;
}

/** Asks the status page. Throws Misconfigured for an incident it does not have, Transient when it does not answer. */
export async function askForIncident(
  name: string,
  url: string,
  { environment }: Pick<Surroundings, 'environment'>,
): Promise<AskedIncident> {
  const token = environment['POOLKEEPER_STATUS_TOKEN']?.split(',')[0];
  const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await ask(`${url}/status`, headers);
  if (answer.status === 401) throw new Misconfigured([`${url}/status wants a token: set POOLKEEPER_STATUS_TOKEN`]);
  const read = Answer.safeParse(answer.body);
  if (!read.success) throw new Transient(`${url}/status cannot be understood (${z.prettifyError(read.error)})`);
  const wanted = name.toUpperCase();
  const found = read.data.incidents.find((incident) => incident.name === wanted);
  if (found === undefined) throw new Misconfigured([`--incident ${name}: the status page does not have it (any more)`]);
  const { cluster, pool, state, headline } = found;
  return { name: wanted, cluster, pool, state, headline };
}

async function ask(url: string, headers: Readonly<Record<string, string>>) {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(patienceMs), redirect: 'manual' });
    return { status: answer.status, body: await answer.json().catch(() => undefined) };
  } catch (cause) {
    throw new Transient(`${url} does not answer`, { kind: 'unreachable', cause });
  }
}

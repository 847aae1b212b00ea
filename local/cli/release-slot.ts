import * as z from 'zod';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { isPrivate, noAnswer } from './ask-status.ts';
import type { ExitStatus, Surroundings } from './command.ts';

export interface AskedRelease {
  readonly group: string;
  readonly id: string;
  readonly reason: string;
  readonly by: string;
}

const Refusal = z.object({ kind: z.string(), value: z.string() });

/** Asks fleet-lock to release a slot, with the token of the group. Throws Misconfigured and Transient. */
export async function releaseSlot(
  url: string,
  { group, id, reason, by }: AskedRelease,
  { environment, out, note }: Surroundings,
): Promise<ExitStatus> {
  const token = environment['POOLKEEPER_LOCK_TOKEN']?.split(',')[0];
  if (token === undefined || token === '')
    throw new Misconfigured(['POOLKEEPER_LOCK_TOKEN is missing: the token in the base_url of the machines']);
  if (!isPrivate(new URL(url))) throw new Misconfigured([`--url ${url}: the token is sent over https:// only`]);
  const answer = await fetch(`${url}/fleet-lock/${encodeURIComponent(token)}/v1/release`, {
    method: 'POST',
    body: JSON.stringify({ client_params: { group, id }, reason, by }),
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  }).catch((cause: unknown) => {
    throw noAnswer(url, cause);
  });
  if (answer.status === 200) {
    out(`Released: the slot of ${id} in group ${group}. The timeline shows it.\n`);
    return 0;
  }
  const refusal = Refusal.safeParse(await answer.json().catch(() => undefined));
  const why = refusal.success ? refusal.data.value : `${url} answered ${answer.status}`;
  if (refusal.success && refusal.data.kind === 'not_held') {
    note(`poolkeeper: ${why}`);
    return 1;
  }
  throw answer.status >= 500 ? new Transient(why) : new Misconfigured([why]);
}

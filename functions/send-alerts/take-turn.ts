import type { Delivery } from '../core/alerts/incident.ts';
import { type Applicant, isAmongRest, type Pace, pacedChannel, restUntil, takeTurn } from '../core/alerts/pace.ts';
import type { AlertTarget } from '../core/configuration/alerts.ts';
import { Transient } from '../core/text/errors.ts';
import { plusSeconds } from '../core/text/instant.ts';
import type { SendPorts } from './send-ports.ts';

/** Lost races against other senders to the same channel, in a row. */
const raceLimit = 20;
/** Seconds for which one answer may stop a channel: longer is what the one message was asked, and waits for alone. */
export const longestRest = 15 * 60;

/** Undefined: the message may be sent now. Otherwise the instant at which it has its turn, which is to be kept with its
 *  delivery. A turn that nobody comes for is lost, and costs a second. Throws Transient. */
export async function waitsUntil(
  target: AlertTarget,
  applicant: () => Promise<Applicant>,
  { paces, clock }: Pick<SendPorts, 'paces' | 'clock'>,
): Promise<string | undefined> {
  const channel = pacedChannel(target);
  if (channel === undefined) return undefined;
  const asking = await applicant();
  for (let race = 0; race < raceLimit; race += 1) {
    const turn = takeTurn(await paces.load(channel), asking, clock());
    if (await paces.save(channel, turn.pace)) return turn.kind === 'now' ? undefined : turn.at;
  }
  throw new Transient(`${channel}: other senders were faster ${raceLimit} times`, { kind: 'conflict' });
}

/** Whether it waits for a turn among what is not urgent. Throws Transient. */
export async function waitsAmongRest(
  target: AlertTarget,
  { retryAt, turnAt }: Pick<Delivery, 'retryAt' | 'turnAt'>,
  { paces }: Pick<SendPorts, 'paces'>,
): Promise<boolean> {
  const channel = pacedChannel(target);
  if (channel === undefined || turnAt === undefined || retryAt !== turnAt) return false;
  return isAmongRest(await paces.load(channel), turnAt);
}

/** The channel answered that it wants to rest: the other messages to it wait as well, instead of asking one by one. */
export async function letRest(
  target: AlertTarget,
  seconds: number,
  { paces, clock }: Pick<SendPorts, 'paces' | 'clock'>,
): Promise<void> {
  const channel = pacedChannel(target);
  if (channel === undefined) return;
  const until = plusSeconds(clock(), Math.min(seconds, longestRest));
  for (let race = 0; race < raceLimit; race += 1) {
    const pace: Pace = await paces.load(channel);
    const resting = restUntil(pace, until);
    if (resting === pace || (await paces.save(channel, resting))) return;
  }
}

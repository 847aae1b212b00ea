import type { PressRefusal } from '../../../events/index.ts';
import type { Incident } from '../alerts/incident.ts';
import { episodeOf } from '../alerts/slack-buttons.ts';
import type { ChannelReach } from '../alerts/targets.ts';

/** What a message, or a person, says of the incident that is meant. */
interface Meant {
  readonly number: number;
  /** See `episodeOf`; undefined: the message is of an earlier version, or there is none. */
  readonly episode: string | undefined;
}

/** Why what is asked of an incident does not count for this one; undefined: it does. Pure.
 *  @param reach of the channel that it is asked in; undefined: elsewhere, where nothing limits it */
export function whyNotMeant(
  incident: Incident | undefined,
  { number, episode }: Meant,
  reach: Pick<ChannelReach, 'hasIncident'> | undefined,
): PressRefusal | undefined {
  if (incident?.number !== number) return 'no-incident';
  if (episode !== undefined && episode !== episodeOf(incident)) return 'other-episode';
  return reach === undefined || reach.hasIncident(incident) ? undefined : 'unheard';
}

/** The same of what is asked of a sequence: an incident that is over would let a menu that was left below its message
 *  steer what has been begun since. Pure. */
export function whySteeredInVain(
  incident: Incident | undefined,
  meant: Meant,
  reach: Pick<ChannelReach, 'hasIncident'>,
): PressRefusal | undefined {
  const isOver = incident?.state !== 'firing' && incident?.state !== 'resolving';
  return whyNotMeant(incident, meant, reach) ?? (isOver ? 'resolved' : undefined);
}

const words: Readonly<Record<PressRefusal, string>> = {
  'earlier-version':
    'its message is of an earlier version of Poolkeeper: choose again once it has changed, as it does when somebody acknowledges it, or use poolkeeper sequence',
  'no-incident': 'there is no such incident',
  'other-episode': 'the message that you pressed is of another incident of that number, and nothing is done',
  unheard: 'its messages do not come to this channel; ask where they do',
  resolved: 'it is resolved',
};

/** What the person is told. */
export function refusalWords(refused: PressRefusal): string {
  return words[refused];
}

import type { AlertSettings } from '../configuration/alerts.ts';
import type { PersonRequest } from './request.ts';

/** Who makes a request, and how we know them. `who`: as shown to people. */
export type Requester =
  /** With rights of their own on the cluster: the API server judges each write. */
  | { readonly surface: 'kubernetes'; readonly who: string }
  /** With rights of their own on the queue (AWS), or on this machine. */
  | { readonly surface: 'queue'; readonly who: string }
  /** By a request that Slack signed. */
  | {
      readonly surface: 'slack';
      readonly who: string;
      /** Slack's id of the person. */
      readonly user: string;
      /** Ids of the workspace, and of the organisation that it belongs to. */
      readonly workspaces: readonly string[];
      /** Id of the channel with the message. */
      readonly channel: string;
    };

export type Permission = { readonly kind: 'allowed' } | { readonly kind: 'refused'; readonly why: string };

type Surface = Requester['surface'];

/** On which surfaces each kind may be requested. Nothing that changes a cluster may be where we know of a person only
 *  what Slack says. */
const surfacesOf: Readonly<Record<PersonRequest['kind'], readonly Surface[]>> = {
  hold: ['kubernetes'],
  resume: ['kubernetes'],
  freeze: ['kubernetes'],
  thaw: ['kubernetes'],
  emergency: ['kubernetes'],
  acknowledge: ['queue', 'slack'],
  snooze: ['queue', 'slack'],
  recheck: ['queue', 'slack'],
};

/** The one place that judges who may ask for what. Pure. */
export function mayAsk(
  kind: PersonRequest['kind'],
  requester: Requester,
  alerts: Pick<AlertSettings, 'slackButtons' | 'targets'>,
): Permission {
  if (!surfacesOf[kind].includes(requester.surface))
    return { kind: 'refused', why: `${kind} cannot be asked for on ${requester.surface}` };
  return requester.surface === 'slack' ? maySlackUser(requester, alerts) : { kind: 'allowed' };
}

function maySlackUser(
  { workspaces, user, channel }: Extract<Requester, { surface: 'slack' }>,
  { slackButtons, targets }: Pick<AlertSettings, 'slackButtons' | 'targets'>,
): Permission {
  if (slackButtons === undefined) return { kind: 'refused', why: 'buttons are not switched on' };
  if (!targets.some((target) => target.kind === 'slack' && target.channel === channel))
    return { kind: 'refused', why: 'the channel is no target of alerts' };
  if (!workspaces.includes(slackButtons.team)) return { kind: 'refused', why: 'another workspace' };
  if (slackButtons.users.length > 0 && !slackButtons.users.includes(user))
    return { kind: 'refused', why: 'this person is not on the list' };
  return { kind: 'allowed' };
}

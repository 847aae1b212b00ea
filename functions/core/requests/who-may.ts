import type { AlertSettings } from '../configuration/alerts.ts';
import { identitiesOf, mayApprove } from '../configuration/approve.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ApprovalRequest, PersonRequest } from './request.ts';

/** Who makes a request, and how we know them. `who`: as shown to people. */
export type Requester =
  /** With rights of their own on the cluster: the API server judges each write. */
  | { readonly surface: 'kubernetes'; readonly who: string }
  /** With rights of their own on the queue (AWS), or on this machine. */
  | {
      readonly surface: 'queue';
      readonly who: string;
      /** The sender as SQS notes it; absent: nobody vouches for one. */
      readonly sender?: string | undefined;
    }
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
 *  what Slack says, but for a freeze, which only makes safer, by people whom the configuration lists for it
 *  (docs/decisions/0018-freezes-on-every-pool.md). An approval changes nothing by itself, and counts only for people
 *  whom the configuration lists by the id that the surface proves (docs/decisions/0019-who-approves.md). */
const surfacesOf: Readonly<Record<PersonRequest['kind'], readonly Surface[]>> = {
  hold: ['kubernetes'],
  resume: ['kubernetes'],
  freeze: ['kubernetes'],
  thaw: ['kubernetes'],
  emergency: ['kubernetes'],
  acknowledge: ['queue', 'slack'],
  snooze: ['queue', 'slack'],
  recheck: ['queue', 'slack'],
  'freeze-here': ['slack'],
  approve: ['queue', 'slack'],
  revoke: ['queue', 'slack'],
};

/** The one place that judges who may ask for what. Pure. */
export function mayAsk(
  kind: PersonRequest['kind'],
  requester: Requester,
  alerts: Pick<AlertSettings, 'slackButtons' | 'targets'>,
): Permission {
  if (!surfacesOf[kind].includes(requester.surface))
    return { kind: 'refused', why: `${kind} cannot be asked for on ${requester.surface}` };
  return requester.surface === 'slack' ? maySlackUser(kind, requester, alerts) : { kind: 'allowed' };
}

/** The person that an approval counts for: an entry of `by`, and the identity that the surface proves. A refusal names
 *  who asked where the pool has approvals at all. */
export type Approver =
  | { readonly kind: 'allowed'; readonly who: string; readonly person: string }
  | { readonly kind: 'refused'; readonly why: string; readonly who?: string };

/** Whether the requester may approve, or revoke, for this pool. Pure. */
export function whoApproves(
  { kind, cluster, pool }: ApprovalRequest,
  requester: Requester,
  { alerts, clusters }: Pick<Configuration, 'alerts' | 'clusters'>,
): Approver {
  const approve = clusters.find(({ name }) => name === cluster)?.pools[pool]?.approve;
  if (approve === undefined) return { kind: 'refused', why: 'nobody has to approve the changes of this pool' };
  const permission = mayAsk(kind, requester, alerts);
  if (permission.kind === 'refused') return permission;
  const who = identityOf(requester);
  if (who === undefined) return { kind: 'refused', why: 'nothing proves there who asks' };
  const person = approve.by.find((each) => identitiesOf(each).filter(mayApprove).includes(who));
  return person === undefined
    ? { kind: 'refused', why: 'not on the list of the pool', who }
    : { kind: 'allowed', who, person };
}

/** What the surface proves of who asks. */
function identityOf(requester: Requester): string | undefined {
  switch (requester.surface) {
    case 'slack':
      return `slack:${requester.user}`;
    case 'queue':
      return requester.sender === undefined ? undefined : `aws:${requester.sender}`;
    case 'kubernetes':
      return undefined;
    default:
      return requester satisfies never;
  }
}

/** Kinds that have a list of people of their own. */
const listedElsewhere: ReadonlySet<PersonRequest['kind']> = new Set(['approve', 'revoke']);

function maySlackUser(
  kind: PersonRequest['kind'],
  { workspaces, user, channel }: Extract<Requester, { surface: 'slack' }>,
  { slackButtons, targets }: Pick<AlertSettings, 'slackButtons' | 'targets'>,
): Permission {
  if (slackButtons === undefined) return { kind: 'refused', why: 'buttons are not switched on' };
  if (!targets.some((target) => target.kind === 'slack' && target.channel === channel))
    return { kind: 'refused', why: 'the channel is no target of alerts' };
  if (!workspaces.includes(slackButtons.team)) return { kind: 'refused', why: 'another workspace' };
  if (listedElsewhere.has(kind)) return { kind: 'allowed' };
  if (kind === 'freeze-here')
    return slackButtons.mayFreeze.includes(user)
      ? { kind: 'allowed' }
      : { kind: 'refused', why: 'this person may not freeze (mayFreeze)' };
  if (slackButtons.users.length > 0 && !slackButtons.users.includes(user))
    return { kind: 'refused', why: 'this person is not on the list' };
  return { kind: 'allowed' };
}

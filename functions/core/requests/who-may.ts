import { channelReach } from '../alerts/targets.ts';
import type { AlertSettings } from '../configuration/alerts.ts';
import { identitiesOf, mayApprove } from '../configuration/approve.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { byName } from '../text/by-name.ts';
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
      /** Id of the workspace or organisation of the person, who may be from elsewhere in a channel that is shared with
       *  others; absent: Slack does not say, as with a command, which only members of the workspace can send. */
      readonly home?: string | undefined;
      /** Id of the channel with the message. */
      readonly channel: string;
    };

export type Permission = { readonly kind: 'allowed' } | { readonly kind: 'refused'; readonly why: string };

type Surface = Requester['surface'];

/** On which surfaces each kind may be requested. What changes a cluster may be asked where we know of a person only
 *  what Slack says by people whom the configuration lists for it, by default nobody
 *  (docs/decisions/0018-freezes-on-every-pool.md, docs/decisions/0027-sequences-steered-from-slack.md,
 *  docs/decisions/0032-commands-in-slack.md); the emergency lane never. An approval
 *  changes nothing by itself, and counts only for people whom the configuration lists by the id that the surface proves
 *  (docs/decisions/0019-who-approves.md). */
const surfacesOf: Readonly<Record<PersonRequest['kind'], readonly Surface[]>> = {
  hold: ['kubernetes', 'slack'],
  resume: ['kubernetes', 'slack'],
  freeze: ['kubernetes', 'slack'],
  thaw: ['kubernetes', 'slack'],
  emergency: ['kubernetes'],
  acknowledge: ['queue', 'slack'],
  snooze: ['queue', 'slack'],
  recheck: ['queue', 'slack'],
  'freeze-here': ['slack'],
  approve: ['queue', 'slack'],
  revoke: ['queue', 'slack'],
  'steer-sequence': ['slack'],
  'steer-run': ['slack'],
  look: ['slack'],
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

/** What a request is about: some pools of a cluster (`*`: each), or the cluster as such. */
export interface Place {
  readonly cluster: string;
  readonly pools?: readonly string[];
}

/** Whether a channel in Slack hears of that place: what some target that posts there leaves out is neither shown nor
 *  changed from there, whoever asks. Pure. */
export function mayReach(
  { cluster, pools = [] }: Place,
  requester: Requester,
  alerts: Pick<AlertSettings, 'targets'>,
): Permission {
  if (requester.surface !== 'slack') return { kind: 'allowed' };
  const reach = channelReach(alerts, requester.channel);
  if (!reach.hasCluster(cluster)) return unheard(cluster);
  const missing = pools.find((pool) => !reach.hasPool(cluster, pool));
  if (missing === undefined) return { kind: 'allowed' };
  return unheard(missing === '*' ? `all pools of ${cluster}` : `${cluster}/${missing}`);
}

function unheard(what: string): Permission {
  return { kind: 'refused', why: `messages about ${what} do not come to this channel` };
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
  const approve = byName(clusters, cluster)?.pools[pool]?.approve;
  if (approve === undefined) return { kind: 'refused', why: 'nobody has to approve the changes of this pool' };
  const permission = mayAsk(kind, requester, alerts);
  if (permission.kind === 'refused') return permission;
  const reach = mayReach({ cluster, pools: [pool] }, requester, alerts);
  if (reach.kind === 'refused') return reach;
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

/** Who may ask in Slack for what changes a cluster. Holds and freezes only make safer. */
const listFor: Partial<Readonly<Record<PersonRequest['kind'], 'mayFreeze' | 'mayResume' | 'maySteer'>>> = {
  hold: 'mayFreeze',
  freeze: 'mayFreeze',
  'freeze-here': 'mayFreeze',
  resume: 'mayResume',
  thaw: 'mayResume',
  'steer-sequence': 'maySteer',
  'steer-run': 'maySteer',
};

/** Kinds that have a list of people of their own. */
const listedElsewhere: ReadonlySet<PersonRequest['kind']> = new Set(['approve', 'revoke']);

function maySlackUser(
  kind: PersonRequest['kind'],
  requester: Extract<Requester, { surface: 'slack' }>,
  { slackButtons, targets }: Pick<AlertSettings, 'slackButtons' | 'targets'>,
): Permission {
  const { workspaces, user, channel } = requester;
  if (slackButtons === undefined) return { kind: 'refused', why: 'buttons are not switched on' };
  if (!targets.some((target) => target.kind === 'slack' && target.channel === channel))
    return { kind: 'refused', why: 'the channel is no target of alerts' };
  if (!workspaces.includes(slackButtons.team)) return { kind: 'refused', why: 'another workspace' };
  if (isFromElsewhere(requester, slackButtons.team))
    return { kind: 'refused', why: 'this person is of another workspace' };
  if (listedElsewhere.has(kind)) return { kind: 'allowed' };
  const list = listFor[kind];
  if (list !== undefined)
    return slackButtons[list].includes(user)
      ? { kind: 'allowed' }
      : { kind: 'refused', why: `this person is not listed for that (alerts.slackButtons.${list})` };
  if (slackButtons.users.length > 0 && !slackButtons.users.includes(user))
    return { kind: 'refused', why: 'this person is not on the list' };
  return { kind: 'allowed' };
}

/** On Enterprise Grid Slack may name the organisation (`E`) for the person's workspace (`T`), and which workspaces an
 *  organisation has is not known here. Source: Slack, block_actions payload; slackapi/java-slack-sdk issue 1041. */
function isFromElsewhere({ home, workspaces }: Extract<Requester, { surface: 'slack' }>, team: string): boolean {
  if (home === undefined || home === team) return false;
  return home.startsWith('E') ? !workspaces.includes(home) : !team.startsWith('E');
}

import * as z from 'zod';
import { attentionBounds } from '../core/alerts/attention-bounds.ts';
import { readApprovalButton, readButton, readSteerChoice } from '../core/alerts/slack-buttons.ts';
import { ApprovalRequest, IncidentRequest, SteerRequest } from '../core/requests/request.ts';
import { BadInput } from '../core/text/errors.ts';
import { parseAs, parseJson } from '../shell/body.ts';

/** Someone pressed a button in one of our messages. */
export interface Press {
  /** Ids of the workspace, and of its organisation. */
  readonly from: readonly string[];
  /** Id of the workspace or organisation of the person; undefined: Slack does not say. */
  readonly home: string | undefined;
  readonly channel: string;
  readonly user: string;
  /** Display name. */
  readonly by: string;
  /** Undefined: a button that only opens a page. */
  readonly request: IncidentRequest | undefined;
  /** Of a button below a change that waits for approvals; `request` then asks for a re-check of its incident. */
  readonly approval: ApprovalRequest | undefined;
  /** Of the menu to steer a sequence; `request` then asks for a re-check of its incident. */
  readonly steering: SteerRequest | undefined;
}

const Id = z.string().regex(/^[A-Z0-9]{2,32}$/, 'is not a Slack id');

/** The fields in use of Slack's `block_actions`; the message that comes with it is ignored. */
const BlockActions = z.object({
  type: z.literal('block_actions'),
  /** Null if the App is installed for a whole organisation. */
  team: z.object({ id: Id }).nullish(),
  enterprise: z.object({ id: Id }).nullish(),
  /** `team_id` is the person's, `team` that of the message: they differ in a channel shared by Slack Connect. */
  user: z.object({ id: Id, username: z.string().max(100).optional(), team_id: Id.nullish() }),
  channel: z.object({ id: Id }),
  actions: z
    .array(
      z.object({
        action_id: z.string().max(255),
        value: z.string().max(700).optional(),
        selected_option: z.object({ value: z.string().max(100) }).optional(),
      }),
    )
    .min(1)
    .max(25),
});

/** Parses the form-encoded body of an interaction. Throws BadInput.
 *  @param acknowledgeForSeconds duration of an acknowledgement by button */
export function readPress(text: string, acknowledgeForSeconds: number = attentionBounds.least): Press {
  const payload = new URLSearchParams(text).get('payload');
  if (payload === null) throw new BadInput('the payload is missing');
  const { team, enterprise, user, channel, actions } = parseAs(BlockActions, parseJson(payload));
  const [action] = actions;
  const value = action?.selected_option?.value ?? action?.value;
  return {
    from: [team, enterprise].flatMap((each) => each?.id ?? []),
    home: user.team_id ?? undefined,
    channel: channel.id,
    user: user.id,
    by: user.username === undefined || user.username === '' ? user.id : user.username,
    ...requestsOf(action?.action_id ?? '', value, acknowledgeForSeconds),
  };
}

function requestsOf(
  actionId: string,
  value: string | undefined,
  acknowledgeForSeconds: number,
): Pick<Press, 'request' | 'approval' | 'steering'> {
  const none = { approval: undefined, steering: undefined };
  const steered = readSteerChoice(actionId, value);
  if (steered !== undefined) {
    const { number: incident, ...steer } = steered;
    const steering = SteerRequest.parse({ kind: 'steer-sequence', incident, ...steer });
    return { ...none, request: recheck(incident), steering };
  }
  const asked = readApprovalButton(actionId, value);
  if (asked === undefined) return { ...none, request: incidentRequest(actionId, value, acknowledgeForSeconds) };
  const { verb: kind, number: incident, cluster, pool, config } = asked;
  const approval = ApprovalRequest.parse({ kind, cluster, pool, config, reason: '' });
  return { ...none, request: recheck(incident), approval };
}

function recheck(incident: number): IncidentRequest {
  return IncidentRequest.parse({ kind: 'recheck', incident, reason: '' });
}

function incidentRequest(
  actionId: string,
  value: string | undefined,
  acknowledgeForSeconds: number,
): IncidentRequest | undefined {
  const button = readButton(actionId, value);
  if (button === undefined) return undefined;
  const { wish: kind, number: incident, seenSeq, episode, forSeconds = acknowledgeForSeconds, scope } = button;
  return IncidentRequest.parse({ kind, incident, seenSeq, episode, forSeconds, reason: '', ...(scope && { scope }) });
}

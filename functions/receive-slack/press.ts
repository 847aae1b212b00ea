import * as z from 'zod';
import { type ButtonRequest, readButton } from '../core/alerts/slack-buttons.ts';
import { BadInput } from '../core/text/errors.ts';
import { parseAs, parseJson } from '../shell/body.ts';

/** Somebody pressed something in a message of ours. */
export interface Press {
  /** Ids of the workspace, and of the organisation that it belongs to. */
  readonly from: readonly string[];
  readonly channel: string;
  readonly user: string;
  /** What people call them. */
  readonly by: string;
  /** Undefined: a button that only opens a page. */
  readonly wish: ButtonRequest | undefined;
}

const Id = z.string().regex(/^[A-Z0-9]{2,32}$/, 'is no id of Slack');

/** What of Slack's `block_actions` is read; the message that comes with it is not looked at. */
const BlockActions = z.object({
  type: z.literal('block_actions'),
  /** Null where the App is installed for all of an organisation. */
  team: z.object({ id: Id }).nullish(),
  enterprise: z.object({ id: Id }).nullish(),
  user: z.object({ id: Id, username: z.string().max(100).optional() }),
  channel: z.object({ id: Id }),
  actions: z
    .array(
      z.object({
        action_id: z.string().max(255),
        value: z.string().max(100).optional(),
        selected_option: z.object({ value: z.string().max(100) }).optional(),
      }),
    )
    .min(1)
    .max(25),
});

/** Reads the form-encoded body of an interaction. Throws BadInput. */
export function readPress(text: string): Press {
  const payload = new URLSearchParams(text).get('payload');
  if (payload === null) throw new BadInput('there is no payload');
  const { team, enterprise, user, channel, actions } = parseAs(BlockActions, parseJson(payload));
  const [action] = actions;
  const value = action?.selected_option?.value ?? action?.value;
  return {
    from: [team, enterprise].flatMap((each) => each?.id ?? []),
    channel: channel.id,
    user: user.id,
    by: user.username === undefined || user.username === '' ? user.id : user.username,
    wish: action === undefined ? undefined : readButton(action.action_id, value),
  };
}

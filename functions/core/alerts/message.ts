/** What other rooms and functions use of `message/`: one form for each kind of target. */

export { type AlertmanagerForm, alertmanagerTimes } from './message/alertmanager-form.ts';
export { codeSpan, mrkdwn } from './message/escape.ts';
export type { PagerDutyForm } from './message/pager-duty-form.ts';
export { nextForm, render } from './message/render.ts';
export type { MessageForm, SlackForm } from './message/slack.ts';
export type { Block, RichText } from './message/slack-blocks.ts';

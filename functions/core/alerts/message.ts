/** What other rooms and functions use of `message/`: one form for each kind of target. */

export { type AlertmanagerForm, alertmanagerTimes } from './message/alertmanager-form.ts';
export type { PagerDutyForm } from './message/pager-duty-form.ts';
export { nextForm, render } from './message/render.ts';
export type { MessageForm } from './message/slack.ts';

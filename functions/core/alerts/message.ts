/** What the rest of the product needs of messages: the forms for each kind of target. */

export { type AlertmanagerForm, alertmanagerTimes } from './message/alertmanager-form.ts';
export type { PagerDutyForm } from './message/pager-duty-form.ts';
export { nextRung, render } from './message/render.ts';
export type { Rung } from './message/slack.ts';

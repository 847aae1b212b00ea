import type { Window } from '../configuration/window.ts';
import { counted, listed } from '../text/phrases.ts';
import { calendarDoubt } from '../windows/calendar-windows.ts';
import { calendarNotices, isCalendarUnread } from '../windows/kept-calendars.ts';
import { askWindows, windowsFor } from '../windows/openings.ts';
import { calendarHost, windowText } from '../windows/window-text.ts';
import {
  closed,
  type Gate,
  type GateAnswer,
  type GateQuestion,
  type GateTimeout,
  open,
  unread,
  unseen,
} from './gate.ts';

/** The configured windows let pools resume now. Whether the rollout ends before they close is asked by gate `fit`. */
export const window: Gate = { name: 'window', inEmergency: 'passed', ask, timeout };

/** A window that opens within a week is no reason for an alert: certificates and pull secrets wait behind a pause, and
 *  the MCO rotates them weeks ahead. */
function timeout(): GateTimeout {
  return { afterSeconds: 7 * 24 * 3600, action: 'alert' };
}

function ask({ pool, windows, now }: GateQuestion): GateAnswer {
  const own = windowsFor(windows, pool);
  if (own.length === 0) return open;
  if (own.some(isCalendarUnread)) return unread('the calendar of a window', 'its windows are open', 'calendars');
  for (const each of own) {
    const fault = calendarDoubt(each, now.getTime());
    if (fault !== undefined) return notUnderstood(each, fault);
  }
  const notices = calendarNotices(own);
  const answer = askWindows(own, now);
  if (answer.open) return notices.length === 0 ? open : { open: true, warning: listed(notices, 2) };
  const { denied, opensAt } = answer;
  const why =
    denied.length > 0
      ? `a deny window is open: ${listed(denied.map(windowText), 2)}`
      : `no allow window is open: ${listed(own.filter(({ kind }) => kind === 'allow').map(windowText), 2)}`;
  return closed({
    why: notices.length === 0 ? why : `${why}; ${listed(notices, 2)}`,
    value: denied.length > 0 ? `${counted(denied.length, 'deny window')} open` : 'no allow window open',
    threshold: denied.length > 0 ? 'no deny window open' : 'an allow window open',
    opens:
      opensAt === undefined
        ? 'no opening within a year: change windows in poolkeeper.yaml'
        : `when its window does, at ${opensAt}`,
    who: `${opensAt === undefined ? '' : 'time, by itself; '}whoever may change windows in poolkeeper.yaml`,
    opensAt,
  });
}

/** A calendar that is not understood may deny this moment, or not allow it. */
function notUnderstood(window: Window, fault: string): GateAnswer {
  const { calendarFrom } = window;
  return unseen({
    why: `the calendar of a window cannot be used: ${fault} (${windowText(window)})`,
    value: 'calendar not usable',
    threshold: 'a calendar that is understood',
    opens:
      calendarFrom === undefined
        ? 'another calendar in poolkeeper.yaml'
        : 'the next time that it can be read, which is tried with every sweep',
    who: `${calendarFrom === undefined ? '' : `whoever runs ${calendarHost(calendarFrom)}, or `}whoever may change windows in poolkeeper.yaml`,
  });
}

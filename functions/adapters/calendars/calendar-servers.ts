import { Transient } from '../../core/text/errors.ts';
import type { CalendarServers } from '../../ports/calendars.ts';
import { type GuardedGetOptions, guardedGet } from '../tickets/guarded-get.ts';

/** Bytes of a calendar: what a calendar file may have too. */
const bodyAtMostBytes = 1024 * 1024;

/** Characters of a server's mark of a text. What is longer is not sent back. */
const markAtMost = 200;

/** Calendars by HTTP, one GET each, with the marks of the text that is known. */
export function calendarServers(options: GuardedGetOptions): CalendarServers {
  return {
    async read(calendar, known) {
      const { host } = new URL(calendar.url);
      const headers = {
        accept: 'text/calendar',
        ...(known?.etag === undefined ? {} : { 'if-none-match': known.etag }),
        ...(known?.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
      };
      const answer = await guardedGet(calendar, { url: calendar.url, headers, bodyAtMostBytes }, options);
      if (answer.status === 304 && known !== undefined) return { kind: 'unchanged' };
      if (answer.status !== 200) throw new Transient(`${host} answered with status ${answer.status}`);
      return {
        kind: 'read',
        text: answer.body,
        etag: markOf(answer.headers.etag),
        lastModified: markOf(answer.headers['last-modified']),
      };
    },
  };
}

/** Only what may be sent in a header again. */
function markOf(mark: string | undefined): string | undefined {
  return mark !== undefined && mark.length <= markAtMost && /^[\x20-\x7e]+$/.test(mark) ? mark : undefined;
}

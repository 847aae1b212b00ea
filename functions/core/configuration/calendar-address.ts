import * as z from 'zod';
import { headerName, internalNetworks, isCallable } from './called-address.ts';
import { mapping, seconds, secret, type Values } from './fields.ts';

const mustUrl = 'must be the https:// address of a calendar (.ics), without user, password and fragment';

/** A calendar that is read by its address. */
export const CalendarAddress = mapping({
  url: z
    .string({ error: mustUrl })
    .max(2000, { error: mustUrl })
    .refine(isCalendarUrl, { error: mustUrl })
    .describe('What is read by GET. Redirects are not followed.'),
  header: headerName().default('Authorization').describe('The header that the secret is sent in.'),
  headerSecret: secret('The whole value of that header, like Bearer and a token').optional(),
  timeoutSeconds: seconds(1, 10).default(5).describe('How long to wait for the whole calendar.'),
  internalNetworks: internalNetworks(),
});
export type CalendarAddress = Values<typeof CalendarAddress>;

function isCalendarUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && !/\s/.test(text) && !text.includes('#') && isCallable(url);
}

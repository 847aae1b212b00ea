import * as z from 'zod';
import { headerName, internalNetworks, isCallable } from './called-address.ts';
import { count, listOf, mapping, matching, minute, seconds, secret, type Values } from './fields.ts';

const mustUrl =
  'must be the https:// address of a ticket, without user, password and fragment; {cluster}, {pool} and {config} may stand behind the host';

const placeholder = /\{(cluster|pool|config)\}/g;

const value = z.string({ error: 'must be text, in quotes' }).max(200, { error: 'must be at most 200 characters' });

/** The gate `ticket` of a pool: one GET, whose answer says whether the pool may resume. */
export const Ticket = mapping({
  url: z
    .string({ error: mustUrl })
    .refine(isTicketUrl, { error: mustUrl })
    .describe(
      'What is asked by GET. {cluster}, {pool} and {config} stand for the pool and its rendered config, in image mode with its image.',
    ),
  header: headerName().default('Authorization').describe('The header that the secret is sent in.'),
  headerSecret: secret('The whole value of that header, like Bearer and a token').optional(),
  status: count(200, 599).default(200).describe('The status of the answer. Redirects are not followed.'),
  path: matching(
    /^[\w-]{1,64}(?:\.[\w-]{1,64}){0,9}$/,
    'must be the place of a value in JSON, like result.0.state: keys and indexes with dots between them',
  )
    .optional()
    .describe('Where the value stands in the JSON of the answer, as `result.0.state`. Without it the status decides.'),
  equals: value.optional().describe('With path: the value there.'),
  oneOf: listOf(value, 'must be a list of values').default([]).describe('With path: the values of which one is there.'),
  timeoutSeconds: seconds(1, 10).default(5).describe('How long to wait for the whole answer.'),
  cacheSeconds: seconds(10, 15 * minute)
    .default(minute)
    .describe('How long an answer counts before it is asked again.'),
  internalNetworks: internalNetworks(),
});
export type Ticket = Values<typeof Ticket>;

/** Whether a ticket is of one change of its pool, and not of the pool. */
export function isOfChange({ url }: Pick<Ticket, 'url'>): boolean {
  return url.includes('{config}');
}

/** The address with the names of what it is asked for, which cannot change more than the part they stand in. */
export function ticketUrl(
  { url }: Pick<Ticket, 'url'>,
  names: Readonly<Record<'cluster' | 'pool' | 'config', string>>,
): string {
  return url.replaceAll(placeholder, (_, name: keyof typeof names) => encodeURIComponent(names[name]));
}

function isTicketUrl(text: string): boolean {
  const [one, other] = ['one', 'other'].map((name) => URL.parse(text.replaceAll(placeholder, name)));
  if (one === null || one === undefined || other === null || other === undefined) return false;
  if (one.origin !== other.origin || /[{}\s]/.test(text.replaceAll(placeholder, ''))) return false;
  return isCallable(one);
}

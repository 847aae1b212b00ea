import * as z from 'zod';
import type { GithubHook } from '../../core/configuration/github.ts';
import type { DeliveryAttempt, ListedAttempts } from '../../core/relay/redelivery.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import type { Deadline } from '../../ports/time.ts';
import type { GithubAuthorization } from './github-authorization.ts';
import { githubHeaders, githubId, githubRefusal, isMoved, parseExact } from './github-http.ts';

export interface GithubDeliveriesOptions {
  /** Base URL without a trailing slash: `https://api.github.com`, or `https://<host>/api/v3` of an Enterprise
   *  Server. */
  readonly api: string;
  /** With permission to read and write webhooks of the owners of the hooks. */
  readonly authorization: GithubAuthorization;
  /** Milliseconds, per request. */
  readonly timeoutMs?: number;
  readonly deadline: Deadline;
}

/** The fields in use of an entry. Source: GitHub REST API, "List deliveries for a repository webhook". */
const Entry = z.object({
  id: githubId,
  guid: z.string().min(1),
  repository_id: githubId.nullish(),
  delivered_at: z.iso.datetime({ offset: true }),
  event: z.string(),
  status_code: z.int(),
});

/** What an entry that is not as it should be may still say. */
const OddEntry = z.object({
  delivered_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
  event: z.string().optional().catch(undefined),
});
type OddEntry = z.infer<typeof OddEntry>;

const perPage = 100;
/** A hook with more than 500 deliveries in half an hour is covered only this far. */
const mostPages = 5;

interface Page {
  readonly attempts: readonly DeliveryAttempt[];
  readonly odd: readonly OddEntry[];
  readonly next: string | undefined;
}

/** Webhook deliveries by GitHub's REST API: plain requests, made once, no redirect followed (it would carry the token
 *  along). An unchanged first page costs nothing of the rate limit, because it is requested with its ETag. */
export function githubDeliveries(options: GithubDeliveriesOptions) {
  const { api, authorization, deadline, timeoutMs = 8_000 } = options;
  const known = new Map<string, { readonly etag: string; readonly page: Page }>();

  async function ask(method: 'GET' | 'POST', hook: GithubHook, url: string, etag?: string): Promise<Response> {
    const headers = githubHeaders(await authorization(hook.repository ?? hook.organization ?? ''));
    return fetch(url, {
      method,
      headers: { ...headers, ...(etag === undefined ? {} : { 'if-none-match': etag }) },
      signal: deadline(timeoutMs),
      redirect: 'manual',
    });
  }

  async function readPage(hook: GithubHook, cursor: string | undefined): Promise<Page> {
    const url = `${deliveriesOf(api, hook)}?per_page=${perPage}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
    const stored = cursor === undefined ? known.get(url) : undefined;
    const response = await ask('GET', hook, url, stored?.etag).catch(unreachable);
    if (response.status === 304 && stored !== undefined) return stored.page;
    if (response.status !== 200) throw await refusal(response, hook);
    const page = { ...(await entriesOf(response)), next: cursorOf(response.headers.get('link')) };
    const etag = response.headers.get('etag');
    if (etag !== null && cursor === undefined) known.set(url, { etag, page });
    return page;
  }

  return {
    async list(hook: GithubHook, since: Date): Promise<ListedAttempts> {
      const attempts: DeliveryAttempt[] = [];
      let unreadable = 0;
      let cursor: string | undefined;
      for (let pages = 0; pages < mostPages; pages += 1) {
        const page = await readPage(hook, cursor);
        attempts.push(...page.attempts);
        unreadable += page.odd.filter((entry) => mayBePush(entry, since)).length;
        const isFarEnough = page.attempts.some(({ at }) => Date.parse(at) < since.getTime());
        if (page.next === undefined || isFarEnough) break;
        cursor = page.next;
      }
      return { attempts, unreadable };
    },

    async redeliver(hook: GithubHook, id: string): Promise<'asked' | 'not-asked' | 'unknown'> {
      let response: Response;
      try {
        response = await ask('POST', hook, `${deliveriesOf(api, hook)}/${id}/attempts`);
      } catch (cause) {
        if (cause instanceof Transient || cause instanceof Misconfigured) throw cause;
        return 'unknown';
      }
      const outcome = outcomeOf(response);
      if (outcome === undefined) throw await refusal(response, hook);
      await response.body?.cancel();
      return outcome;
    },
  };
}

/** Of a redelivery; undefined: it was refused. */
function outcomeOf({ status }: Response): 'asked' | 'not-asked' | 'unknown' | undefined {
  if (status === 202) return 'asked';
  if (status >= 500) return 'unknown';
  // About one delivery, not the hook: the delivery is too old.
  return status === 400 || status === 422 ? 'not-asked' : undefined;
}

function deliveriesOf(api: string, { repository, organization, id }: GithubHook): string {
  const owner =
    repository === undefined
      ? `orgs/${encodeURIComponent(organization ?? '')}`
      : `repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  return `${api}/${owner}/hooks/${id}/deliveries`;
}

/** Each entry by itself: one that cannot be read spoils no other. */
async function entriesOf(response: Response): Promise<Pick<Page, 'attempts' | 'odd'>> {
  const listed = z.array(z.unknown()).safeParse(parseExact(await response.text().catch(() => '')));
  if (!listed.success) throw new Transient('the answer of GitHub is not a list of deliveries');
  const attempts: DeliveryAttempt[] = [];
  const odd: OddEntry[] = [];
  for (const entry of listed.data) {
    const read = Entry.safeParse(entry);
    if (read.success) attempts.push(attemptOf(read.data));
    else odd.push(OddEntry.safeParse(entry).data ?? {});
  }
  return { attempts, odd };
}

function attemptOf({ id, guid, repository_id, delivered_at, event, status_code }: z.infer<typeof Entry>) {
  return {
    id,
    guid,
    repository: repository_id ?? undefined,
    at: delivered_at,
    event,
    succeeded: status_code >= 200 && status_code < 300,
  };
}

function mayBePush({ event = 'push', delivered_at: at }: OddEntry, since: Date): boolean {
  return event === 'push' && (at === undefined || Date.parse(at) >= since.getTime());
}

/** Only the cursor is taken from the answer: the address stays the configured one, whatever the answer says. */
function cursorOf(link: string | null): string | undefined {
  const next = link?.split(',').find((part) => /;\s*rel="next"/.test(part));
  const address = next?.match(/<([^<>]*)>/)?.[1];
  const cursor = address === undefined ? null : URL.parse(address)?.searchParams.get('cursor');
  return cursor === null || cursor === undefined || cursor === '' ? undefined : encodeURIComponent(cursor);
}

function refusal(response: Response, hook: GithubHook): Promise<Transient | Misconfigured> {
  const question = isMoved(response)
    ? 'was it renamed? Put its new name into poolkeeper.yaml'
    : "is the hook's id right, and may the token read and write webhooks?";
  return githubRefusal({ response, what: `hook ${hook.id} of ${hook.repository ?? hook.organization}`, question });
}

function unreachable(cause: unknown): never {
  if (cause instanceof Transient || cause instanceof Misconfigured) throw cause;
  throw new Transient('GitHub could not be reached', { kind: 'unreachable', cause });
}

import type * as z from 'zod';
import { type ApprovalAsked, cloudEvent } from '../../events/index.ts';
import { imageDigestOf } from '../../functions/core/openshift/change-name.ts';
import { ApprovalRequest } from '../../functions/core/requests/request.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { type PoolStatus, Status } from '../../functions/status/status.ts';
import { askStatus } from './ask-status.ts';
import type { ExitStatus, Surroundings } from './command.ts';
import { unreadablePools } from './status/unreadable-pools.ts';
import { typedRequest } from './typed-request.ts';

export interface AskedApproval {
  readonly pool: string;
  readonly cluster: string | undefined;
  readonly config: string | undefined;
  readonly reason: string;
  readonly revoke: boolean;
  readonly queue: string;
  readonly statusUrl: string | undefined;
  readonly by: string;
}
/** Sends the request to the alert queue, completed from the status page. Throws Misconfigured and Transient. */
export async function requestApproval(asked: AskedApproval, surroundings: Surroundings): Promise<ExitStatus> {
  const found = await complete(asked, surroundings);
  if (typeof found === 'string') {
    surroundings.note(`poolkeeper: ${found}; nothing was requested`);
    return 1;
  }
  const kind = asked.revoke ? 'revoke' : 'approve';
  const { pool, reason } = asked;
  const request = typedRequest(ApprovalRequest, { kind, pool, reason, cluster: found.cluster, config: found.config });
  await send(asked.queue, eventOf(request, asked.by, surroundings.now()));
  const more = found.about === undefined ? '' : `  ${found.about}\n`;
  surroundings.out(
    `Requested: ${kind} ${request.config} of ${request.cluster}/${request.pool}.\n${more}It counts if you are on the list of the pool${asked.config === undefined ? '' : exceptFor(request)}; the status page and the timeline show the result.\n`,
  );
  return 0;
}

/** Who types a config may not know that its pool has images: what is approved is one of them. */
function exceptFor({ kind, config }: ApprovalRequest): string {
  if (kind === 'revoke' || imageDigestOf(config) !== undefined) return '';
  return ', but in image mode for nothing: there --config has the digest of the image, which the status page names';
}

interface Found {
  readonly cluster: string;
  readonly config: string;
  /** What it changes, for people; undefined: not known. */
  readonly about?: string | undefined;
}

const Listed = Status.pick({ clusters: true }).loose();

/** What was left out, from the status page; in words: why there is nothing to approve. Throws Misconfigured if several
 *  clusters have such a pool. */
async function complete(asked: AskedApproval, surroundings: Surroundings): Promise<Found | string> {
  const { pool, cluster, config, statusUrl } = asked;
  if (statusUrl === undefined)
    return cluster === undefined || config === undefined ? nothingWaits(asked) : { cluster, config };
  const seen = await clustersOf(statusUrl, cluster, surroundings);
  const waiting = seen
    .flatMap(({ name, pools }) =>
      pools.filter((each) => each.name === pool).map((each) => ({ cluster: name, pool: each })),
    )
    .filter((each) => asked.revoke || approvalGate(each.pool) !== undefined);
  const [first, ...others] = waiting;
  if (others.length > 0)
    throw new Misconfigured([
      `--cluster is missing: pool ${pool} waits on ${waiting.map((each) => each.cluster).join(', ')}`,
    ]);
  if (first === undefined) return unlessLeftOut(asked, seen);
  const waits = approvalGate(first.pool);
  // A revocation of the rendered config is one of each of its images.
  const named = config ?? waits?.approves ?? (asked.revoke ? first.pool.targetConfig : undefined);
  if (named === undefined) return `nothing can be approved in pool ${pool} now: ${waits?.why ?? 'nothing waits'}`;
  return { cluster: first.cluster, config: named, about: aboutText(first.pool) };
}

function nothingWaits({ pool }: AskedApproval): string {
  return `nothing waits for approval in pool ${pool}`;
}

async function clustersOf(
  statusUrl: string,
  cluster: string | undefined,
  surroundings: Surroundings,
): Promise<z.output<typeof Listed>['clusters']> {
  const query = cluster === undefined ? '' : `?cluster=${encodeURIComponent(cluster)}`;
  const { status, body } = await askStatus(statusUrl, surroundings, query);
  const parsed = Listed.safeParse(body);
  if (!parsed.success) throw new Misconfigured([`--status ${statusUrl}: answered ${status}, and no status`]);
  return parsed.data.clusters.filter(({ name }) => cluster === undefined || name === cluster);
}

/** What was not shown may wait, and whoever names all of it needs no page. */
function unlessLeftOut(asked: AskedApproval, seen: z.output<typeof Listed>['clusters']): Found | string {
  const { cluster, config, statusUrl } = asked;
  const left = seen.flatMap(({ name, whole, poolsLeftOut }) => (whole && poolsLeftOut === undefined ? [] : [name]));
  const unparsed = seen.flatMap((each) => unreadablePools(each, asked.pool));
  if (left.length + unparsed.length === 0) return nothingWaits(asked);
  if (cluster !== undefined && config !== undefined) return { cluster, config };
  if (unparsed.length > 0) return `${listed(unparsed)}; --cluster and --config say what is meant`;
  const flag = cluster === undefined ? '--cluster' : '--config';
  return `${nothingWaits(asked)} that ${statusUrl} names; it has no room for all of ${listed(left, 5)}: ${flag} says what is meant`;
}

function approvalGate({ closedGates }: PoolStatus): PoolStatus['closedGates'][number] | undefined {
  return closedGates.find(({ gate }) => gate === 'approval');
}

function aboutText(pool: PoolStatus): string | undefined {
  const { change } = pool;
  const gate = approvalGate(pool);
  const parts = change === undefined ? [] : [change.parts.join(', '), `class ${change.class ?? 'unknown'}`];
  const said = [...parts, ...(gate === undefined ? [] : [gate.why])].filter((each) => each !== '');
  return said.length === 0 ? undefined : said.join('; ');
}

function eventOf({ kind: verb, cluster, pool, config, reason }: ApprovalRequest, by: string, now: Date): ApprovalAsked {
  const askedAt = now.toISOString();
  return cloudEvent({
    type: 'poolkeeper.approval.asked.v1',
    id: `person/${verb}/${cluster}/${pool}/${config}/${askedAt}`,
    source: '/poolkeeper/person',
    subject: `${cluster}/${pool}`,
    time: now,
    correlation: config,
    data: { verb, cluster, pool, config, by, reason, askedAt },
  });
}

/** The SDK is loaded on demand: other commands start faster without it. */
async function send(url: string, event: ApprovalAsked): Promise<void> {
  const { openSqsOf, sqsApprovalQueue } = await import('../../functions/adapters/aws/sqs.ts');
  await sqsApprovalQueue({ client: openSqsOf(url), url }).send(event);
}

import { type ApprovalAsked, cloudEvent } from '../../events/index.ts';
import { ApprovalRequest } from '../../functions/core/requests/request.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type PoolStatus, Status } from '../../functions/status/status.ts';
import { askStatus } from './ask-status.ts';
import { baseUrl, type Command, readArgs, type Surroundings } from './command.ts';
import { typedRequest } from './typed-request.ts';

const help = `Approves the change that waits in a pool with \`approve\`, or takes your approval back. What is approved is one rendered
config, by its name: whatever is rendered afterwards has to be approved again.

  npx poolkeeper approve --pool worker --reason "reviewed in CHG-4711"
  npx poolkeeper approve --pool worker --revoke --reason "wait for the database"

  --pool P          the pool
  --cluster C       its cluster (default: the only one where this pool waits for approval, by --status)
  --config NAME     the rendered config (default: the one that waits now, by --status; it is printed)
  --reason "..."    why; it is on the timeline
  --revoke          take your approval back
  --queue URL       alert queue of the deployment (output AlertQueueUrl of the stack), with your own AWS credentials
                    (default: POOLKEEPER_ALERT_QUEUE_URL)
  --status URL      address of the status page, without /status; the token is read from POOLKEEPER_STATUS_TOKEN. Not needed
                    with --cluster and --config
  --by NAME         as people are shown who asks (default: USER)

The approval counts for the AWS identity that sends it, as SQS notes it: aws:AIDA... or aws:AROA...:session, if \`approve.by\` of
the pool has it. \`aws sts get-caller-identity --query UserId\` prints yours. There is no other way to prove here who you are.

Exit status: 0 = requested, 1 = nothing waits for approval there, 2 = nothing answers, or the command line or the token is wrong.
`;

export const approve: Command = {
  about: 'approve the change that waits in a pool, or take that back',
  help,
  run: async (args, surroundings) => {
    const asked = read(args, surroundings);
    const found = await complete(asked, surroundings);
    if (found === undefined) {
      surroundings.note(`poolkeeper: nothing waits for approval in pool ${asked.pool}; nothing was requested`);
      return 1;
    }
    const kind = asked.revoke ? 'revoke' : 'approve';
    const { pool, reason } = asked;
    const request = typedRequest(ApprovalRequest, { kind, pool, reason, cluster: found.cluster, config: found.config });
    await send(asked.queue, eventOf(request, asked.by, surroundings.now()));
    const more = found.about === undefined ? '' : `  ${found.about}\n`;
    surroundings.out(
      `Requested: ${kind} ${request.config} of ${request.cluster}/${request.pool}.\n${more}It counts if you are on the list of the pool; the status page and the timeline show the result.\n`,
    );
    return 0;
  },
};

interface Asked {
  readonly pool: string;
  readonly cluster: string | undefined;
  readonly config: string | undefined;
  readonly reason: string;
  readonly revoke: boolean;
  readonly queue: string;
  readonly statusUrl: string | undefined;
  readonly by: string;
}

const text = { type: 'string' } as const;
const flags = {
  pool: text,
  cluster: text,
  config: text,
  reason: text,
  queue: text,
  status: text,
  by: text,
  revoke: { type: 'boolean', default: false },
} as const;

function read(args: readonly string[], { environment }: Surroundings): Asked {
  const values = readArgs(args, flags);
  const queue = values.queue ?? environment['POOLKEEPER_ALERT_QUEUE_URL'];
  const reason = values.reason?.trim() ?? '';
  const isComplete = values.cluster !== undefined && values.config !== undefined;
  const problems = [
    ...(values.pool === undefined ? ['--pool is missing: which pool?'] : []),
    ...(reason.length < 3 ? ['--reason is missing: why? It is shown on the timeline'] : []),
    ...(queue === undefined
      ? [
          '--queue is missing: the alert queue of the deployment; on this machine approve in Slack, nothing else proves who you are',
        ]
      : []),
    ...(isComplete || values.status !== undefined ? [] : ['--status is missing, or else --cluster and --config']),
  ];
  if (problems.length > 0 || values.pool === undefined || queue === undefined) throw new Misconfigured(problems);
  return {
    pool: values.pool,
    cluster: values.cluster,
    config: values.config,
    reason,
    revoke: values.revoke,
    queue: baseUrl(queue, '--queue'),
    statusUrl: values.status === undefined ? undefined : baseUrl(values.status, '--status'),
    by: (values.by ?? environment['USER'] ?? 'somebody').slice(0, 100),
  };
}

interface Found {
  readonly cluster: string;
  readonly config: string;
  /** What it changes, for people; undefined: not known. */
  readonly about?: string | undefined;
}

const Listed = Status.pick({ clusters: true }).loose();

/** What was left out, from the status page. Undefined: nothing waits there. Throws Misconfigured if several clusters
 *  have such a pool. */
async function complete(asked: Asked, surroundings: Surroundings): Promise<Found | undefined> {
  const { pool, cluster, config, statusUrl } = asked;
  if (statusUrl === undefined) return cluster === undefined || config === undefined ? undefined : { cluster, config };
  const { status, body } = await askStatus(statusUrl, surroundings);
  const parsed = Listed.safeParse(body);
  if (!parsed.success) throw new Misconfigured([`--status ${statusUrl}: answered ${status}, and no status`]);
  const waiting = parsed.data.clusters
    .filter(({ name }) => cluster === undefined || name === cluster)
    .flatMap(({ name, pools }) =>
      pools.filter((each) => each.name === pool).map((each) => ({ cluster: name, pool: each })),
    )
    .filter((each) => asked.revoke || waitsForApproval(each.pool));
  const [first, ...others] = waiting;
  if (others.length > 0)
    throw new Misconfigured([
      `--cluster is missing: pool ${pool} waits on ${waiting.map((each) => each.cluster).join(', ')}`,
    ]);
  if (first === undefined) return undefined;
  return { cluster: first.cluster, config: config ?? first.pool.targetConfig, about: aboutText(first.pool) };
}

function waitsForApproval({ closedGates }: PoolStatus): boolean {
  return closedGates.some(({ gate }) => gate === 'approval');
}

function aboutText({ change, closedGates }: PoolStatus): string | undefined {
  const gate = closedGates.find((each) => each.gate === 'approval');
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

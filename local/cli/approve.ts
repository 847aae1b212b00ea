import { Misconfigured } from '../../functions/core/text/errors.ts';
import { baseUrl, type Command, readArgs, reasonProblems, type Surroundings } from './command.ts';
import type { AskedApproval } from './request-approval.ts';

const help = `Approves the change that waits in a pool with \`approve\`, or takes your approval back. What is approved is one rendered
config, by its name, in image mode with one image of it: whatever is rendered or built afterwards has to be approved again.

  poolkeeper approve --pool worker --reason "reviewed in CHG-4711"
  poolkeeper approve --pool worker --revoke --reason "wait for the database"

  --pool P          the pool
  --cluster C       its cluster (default: the only one where this pool waits for approval, by --status)
  --config NAME     the rendered config, in image mode with the digest of its image, NAME@sha256:... (default: what waits
                    now, by --status; it is printed). With --revoke NAME alone takes back every image of it
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
  help,
  run: async (args, surroundings) => {
    const asked = read(args, surroundings);
    const { requestApproval } = await import('./request-approval.ts');
    return requestApproval(asked, surroundings);
  },
};

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

function read(args: readonly string[], { environment }: Surroundings): AskedApproval {
  const values = readArgs(args, flags);
  const queue = values.queue ?? environment['POOLKEEPER_ALERT_QUEUE_URL'];
  const reason = values.reason?.trim() ?? '';
  const isComplete = values.cluster !== undefined && values.config !== undefined;
  const problems = [
    ...(values.pool === undefined ? ['--pool is missing: which pool?'] : []),
    ...reasonProblems(reason, 'It is shown on the timeline'),
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

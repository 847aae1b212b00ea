/** Tests that set the environment, catch what is written out, or need the first call of a Lambda: each of these files
 *  has a worker of its own. The others share workers, which load what they test once: a third of the time of a run. */
export const ownWorkers = [
  'test/functions/adapters/github-repositories.test.ts',
  'test/functions/core/machine-config/masked-work.test.ts',
  'test/functions/fleet-lock/lambda.test.ts',
  'test/functions/preview-changes/lambda.test.ts',
  'test/functions/receive-callback/lambda.test.ts',
  'test/functions/receive-github/intake-cost.test.ts',
  'test/functions/receive-lambda.test.ts',
  'test/functions/receive-slack/lambdas.test.ts',
  'test/functions/relay-pushes/lambdas.test.ts',
  'test/functions/send-alerts/mail-feedback.test.ts',
  'test/functions/shell/lambdas.test.ts',
  'test/functions/shell/telemetry.test.ts',
  'test/local/cli/approve.test.ts',
  'test/local/cli/attend.test.ts',
  'test/local/cli/connection/replace-text.test.ts',
  'test/local/cli/impact/commands.test.ts',
] as const;

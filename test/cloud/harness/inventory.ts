import type { Aws } from './aws.ts';

/** Names of what an account holds, by kind; what the bootstrap made included. */
export type Inventory = Readonly<Record<string, readonly string[]>>;

/** How each kind is listed, and where its names stand. */
const listings: Readonly<Record<string, { readonly args: readonly string[]; readonly query: string }>> = {
  stacks: { args: ['cloudformation', 'describe-stacks'], query: 'Stacks[].StackName' },
  functions: { args: ['lambda', 'list-functions'], query: 'Functions[].FunctionName' },
  mappings: { args: ['lambda', 'list-event-source-mappings'], query: 'EventSourceMappings[].EventSourceArn' },
  queues: { args: ['sqs', 'list-queues'], query: 'QueueUrls[]' },
  tables: { args: ['dynamodb', 'list-tables'], query: 'TableNames[]' },
  buses: { args: ['events', 'list-event-buses'], query: 'EventBuses[].Name' },
  archives: { args: ['events', 'list-archives'], query: 'Archives[].ArchiveName' },
  secrets: { args: ['secretsmanager', 'list-secrets'], query: 'SecretList[].Name' },
  logGroups: { args: ['logs', 'describe-log-groups'], query: 'logGroups[].logGroupName' },
  schedules: { args: ['scheduler', 'list-schedules'], query: 'Schedules[].Name' },
  scheduleGroups: { args: ['scheduler', 'list-schedule-groups'], query: 'ScheduleGroups[].Name' },
  apis: { args: ['apigatewayv2', 'get-apis'], query: 'Items[].Name' },
  topics: { args: ['sns', 'list-topics'], query: 'Topics[].TopicArn' },
  alarms: { args: ['cloudwatch', 'describe-alarms'], query: 'MetricAlarms[].AlarmName' },
  dashboards: { args: ['cloudwatch', 'list-dashboards'], query: 'DashboardEntries[].DashboardName' },
  roles: { args: ['iam', 'list-roles'], query: 'Roles[].RoleName' },
};

export async function inventory({ cli }: Aws): Promise<Inventory> {
  const found: Record<string, readonly string[]> = {};
  const kinds = Object.entries(listings);
  // A command line starts in half a second of processor time, and there are two processors.
  for (let start = 0; start < kinds.length; start += 2) {
    await Promise.all(
      kinds.slice(start, start + 2).map(async ([kind, { args, query }]) => {
        const names: string[] | undefined = await cli(...args, '--query', query);
        found[kind] = (names ?? []).sort();
      }),
    );
  }
  return found;
}

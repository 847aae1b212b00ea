import type { Aws } from './aws.ts';
import { stackName } from './cdk.ts';

/** Lines of a function's log group that contain a text. */
export async function logLines({ cli }: Aws, entry: string, text: string): Promise<readonly string[]> {
  const { events } = await cli('logs', 'filter-log-events', '--log-group-name', `/${stackName}/${entry}`);
  return (events as { message: string }[]).map(({ message }) => message).filter((message) => message.includes(text));
}

import type { KeepPorts } from '../keep-ports.ts';

/** Lets the list requests go out before one to the table: building that takes a millisecond of CPU, and a pause waits
 *  for the lists. Their client checks an idle connection for one turn of the event loop before it writes: two turns. */
export async function yieldToRequests({ yieldToEventLoop }: Pick<KeepPorts, 'yieldToEventLoop'>): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}

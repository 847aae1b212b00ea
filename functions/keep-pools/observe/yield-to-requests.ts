import type { KeepPorts } from '../keep-ports.ts';

/** Building a request to the table takes the processor for a millisecond, and the lists are what a pause waits for.
 *  Their client looks at a connection that rested for one turn of the event loop before it writes, so two turns. */
export async function yieldToRequests({ yieldToEventLoop }: Pick<KeepPorts, 'yieldToEventLoop'>): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}

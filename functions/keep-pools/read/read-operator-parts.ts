import { type OperatorPart, type OperatorParts, operatorParts } from '../../core/openshift/operator-parts.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/telemetry.ts';
import type { Clock } from '../../ports/time.ts';
import { readerWithDeadline } from '../observe/reader-with-deadline.ts';

interface PartsAsked {
  readonly reader: ObjectReader;
  /** As they were read before. */
  readonly before: OperatorParts | undefined;
}

/** How the parts of the Machine Config Operator stand: five small reads, one if the API server takes seconds for it.
 *  Undefined: the cluster has none of them. Never throws: nothing waits for it but the page. */
export async function readOperatorParts(
  { reader, before }: PartsAsked,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<OperatorParts | undefined> {
  const begun = clock().toISOString();
  const isLate = () => secondsSince(begun, clock()) > lateSeconds;
  const inTime = readerWithDeadline(isLate, reader, clock());
  const [first, ...rest] = operatorParts;
  try {
    const read = [await readPart(first, inTime), ...(await Promise.all(rest.map((part) => readPart(part, inTime))))];
    const parts = read.filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : { readAt: begun, parts };
  } catch (error) {
    logger.error('the parts of the Machine Config Operator could not be read', { error });
    return before;
  }
}

/** What the first read may take before the others are left out. */
const lateSeconds = 5;

/** Undefined: there is no such object. */
async function readPart(
  { name, path, read }: (typeof operatorParts)[number],
  reader: ObjectReader,
): Promise<OperatorPart | undefined> {
  const answer = await reader.read({ path, query: {} });
  switch (answer.kind) {
    case 'absent':
      return undefined;
    case 'failed':
      return { name, state: 'unread', says: answer.why };
    case 'found': {
      const standing = read(answer.body);
      return { name, ...(standing ?? { state: 'unread', says: 'it cannot be parsed' }) };
    }
    default:
      return answer satisfies never;
  }
}

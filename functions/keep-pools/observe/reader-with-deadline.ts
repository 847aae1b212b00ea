import type { ObjectReader } from '../../ports/cluster.ts';

/** A looker that asks nothing any more once it is late: whoever waits for the answers can go on without them. */
export function readerWithDeadline(isLate: () => boolean, reader: ObjectReader, readAt: Date): ObjectReader {
  return {
    read: async (question) =>
      isLate()
        ? { kind: 'failed', why: 'not asked: the answers before it took too long', readAt }
        : reader.read(question),
  };
}

import type { ObjectReader } from '../../ports/cluster.ts';

/** A reader that fails every read once `isLate`, so that its caller can go on without the answers.
 *  @param readAt of the answers that say so */
export function readerWithDeadline(isLate: () => boolean, reader: ObjectReader, readAt: Date): ObjectReader {
  return {
    read: async (question) =>
      isLate() ? { kind: 'failed', why: 'not read: earlier reads took too long', readAt } : reader.read(question),
  };
}

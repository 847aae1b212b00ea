import type { ObjectReader } from '../../ports/cluster.ts';

/** A reader that fails every read after its deadline, so that its caller can go on without the answers. */
export function readerWithDeadline(isLate: () => boolean, reader: ObjectReader, readAt: Date): ObjectReader {
  return {
    read: async (question) =>
      isLate() ? { kind: 'failed', why: 'not read: earlier reads took too long', readAt } : reader.read(question),
  };
}

import { describe, expect, test } from 'vitest';
import { whatEnded } from '../../functions/core/diagnose/what-ended.ts';
import { inquireAll } from '../../functions/keep-pools/watch/look-into.ts';
import { readerOfSnapshot } from '../../local/snapshot/cluster-reader.ts';
import { corpus } from './corpus.ts';
import { explainSituation } from './explain-situation.ts';

describe('a cluster in which nothing has changed', () => {
  test('[S1-13] [N-29] no end is explained by what was so all the time', async () => {
    const claims: string[] = [];
    for (const { id, snapshot } of corpus) {
      const { reader } = readerOfSnapshot(snapshot);
      const { pools } = await explainSituation(snapshot);
      for (const { key, findings } of pools.flatMap(({ troubles }) => troubles)) {
        const bounds = { maxCalls: 4, readAt: new Date(snapshot.takenAt) };
        const words = await inquireAll(() => whatEnded({ key, findings }), reader, bounds);
        if (words !== undefined) claims.push(`${id}: ${words}`);
      }
    }

    expect(claims).toEqual([]);
  });
});

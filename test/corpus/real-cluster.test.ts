import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chainOf, rootOf } from '../../functions/core/findings/chain.ts';
import { readerOfSnapshot } from '../../local/snapshot/cluster-reader.ts';
import { Snapshot } from '../../local/snapshot/snapshot.ts';
import { explainDrain } from './explain-drain.ts';

/** What test/cluster/diagnosis.test.ts read of a real API server, scheduler and controllers, and what is right to
 *  say of it. */
const folder = join(import.meta.dirname, 'real-cluster');
/** Of the Machine Config Operator, which that control plane has not: asked since some of it was recorded. */
const askedSince = '/api/v1/namespaces/openshift-machine-config-operator/pods: ';
const recorded = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));

test.each(recorded.map((each) => [each.asked.pool, each] as const))(
  '%s, recorded on a real control plane, is explained as it was',
  async (_pool, { asked, chain, says, snapshot }) => {
    const { findings, unanswered } = await explainDrain(readerOfSnapshot(Snapshot.parse(snapshot)), asked);

    const [found] = findings;
    if (found === undefined) throw new Error('nothing was found');
    expect(chainOf(found).map(({ code }) => code)).toEqual(chain);
    expect(rootOf(found).sentence).toMatch(new RegExp(says));
    expect(unanswered.filter((each) => !each.startsWith(askedSince))).toEqual([]);
  },
);

test('the recordings have a cause of every family that stops a drain', () => {
  const roots = new Set<string>(recorded.map(({ chain }) => chain.at(-1)));

  expect([...roots].toSorted()).toEqual(
    [
      ...['P0', 'P1', 'P2', 'P5', 'P6', 'P8'],
      ...['self-deadlock', 'U1', 'U2', 'U3', 'U4', 'U5', 'U6', 'U7', 'U8', 'U9', 'U10', 'U11'],
      ...['C1', 'C2', 'C3', 'C4', 'C5', 'C7', 'S2', 'S16'],
      ...['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7', 'T8', 'T9', 'T10'],
    ].toSorted(),
  );
});

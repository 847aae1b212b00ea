import { describe, expect, test } from 'vitest';
import { itemsOf } from '../../local/snapshot/items-of.ts';
import type { Snapshot } from '../../local/snapshot/snapshot.ts';
import { fc } from '../property.ts';
import { corpus } from './corpus.ts';
import { causesOf, expectedCauses, explainSituation } from './explain-situation.ts';
import { snapshotOfScene } from './situation.ts';
import { unrelated, withUnrelated } from './unrelated.ts';
import { withoutCause } from './without-cause.ts';

/** Of each kind of change so many are tried on every situation. */
const numRuns = 2;

const scenes = corpus.flatMap(({ id, expected, scene }) => (scene === undefined ? [] : [{ id, expected, scene }]));

describe('[N-12] an answer depends on its cause and on nothing else', () => {
  test('nodes, pods and budgets that have nothing to do with it never change it', async () => {
    for (const { id, expected, scene } of scenes) {
      await fc.assert(
        fc.asyncProperty(unrelated, async (more) => {
          const explanation = await explainSituation(snapshotOfScene(withUnrelated(scene, more)));

          expect(causesOf(explanation), id).toEqual(expectedCauses(expected));
        }),
        { numRuns },
      );
    }
  });

  test('mending the cause, and nothing else, always removes it', async () => {
    for (const { id, expected, scene } of scenes) {
      if (expected === 'nothing') continue;

      const explanation = await explainSituation(snapshotOfScene(withoutCause(scene, expected)));

      expect(causesOf(explanation), id).not.toContain(expectedCauses(expected)[0]);
    }
  });

  test('the order in which a server lists its objects changes nothing, not even a word', async () => {
    for (const { id, snapshot } of corpus) {
      const before = await explainSituation(snapshot);
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), async (numbers) => {
          const after = await explainSituation(shuffled(snapshot, numbers));

          expect(after, id).toEqual(before);
        }),
        { numRuns },
      );
    }
  });
});

function shuffled(snapshot: Snapshot, numbers: Iterator<number>): Snapshot {
  const shuffle = <T>(all: readonly T[]): T[] =>
    all
      .map((each) => ({ each, key: Number(numbers.next().value) }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ each }) => each);
  return {
    ...snapshot,
    readings: shuffle(
      snapshot.readings.map((reading) => {
        const { answer, form } = reading;
        if (answer.kind !== 'found' || form === 'table' || !isList(answer.body)) return reading;
        return { ...reading, answer: { ...answer, body: { ...answer.body, items: shuffle(itemsOf(answer.body)) } } };
      }),
    ),
  };
}

function isList(body: unknown): body is { readonly items: readonly unknown[] } {
  return typeof body === 'object' && body !== null && 'items' in body;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alwaysHolds, fc, seed } from '../property.ts';

const root = join(import.meta.dirname, '..');
const home = 'property.ts';

interface Code {
  readonly path: string;
  readonly text: string;
}

const files: readonly Code[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path !== home && path !== 'architecture/property.test.ts')
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Where Argo CD's real server is asked once for what stands in a recording. */
const recordsWithASeedOfItsOwn = ['cluster/application-sets.test.ts', 'cluster/routing.test.ts'];

describe('properties', () => {
  test('are drawn from one seed: fast-check is imported in one place', () => {
    const direct = files.filter(({ text }) => /from 'fast-check'|import\('fast-check'\)/.test(text));

    expect(direct.map(({ path }) => path)).toEqual([]);
  });

  test('choose no seed of their own', () => {
    const own = files.filter(({ text }) => /from '(?:\.\.?\/)+property\.ts'/.test(text) && /\bseed\s*[:,]/.test(text));

    expect(own.map(({ path }) => path).toSorted()).toEqual(recordsWithASeedOfItsOwn);
  });

  test('see the same values with every run of `npm test`', () => {
    const drawn = () => {
      const values: number[] = [];
      fc.assert(fc.property(fc.nat(), (value) => void values.push(value)));
      return values;
    };

    expect(drawn()).toEqual(drawn());
    expect(drawn()).toEqual(fc.sample(fc.nat(), { seed, numRuns: 100 }));
  });

  test('that failed once are played again at that seed', () => {
    const firsts = new Set<number>();
    let runs = 0;
    // `noBias`: half of what `nat` draws first is small or large, so that two seeds would meet now and then.
    const property = fc.property(fc.noBias(fc.nat()), (value) => {
      if (runs % 2 === 0) firsts.add(value);
      runs += 1;
    });

    alwaysHolds('life of an incident', property, { numRuns: 2 });

    expect(runs).toBeGreaterThanOrEqual(4);
    expect(firsts.size).toBe(runs / 2);
  });
});

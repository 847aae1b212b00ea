import { expect, test } from 'vitest';
import { lookInto } from '../../../functions/keep-pools/watch/look-into.ts';
import { readerOver } from '../../functions/core/diagnose/world.ts';
import { type FieldReport, fieldReports, halfOf, halves } from './field-report.ts';
import { troubleOf } from './field-trouble.ts';
import { isSure, score } from './score.ts';

const [learn, held] = await Promise.all(halves.map((half) => Promise.all(fieldReports(half).map(score))));
const all = [...(learn ?? []), ...(held ?? [])];

/** The catalogue knew these threads before the corpus was gathered, so that none of them can be held back. */
const knownBefore = [1502, 596, 471].map((issue) => `https://github.com/okd-project/okd/issues/${issue}`);

test('[N-31] at least 120 public reports, each thread in one half', () => {
  const urls = all.map(({ report }) => report.url);

  expect(urls.length).toBeGreaterThanOrEqual(120);
  expect(new Set(urls).size).toBe(urls.length);
});

test('[N-31] the address of a thread decides its half, and no thread is in both', () => {
  const reports = halves.flatMap((half) => fieldReports(half).map((report) => ({ half, ...report })));
  const urls = reports.map(({ url }) => url);

  const elsewhere = reports.filter(({ half, url }) => half !== halfOf(url));
  expect(elsewhere.map(({ half, url }) => `${half} ${url}`)).toEqual(knownBefore.map((url) => `learn ${url}`));
  expect(new Set(urls).size).toBe(urls.length);
});

test('[N-31] no cause is wrong and said with confidence strong or certain', () => {
  expect(all.filter((each) => each.verdict === 'wrong' && isSure(each)).map(addressOf)).toEqual([]);
});

test('[N-31] [S1-12] no remedy does harm: nothing that drains, reboots or loses data comes first', () => {
  expect(all.filter(({ harmful }) => harmful.length > 0).map(addressOf)).toEqual([]);
});

test('[S1-4] whatever is not known says so, with what tells the possible causes apart', () => {
  const unknown = all.filter(({ verdict }) => verdict === 'unknown');

  expect(unknown.filter(({ confidence }) => confidence !== 'possible').map(addressOf)).toEqual([]);
  expect(unknown.filter(({ finding }) => finding.remedies.every(({ command }) => command === undefined))).toEqual([]);
});

test('[N-12] none of them takes more than 15 calls to explain, although none is held back', async () => {
  const unbounded = await Promise.all(
    all.map(async ({ report }) => {
      const { world, subject } = troubleOf(report);
      return { report, ...(await lookInto(subject, readerOver(world), { maxCalls: 1_000 })) };
    }),
  );

  expect(unbounded.filter(({ calls }) => calls > 15).map(addressOf)).toEqual([]);
});

function addressOf({ report }: { readonly report: FieldReport }): string {
  return report.url;
}

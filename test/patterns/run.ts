import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closingLine } from '../count-tests.ts';
import { checkCase, type Verdict } from './check-case.ts';
import { knownDifferences } from './known-differences.ts';
import { RecordedCase } from './recorded-case.ts';

/** `npm run test:patterns -- FOLDER`: imports each recorded case of the clusterGroup chart in a folder and compares it
 *  with what the chart made, object by object. Ends with one line `N passed, N failed`. */
function run(folder: string | undefined): void {
  const files = casesIn(folder);
  if (files.length === 0) {
    console.error(`usage: npm run test:patterns -- FOLDER; no recorded case in ${folder ?? 'no folder'}`);
    finish({ passed: 0, failed: 1 });
    return;
  }
  const judged = files.map((file) => ({ file, verdict: verdictOn(join(folder ?? '', file)) }));
  for (const { file, verdict } of judged) {
    if (verdict.problems.length > 0) console.log(`${file}\n${verdict.problems.map((each) => `  ${each}`).join('\n')}`);
  }
  console.log(scoreText(judged.map(({ verdict }) => verdict)));
  const failed = judged.filter(({ verdict }) => verdict.problems.length > 0).length;
  finish({ passed: judged.length - failed, failed });
}

function casesIn(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== 'index.json')
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

function verdictOn(path: string): Verdict {
  const { data, error } = RecordedCase.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (data === undefined)
    return { objects: 0, known: [], problems: [`is no recorded case: ${error.issues[0]?.message}`] };
  return checkCase(data);
}

function scoreText(verdicts: readonly Verdict[]): string {
  const sum = (count: (verdict: Verdict) => number) => verdicts.reduce((all, each) => all + count(each), 0);
  const clean = verdicts.filter(({ known, problems }) => known.length + problems.length === 0).length;
  const lines = knownDifferences.flatMap(({ code, reason }) => {
    const count = sum(({ known }) => known.filter((each) => each.code === code).length);
    return count === 0 ? [] : [`  ${String(count).padStart(4)}  ${code}: ${reason}`];
  });
  return [
    '',
    `${verdicts.length} cases, ${clean} of them equal in every field; ${sum(({ objects }) => objects)} objects of the chart compared`,
    `differences that are meant:`,
    ...lines,
    `differences that nobody explains: ${sum(({ problems }) => problems.length)}`,
    '',
  ].join('\n');
}

function finish(count: Parameters<typeof closingLine>[0]): void {
  console.log(closingLine(count));
  process.exitCode = count.failed === 0 ? 0 : 1;
}

run(process.argv[2]);

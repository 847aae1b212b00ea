import { fieldReports, halves } from './field-report.ts';
import { fieldVerdicts, isSure, type Scored, score } from './score.ts';

/** `npm run field`: both halves by group, and what was missed of the half that may be learnt from. */
for (const half of halves) {
  const scored = await Promise.all(fieldReports(half).map(score));
  const groups = [...new Set(scored.map(({ report }) => report.group))].toSorted();
  console.log(`\n${half}: ${scored.length} reports`);
  for (const group of groups)
    print(
      group,
      scored.filter(({ report }) => report.group === group),
    );
  print('all', scored);
  const sure = scored.filter((each) => each.verdict === 'wrong' && isSure(each));
  console.log(
    `wrong and sure of it: ${sure.length}; harmful remedies: ${scored.flatMap(({ harmful }) => harmful).length}`,
  );
  if (half === 'learn')
    for (const { report, verdict, code, confidence } of scored.filter((each) => each.verdict !== 'right'))
      console.log(
        `  ${verdict} ${code} (${confidence}), not ${report.right.join(' or ') || 'in the catalogue'}: ${report.url}`,
      );
}

function print(name: string, scored: readonly Scored[]): void {
  const counts = fieldVerdicts.map((each) => `${each} ${scored.filter(({ verdict }) => verdict === each).length}`);
  console.log(`  ${name.padEnd(18)} ${counts.join('  ')}`);
}

import type { Explanation } from '../../local/cli/explain/explanation.ts';
import { corpus } from './corpus.ts';
import { explainSituation } from './explain-situation.ts';
import { fieldSection } from './field/field-section.ts';
import { alertRules } from './others/alert-rules.ts';
import { k8sgpt } from './others/k8sgpt.ts';
import { poolMessage } from './others/pool-message.ts';
import type { Situation } from './situation.ts';
import { type Judged, type Verdict, verdictOn, verdictOnUs } from './verdict.ts';

const others = [
  { name: "the pool's own message", says: poolMessage },
  { name: 'alert rules', says: alertRules },
  { name: 'k8sgpt', says: k8sgpt },
] as const;

const verdicts: readonly Verdict[] = ['right', 'symptom', 'silent', 'wrong'];

interface Row {
  readonly situation: Situation;
  readonly us: Verdict;
  readonly others: readonly Judged[];
}

/** docs/diagnosis.md, from the corpus as it is judged now. */
export async function diagnosisPage(): Promise<string> {
  const rows = await Promise.all(
    corpus.map(async (situation) => rowOf(situation, await explainSituation(situation.snapshot))),
  );
  return `${[opening(rows), await fieldSection(), `## The situations one by one\n\n${table(rows)}`].join('\n\n')}\n`;
}

function rowOf(situation: Situation, explanation: Explanation): Row {
  const { expected, snapshot } = situation;
  return {
    situation,
    us: verdictOnUs(expected, explanation),
    others: others.map(({ says }) => verdictOn(expected, explanation, says(snapshot))),
  };
}

function opening(rows: readonly Row[]): string {
  const counts = (each: (row: Row) => Verdict) =>
    verdicts.map((verdict) => rows.filter((row) => each(row) === verdict).length);
  const line = (name: string, each: (row: Row) => Verdict) => `| ${[name, ...counts(each)].join(' | ')} |`;
  return `# How often the diagnosis is right

${rows.length} situations in which a pool is stuck, or only seems to be, each with the cause that should be found. They are in \`test/corpus/\`
as snapshots, and are explained exactly as \`npx poolkeeper explain --snapshot\` does. Written by \`npm run docs\`; a test compares.

| | ${verdicts.join(' | ')} |
|---|${verdicts.map(() => '---').join('|')}|
${line('**Poolkeeper**', ({ us }) => us)}
${others.map(({ name }, index) => line(name, ({ others: judged }) => judged[index]?.verdict ?? 'silent')).join('\n')}

- **right**: names the cause; or says nothing if nothing is wrong.
- **symptom**: names an object involved, but not why.
- **silent**: says nothing, or that it does not know.
- **wrong**: names something that is not the cause; or a trouble where there is none.

Poolkeeper is judged more strictly than the others: its answer must be this one cause, with this one object, and nothing else. For the others it is
enough that one of their statements names what the cause is about; *+n* counts statements that have nothing to do with the case.

- **The pool's own message** is what \`oc describe mcp\` shows in its Degraded conditions. It is taken at the moment of the snapshot, usually twelve minutes
  into a drain: the MCO says nothing about a drain for an hour, and then what *drain-given-up* shows.
- **Alert rules** are those that OpenShift ships for the Machine Config Operator, disruption budgets, nodes and cluster operators. Each waiting time counts as elapsed.
- **k8sgpt** stands for its analyzers Pod, Node, ReplicaSet, PodDisruptionBudget and webhooks, without a language model. It was not made to
  explain a pool: it looks at each object separately.

Most situations were built from what people reported and what the sources say (last column), by the authors of the
rules: the table shows that known causes are found and told apart, and stay so. It does not measure what nobody has thought of yet.

The three are small implementations of their published rules, in \`test/corpus/others/\`, each with its source.`;
}

function table(rows: readonly Row[]): string {
  return [
    `| situation | cause | Poolkeeper | ${others.map(({ name }) => name).join(' | ')} | built after |`,
    `|---|---|---|${others.map(() => '---').join('|')}|---|`,
    ...rows.map(({ situation: { id, title, expected, origin }, us, others: judged }) =>
      [
        '',
        `**${id}** ${title}`,
        expected === 'nothing'
          ? 'none'
          : `[${expected.code}](causes.md#${expected.code.toLowerCase()}) ${expected.about}`,
        us,
        ...judged.map(({ verdict, besides }) => (besides === 0 ? verdict : `${verdict} +${besides}`)),
        origin.kind === 'recorded' ? origin.from : `[source](${origin.url})`,
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  ].join('\n');
}

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

const aboutTable =
  'Poolkeeper is right, except where its own verdict stands after the cause. Names in bold were recorded on the simulated OpenShift.';

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
  return `${[opening(rows), await fieldSection(), oneByOne(rows)].join('\n\n')}\n`;
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

${rows.length} situations in which a pool is stuck, or only seems to be, each with the cause that should be found. They are snapshots in
\`test/corpus/\`, explained as \`npx poolkeeper explain --snapshot\` does. \`npm run docs\` writes this page; a test compares it.

| | ${verdicts.join(' | ')} |
|---|${verdicts.map(() => '---').join('|')}|
${line('**Poolkeeper**', ({ us }) => us)}
${others.map(({ name }, index) => line(name, ({ others: judged }) => judged[index]?.verdict ?? 'silent')).join('\n')}

- **right**: names the cause; or says nothing if nothing is wrong.
- **symptom**: names an object involved, but not why.
- **silent**: says nothing, or that it does not know.
- **wrong**: names something that is not the cause; or a trouble where there is none.

Poolkeeper must name this one cause, with this one object, and nothing else. For the others it is enough that one statement names what the
cause is about; *+n* counts statements that have nothing to do with the case. They are small implementations of their published rules, in
\`test/corpus/others/\`, each with its source:

- **The pool's own message**: what \`oc describe mcp\` shows in its Degraded conditions at the moment of the snapshot, usually twelve minutes
  into a drain. The MCO says nothing about a drain for an hour, and then what *drain-given-up* shows.
- **Alert rules**: those that OpenShift ships for the Machine Config Operator, disruption budgets, nodes and cluster operators, as if each waiting time had elapsed.
- **k8sgpt**: its analyzers Pod, Node, ReplicaSet, PodDisruptionBudget and webhooks, without a language model. It looks at each object
  separately and was not made to explain a pool.

The authors of the rules built most situations, from public reports and sources. So the table shows that known causes are found, told apart,
and stay so; not what nobody has thought of yet.`;
}

/** Folded: it is looked up, not read. */
function oneByOne(rows: readonly Row[]): string {
  return `## The situations one by one

${aboutTable}

<details>
<summary>All ${rows.length} situations</summary>

${table(rows)}

</details>`;
}

/** Poolkeeper has no column: it is right unless the cause says otherwise. */
function table(rows: readonly Row[]): string {
  return [
    `| situation, and where it comes from | cause | ${others.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${others.map(() => '---').join('|')}|`,
    ...rows.map(({ situation: { id, title, expected, origin }, us, others: judged }) =>
      [
        '',
        origin.kind === 'recorded' ? `**${id}** ${title}` : `[${id}](${origin.url}) ${title}`,
        `${expected === 'nothing' ? 'none' : `[${expected.code}](causes.md#${expected.code.toLowerCase()})`}${us === 'right' ? '' : ` (${us})`}`,
        ...judged.map(({ verdict, besides }) => (besides === 0 ? verdict : `${verdict} +${besides}`)),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  ].join('\n');
}

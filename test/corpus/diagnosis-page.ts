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

/** By path from the root, from the corpus as it is judged now. */
export async function diagnosisPages(): Promise<Readonly<Record<string, string>>> {
  const rows = await Promise.all(
    corpus.map(async (situation) => rowOf(situation, await explainSituation(situation.snapshot))),
  );
  return {
    'docs/diagnosis.md': `${[opening(rows), await fieldSection()].join('\n\n')}\n`,
    'test/corpus/README.md': `${oneByOne(rows)}\n\n${howTextsAreListed}\n`,
  };
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

<!-- Written by \`npm run docs\`; a test compares it. -->

Asked for the cause of ${rows.length} situations in which a pool is stuck, or only seems to be ([one by one](../test/corpus/README.md)):

| | ${verdicts.join(' | ')} |
|---|${verdicts.map(() => '---').join('|')}|
${line('**Poolkeeper**', ({ us }) => us)}
${others.map(({ name }, index) => line(name, ({ others: judged }) => judged[index]?.verdict ?? 'silent')).join('\n')}

- **right**: names the cause; or says nothing if nothing is wrong.
- **symptom**: names an object involved, but not why.
- **silent**: says nothing, or that it does not know.
- **wrong**: names something that is not the cause; or a trouble where there is none.

Poolkeeper must name this one cause, with this one object, and nothing else. For the others one statement about the cause is enough. They are
small implementations of their published rules (\`test/corpus/others/\`):

- **The pool's own message**: what \`oc describe mcp\` shows in its Degraded conditions, usually twelve minutes into a drain. The MCO says nothing
  about a drain for an hour.
- **Alert rules**: those that OpenShift ships for the Machine Config Operator, disruption budgets, nodes and cluster operators, as if each waiting time had elapsed.
- **k8sgpt**: its analyzers Pod, Node, ReplicaSet, PodDisruptionBudget and webhooks, without a language model. It was not made to explain a pool.

The authors of the rules built most situations. So the table shows that known causes are found and told apart, not what nobody has thought of yet.`;
}

/** It is looked up, not read. */
function oneByOne(rows: readonly Row[]): string {
  return `# The situations of the diagnosis, one by one

\`npm run docs\` writes this page; a test compares it. Each situation is a snapshot, explained as \`poolkeeper explain --snapshot\` does. How many are
right, and what the words mean: [docs/diagnosis.md](../../docs/diagnosis.md).

Poolkeeper is right, except where its own verdict stands after the cause. Names in bold were recorded on the simulated OpenShift. *+n* counts
statements that have nothing to do with the case.

${table(rows)}`;
}

const howTextsAreListed = `## How the texts of the MCO are listed

\`mco-texts/mco-texts.json\` comes from every call in \`pkg/\` of each release branch that makes an error, a condition or an event; equal texts are joined over the
releases, and the function that gives the error decides the cause. An event that is nothing but an error is listed as \`%v\`. \`os-texts/os-texts.json\` has
the texts of ostree, rpm-ostree, libdnf and containers/image, made in the same way. Left out are:

- texts that reach only a log (first boot, run once, HyperShift, image pruning), and progress;
- the pre-pull of PinnedImageSets and release images, for which no rollout waits;
- texts of KubeletConfigs, which are quoted from the objects, and what the Kubernetes API answers inside a text.`;

/** Poolkeeper has no column: it is right unless the cause says otherwise. */
function table(rows: readonly Row[]): string {
  return [
    `| situation, and where it comes from | cause | ${others.map(({ name }) => name).join(' | ')} |`,
    `|---|---|${others.map(() => '---').join('|')}|`,
    ...rows.map(({ situation: { id, title, expected, origin }, us, others: judged }) =>
      [
        '',
        origin.kind === 'recorded' ? `**${id}** ${title}` : `[${id}](${origin.url}) ${title}`,
        `${expected === 'nothing' ? 'none' : `[${expected.code}](../../docs/causes.md#${expected.code.toLowerCase()})`}${us === 'right' ? '' : ` (${us})`}`,
        ...judged.map(({ verdict, besides }) => (besides === 0 ? verdict : `${verdict} +${besides}`)),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  ].join('\n');
}

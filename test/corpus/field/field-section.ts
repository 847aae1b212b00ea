import { type McoText, mcoTexts } from '../mco-texts/mco-texts.ts';
import { k8sgpt } from '../others/k8sgpt.ts';
import { snapshotOfScene } from '../situation.ts';
import { fieldReports, type Half, halves } from './field-report.ts';
import { troubleOf } from './field-trouble.ts';
import { type FieldVerdict, fieldVerdicts, isSure, type Scored, score } from './score.ts';

/** The day of the last change to reports or rules that moved a number. */
const scoredOn = '2026-11-23';

type First = Readonly<Record<Half, readonly [reports: number, counts: Readonly<Record<FieldVerdict, number>>]>>;

/** What the rules said before any of them was written with these reports: batch 1 as it was gathered. */
const first: First = {
  learn: [47, { right: 34, close: 4, unknown: 8, wrong: 1 }],
  held: [50, { right: 36, close: 1, unknown: 11, wrong: 2 }],
};

/** The same of batch 3. */
const firstOfThird: First = {
  learn: [24, { right: 18, close: 2, unknown: 3, wrong: 1 }],
  held: [21, { right: 17, close: 2, unknown: 2, wrong: 0 }],
};

/** Addresses of threads about OpenShift or OKD. */
const ofOpenShift =
  /okd-project|\/openshift(?:-metal3)?\/|openstack-k8s|operate-first|access\.redhat\.com|agentinstall|ocp-power|fauzislami/;

/** Section of docs/diagnosis.md: public reports, and the error texts of the MCO's source. */
export async function fieldSection(): Promise<string> {
  const scored = new Map<Half, readonly Scored[]>();
  for (const half of halves) scored.set(half, await Promise.all(fieldReports(half).map(score)));
  const all = [...scored.values()].flat();
  const openshift = all.filter(({ report }) => ofOpenShift.test(report.url)).length;
  const told = all.filter(
    ({ report }) => k8sgpt(snapshotOfScene({ world: troubleOf(report).world, pools: [] })).length > 0,
  );
  const third = all.filter(({ report }) => report.batch === 3);
  const thirdOf = (group: string) => third.filter(({ report }) => report.group.startsWith(group)).length;
  const countsOf = (half: Half) => {
    const of = (scored.get(half) ?? []).filter(({ report }) => report.batch === 3);
    return fieldVerdicts
      .map((verdict) => `${of.filter((each) => each.verdict === verdict).length} ${verdict}`)
      .join(', ');
  };
  const several = mcoTexts.texts.filter(({ or }) => or !== undefined);
  return `## In the field

${all.length} public reports of failed updates, scored on ${scoredOn} by \`npm run field\` (\`test/corpus/field/\` has thread, error, cause and remedy of each).
Rules may be written with the half *learn*, never with *held*; a hash of the thread's address decides.

${table(scored)}

- **right**: the cause that the thread confirmed. **close**: what failed, or what follows from the cause. **unknown**: it says that it
  does not know, with a command for each cause that it may be. **wrong**: another cause.
- Wrong with confidence strong or certain: ${all.filter((each) => each.verdict === 'wrong' && isSure(each)).length}. Remedies that drain, reboot or lose data before anything gentler: ${all.flatMap(({ harmful }) => harmful).length}.
- The goal is right or close in 90 % of *held*. It is ${percent(scored.get('held') ?? [])}.
- k8sgpt says something of ${told.length} of these ${all.length} states: its analyzers do not read the MCO's annotations and conditions.

Right, close, unknown and wrong before any rule was written with the reports, and now:

| reports | half | before | now |
|---|---|---|---|
| the first ${first.learn[0] + first.held[0]} | learn | ${counts(first.learn[1])} | |
| | held | ${counts(first.held[1])} | |
| the last ${third.length} (\`batch: 3\`) | learn | ${counts(firstOfThird.learn[1])} | ${countsOf('learn')} |
| | held | ${counts(firstOfThird.held[1])} | ${countsOf('held')} |

The last were gathered by somebody who writes no rules (${thirdOf('drain')} of them drains); those of \`batch: 2\`, after the rules that followed from the first half.
A rule with fewer than three reports says at most *likely*.

What limits these numbers:

- Threads were read in excerpts, not to their end. Where nobody confirmed a cause, the error itself counts (\`confirmedBy: text\`, ${all.filter(({ report }) => report.confirmedBy === 'text').length} reports).
- ${openshift} threads are about OpenShift or OKD. The errors of the others (rpm-ostree, bootc, podman, drains elsewhere) are put into the MCO's words.
- Names and numbers of budgets are filled in where a thread does not show them. One of *held* is right only since the grace period of its pod was
  filled in, after it had turned out wrong: without it, right or close were 72 of 80 on 2026-11-23.
- Who gathered the first two batches also wrote the rules. *Held* was not looked at when rules were changed, but nobody else has checked that, and
  excerpts of six of its threads turned up in searches before: without these, right or close were 68 of 75 on 2026-11-22.
- A code that the catalogue got after a report was labelled counts as close at most.

## The MCO's own texts

\`test/corpus/mco-texts/mco-texts.json\` lists ${mcoTexts.texts.length} error texts of the Machine Config Operator (${mcoTexts.releases}), each with its file,
its releases and its cause ([how](../test/corpus/README.md#how-the-texts-of-the-mco-are-listed)). A test renders ${mcoTexts.texts.filter(({ example }) => example !== undefined).length} of them with values; the others have no text of their own, or lead to another object.

| where people meet it | texts | what decides |
|---|---|---|
| the reason of a node | ${on('node reason').length} | the text itself; ${on('node reason').filter(({ code }) => code === 'inner').length} only wrap another error, which decides |
| the condition RenderDegraded of a pool | ${on('RenderDegraded').length} | the text itself |
| a warning event of a node, a pool, an image build or the ClusterOperator | ${on('event').length} | as in the reason of a node; for drains the pods that are named; for image builds the MachineOSBuild; ${on('event').filter(({ code }) => code === 'none').length} lead to no cause, because no rollout stands still for them |
| a condition of a MachineConfigNode | ${on('MachineConfigNode').length} | the error inside, also while the daemon still tries and the node is not Degraded yet; a cordon that is refused |
| ClusterOperator machine-config, its conditions Degraded, Available and Upgradeable | ${on('ClusterOperator').length} | ${on('ClusterOperator').filter(({ code }) => code === 'K1').length} are told as K1 with the innermost error; ${on('ClusterOperator').filter(({ code }) => code === 'object').length} repeat the state of a pool, which itself decides, and are no cause of what happens to another; ${on('ClusterOperator').filter(({ code }) => code === 'none').length} hold back the next update of the cluster, not a rollout, or say only that another condition is True |

${several.length} of them may mean several things: for ${several.filter(({ surface }) => surface === 'node reason').length} reasons of nodes the finding claims at most *likely* and offers the commands that decide, and so does K1. Image builds
are decided by the MachineOSBuild, a refused cordon by the error inside, the ClusterOperator by the pool or the part of the MCO that it names.

\`test/corpus/os-texts/os-texts.json\` has the texts of ostree, rpm-ostree, libdnf and containers/image, each with its source, the step in which it
occurs and its cause.`;
}

function table(scored: ReadonlyMap<Half, readonly Scored[]>): string {
  const groups = [...new Set([...scored.values()].flat().map(({ report }) => report.group))].toSorted();
  const cell = (of: readonly Scored[]) =>
    fieldVerdicts
      .map((verdict) => [of.filter((each) => each.verdict === verdict).length, verdict] as const)
      .filter(([count]) => count > 0)
      .map(([count, verdict]) => `${count} ${verdict}`)
      .join(', ');
  const row = (name: string, of: (half: Half) => readonly Scored[]) =>
    `| ${[name, ...halves.map((half) => cell(of(half)))].join(' | ')} |`;
  return [
    `| | ${halves.join(' | ')} |`,
    `|---|${halves.map(() => '---').join('|')}|`,
    ...groups.map((group) =>
      row(group, (half) => (scored.get(half) ?? []).filter(({ report }) => report.group === group)),
    ),
    row('**all**', (half) => scored.get(half) ?? []),
  ].join('\n');
}

function counts(of: Readonly<Record<FieldVerdict, number>>): string {
  return fieldVerdicts.map((verdict) => `${of[verdict]} ${verdict}`).join(', ');
}

function percent(scored: readonly Scored[]): string {
  const good = scored.filter(({ verdict }) => verdict === 'right' || verdict === 'close').length;
  return `${Math.floor((100 * good) / scored.length)} %`;
}

function on(surface: McoText['surface']): readonly McoText[] {
  return mcoTexts.texts.filter((each) => each.surface === surface);
}

import { type McoText, mcoTexts } from '../mco-texts/mco-texts.ts';
import { k8sgpt } from '../others/k8sgpt.ts';
import { snapshotOfScene } from '../situation.ts';
import { fieldReports, type Half, halves } from './field-report.ts';
import { troubleOf } from './field-trouble.ts';
import { type FieldVerdict, fieldVerdicts, isSure, type Scored, score } from './score.ts';

/** The day of the last change to reports or rules that moved a number. */
const scoredOn = '2026-11-22';

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

${all.length} public reports of failed updates, scored on ${scoredOn} by \`npm run field\`. Each has its thread, the error as it was printed, and the cause and
the remedy that the thread came to; they are in \`test/corpus/field/\`. A hash of the thread's address decides which half it is in: rules may
be written with *learn*, and never with *held*.

${table(scored)}

- **right**: says the cause that the thread confirmed. **close**: says what failed, or what follows from the cause. **unknown**: says itself that it
  does not know, with a command for each cause that it may be. **wrong**: another cause.
- Wrong with confidence strong or certain: ${all.filter((each) => each.verdict === 'wrong' && isSure(each)).length}. Remedies that drain, reboot or lose data before anything gentler: ${all.flatMap(({ harmful }) => harmful).length}.
- The goal is right or close in 90 % of *held*. It is ${percent(scored.get('held') ?? [])}.
- k8sgpt says something of ${told.length} of these ${all.length} states: its analyzers do not read the MCO's annotations and conditions.

Before any rule was written with them, the first ${first.learn[0] + first.held[0]} reports came to: learn ${counts(first.learn[1])} of ${first.learn[0]}; held ${counts(first.held[1])} of ${first.held[0]}. Those of \`batch: 2\`
were gathered after the rules that followed from the first half.

The last ${third.length} (\`batch: 3\`) were gathered by somebody who writes no rules: ${thirdOf('drain')} drains, with the pods and budgets that their threads show, and nodes that
do not come back, image builds, KubeletConfigs. Before any rule was written with them they came to: learn ${counts(firstOfThird.learn[1])} of ${firstOfThird.learn[0]};
held ${counts(firstOfThird.held[1])} of ${firstOfThird.held[0]}. Now: learn ${countsOf('learn')}; held ${countsOf('held')}.

Of *held*, one was wrong with confidence strong until confidence was bound to what *learn* shows (a rule with fewer than three reports says at most
likely).

What these numbers do not say: threads were read in excerpts, not to their end. ${openshift} of the threads are about OpenShift or OKD; the others are about rpm-ostree, bootc and podman, whose error is
put into the words that the MCO has around it in that step, or about drains elsewhere, whose error is put into the condition of the node. Where nobody confirmed a cause, the error itself counts (\`confirmedBy: text\`,
${all.filter(({ report }) => report.confirmedBy === 'text').length} reports). Some names inside a text, and numbers of a budget, are filled in where a thread does not show them. Who gathered the first two
batches also wrote the rules, and has read both halves; the held half was not looked at when rules were changed, but nobody else has checked that.
Excerpts of six threads of *held* turned up in searches by topic before the error families of ostree and rpm-ostree were written from their
sources; without these six, right or close were 68 of 75 on 2026-11-22. A code that the catalogue got after a report was labelled counts as close at most.

## The MCO's own texts

${mcoTexts.texts.length} error texts of the Machine Config Operator (${mcoTexts.releases}) are listed in
\`test/corpus/mco-texts/mco-texts.json\`, each with its file, the releases that have it and the cause that it must come to. A test renders
${mcoTexts.texts.filter(({ example }) => example !== undefined).length} of them with values; the others have no text of their own, or lead to another object.

| where people meet it | texts | what decides |
|---|---|---|
| the reason of a node | ${on('node reason').length} | the text itself; ${on('node reason').filter(({ code }) => code === 'inner').length} only wrap another error, which decides |
| the condition RenderDegraded of a pool | ${on('RenderDegraded').length} | the text itself |
| a warning event of a node, a pool, an image build or the ClusterOperator | ${on('event').length} | as in the reason of a node; for drains the pods that are named; for image builds the MachineOSBuild; ${on('event').filter(({ code }) => code === 'none').length} lead to no cause, because no rollout stands still for them |
| a condition of a MachineConfigNode | ${on('MachineConfigNode').length} | the error inside, also while the daemon still tries and the node is not Degraded yet; a cordon that is refused |
| ClusterOperator machine-config, its conditions Degraded, Available and Upgradeable | ${on('ClusterOperator').length} | ${on('ClusterOperator').filter(({ code }) => code === 'K1').length} are told as K1 with the innermost error; ${on('ClusterOperator').filter(({ code }) => code === 'object').length} repeat the state of a pool, which itself decides, and are no cause of what happens to another; ${on('ClusterOperator').filter(({ code }) => code === 'none').length} hold back the next update of the cluster, not a rollout, or say only that another condition is True |

${several.length} of them may mean several things. The list has the other causes and what tells them apart: for ${several.filter(({ surface }) => surface === 'node reason').length} reasons of nodes the finding claims
at most *likely* and offers the commands that decide; for image builds the MachineOSBuild decides, for a refused cordon
the error inside, for the ClusterOperator the pool or the part of the MCO that it names; K1 has the commands that decide.

The list was made by reading every call that makes an error, a condition or an event in \`pkg/\` of each release branch (format string, file,
function), joining equal texts over the releases, and assigning a cause by the function that gives the error. An event that has nothing of its own but
an error is listed as \`%v\`. Left out are texts that reach only a log (first boot, run once, HyperShift, image pruning), progress, the pre-pull of
PinnedImageSets and release images (no rollout waits for it), those of KubeletConfigs, which are quoted from the objects, and what the
Kubernetes API answers inside a text.

Texts of the programs that bring the operating system (ostree, rpm-ostree, libdnf, containers/image) are in
\`test/corpus/os-texts/os-texts.json\`, each with its source, the step in which it occurs and its cause; they too were made by reading the calls
that make an error.`;
}

function table(scored: ReadonlyMap<Half, readonly Scored[]>): string {
  const groups = [...new Set([...scored.values()].flat().map(({ report }) => report.group))].toSorted();
  const row = (name: string, of: (half: Half) => readonly Scored[]) =>
    `| ${[name, ...halves.flatMap((half) => fieldVerdicts.map((verdict) => String(of(half).filter((each) => each.verdict === verdict).length)))].join(' | ')} |`;
  return [
    `| | ${halves.flatMap((half) => fieldVerdicts.map((verdict) => `${half}: ${verdict}`)).join(' | ')} |`,
    `|---|${halves.flatMap(() => fieldVerdicts.map(() => '---')).join('|')}|`,
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

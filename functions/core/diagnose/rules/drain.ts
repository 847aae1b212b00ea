import { isStructural, rootsOf } from '../../findings/chain.ts';
import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, lower, notKnown, ref, without } from '../../findings/make-finding.ts';
import { type Evidence, type Finding, type Remedy, refText } from '../../findings/trouble.ts';
import { itemsOf, type Reading, read, readTogether, type Unread, unreadOf } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';
import { ifGiven } from '../../text/if-given.ts';
import { ageText, between, clipped, listed } from '../../text/phrases.ts';
import { byTurns } from '../../text/rounds.ts';
import { command } from '../../text/shell-words.ts';
import { newestFirst, seenLast } from '../objects/event.ts';
import type { MachineConfigNode } from '../objects/machine-config-node.ts';
import { type Condition, conditionOf } from '../objects/metadata.ts';
import { isEvicted, isTerminal, isTerminating, ownerOf, type Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { budgetsOf, machineConfigNode, nodeNamed, podNamed, warningsAbout } from '../questions.ts';
import { readBudgets } from '../read-budgets.ts';
import { readPodsOn } from '../read-pods-on.ts';
import { remedy } from '../remedies.ts';
import type { NodeSubject } from '../subject.ts';
import { type Blocker, namesBudget, parseDrainText } from '../text/drain-text.ts';
import { explainRefusal } from './budget.ts';
import { guards } from './budget-case.ts';
import { comesBack } from './comes-back.ts';
import {
  doomedNamespace,
  endingNamespace,
  refusedByWebhook,
  refusedOtherwise,
  shedByServer,
} from './eviction-refused.ts';
import { controllerLogOf, deadController } from './operator-parts.ts';
import { cordonRefused } from './step-failed.ts';
import { explainTermination } from './termination.ts';
import { uncordonedByOthers } from './uncordoned.ts';

/** Pods explained in depth for one node. Each costs up to five reads; the rest are named. */
const blockersExplained = 2;
/** Pods that are gone by now cost two reads each; past these the error is old. */
const blockersTried = 4;

/** Where the evidence of a drain says since when it goes on. */
export const drainingSincePath = 'status.conditions[Drained].lastTransitionTime';

/** Why a node cannot be drained: from the pods that the drain error names outwards, never from lists of everything. */
export function* explainDrain(subject: NodeSubject): Inquiry<Finding> {
  const machine = yield* read(machineConfigNode(subject.node.name));
  const refused = machine.kind === 'read' ? yield* cordonRefused(subject, machine.value, machine.readAt) : undefined;
  if (refused !== undefined) return refused;
  const told = yield* whatTheDrainSays(subject, machine);
  const controller = (yield* hasBegun(subject, told)) ? undefined : yield* deadController();
  if (controller?.found !== undefined) return nobodyDrains(subject, controller.found);
  const said = yield* withNamespaces(subject, yield* orWhatStays(subject, told, controller?.unread));
  const report = said.isCut === true ? yield* withUnnamed(subject, said) : said;
  const fates = yield* fatesOf(subject, report.blockers);
  const over = fates.filter((each) => each.over);
  const blocked = fates.filter((each) => !each.over);
  if (blocked.length === 0) return yield* nothingBlocks(subject, report, over);
  const more = report.blockers.length - over.length - 1;
  const ordered = blocked.toSorted((a, b) => Number(waits(a)) - Number(waits(b)));
  return blockedBy(subject, report, { fates: yield* withThoseThatComeBack(subject, ordered), more });
}

/** Those that were evicted come last: as a rule they only take their time, and kubectl joins its errors in no order;
 *  behind them what may be the words of a webhook. Of each namespace one after the other: whoever has many such pods
 *  hides none of others. Where whatever is found ends by itself, none of the others is passed over. */
function* fatesOf(subject: NodeSubject, blockers: readonly NamedBlocker[]): Inquiry<readonly Fate[]> {
  const inTurn = [...Map.groupBy(blockers, lateness)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, alike]) => byTurns(alike, ({ namespace }) => namespace));
  const fates: Fate[] = [];
  for (const blocker of inTurn.slice(0, blockersTried)) {
    if (fates.filter(({ over }) => !over).length === blockersExplained) break;
    fates.push(yield* explainBlocker(subject, blocker));
  }
  const left = inTurn.slice(fates.length);
  const isEnough = fates.some((each) => !each.over && !waits(each));
  return isEnough ? fates : [...fates, ...(yield* fatesOfTheRest(subject, left, fates))];
}

function lateness({ how, mayBeQuoted }: Blocker): number {
  if (mayBeQuoted === true) return 2;
  return how === 'accepted' ? 1 : 0;
}

function waits({ why }: Fate): boolean {
  return why !== undefined && endsByItself(why);
}

function endsByItself(found: Finding): boolean {
  return rootsOf(found).every((root) => root.class === 'self-healing');
}

/** The pods of the node, in one list, tell who is gone and who only takes its time. Whoever else stays is explained
 *  within the bound, and then named. */
function* fatesOfTheRest(
  subject: NodeSubject,
  left: readonly NamedBlocker[],
  before: readonly Fate[],
): Inquiry<readonly Fate[]> {
  if (left.length === 0) return [];
  const { list: pods, unread: unreadPods } = yield* readPodsOn(subject.node.name);
  const isWhole = pods.kind === 'read' && unreadPods.length === 0;
  const fates: Fate[] = [];
  for (const blocker of left) {
    const pod = itemsOf(pods).find(({ metadata }) => isNamed(metadata, blocker));
    const staying = [...before, ...fates].filter(({ over }) => !over).length;
    if (pod !== undefined && (isTerminating(pod) || staying < blockersExplained)) {
      fates.push(yield* fateOnNode(subject, blocker, { pod, readAt: pods.readAt }));
    } else {
      const over = pod === undefined && isWhole && blocker.namespace !== '';
      const unread = fates.length === 0 ? unreadPods : [];
      fates.push({ blocker, over, seen: undefined, why: undefined, unread });
    }
  }
  return fates;
}

function isNamed({ namespace, name }: Pod['metadata'], blocker: NamedBlocker): boolean {
  return namespace === blocker.namespace && name === blocker.pod;
}

function* fateOnNode(
  subject: NodeSubject,
  blocker: NamedBlocker,
  seen: { readonly pod: Pod; readonly readAt: string },
): Inquiry<Fate> {
  const budgets = isTerminating(seen.pod) ? undefined : yield* read(budgetsOf(blocker.namespace));
  return yield* fateOf(subject, blocker, { ...seen, budgets });
}

/** What names the pods, and how far that can be trusted. */
interface DrainReport {
  readonly blockers: readonly NamedBlocker[];
  readonly confidence: Finding['confidence'];
  readonly evidence: readonly Evidence[];
  readonly looked: readonly string[];
  readonly unread: readonly Unread[];
  /** The text is not whole: whoever fills it, with many pods, long names or the words of a webhook, must not hide the
   *  pods of others. */
  readonly isCut?: true | undefined;
  /** It was written since this drain was asked for. */
  readonly isOfThisDrain?: boolean | undefined;
}

/** A pod that stays, with what is known of it already. */
interface NamedBlocker extends Blocker {
  readonly known?: { readonly pod: Pod; readonly readAt: string; readonly budgets: BudgetsRead | undefined };
}
type BudgetsRead = Reading<{ readonly items: readonly PodDisruptionBudget[] }>;

/** The sources in their order: the MachineConfigNode (OpenShift >= 4.19), the node's events. */
function* whatTheDrainSays(subject: NodeSubject, machine: Reading<MachineConfigNode>): Inquiry<DrainReport> {
  const { node } = subject;
  const fromMachine = saidByMachine(subject, machine);
  if (fromMachine.blockers.length > 0) return fromMachine;
  const about = { kind: 'Node', name: node.name };
  const [ours, theirs] = yield* readTogether(warningsAbout(about, mcoNamespace), warningsAbout(about, 'default'));
  const events = newestFirst([...itemsOf(ours), ...itemsOf(theirs)]).filter(({ reason }) =>
    /^(?:DrainThresholdExceeded|DrainFailed|FailedToDrain)$/.test(reason),
  );
  const event = events.find(({ message }) => parseDrainText(message).length > 0);
  const looked = [...fromMachine.looked, `the events of ${node.name}`];
  const unread = [...fromMachine.unread, ...unreadOf([ours, theirs])];
  if (event !== undefined) {
    const seen = evidence(
      ref('Node', node.name),
      `events[${event.reason}].message`,
      clipped(event.message),
      ours.readAt,
    );
    const at = evidence(ref('Node', node.name), `events[${event.reason}].lastTimestamp`, seenLast(event), ours.readAt);
    const blockers = parseDrainText(event.message);
    const isCut = [ours, theirs].some((list) => list.kind === 'read' && list.isCut);
    return {
      blockers,
      confidence: 'strong',
      evidence: [...fromMachine.evidence, seen, at],
      looked,
      unread: [],
      ...(isCut && { isCut }),
    };
  }
  return { ...fromMachine, looked, unread };
}

/** The controller has tried, as it says itself. An event may be of the drain before: it cordons a node first. */
function* hasBegun({ node }: NodeSubject, { blockers, isOfThisDrain }: DrainReport): Inquiry<boolean> {
  if (blockers.length === 0 || isOfThisDrain === true) return blockers.length > 0;
  const live = yield* read(nodeNamed(node.name));
  return live.kind !== 'read' || live.value.spec.unschedulable;
}

/** Where no text names a pod: the pods on the node. Only a controller that runs drains them. */
function* orWhatStays(subject: NodeSubject, told: DrainReport, unread: readonly Unread[] = []): Inquiry<DrainReport> {
  if (told.blockers.length > 0) return told;
  return yield* whatStaysOnTheNode(subject, {
    ...told,
    looked: [...told.looked, 'the machine-config-controller'],
    unread: [...told.unread, ...unread],
  });
}

/** What a text leaves out that is not whole, as far as the pods on the node and their budgets show it. They count more
 *  than what may be the words of a webhook. */
function* withUnnamed(subject: NodeSubject, said: DrainReport): Inquiry<DrainReport> {
  const report = yield* whatStaysOnTheNode(subject, said);
  const isSame = (one: Blocker, other: Blocker) => one.namespace === other.namespace && one.pod === other.pod;
  const named = said.blockers.filter(
    (each) => each.mayBeQuoted !== true || !report.blockers.some((seen) => isSame(seen, each)),
  );
  const unnamed = report.blockers.filter((seen) => !named.some((each) => isSame(seen, each)));
  return { ...report, blockers: [...named, ...unnamed] };
}

/** Texts of older releases name a pod without its namespace: it is looked for among the pods on the node. */
function* withNamespaces(subject: NodeSubject, report: DrainReport): Inquiry<DrainReport> {
  if (report.blockers.every(({ namespace }) => namespace !== '')) return report;
  const { list: pods, unread } = yield* readPodsOn(subject.node.name);
  const blockers = report.blockers.map((blocker) => {
    if (blocker.namespace !== '') return blocker;
    const found = itemsOf(pods).filter(({ metadata }) => metadata.name === blocker.pod);
    const [only] = found;
    return only === undefined || found.length > 1 ? blocker : { ...blocker, namespace: only.metadata.namespace };
  });
  return { ...report, blockers, unread: [...report.unread, ...unread] };
}

function saidByMachine(subject: NodeSubject, machine: Reading<MachineConfigNode>): DrainReport {
  const drained = machine.kind === 'read' ? conditionOf(machine.value.status.conditions, 'Drained') : undefined;
  const failing = drained !== undefined && drained.status !== 'True';
  return {
    blockers: failing ? parseDrainText(drained.message) : [],
    isOfThisDrain: failing,
    confidence: 'strong',
    evidence: failing ? drainedEvidence(subject, drained, machine.readAt) : [],
    looked: machine.kind === 'absent' ? [] : [machine.kind === 'read' ? 'its MachineConfigNode' : machine.what],
    unread: unreadOf([machine]),
    ...(failing && machine.kind === 'read' && machine.isCut === true && { isCut: true }),
  };
}

function drainedEvidence({ node }: NodeSubject, drained: Condition, readAt: string): readonly Evidence[] {
  const of = ref('MachineConfigNode', node.name);
  const since = drained.status === 'Unknown' ? drained.lastTransitionTime : undefined;
  return [
    ...(drained.message === ''
      ? []
      : [evidence(of, 'status.conditions[Drained].message', clipped(drained.message), readAt)]),
    ...(since === undefined ? [] : [evidence(of, drainingSincePath, since, readAt)]),
  ];
}

/** Nobody names a pod: the drain is followed by hand over the pods of this node. One indirect signal each. */
function* whatStaysOnTheNode(subject: NodeSubject, report: DrainReport): Inquiry<DrainReport> {
  const { list: pods, unread: unreadPods } = yield* readPodsOn(subject.node.name);
  const { list: budgets, unread } = yield* readBudgets();
  const staying = itemsOf(pods).filter((pod) => isEvicted(pod) && !isTerminal(pod));
  const readAt = pods.readAt;
  const leaving = staying
    .filter(isTerminating)
    .map((pod) => simulated(pod, 'accepted', { readAt, budgets: undefined }));
  const guarded = staying
    .filter((pod) => !isTerminating(pod) && itemsOf(budgets).some((each) => guards(each, pod) && sparesNone(each)))
    .map((pod) => simulated(pod, 'refused', { readAt, budgets }));
  return {
    ...report,
    blockers: [...guarded, ...leaving],
    confidence: 'likely',
    looked: [...report.looked, `the ${staying.length} pods it must evict`, 'their disruption budgets'],
    unread: [...report.unread, ...unreadPods, ...unread],
  };
}

function sparesNone(budget: PodDisruptionBudget): boolean {
  return budget.status.disruptionsAllowed === 0;
}

function simulated(
  pod: Pod,
  how: 'refused' | 'accepted',
  rest: { readonly readAt: string; readonly budgets: BudgetsRead | undefined },
): NamedBlocker {
  const { name, namespace } = pod.metadata;
  return { how, namespace, pod: name, text: '', known: { pod, ...rest } };
}

/** What became of one pod that a drain named. `over`: it is not what blocks now. */
interface Fate {
  readonly blocker: NamedBlocker;
  readonly over: boolean;
  readonly seen: { readonly pod: Pod; readonly readAt: string } | undefined;
  readonly why: Finding | undefined;
  readonly unread: readonly Unread[];
}

function* explainBlocker(subject: NodeSubject, blocker: NamedBlocker): Inquiry<Fate> {
  const frame = { blocker, seen: undefined, why: undefined, unread: [] };
  if (blocker.how === 'namespace' && blocker.namespace !== '') {
    const left = yield* read(podNamed(blocker.namespace, blocker.pod));
    if (hasLeft(left, subject)) return { ...frame, over: true };
    return { ...frame, over: false, why: yield* doomedNamespace(blocker) };
  }
  if (blocker.namespace === '') return { ...frame, over: false };
  const { known } = blocker;
  if (known !== undefined) return yield* fateOf(subject, blocker, known);
  const [pod, budgets] = yield* readTogether(podNamed(blocker.namespace, blocker.pod), budgetsOf(blocker.namespace));
  if (hasLeft(pod, subject)) return { ...frame, over: true };
  if (pod.kind !== 'read') return { ...frame, over: false, unread: unreadOf([pod, budgets]) };
  return yield* fateOf(subject, blocker, { pod: pod.value, readAt: pod.readAt, budgets });
}

/** Errors of a drain outlive what they are about. */
function hasLeft(pod: Reading<Pod>, { node }: NodeSubject): boolean {
  return pod.kind === 'absent' || (pod.kind === 'read' && pod.value.spec.nodeName !== node.name);
}

function* fateOf(
  subject: NodeSubject,
  blocker: NamedBlocker,
  known: { readonly pod: Pod; readonly readAt: string; readonly budgets: BudgetsRead | undefined },
): Inquiry<Fate> {
  const { pod, readAt, budgets } = known;
  const unread = budgets === undefined || isTerminating(pod) ? [] : unreadOf([budgets]);
  const frame = { blocker, over: false, seen: { pod, readAt }, unread };
  if (isTerminating(pod)) return { ...frame, why: yield* explainTermination(pod, readAt) };
  if (blocker.how === 'webhook') return { ...frame, unread: [], why: yield* refusedByWebhook(blocker, readAt) };
  if (blocker.how === 'other') return { ...frame, unread: [], why: yield* refusedOtherwise(blocker, readAt) };
  if (budgets === undefined) return { ...frame, why: undefined };
  if (blocker.mayBeQuoted === true)
    return { ...frame, why: yield* heldByObjects(subject, blocker, { ...known, budgets }) };
  if (isUnguarded(pod, blocker, budgets))
    return { ...frame, why: (yield* endingNamespace(blocker)) ?? (yield* shedByServer(blocker, budgets.readAt)) };
  return { ...frame, why: yield* explainRefusal({ pod, podReadAt: readAt, subject }, budgets) };
}

/** Where what is said of a pod counts for nothing: only what its budgets and its namespace say themselves. */
function* heldByObjects(
  subject: NodeSubject,
  blocker: NamedBlocker,
  { pod, readAt, budgets }: { readonly pod: Pod; readonly readAt: string; readonly budgets: BudgetsRead },
): Inquiry<Finding | undefined> {
  const isHeld =
    budgets.kind === 'read' &&
    budgets.value.items.some((each) => guards(each, pod) && each.status.disruptionsAllowed <= 0);
  return isHeld ? yield* explainRefusal({ pod, podReadAt: readAt, subject }, budgets) : yield* endingNamespace(blocker);
}

/** Refused in words that name no budget, and none is there. A pod that never ran is evicted past its budgets. */
function isUnguarded(pod: Pod, { text }: Blocker, budgets: BudgetsRead): boolean {
  if (text === '' || namesBudget(text) || budgets.kind !== 'read' || pod.status.phase === 'Pending') return false;
  return !budgets.value.items.some((each) => guards(each, pod));
}

interface Blocked {
  /** Those that stay, what ends by itself last. */
  readonly fates: readonly Fate[];
  /** Pods that stay beside the first. */
  readonly more: number;
}

function blockedBy(subject: NodeSubject, report: DrainReport, { fates, more }: Blocked): Finding {
  const known = distinct(fates.flatMap(({ why }) => ifGiven(why))).toSorted(structuralFirst);
  const open = fates.filter(({ why }) => why === undefined);
  const isOpen = (open.length > 0 || report.isCut === true) && known.every(endsByItself);
  const reasons = known.slice(0, blockersExplained);
  const found = finding({
    code: codeOf(fates),
    subject: ref('Node', subject.node.name),
    sentence: `${subject.node.name} cannot be drained: ${fates.slice(0, 1).map(staysText).join('')}.${othersText(more, report)}`,
    confidence: isOpen ? lower(report.confidence) : report.confidence,
    class: isOpen ? 'unknown' : reasons.some(isStructural) ? 'structural' : (reasons[0]?.class ?? 'unknown'),
    evidence: [...report.evidence, ...fates.slice(0, blockersExplained).flatMap(podEvidence)],
    because: isOpen && reasons.length > 0 ? [notExplained(subject, open), ...reasons] : reasons,
    remedies: reasons.length === 0 ? [lookAtPod(open)] : [],
  });
  return without(found, [...report.unread, ...fates.flatMap((each) => each.unread)]);
}

function othersText(more: number, { isCut }: DrainReport): string {
  const known = more > 0 ? ` ${more === 1 ? 'One other pod stays' : `${more} other pods stay`}, too.` : '';
  return isCut === true ? `${known} ${cutText}` : known;
}

const cutText = 'The error of the drain is longer than what is read, and may name others.';

/** Beside pods that only take their time: without it they would stand for all, and nobody would look at this one. */
function notExplained({ node }: NodeSubject, open: readonly Fate[]): Finding {
  const names = open.map(({ blocker }) => nameOf(blocker));
  return finding({
    code: codeOf(open),
    subject: ref('Node', node.name),
    sentence:
      names.length === 0
        ? 'Whether others stay, and why, is not known.'
        : `Why ${listed(names, 3)} ${names.length === 1 ? 'stays' : 'stay'} is not known.`,
    confidence: 'possible',
    class: 'unknown',
    remedies: [...(open.length === 0 ? [] : [lookAtPod(open)]), ...drainLooks(node.name)],
  });
}

/** What only takes its time would be over some day, unless it is made again on this node meanwhile: then each attempt
 *  finds the next one. */
function* withThoseThatComeBack(subject: NodeSubject, fates: readonly Fate[]): Inquiry<readonly Fate[]> {
  if (fates.some(({ why }) => why?.code !== 'T1')) return fates;
  const [first] = fates;
  const back = first?.seen === undefined ? undefined : yield* comesBack(subject, first.seen.pod);
  if (back === undefined) return fates;
  return fates.map((each) => (each === first ? { ...each, why: again(each.why, back) } : each));
}

/** To wait for it is no remedy then. */
function again(slow: Finding | undefined, back: Finding): Finding {
  return slow === undefined ? back : { ...slow, class: back.class, because: [back], remedies: [] };
}

function podEvidence({ seen }: Fate): readonly Evidence[] {
  if (seen === undefined) return [];
  const { name, namespace } = seen.pod.metadata;
  const of = ref('Pod', name, namespace);
  return [evidence(of, 'spec.nodeName', seen.pod.spec.nodeName, seen.readAt)];
}

/** Two pods behind one budget have one cause. */
function distinct(reasons: readonly Finding[]): readonly Finding[] {
  const byCause = new Map(reasons.toReversed().map((each) => [`${each.code} ${refText(each.subject)}`, each]));
  return [...byCause.values()].toReversed();
}

function structuralFirst(a: Finding, b: Finding): number {
  return Number(isStructural(b)) - Number(isStructural(a));
}

/** D1 an eviction is refused by a budget, D2 a pod does not die, D3 a webhook, D0 anything else; the first that
 *  applies. */
function codeOf(fates: readonly Fate[]): string {
  const codes = new Set(fates.map(codeOfOne));
  return ['D1', 'D2', 'D3'].find((code) => codes.has(code)) ?? 'D0';
}

function codeOfOne({ why, blocker }: Fate): string {
  if (blocker.how === 'webhook') return 'D3';
  if (why?.code.startsWith('P')) return 'D1';
  if (blocker.how === 'accepted' || /^T[1-4]$/.test(why?.code ?? '')) return 'D2';
  return why === undefined && blocker.how === 'refused' && blocker.mayBeQuoted !== true ? 'D1' : 'D0';
}

function staysText({ blocker, seen }: Fate): string {
  const pod = seen?.pod;
  const owner = pod === undefined ? undefined : ownerOf(pod);
  const name = nameOf(blocker);
  const full = owner === undefined ? name : `${name} (${owner.kind} ${owner.name})`;
  if (blocker.how === 'accepted' || (pod !== undefined && isTerminating(pod)))
    return `${full} was evicted and does not end`;
  if (blocker.how === 'namespace' && blocker.namespace !== '') return `the namespace of ${full} is being deleted`;
  return `the eviction of ${full} is refused`;
}

function nameOf({ namespace, pod }: Blocker): string {
  return namespace === '' ? pod : `${namespace}/${pod}`;
}

function lookAtPod(fates: readonly Fate[]): Remedy {
  const names = fates.map(({ blocker }) => nameOf(blocker));
  return remedy(`Look at ${listed(names, 3)} and ${names.length === 1 ? 'its' : 'their'} budgets`, {
    who: 'application owner',
  });
}

/** The controller does not run: what is in the way of its drains, or was, is not what this one waits for. */
function nobodyDrains({ node, readAt }: NodeSubject, controller: Finding): Finding {
  const of = ref('Node', node.name);
  return finding({
    code: 'D0',
    subject: of,
    sentence: `${node.name} asks for its drain, and nobody drains it.`,
    confidence: 'strong',
    class: controller.class,
    evidence: [
      evidence(of, 'metadata.annotations[desiredDrain]', node.desiredDrain, readAt),
      evidence(of, 'metadata.annotations[lastAppliedDrain]', node.lastAppliedDrain, readAt),
    ],
    because: [controller],
  });
}

/** Every pod that the drain named was looked for, and is gone. Some come back at once, and each next attempt finds
 *  them again. */
function* nothingBlocks(subject: NodeSubject, report: DrainReport, over: readonly Fate[]): Inquiry<Finding> {
  const uncordoned = yield* uncordonedByOthers(subject);
  if (uncordoned !== undefined) return without(uncordoned, report.unread);
  const returned = over.length === 0 ? undefined : yield* comesBack(subject);
  if (returned === undefined) {
    const { found: controller, unread } = yield* deadController();
    if (controller !== undefined) return nobodyDrains(subject, controller);
    // Of the pods that no text names it is unread already.
    return without(nothingFound(subject, report, over), over.length === 0 ? [] : unread);
  }
  const found = finding({
    code: 'D0',
    subject: ref('Node', subject.node.name),
    sentence: `${subject.node.name} cannot be drained: what is evicted comes back.`,
    confidence: 'likely',
    class: returned.class,
    evidence: report.evidence,
    because: [returned],
  });
  return without(found, report.unread);
}

/** The drain error is older than what is seen now, or there is none. */
function nothingFound(subject: NodeSubject, report: DrainReport, fates: readonly Fate[]): Finding {
  const name = subject.node.name;
  const gone = fates.map(({ blocker }) => nameOf(blocker));
  const age = ageText(between(subject.since, subject.readAt));
  if (gone.length > 0) {
    const found = finding({
      code: 'D0',
      subject: ref('Node', name),
      sentence: `${name} was held up by ${listed(gone, 4)}, which ${gone.length === 1 ? 'is' : 'are'} gone now: the next drain attempt may pass.${othersText(0, report)}`,
      confidence: report.isCut === true ? 'possible' : 'likely',
      class: report.isCut === true ? 'unknown' : 'self-healing',
      evidence: report.evidence,
      remedies: [remedy('Wait for the next drain attempt'), ...drainLooks(name)],
    });
    return without(found, report.unread);
  }
  const found = notKnown({
    code: 'D0',
    subject: ref('Node', name),
    sentence: `${name} has been draining for ${age} and nothing was found that stops it.`,
    looked: report.looked,
    evidence: report.evidence,
  });
  return without({ ...found, remedies: drainLooks(name) }, report.unread);
}

/** What tells whether the drain goes on: who is still there, and what the controller says of the attempt after this. */
function drainLooks(node: string): readonly Remedy[] {
  const logs = controllerLogOf('--since=1h');
  return [
    remedy('See which pods are still on it', {
      command: command('oc', 'get', 'pods', '--all-namespaces', '--field-selector', `spec.nodeName=${node}`),
    }),
    remedy('See what the controller says of the drain', { command: `${logs} | ${command('grep', node)}` }),
  ];
}

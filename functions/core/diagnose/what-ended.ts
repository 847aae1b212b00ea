import { everyFinding } from '../findings/chain.ts';
import type { Inquiry } from '../findings/inquiry.ts';
import type { Evidence, Finding, ObjectRef, Trouble, TroubleKind } from '../findings/trouble.ts';
import { distinctRefs, refText } from '../findings/trouble.ts';
import { read } from '../findings/unread.ts';
import { isDraining, isToBeDrained } from '../openshift/node.ts';
import { isEarlierSecond, isLaterSecond, latest } from '../text/instant.ts';
import { counted } from '../text/phrases.ts';
import { type Condition, conditionOf } from './objects/metadata.ts';
import { type LiveNode, mcoView } from './objects/node.ts';
import { changedAt, changedPath } from './objects/object-head.ts';
import { isReady } from './objects/pod.ts';
import { budgetsOf, machineConfigHead, nodeNamed, podNamed } from './questions.ts';

/** Objects that are asked after, one call each. The root causes come first. */
const objectsAsked = 4;

/** A trouble is gone: what has changed about the objects that it was explained by, the deepest cause first. Undefined
 *  when none of them is seen to have changed for the better since it was explained, or could be read: then nothing is
 *  claimed. Much of what blocks is well all the time. */
export function* whatEnded({ key, findings }: Pick<Trouble, 'key' | 'findings'>): Inquiry<string | undefined> {
  const all = findings.flatMap(everyFinding).flatMap((each) => each.evidence);
  const before = {
    kind: key.kind,
    nodes: findings.flatMap(({ subject }) => (subject.kind === 'Node' ? [subject.name] : [])),
    evidence: all,
  };
  const changes: string[] = [];
  for (const inquiry of inquiriesOf(findings, before).slice(0, objectsAsked)) {
    const change = yield* inquiry();
    if (change !== undefined) changes.push(change);
  }
  if (changes.length === 0) return undefined;
  const text = changes.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** What is known of the time when the trouble was explained. */
interface Before {
  readonly kind: TroubleKind;
  /** Those that were in trouble, not those that it was explained by. */
  readonly nodes: readonly string[];
  readonly evidence: readonly Evidence[];
}

type Asking = () => Inquiry<string | undefined>;

/** What the findings are about, then the pods that blocked, each once. */
function inquiriesOf(findings: readonly Finding[], before: Before): readonly Asking[] {
  const subjects = findings.flatMap((each) =>
    everyFinding(each)
      .toReversed()
      .map(({ subject }) => subject),
  );
  const refs = before.evidence.map(({ ref }) => ref);
  const blamed = [...subjects, ...refs].filter(({ kind }) => kind === 'MachineConfig');
  const blockers = findings
    .flatMap(({ evidence }) => evidence)
    .filter(({ path, ref }) => path === 'spec.nodeName' && ref.kind === 'Pod')
    .map(({ ref }) => ref);
  return [
    ...distinctRefs(subjects).flatMap((each) => aboutSubject(each, before)),
    ...distinctRefs(blamed).map(
      (each): Asking =>
        () =>
          machineConfig(each, before),
    ),
    ...distinctRefs(blockers).map(
      (each): Asking =>
        () =>
          gone(each),
    ),
  ];
}

/** Of kinds without a state of their own nothing is asked. */
function aboutSubject(of: ObjectRef, before: Before): readonly Asking[] {
  switch (of.kind) {
    case 'Pod':
      return [() => pod(of, before)];
    case 'PodDisruptionBudget':
      return [() => budget(of, before)];
    case 'Node':
      return [() => node(of, before)];
    default:
      return [];
  }
}

/** A blocker was well enough, and in the way. */
function* gone({ namespace, name }: ObjectRef): Inquiry<string | undefined> {
  const found = yield* read(podNamed(namespace, name));
  return found.kind === 'absent' ? `pod ${namespace}/${name} is gone` : undefined;
}

function* pod(of: ObjectRef, before: Before): Inquiry<string | undefined> {
  const { namespace, name } = of;
  const found = yield* read(podNamed(namespace, name));
  if (found.kind === 'absent') return `pod ${namespace}/${name} is gone`;
  if (found.kind !== 'read') return undefined;
  const { status, spec } = found.value;
  const ready = sinceThen(of, status.conditions, 'Ready', before);
  if (ready !== undefined) return `pod ${namespace}/${name} became ready on ${spec.nodeName}${at(ready)}`;
  const placed = sinceThen(of, status.conditions, 'PodScheduled', before);
  if (placed === undefined) return undefined;
  const andReady = isReady(found.value) ? ' and is ready' : '';
  return `pod ${namespace}/${name} was placed on ${spec.nodeName}${at(placed)}${andReady}`;
}

/** The condition, if it has become true since the object was last explained, or in that second. */
function sinceThen(
  of: ObjectRef,
  conditions: readonly Condition[],
  type: string,
  { evidence }: Before,
): Condition | undefined {
  const own = evidence.filter(({ ref }) => refText(ref) === refText(of));
  const readAt = latest((own.length === 0 ? evidence : own).map((each) => each.readAt));
  const found = conditionOf(conditions, type);
  const since = found?.status === 'True' ? found.lastTransitionTime : undefined;
  return since !== undefined && readAt !== undefined && !isEarlierSecond(since, readAt) ? found : undefined;
}

function* budget(of: ObjectRef, before: Before): Inquiry<string | undefined> {
  const { namespace, name } = of;
  const budgets = yield* read(budgetsOf(namespace));
  if (budgets.kind !== 'read') return undefined;
  const found = budgets.value.items.find(({ metadata }) => metadata.name === name);
  if (found === undefined) return `PDB ${namespace}/${name} is gone`;
  const { disruptionsAllowed } = found.status;
  return disruptionsAllowed === 0 || said(of, 'status.disruptionsAllowed', before) !== '0'
    ? undefined
    : `PDB ${namespace}/${name} spares ${counted(disruptionsAllowed, 'pod')} again`;
}

function* node(of: ObjectRef, before: Before): Inquiry<string | undefined> {
  const found = yield* read(nodeNamed(of.name));
  if (found.kind === 'absent') return `node ${of.name} is gone`;
  if (found.kind !== 'read') return undefined;
  const words = [
    ...(before.nodes.includes(of.name) ? progressOf(found.value, before) : []),
    ...healthOf(of, found.value, before),
  ];
  return words.length === 0 ? undefined : `node ${of.name} ${words.join(' and ')}`;
}

/** How far its daemon is: no node that is drained, or degraded, has said so. */
function progressOf(live: LiveNode, { kind }: Before): readonly string[] {
  const view = mcoView(live);
  const { state, currentConfig, desiredConfig } = view;
  if (kind !== 'drain-blocked' && kind !== 'node-degraded') return [];
  if (state === 'Done' && currentConfig !== '' && currentConfig === desiredConfig)
    return [`is done with ${currentConfig}`];
  const isDrained = isToBeDrained(view) && !isDraining(view);
  return kind === 'drain-blocked' && isDrained ? ['is drained'] : [];
}

function healthOf(of: ObjectRef, { spec, status }: LiveNode, before: Before): readonly string[] {
  const ready = sinceThen(of, status.conditions, 'Ready', before);
  const takesPods = !spec.unschedulable && said(of, 'spec.unschedulable', before) === 'true';
  return [...(ready === undefined ? [] : [`became ready${at(ready)}`]), ...(takesPods ? ['takes pods again'] : [])];
}

/** One that made a render fail, or was suspected of it. */
function* machineConfig(of: ObjectRef, before: Before): Inquiry<string | undefined> {
  // When it was changed, both by the clock of the API server. Undefined: nobody has seen it.
  const then = said(of, changedPath, before);
  if (then === undefined) return undefined;
  const found = yield* read(machineConfigHead(of.name));
  if (found.kind === 'absent') return `MachineConfig ${of.name} is gone`;
  const now = found.kind === 'read' ? changedAt(found.value) : then;
  return isLaterSecond(now, then) ? `MachineConfig ${of.name} was changed at ${now.slice(11, 16)} UTC` : undefined;
}

/** What the evidence said of an object. */
function said(of: ObjectRef, path: string, { evidence }: Before): string | undefined {
  return evidence.findLast((each) => each.path === path && refText(each.ref) === refText(of))?.value;
}

function at({ lastTransitionTime }: Condition): string {
  return lastTransitionTime === undefined ? '' : ` at ${lastTransitionTime.slice(11, 16)} UTC`;
}

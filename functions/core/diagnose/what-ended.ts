import { everyFinding } from '../findings/chain.ts';
import type { Inquiry } from '../findings/inquiry.ts';
import type { Evidence, Finding, ObjectRef, Trouble } from '../findings/trouble.ts';
import { refText } from '../findings/trouble.ts';
import { read } from '../findings/unread.ts';
import { isLaterSecond } from '../text/instant.ts';
import { counted } from '../text/phrases.ts';
import { type Condition, conditionOf } from './objects/metadata.ts';
import { isNodeReady } from './objects/node.ts';
import { changedAt, changedPath } from './objects/object-head.ts';
import { isReady } from './objects/pod.ts';
import { budgetsOf, machineConfigHead, nodeNamed, podNamed } from './questions.ts';

/** Objects that are asked after, one call each. The root causes come first. */
const objectsAsked = 4;

/** A trouble is gone: what has become of the objects that it was explained by, the deepest cause first. Undefined
 *  when none of them has changed for the better, or could be read: then nothing is claimed. */
export function* whatEnded({ findings }: Pick<Trouble, 'findings'>): Inquiry<string | undefined> {
  const changes: string[] = [];
  for (const inquiry of inquiriesOf(findings).slice(0, objectsAsked)) {
    const change = yield* inquiry();
    if (change !== undefined) changes.push(change);
  }
  if (changes.length === 0) return undefined;
  const text = changes.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

type Asking = () => Inquiry<string | undefined>;

/** What the findings are about, then the pods that blocked, each once. */
function inquiriesOf(findings: readonly Finding[]): readonly Asking[] {
  const subjects = findings.flatMap((each) =>
    everyFinding(each)
      .toReversed()
      .map(({ subject }) => subject),
  );
  const blockers = findings
    .flatMap(({ evidence }) => evidence)
    .filter(({ path, ref }) => path === 'spec.nodeName' && ref.kind === 'Pod')
    .map(({ ref }) => ref);
  const evidence = findings.flatMap(everyFinding).flatMap((each) => each.evidence);
  const blamed = [...subjects, ...evidence.map(({ ref }) => ref)].filter(({ kind }) => kind === 'MachineConfig');
  return [
    ...distinct(subjects).flatMap(aboutSubject),
    ...distinct(blamed).map(
      (each): Asking =>
        () =>
          machineConfig(each, evidence),
    ),
    ...distinct(blockers).map(
      (each): Asking =>
        () =>
          gone(each),
    ),
  ];
}

function distinct(refs: readonly ObjectRef[]): readonly ObjectRef[] {
  return refs.filter((each, index) => refs.findIndex((other) => refText(other) === refText(each)) === index);
}

/** A subject was not well when it was explained. Of kinds without a state of their own nothing is asked. */
function aboutSubject(of: ObjectRef): readonly Asking[] {
  switch (of.kind) {
    case 'Pod':
      return [() => pod(of)];
    case 'PodDisruptionBudget':
      return [() => budget(of)];
    case 'Node':
      return [() => node(of)];
    default:
      return [];
  }
}

/** A blocker was well enough, and in the way. */
function* gone({ namespace, name }: ObjectRef): Inquiry<string | undefined> {
  const found = yield* read(podNamed(namespace, name));
  return found.kind === 'absent' ? `pod ${namespace}/${name} is gone` : undefined;
}

function* pod({ namespace, name }: ObjectRef): Inquiry<string | undefined> {
  const found = yield* read(podNamed(namespace, name));
  if (found.kind === 'absent') return `pod ${namespace}/${name} is gone`;
  if (found.kind !== 'read' || found.value.spec.nodeName === '') return undefined;
  const { status, spec } = found.value;
  if (!isReady(found.value)) return `pod ${namespace}/${name} was placed on ${spec.nodeName}`;
  return `pod ${namespace}/${name} became ready on ${spec.nodeName}${at(conditionOf(status.conditions, 'Ready'))}`;
}

function* budget({ namespace, name }: ObjectRef): Inquiry<string | undefined> {
  const budgets = yield* read(budgetsOf(namespace));
  if (budgets.kind !== 'read') return undefined;
  const found = budgets.value.items.find(({ metadata }) => metadata.name === name);
  if (found === undefined) return `PDB ${namespace}/${name} is gone`;
  const { disruptionsAllowed } = found.status;
  return disruptionsAllowed === 0
    ? undefined
    : `PDB ${namespace}/${name} spares ${counted(disruptionsAllowed, 'pod')} again`;
}

/** A drained node is cordoned until it is updated: that it is not any more says most. */
function* node({ name }: ObjectRef): Inquiry<string | undefined> {
  const found = yield* read(nodeNamed(name));
  if (found.kind === 'absent') return `node ${name} is gone`;
  if (found.kind !== 'read' || isNodeReady(found.value) === false) return undefined;
  return found.value.spec.unschedulable ? undefined : `node ${name} is ready and takes pods`;
}

/** One that made a render fail, or was suspected of it. */
function* machineConfig(of: ObjectRef, evidence: readonly Evidence[]): Inquiry<string | undefined> {
  const found = yield* read(machineConfigHead(of.name));
  if (found.kind === 'absent') return `MachineConfig ${of.name} is gone`;
  // Both times are the API server's.
  const before = evidence.find(({ ref, path }) => path === changedPath && refText(ref) === refText(of))?.value;
  const now = found.kind === 'read' ? changedAt(found.value) : undefined;
  if (before === undefined || now === undefined || !isLaterSecond(now, before)) return undefined;
  return `MachineConfig ${of.name} was changed at ${now.slice(11, 16)} UTC`;
}

function at(condition: Condition | undefined): string {
  const instant = condition?.lastTransitionTime;
  return instant === undefined ? '' : ` at ${instant.slice(11, 16)} UTC`;
}

import type { Application, ObjectName, Operation } from '../argocd/application.ts';
import { objectKey } from '../argocd/object-key.ts';
import type { Hold } from '../openshift/hold.ts';
import { asWord } from '../text/phrases.ts';

/** Objects that a hold remembers. More of them count as everything: a record must not grow with whatever a sync
 *  names. */
const leftAtMost = 10;

/** What the syncs of an Application that failed were to write and none has written since. */
export type LeftFailed = readonly ObjectName[] | 'everything';

/** What is left once this operation of the Application has ended. A sync that succeeds has written all that it was
 *  asked for; one that fails has not, but for what it says it has written. Of a failed one something is always left. */
export function leftAfter(operation: Operation, application: Application, hold: Hold): LeftFailed {
  const before = leftBefore(hold);
  const { asked } = operation;
  if (operation.phase === 'Succeeded') {
    if (!operation.partial) return [];
    if (before === 'everything') return before;
    // Without hooks, which no selective sync has.
    return asked === undefined ? [] : inNamespaces(before, application).filter(isNotAmong(asked));
  }
  if (before === 'everything' || asked === undefined || asked.length === 0) return 'everything';
  const isWritten = writtenBy(operation);
  const named = inNamespaces(asked, application);
  const left = [...inNamespaces(before, application), ...named].filter((each) => !isWritten(each));
  const kept = distinct(left.length === 0 ? named : left);
  return kept.length > leftAtMost ? 'everything' : kept;
}

/** The hold with this in place of what it had. */
export function withLeft({ leftFailed: _, ...hold }: Hold, left: LeftFailed): Hold {
  return left === 'everything' ? hold : { ...hold, leftFailed: [...left] };
}

/** The hold once no failure of its Application counts any more. */
export function withoutFailure({ afterFailure: _, leftFailed: __, ...hold }: Hold): Hold {
  return hold;
}

/** The hold of a sync of which nobody knows how it ended: everything that it was to write may be left. */
export function withUnknownEnd(hold: Hold): Hold {
  return { ...withoutFailure(hold), afterFailure: true };
}

/** What a hold says of a failure when it begins to wait for another sync. */
export function rememberedFailure({ phase }: Hold): Pick<Hold, 'afterFailure'> {
  return phase === 'failed' ? { afterFailure: true } : {};
}

/** `<kind> <name>`, with its namespace if it has one, for people. */
export function objectText({ kind, namespace, name }: ObjectName): string {
  return `${asWord(kind)} ${namespace === '' ? '' : `${asWord(namespace)}/`}${asWord(name)}`;
}

/** What an operation says of an object that it is done with. What it may not prune it leaves for good. */
export const writtenStatuses: readonly string[] = ['Synced', 'Pruned', 'PruneSkipped'];

function leftBefore({ phase, afterFailure, leftFailed }: Hold): LeftFailed {
  if (phase !== 'failed' && afterFailure !== true) return [];
  return leftFailed ?? 'everything';
}

/** A self-heal names objects without their namespaces, and people name them with these. One that the Application does
 *  not show yet stays as it is. Each once: whoever may write an Application may name and show one thousands of
 *  times. */
function inNamespaces(objects: readonly ObjectName[], { resources }: Application): readonly ObjectName[] {
  if (objects.every(({ namespace }) => namespace !== '')) return objects;
  const byName = Map.groupBy(distinct(resources), nameKey);
  return distinct(objects).flatMap((each) => {
    const shown = each.namespace === '' ? byName.get(nameKey(each)) : undefined;
    return shown?.map(({ namespace }) => ({ ...each, namespace })) ?? [each];
  });
}

/** Both lists may be thousands long. */
function writtenBy({ results }: Operation): (object: ObjectName) => boolean {
  const written = Map.groupBy(results, objectKey);
  return (object) => {
    const own = written.get(objectKey(object)) ?? [];
    return own.length > 0 && own.every(({ status }) => writtenStatuses.includes(status));
  };
}

/** Both lists may be thousands long. */
function isNotAmong(asked: readonly ObjectName[]): (object: ObjectName) => boolean {
  const objects = new Set(asked.map(objectKey));
  const names = new Set(asked.filter(({ namespace }) => namespace === '').map(nameKey));
  return (object) => !objects.has(objectKey(object)) && !names.has(nameKey(object));
}

function nameKey({ group, kind, name }: ObjectName): string {
  return JSON.stringify([group, kind, name]);
}

function distinct(objects: readonly ObjectName[]): readonly ObjectName[] {
  return [...new Map(objects.map((each) => [objectKey(each), each])).values()];
}

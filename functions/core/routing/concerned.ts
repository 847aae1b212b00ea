import type { ApplicationRef } from '../argocd/application.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Route, SetRoute } from './route.ts';

/** An Application that a push concerns. */
export interface Concerned {
  readonly route: Route;
  /** For people: which source by which rule, or through which parent. */
  readonly why: string;
  /** Empty: the push concerns it directly. Otherwise all that the push concerns and that list it among what they
   *  manage. One of them writes its spec; whoever may write an Application can list any other, so none of them hides
   *  another. */
  readonly through: readonly Writer[];
  /** Of one that the push concerns directly: all that the push concerns as well and that list it; absent: none. */
  readonly writers?: readonly Writer[] | undefined;
}

/** An Application or ApplicationSet that writes the spec of others. */
export interface Writer extends ApplicationRef {
  /** If it is an ApplicationSet. */
  readonly set?: SetRoute | undefined;
}

/** Each Application once, with all that list it: several Argo CD instances may have parents of one. */
export function eachOnce(all: readonly Concerned[]): readonly Concerned[] {
  return [...Map.groupBy(all, ({ route }) => syncHoldId(route.ref)).values()].flatMap((same) => {
    const first = same.find(({ through }) => through.length === 0) ?? same[0];
    if (first === undefined || same.length === 1) return same;
    const writers = distinct(same.flatMap((each) => [...each.through, ...(each.writers ?? [])]));
    if (first.through.length > 0) return [{ ...first, through: writers }];
    return [writers.length === 0 ? first : { ...first, writers }];
  });
}

function distinct(writers: readonly Writer[]): readonly Writer[] {
  const keyOf = (writer: Writer) => JSON.stringify([syncHoldId(writer), writer.set !== undefined]);
  return [...new Map(writers.map((writer) => [keyOf(writer), writer])).values()];
}

import type { ApplicationRef } from '../argocd/application.ts';
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

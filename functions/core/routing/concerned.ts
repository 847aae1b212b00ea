import type { ApplicationRef } from '../argocd/application.ts';
import type { Route, SetRoute } from './route.ts';

/** An Application that a push concerns. */
export interface Concerned {
  readonly route: Route;
  /** For people: which source by which rule, or through which parent. */
  readonly why: string;
  /** Set if the push concerns it only through the Application or ApplicationSet that writes its spec; undefined:
   *  directly. */
  readonly through: Writer | undefined;
}

/** An Application or ApplicationSet that writes the spec of others. */
export interface Writer extends ApplicationRef {
  /** If it is an ApplicationSet. */
  readonly set?: SetRoute | undefined;
}

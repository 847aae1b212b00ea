import type { ApplicationRef } from '../argocd/application.ts';
import type { Route, SetRoute } from './route.ts';

/** An Application that a push concerns. */
export interface Concerned {
  readonly route: Route;
  /** In words: which source, by which rule; or through whom. */
  readonly why: string;
  /** The push concerns it only because it concerns the Application, or the ApplicationSet, that writes this one's
   *  spec; undefined: by itself. */
  readonly through: Writer | undefined;
}

/** An Application, or an ApplicationSet, that writes the spec of others. */
export interface Writer extends ApplicationRef {
  /** Of an ApplicationSet. */
  readonly set?: SetRoute | undefined;
}

import { counted } from '../../../functions/core/text/phrases.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { foreignBindings, type GrantedRights, pausingBindings } from './granted-rights.ts';
import { objectName, objectPath } from './object-path.ts';

/** What others have made that gives the account rights, for people. */
export interface ForeignRights {
  /** To pools: what is let go while these stand may be paused again. */
  readonly pausing: readonly string[];
  readonly others: readonly string[];
}

/** Whoever administers a namespace may make any number of bindings there. */
const namedAtMost = 20;

/** @param objects what is to be removed */
export function foreignRights(
  rights: GrantedRights,
  { namespace, objects }: { readonly namespace: string; readonly objects: readonly KubeObject[] },
): ForeignRights {
  const own = new Set(objects.map(objectPath));
  const pausing = pausingBindings(rights, namespace).filter((each) => !own.has(objectPath(each)));
  const paths = new Set(pausing.map(objectPath));
  const others = foreignBindings(rights, namespace).filter((each) => !paths.has(objectPath(each)));
  const more = others.length - namedAtMost;
  return {
    pausing: pausing.map(
      (each) =>
        `${objectName(each)}: made by others, and lets the account pause pools: nothing is let go while it does; take the account out there, and repeat`,
    ),
    others: [
      ...others
        .slice(0, namedAtMost)
        .map((each) => `${objectName(each)}: stays, made by others, and names the account: take it out there`),
      ...(more > 0 ? [`${counted(more, 'more binding')} of others: the same`] : []),
    ],
  };
}

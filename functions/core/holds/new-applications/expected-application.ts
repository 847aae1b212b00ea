import type { Application, ApplicationRef } from '../../argocd/application.ts';
import { type AffectedPools, affectedPools, type LiveObjects } from '../../impact/affected-pools.ts';
import type { Change } from '../../openshift/manifest.ts';
import type { Push } from '../../routing/awaited-push.ts';

/** An Application that a push will create and sync, or those that an ApplicationSet will generate from it. */
export interface ExpectedApplication {
  /** `sync/...` of the expected Application; `set/...` of the ApplicationSet, because the names of the Applications it
   *  will generate are unknown. */
  readonly id: string;
  readonly ref: ApplicationRef;
  /** Configured cluster that it will deploy to. */
  readonly cluster: string;
  readonly push: Push;
  /** What it will write, as far as the changed files show. */
  readonly change: Change;
  /** Others will create it as well, or so it seems: which one does is unknown. Absent: no. */
  readonly hasSeveralWriters?: boolean | undefined;
  /** Pools that its annotation will name. */
  readonly named?: Application['named'];
}

/** The id of the hold for what an ApplicationSet will generate. */
export function setHoldId({ argocd, namespace, name }: ApplicationRef): string {
  return `set/${argocd}/${namespace}/${name}`;
}

/** The ApplicationSet that such a hold is for; undefined for holds of other kinds. */
export function setOfHold(id: string): ApplicationRef | undefined {
  const [kind, argocd, namespace, name] = id.split('/');
  if (kind !== 'set' || argocd === undefined || namespace === undefined || name === undefined) return undefined;
  return { argocd, namespace, name };
}

/** Which pools its first sync may make the MCO roll: all of them if its content is not fully known, until Argo CD has
 *  compared it. */
export function poolsOfExpected({ ref, named, change }: ExpectedApplication, live: LiveObjects): AffectedPools {
  const commit = change.to ?? '';
  const affected = affectedPools(
    { ...applicationExpected({ ref, named }), sync: { status: 'Synced', revisions: [commit] } },
    live,
    change,
  );
  if (affected.isExact) return affected;
  const [gap] = change.unknown;
  const why = `it is new, and the push does not contain all of it (${gap?.path}: ${gap?.why})`;
  return { pools: live.pools.map(({ name }) => name), why, reasons: [], isExact: false };
}

/** As Argo CD will see it before it has compared it. */
export function applicationExpected({ ref, named }: Pick<ExpectedApplication, 'ref' | 'named'>): Application {
  return { ...notMadeYet, ...ref, named };
}

const notMadeYet: Omit<Application, 'argocd' | 'namespace' | 'name'> = {
  uid: '',
  annotations: {},
  destination: { server: '', name: '' },
  sources: [],
  automated: true,
  retryLimit: 0,
  sync: { status: '', revisions: [] },
  health: '',
  resources: [],
  operationQueued: false,
  operation: undefined,
};

/** Is the hold for an Application that no pass has seen yet? */
export function isForExpected({
  id,
  via,
  uid,
}: {
  readonly id: string;
  readonly via?: object | undefined;
  readonly uid?: string | undefined;
}): boolean {
  return setOfHold(id) !== undefined || (via !== undefined && uid === undefined);
}

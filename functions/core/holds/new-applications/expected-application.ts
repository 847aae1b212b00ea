import type { Application, ApplicationRef } from '../../argocd/application.ts';
import { type AffectedPools, affectedPools, type LiveObjects } from '../../impact/affected-pools.ts';
import type { Change } from '../../openshift/manifest.ts';
import type { Push } from '../../routing/awaited-push.ts';

/** An Application that a push will have made and synced, or those that it will have an ApplicationSet make. */
export interface ExpectedApplication {
  /** `sync/...` of the Application to come; `set/...` of the ApplicationSet, for nobody knows the names of what it
   *  will make. */
  readonly id: string;
  readonly ref: ApplicationRef;
  /** Configured cluster that it will deploy to. */
  readonly cluster: string;
  readonly push: Push;
  /** What it will write, as far as the changed files tell. */
  readonly change: Change;
  readonly annotations: Application['annotations'];
}

/** The id of the hold for what an ApplicationSet is to make. */
export function setHoldId({ argocd, namespace, name }: ApplicationRef): string {
  return `set/${argocd}/${namespace}/${name}`;
}

/** The ApplicationSet that such a hold is for; undefined for holds of other kinds. */
export function setOfHold(id: string): ApplicationRef | undefined {
  const [kind, argocd, namespace, name] = id.split('/');
  if (kind !== 'set' || argocd === undefined || namespace === undefined || name === undefined) return undefined;
  return { argocd, namespace, name };
}

/** Which pools its first sync may make the MCO roll: every one where it is not known what it consists of, until Argo
 *  CD has compared it. */
export function poolsOfExpected({ ref, annotations, change }: ExpectedApplication, live: LiveObjects): AffectedPools {
  const commit = change.to ?? '';
  const touch = affectedPools(
    { ...notMadeYet, ...ref, annotations, sync: { status: 'Synced', revisions: [commit] } },
    live,
    change,
  );
  if (touch.isExact) return touch;
  const [gap] = change.unknown;
  const why = `it is new, and not all that it consists of is part of the push (${gap?.path}: ${gap?.why})`;
  return { pools: live.pools.map(({ name }) => name), why, reasons: [], isExact: false };
}

const notMadeYet: Omit<Application, 'argocd' | 'namespace' | 'name' | 'annotations' | 'sync'> = {
  uid: '',
  destination: { server: '', name: '' },
  sources: [],
  automated: true,
  retryLimit: 0,
  health: '',
  resources: [],
  operationQueued: false,
  operation: undefined,
};

/** Is the hold one for an Application that nobody has seen yet? */
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

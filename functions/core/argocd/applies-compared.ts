import { unique } from '../text/unique.ts';

/** What an operation of an Application is of, and what its status is of, as the API server returns them. */
interface Compared {
  readonly spec: Sourced & { readonly sourceHydrator?: unknown };
  /** `status.sync.comparedTo`: the sources that Argo CD has compared with the cluster. */
  readonly comparedTo: Sourced | null | undefined;
  /** `status.operationState.operation.sync`. */
  readonly asked: (Sourced & { readonly manifests?: unknown }) | null | undefined;
}

interface Sourced {
  readonly source?: unknown;
  readonly sources?: unknown;
}

/** Whether an operation applies what its Application was compared with, at whatever commit: no manifests and no source
 *  of its own, and the spec as it is now. Argo CD writes the spec's own source into an automated operation, and what it
 *  has compared only after that. Source: argo-cd v3.3 controller/appcontroller.go, autoSync, and controller/sync.go,
 *  SyncAppState. */
export function appliesCompared({ spec, comparedTo, asked }: Compared): boolean {
  if (appliesOwnManifests(asked)) return false;
  const isOfSource = isNothing(asked?.source) || isSame(asked?.source, comparedTo?.source);
  const isOfSources = isNothing(asked?.sources) || isSame(asked?.sources, comparedTo?.sources);
  return isOfSource && isOfSources && isComparedTo(spec, comparedTo);
}

/** Whether it applies the manifests that it carries, as of `argocd app sync --local`, and nothing of its Application's
 *  sources. Source: argo-cd controller/state.go, CompareAppState. */
export function appliesOwnManifests(asked: Compared['asked']): boolean {
  return !isNothing(asked?.manifests);
}

/** What a hydrator syncs Argo CD makes up from several fields. Several sources win over one. */
function isComparedTo({ source, sources, sourceHydrator }: Compared['spec'], to: Compared['comparedTo']): boolean {
  if (!isNothing(sourceHydrator)) return true;
  return isNothing(sources) ? isSame(source, to?.source) : isSame(sources, to?.sources);
}

/** Levels of nesting of a source, far more than any has: deeper ones are not compared. */
const mostLevels = 64;

/** Whether two values are the same once Go has left out what is empty. Helm values are written as they are, but for
 *  what is null, which a merge patch takes away. */
function isSame(a: unknown, b: unknown, { level = 0, isEmpty = isNothing } = {}): boolean {
  if (level > mostLevels) return false;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (!isObject(a) || !isObject(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return unique([...left.keys(), ...right.keys()]).every((key) =>
    isSame(left.get(key), right.get(key), {
      level: level + 1,
      isEmpty: key === 'valuesObject' ? isNull : isEmpty,
    }),
  );
}

function isNull(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Whether Go leaves it out of what it writes. */
function isNothing(value: unknown, level = 0): boolean {
  if (isNull(value) || value === '' || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (level > mostLevels || !isObject(value)) return false;
  return Object.entries(value).every(([key, each]) =>
    key === 'valuesObject' ? isNull(each) : isNothing(each, level + 1),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

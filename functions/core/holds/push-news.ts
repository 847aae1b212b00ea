import { type ApplicationRef, isSameApplication } from '../argocd/application.ts';
import { isSameContent } from '../impact/same-content.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Change, ManifestChange } from '../openshift/manifest.ts';
import type { Push } from '../routing/awaited-push.ts';
import type { Concerned, Writer } from '../routing/concerned.ts';
import type { Route, SetRoute } from '../routing/route.ts';
import type { SetNews } from '../routing/set-news.ts';
import { plusSeconds } from '../text/instant.ts';

/** A push, which Applications it concerns, and how to find out what it changes. */
export interface PushFacts {
  /** ISO instant of its receipt. */
  readonly at: string;
  /** Commit it brought; undefined: it deleted a branch or tag. */
  readonly revision: string | undefined;
  /** Commit of the branch before the push. */
  readonly before: string;
  /** Applications of the cluster in question. */
  readonly concerned: readonly Concerned[];
  /** Applications of all clusters: parents that write other Applications' specs deploy to the cluster Argo CD is in. */
  readonly everywhere: readonly Concerned[];
  /** What it changes in the sources of an Application; undefined: the changed files cannot be read. */
  readonly changeFor: ((route: Route) => Change) | undefined;
  /** ApplicationSets that read what was pushed. */
  readonly sets: readonly SetRoute[];
  /** Why such a set may now generate something different; undefined: it does not. */
  readonly newsOf: (set: SetRoute) => SetNews | undefined;
}

/** What a push means to the Applications of one cluster, by sync hold id. */
export interface PushNews {
  readonly pushes: ReadonlyMap<string, Push>;
  /** An Application without an entry: what changes for it is unknown. */
  readonly changes: ReadonlyMap<string, Change>;
  /** Applications that it leaves alone, and why. */
  readonly notes: readonly { readonly about: string; readonly why: string }[];
}

export const noPush: PushNews = { pushes: new Map(), changes: new Map(), notes: [] };

/** Which Applications of a cluster may sync because of a push, and what is new to each. Pure. */
export function pushNews(facts: PushFacts): PushNews {
  const family = familyOf(facts);
  const answers = facts.concerned.map((each) => ({
    id: syncHoldId(each.route.ref),
    answer: answerFor(each, facts, family),
  }));
  return {
    pushes: new Map(answers.flatMap(({ id, answer }) => (answer.kind === 'push' ? [[id, answer.push]] : []))),
    changes: new Map(
      answers.flatMap(({ id, answer }) =>
        answer.kind === 'push' && answer.change !== undefined ? [[id, answer.change]] : [],
      ),
    ),
    notes: answers.flatMap(({ id, answer }) => (answer.kind === 'left alone' ? [{ about: id, why: answer.why }] : [])),
  };
}

type Answer =
  | { readonly kind: 'push'; readonly push: Push; readonly change: Change | undefined }
  | { readonly kind: 'left alone'; readonly why: string };

function answerFor({ route, why, through }: Concerned, facts: PushFacts, family: Family): Answer {
  const { at, revision, before } = facts;
  const change = family.changeOf(route);
  if (through === undefined) return { kind: 'push', push: { at, revision, before, because: why }, change };

  const parent = through.set === undefined ? family.find(through) : undefined;
  if (parent !== undefined && !parent.automated)
    return { kind: 'left alone', why: `${why}, and that one does not sync by itself` };
  if (change !== undefined && change.manifests.length === 0 && change.unknown.length === 0)
    return { kind: 'left alone', why: `${why}, and the push does not change its spec` };
  const via = viaOf(through, facts);
  return { kind: 'push', push: { at, revision: undefined, because: why, via }, change };
}

/** Seconds until an ApplicationSet that polled Git has updated its Applications and Argo CD has compared them. */
const setMakesWithinSeconds = 60;

/** For a parent Application its sync is awaited. An ApplicationSet does not report that it has polled, so a time is. */
export function viaOf(
  { set, argocd, namespace, name }: Writer,
  { at, revision, before }: Pick<PushFacts, 'at' | 'revision' | 'before'>,
): NonNullable<Push['via']> {
  const via = { argocd, namespace, name, before, ...(revision === undefined ? {} : { revision }) };
  if (set === undefined) return via;
  return { ...via, until: plusSeconds(new Date(at), set.looksEverySeconds + setMakesWithinSeconds) };
}

/** Which of the concerned Applications write the specs of which others. */
interface Family {
  find(ref: ApplicationRef): Route | undefined;
  /** What changes for an Application: in its own sources, if concerned, and in its spec. */
  changeOf(route: Route): Change | undefined;
}

function familyOf({ everywhere, changeFor, revision, sets, newsOf }: PushFacts): Family {
  const byId = new Map(everywhere.map((each) => [syncHoldId(each.route.ref), each]));
  const parents = Map.groupBy(
    everywhere.flatMap(({ route }) =>
      [...route.children, ...(route.childSets ?? [])].map((child) => ({ child, route })),
    ),
    ({ child }) => `${child.namespace}/${child.name}`,
  );
  const found = new Map<string, Change | undefined>();

  function changeOf(route: Route): Change | undefined {
    if (changeFor === undefined) return undefined;
    const id = syncHoldId(route.ref);
    if (found.has(id)) return found.get(id);
    // An Application that writes its own spec, or its parent's, adds nothing.
    found.set(id, { manifests: [], unknown: [] });
    const isOwn = byId.get(id)?.through === undefined;
    const own = isOwn ? changeFor(route) : { to: revision, manifests: [], unknown: [] };
    const spec = writersOf(route).flatMap((writer) => specChange(route, changeOf(writer)));
    const change = { ...own, unknown: [...own.unknown, ...spec, ...newsOfSet(route)] };
    found.set(id, change);
    return change;
  }

  function writersOf({ ref, generatedBy }: Route): readonly Route[] {
    const names = [ref.name, ...(generatedBy === undefined ? [] : [generatedBy])];
    return names.flatMap((name) => parents.get(`${ref.namespace}/${name}`) ?? []).map((each) => each.route);
  }

  function newsOfSet({ ref, generatedBy }: Route): Change['unknown'] {
    const isOf = (set: SetRoute) => isSameApplication(set.ref, { ...ref, name: generatedBy ?? '' });
    return sets.filter(isOf).flatMap((set) => newsOf(set) ?? []);
  }

  return { find: (ref) => byId.get(syncHoldId(ref))?.route, changeOf };
}

/** What becomes unknown about it because its parent changes. */
function specChange(route: Route, change: Change | undefined): Change['unknown'] {
  const named = change?.manifests.find((manifest) => isSpecOf(route, manifest));
  if (named !== undefined) {
    const path = named.files[0] ?? '';
    return [{ path, why: named.after === undefined ? 'the Application itself is removed' : 'its own spec changes' }];
  }
  return change?.unknown.slice(0, 1) ?? [];
}

function isSpecOf({ ref, generatedBy }: Route, { before, after }: ManifestChange): boolean {
  const manifest = after ?? before;
  if (manifest?.group !== 'argoproj.io' || !['', ref.namespace].includes(manifest.namespace)) return false;
  const isIt =
    (manifest.kind === 'Application' && manifest.name === ref.name) ||
    (manifest.kind === 'ApplicationSet' && manifest.name === generatedBy);
  return isIt && !isSameContent(before?.body['spec'], after?.body['spec']);
}

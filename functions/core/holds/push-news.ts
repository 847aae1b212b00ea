import { type ApplicationRef, isSameApplication } from '../argocd/application.ts';
import { ApplicationSpec, specOf } from '../argocd/application-spec.ts';
import { isSameContent } from '../impact/same-content.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Change, Manifest, ManifestChange } from '../openshift/manifest.ts';
import { memberOf } from '../openshift/member.ts';
import type { Push } from '../routing/awaited-push.ts';
import type { Concerned, Writer } from '../routing/concerned.ts';
import type { Route, SetRoute } from '../routing/route.ts';
import type { SetNews } from '../routing/set-news.ts';
import { given } from '../text/given.ts';
import { ifGiven } from '../text/if-given.ts';
import { plusSeconds } from '../text/instant.ts';

/** A push, which Applications it concerns, and how to find out what it changes. */
export interface PushFacts {
  /** ISO instant of its receipt. */
  readonly at: string;
  /** Commit it brought; undefined: it deleted a branch or tag. */
  readonly revision: string | undefined;
  /** Commit that an annotated tag names; absent: `revision` is the commit. */
  readonly commit?: string | undefined;
  /** Commit of the branch before the push. */
  readonly before: string;
  /** It moved the branch to a commit that does not follow the one before; absent: it did not. */
  readonly forced?: boolean | undefined;
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
  /** Policy `expectSyncWithin`. */
  readonly expectSyncWithinSeconds: number;
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

function answerFor(
  { route, why, through, writers: rewriting = [] }: Concerned,
  facts: PushFacts,
  family: Family,
): Answer {
  const { at, revision, commit, before } = facts;
  const forced = facts.forced === true ? { forced: true } : {};
  const named = commit === undefined ? {} : { commit };
  const change = family.changeOf(route);
  const syncs = (writer: Writer) => writer.set !== undefined || family.find(writer)?.automated !== false;
  if (through.length === 0) {
    // Its own spec may be in the same commit: until that is written, it is compared as it was.
    const writers = rewriting.filter((writer) => syncs(writer) && family.brings(writer, route));
    const more = { ...followedBy(route, writers, family), ...viaOfAll(writers, facts) };
    return { kind: 'push', push: { at, revision, before, ...named, ...forced, because: why, ...more }, change };
  }

  const bySync = through.filter(syncs);
  if (bySync.length === 0) {
    const doesNot = through.length === 1 ? 'that one does not sync by itself' : 'none of them syncs by itself';
    return { kind: 'left alone', why: `${why}, and ${doesNot}` };
  }
  const writers = bySync.filter((writer) => family.brings(writer, route));
  if (writers.length === 0) {
    const isKnown = change !== undefined && change.unknown.length > 0;
    const doesNot = isKnown ? 'what changes its spec does not sync by itself' : 'the push does not change its spec';
    return { kind: 'left alone', why: `${why}, and ${doesNot}` };
  }
  const more = { ...followedBy(route, writers, family), ...viaOfAll(writers, facts) };
  return { kind: 'push', push: { at, revision: undefined, ...forced, because: why, ...more }, change };
}

/** Whether a sync will follow though its automated sync is off: its set starts it, or what the push writes turns that
 *  on. */
function followedBy(route: Route, writers: readonly Writer[], family: Family): Pick<Push, 'isFollowed'> {
  const isFollowed = route.rollsWithSet === true || writers.some((writer) => family.automates(writer, route));
  return isFollowed ? { isFollowed } : {};
}

/** Several may list one Application, and no sync of one shows that the one that writes it has synced: as long as a sync
 *  may be waited for is waited. A set is told by the Application itself, which it owns. */
function viaOfAll(
  writers: readonly Writer[],
  facts: Pick<PushFacts, 'at' | 'revision' | 'before' | 'expectSyncWithinSeconds'>,
): Pick<Push, 'via' | 'claimants'> {
  const [writer, ...others] = writers.toSorted((a, b) => Number(b.set !== undefined) - Number(a.set !== undefined));
  if (writer === undefined) return {};
  const via = viaOf(writer, facts);
  if (writer.set !== undefined || others.length === 0) return { via };
  const until = plusSeconds(new Date(facts.at), facts.expectSyncWithinSeconds);
  return { via: { ...via, until }, claimants: writers.map((each) => ({ ...viaOf(each, facts), until })) };
}

/** Seconds until an ApplicationSet that polled Git has updated its Applications and Argo CD has compared them. */
const setMakesWithinSeconds = 60;

/** For a parent Application its sync is awaited. An ApplicationSet does not report that it has polled, so a time is. */
export function viaOf(
  { set, argocd, namespace, name }: Writer,
  { at, revision, before }: Pick<PushFacts, 'at' | 'revision' | 'before'>,
): NonNullable<Push['via']> {
  const via = { argocd, namespace, name, before, ...given({ revision }) };
  if (set === undefined) return via;
  return { ...via, until: plusSeconds(new Date(at), set.looksEverySeconds + setMakesWithinSeconds) };
}

/** Which of the concerned Applications write the specs of which others. */
interface Family {
  find(ref: ApplicationRef): Route | undefined;
  /** What changes for an Application: in its own sources, if concerned, and in its spec. */
  changeOf(route: Route): Change | undefined;
  /** Whether what the push changes for the writer may change the spec of the Application. */
  brings(writer: Writer, route: Route): boolean;
  /** Whether the spec that the push makes the writer write has automated sync on. */
  automates(writer: Writer, route: Route): boolean;
}

/** Writers that change, which an Application may have at most one of, as far as they are named. */
const gapsNamed = 5;

type Unknown = Change['unknown'][number];

function familyOf({ everywhere, changeFor, revision, sets, newsOf }: PushFacts): Family {
  const byId = new Map(everywhere.map((each) => [syncHoldId(each.route.ref), each]));
  const parents = Map.groupBy(
    everywhere.flatMap(({ route }) =>
      [...route.children, ...(route.childSets ?? [])].map((child) => ({ child, route })),
    ),
    ({ child }) => `${child.namespace}/${child.name}`,
  );
  const own = new Map<Route, Change>();
  /** What is unknown of each, in the first place: the first gap of its own, or what a writer passes on to it. */
  const gaps = new Map<Route, Unknown | undefined>();

  /** In its own sources. */
  function ownChange(route: Route): Change {
    const isOwn = byId.get(syncHoldId(route.ref))?.through.length === 0;
    const none = { to: revision, manifests: [], unknown: [] };
    const change = own.get(route) ?? (isOwn ? changeFor?.(route) : undefined) ?? none;
    own.set(route, change);
    return change;
  }

  function writersOf(route: Route): ReadonlySet<Route> {
    const { ref, generatedBy } = route;
    const names = [ref.name, ...ifGiven(generatedBy)];
    const all = names.flatMap((name) => parents.get(`${ref.namespace}/${name}`) ?? []);
    // An Application that writes its own spec adds nothing.
    return new Set(all.map((each) => each.route).filter((writer) => writer !== route));
  }

  /** Finds the gaps of an Application and of all above it together: any of them may list any other, so that there may
   *  be circles, and what is asked first must not matter. */
  function findGaps(asked: Route): void {
    const below = routesAbove(asked);
    const passedOn = [...below.keys()];
    for (const writer of passedOn) {
      for (const route of below.get(writer) ?? []) {
        if (takesGap(route, writer) && below.has(route)) passedOn.push(route);
      }
    }
  }

  /** Notes the own gap of it and of all above it that are not known yet. Returns who of them is below each writer. */
  function routesAbove(asked: Route): ReadonlyMap<Route, readonly Route[]> {
    const below = new Map<Route, Route[]>();
    const all = [asked];
    const seen = new Set(all);
    for (const route of all) {
      const own = ownChange(route);
      gaps.set(route, own.unknown[0] ?? namedElsewhere(route, own) ?? newsOfSet(route)[0]);
      for (const writer of writersOf(route)) {
        const written = below.get(writer);
        if (written === undefined) below.set(writer, [route]);
        else written.push(route);
        if (!seen.has(writer) && !gaps.has(writer)) all.push(writer);
        seen.add(writer);
      }
    }
    return below;
  }

  /** Whether it had no gap, and has one now because of its writer. */
  function takesGap(route: Route, writer: Route): boolean {
    const gap = gaps.get(route) === undefined ? specGap(route, writer) : undefined;
    if (gap !== undefined) gaps.set(route, gap);
    return gap !== undefined;
  }

  /** What becomes unknown of an Application because its writer changes. */
  function specGap(route: Route, writer: Route): Unknown | undefined {
    return specChange(route, ownChange(writer)) ?? gaps.get(writer);
  }

  function gapsFound(route: Route): void {
    if (!gaps.has(route)) findGaps(route);
  }

  function changeOf(route: Route): Change | undefined {
    if (changeFor === undefined) return undefined;
    gapsFound(route);
    const change = ownChange(route);
    const spec = [...writersOf(route)].flatMap((writer) => specGap(route, writer) ?? []).slice(0, gapsNamed);
    return { ...change, unknown: [...change.unknown, ...spec, ...newsOfSet(route)] };
  }

  function newsOfSet({ ref, generatedBy }: Route): Change['unknown'] {
    const isOf = (set: SetRoute) => isSameApplication(set.ref, { ...ref, name: generatedBy ?? '' });
    return sets.filter(isOf).flatMap((set) => newsOf(set) ?? []);
  }

  function brings({ set, ...ref }: Writer, route: Route): boolean {
    if (changeFor === undefined) return true;
    if (set !== undefined) return newsOf(set) !== undefined;
    const writer = byId.get(syncHoldId(ref))?.route;
    gapsFound(route);
    return writer === undefined || specGap(route, writer) !== undefined;
  }

  function automates({ set, ...ref }: Writer, route: Route): boolean {
    const writer = set === undefined ? byId.get(syncHoldId(ref))?.route : undefined;
    const written = writer && writtenSpec(route, ownChange(writer))?.after;
    return written !== undefined && isAutomatedBy(written);
  }

  return { find: (ref) => byId.get(syncHoldId(ref))?.route, changeOf, brings, automates };
}

/** An Application that Kustomize builds under another name than its file says: it may be any that the parent writes.
 *  One that the push adds is a new one, whatever its name. */
function namedElsewhere({ children, childSets = [] }: Route, { manifests }: Change): Unknown | undefined {
  const built = builtApplications.get(manifests) ?? manifests.filter(isBuiltApplication);
  builtApplications.set(manifests, built);
  if (built.length === 0) return undefined;
  const written = new Set([...children, ...childSets].map(({ name }) => name));
  const other = built.find(({ before, after }) => !written.has((after ?? before)?.name ?? ''));
  return other && { path: other.files[0] ?? '', why: 'Kustomize may make another Application of it' };
}

/** Thousands of Applications may claim to write what is in the same files. */
const builtApplications = new WeakMap<Change['manifests'], Change['manifests']>();

function isBuiltApplication({ before, after, isBuilt }: ManifestChange): boolean {
  const { group = '', kind = '' } = after ?? before ?? {};
  if (isBuilt !== true || group !== 'argoproj.io' || !['Application', 'ApplicationSet'].includes(kind)) return false;
  return before !== undefined || after === undefined || !isWhole(after);
}

/** What is less is a patch, whose own name need not be that of what it is for. One for another place says where it is
 *  from and goes, and leaves the project, which every Application must have, to its base. */
function isWhole(manifest: Manifest): boolean {
  const spec = specIn(manifest);
  if (spec === undefined || spec.project === '') return false;
  const { destination, sources } = specOf(spec);
  return `${destination.server}${destination.name}` !== '' && sources.some(({ repoURL }) => repoURL !== '');
}

/** What becomes unknown about it because its parent changes. */
function specChange(route: Route, change: Change): Unknown | undefined {
  const named = writtenSpec(route, change);
  if (named === undefined) return undefined;
  const path = named.files[0] ?? '';
  return { path, why: named.after === undefined ? 'the Application itself is removed' : 'its own spec changes' };
}

/** The manifest that its spec comes from, where that changes. */
function writtenSpec(route: Route, change: Change): ManifestChange | undefined {
  const byName = changesByName(change.manifests);
  const names = [route.ref.name, ...(route.generatedBy === undefined ? [] : [route.generatedBy])];
  return names.flatMap((name) => byName.get(name) ?? []).find((manifest) => isSpecOf(route, manifest));
}

function isAutomatedBy(manifest: Manifest): boolean {
  const spec = specIn(manifest);
  return spec !== undefined && specOf(spec).automated;
}

/** Of an Application, or of those that an ApplicationSet generates. */
function specIn({ kind, body }: Manifest): ApplicationSpec | undefined {
  const spec = kind === 'ApplicationSet' ? memberOf(memberOf(body['spec'], 'template'), 'spec') : body['spec'];
  return ApplicationSpec.safeParse(spec).data;
}

/** Thousands of Applications ask each of their writers for their own specs. */
function changesByName(manifests: Change['manifests']): ReadonlyMap<string, Change['manifests']> {
  const known = byNames.get(manifests) ?? Map.groupBy(manifests, ({ before, after }) => (after ?? before)?.name ?? '');
  byNames.set(manifests, known);
  return known;
}

const byNames = new WeakMap<Change['manifests'], ReadonlyMap<string, Change['manifests']>>();

function isSpecOf({ ref, generatedBy }: Route, { before, after }: ManifestChange): boolean {
  const manifest = after ?? before;
  if (manifest?.group !== 'argoproj.io' || !['', ref.namespace].includes(manifest.namespace)) return false;
  const isIt =
    (manifest.kind === 'Application' && manifest.name === ref.name) ||
    (manifest.kind === 'ApplicationSet' && manifest.name === generatedBy);
  return isIt && !isSameContent(before?.body['spec'], after?.body['spec']);
}

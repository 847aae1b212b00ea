import { listAt, memberOf } from '../../core/openshift/member.ts';
import { type LostWindows, writerOfWindows } from '../../core/sequences/lost-windows.ts';
import type { HeldApplication, SequenceRecord } from '../../core/sequences/record.ts';
import { hasWindow, windowsHolding, windowsReleasing } from '../../core/sequences/sync-window.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import { clipped, listed } from '../../core/text/phrases.ts';
import { fromAnother } from '../../core/text/rounds.ts';
import { stable } from '../../core/text/stable.ts';
import { type BoundedPorts, late } from './bounded-ports.ts';
import {
  type Against,
  type Became,
  failureOf,
  placeOf,
  projectKey,
  projectPath,
  tried,
  type WindowFailure,
} from './held-place.ts';
import type { SequenceKeepPorts } from './sequence-ports.ts';

type Held = NonNullable<SequenceRecord['held']>;

/** What is to be held back, and what cannot be. */
export interface WantedWindows {
  readonly held: Held;
  /** The namespaces of the Applications, by step. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** Steps whose Applications sync just now. */
  readonly syncing: ReadonlySet<string>;
  /** Steps of which nobody knows where they are to be held back: a window that they have in the record stays. */
  readonly unknown: ReadonlySet<string>;
  readonly failures: readonly WindowFailure[];
}

/** Where windows of a sequence were put back: AppProjects, each once. */
export type WindowsPutBack = Map<string, Omit<LostWindows, 'sequence'>>;

/** What a look finds of windows, also before it fails. */
interface WindowsSeen {
  /** Steps whose window stands where it is wanted, as far as it was seen. */
  readonly stood: Set<string>;
  readonly putBack: WindowsPutBack;
}

/** Steps whose window stood where it is wanted now when a look last saw it. What is to be written or released is not
 *  among them: by whom it was away would not be known. */
export function stoodBefore({ held = {}, stood = [] }: SequenceRecord, wanted: Held): Set<string> {
  return new Set(stood.filter((id) => wanted[id] !== undefined && stable(wanted[id]) === stable(held[id])));
}

/** What became of the windows of a sequence. */
interface WrittenWindows {
  /** What is held now, or may be still. */
  readonly held: Held;
  readonly failures: readonly WindowFailure[];
}

/** Makes the windows of the AppProjects what they should be. What the record has and is not wanted any more is
 *  released. Of one that syncs none is written before that has ended: a window that comes back would stop it half way.
 *  Each AppProject is written by itself: what fails is tried again by the next look.
 *  @param seen is told what stands now, and where a window was away that had stood */
export async function writeWindows(
  wanted: Omit<WantedWindows, 'failures'>,
  record: SequenceRecord,
  seen: WindowsSeen,
  ports: BoundedPorts<SequenceKeepPorts>,
): Promise<WrittenWindows> {
  const kept = new Set(Object.values(wanted.held).map(stable));
  const others = Object.entries(record.held ?? {}).filter(
    ([id, held]) => !Object.hasOwn(wanted.held, id) && !kept.has(stable(held)),
  );
  const released = others.filter(([id]) => !wanted.unknown.has(stepOf(id)));
  const isMoved = ([id]: Entry) => Object.hasOwn(wanted.held, stepOf(id));
  const write = projectWriter(ports);
  // Whose turn has come goes first.
  const free = await write([...released.filter((each) => !isMoved(each)).map(releasing), ...holdings(wanted)]);
  const notHeld = new Set(free.flatMap(({ id, became }) => ('against' in became ? [id] : [])));
  // One that has moved is held back where it is now before its old window goes.
  const moved = released.filter((each) => isMoved(each) && !notHeld.has(stepOf(each[0])));
  const done = [...free, ...(await write(moved.map(releasing)))];
  noteAll(done, wanted.syncing, seen);
  const gone = new Set(done.flatMap(({ id, became }) => ('did' in became ? [id] : [])));
  return {
    held: { ...Object.fromEntries(others.filter(([id]) => !gone.has(id))), ...wanted.held },
    failures: done.flatMap(({ id, held: { cluster }, what, became, isUntried }) =>
      // What stood at the last look is not in doubt where this one had no time for it.
      'did' in became || (isUntried === true && seen.stood.has(id))
        ? []
        : [{ item: clipped(id, 300), cluster, ...became.against, why: `${what}: ${became.against.why}` }],
    ),
  };
}

type Entry = readonly [id: string, held: HeldApplication];

/** The step of an entry of a record, also of one for where an Application was before: two Applications may have one
 *  name. */
function stepOf(id: string): string {
  const place = id.lastIndexOf(movedTo);
  return place < 0 ? id : id.slice(0, place);
}

/** Between a step and the place where its Application was before. */
const movedTo = ' in ';

/** A window that is to be written or released. */
interface WindowChange {
  readonly id: string;
  readonly held: HeldApplication;
  /** What is so where it fails, in words. */
  readonly what: string;
  readonly change: typeof windowsReleasing;
}

interface ChangedWindow extends WindowChange {
  readonly became: Became<WindowSeen | undefined>;
  /** No time was left to try. */
  readonly isUntried?: boolean;
}

function releasing([id, held]: Entry): WindowChange {
  return { id, held, what: 'it may be held back still', change: windowsReleasing };
}

function holdings({
  held: wanted,
  namespaces,
  syncing,
}: Pick<WantedWindows, 'held' | 'namespaces' | 'syncing'>): readonly WindowChange[] {
  return Object.entries(wanted).map(([id, held]) => ({
    id,
    held,
    what: 'whether it is held back is not known',
    change: (project, name) => (syncing.has(id) ? undefined : windowsHolding(project, name, namespaces[id] ?? '')),
  }));
}

/** Seconds after which AppProjects that are left wait for the next look: what begins has the rest of the time for
 *  looks, also after a call that is slow. */
const windowsAtMost = 7;

/** AppProjects of one cluster that are asked for at once: one that is slow takes only its own time. */
const projectsAtOnce = 8;

/** Writes windows: the clusters beside each other, and of each some AppProjects, each minute others first. One that has
 *  failed is not tried again: whatever is in it fails with it. */
function projectWriter(ports: BoundedPorts<SequenceKeepPorts>) {
  const end = plusSeconds(ports.clock(), windowsAtMost);
  const isLate = () => ports.isLate() || isPast(end, ports.clock());
  const minute = Math.floor(ports.clock().getTime() / 60_000);
  const failed = new Map<string, Against>();

  async function writeIn(key: string, place: HeldApplication, changes: readonly WindowChange[]) {
    const against = failed.get(key);
    if (against !== undefined) return changes.map((each) => ({ ...each, became: { against } }));
    const isUntried = isLate();
    const became = await tried(placeOf(place), async () => {
      if (isUntried) throw late();
      return writeAll(place, changes, ports);
    });
    if ('did' in became) return changes.map((each, at) => ({ ...each, became: { did: became.did[at] } }));
    if (!isUntried) {
      failed.set(key, became.against);
      ports.logger.warn('sync windows could not be written', { project: placeOf(place), why: became.against.why });
    }
    return changes.map((each) => ({ ...each, became, isUntried }));
  }

  async function writeOn(all: readonly WindowChange[]): Promise<readonly ChangedWindow[]> {
    const done: ChangedWindow[] = [];
    const [releases, holds] = [true, false].map((which) => [
      ...Map.groupBy(
        all.filter((each) => isRelease(each) === which),
        ({ held }) => projectKey(held),
      ).values(),
    ]);
    // Those for which a look has no time are among the first of a later one.
    const inTurn = [releases, holds].flatMap((lists = []) => fromAnother(lists, minute * projectsAtOnce));
    const lists = inTurn.values();
    const last = new Map<string, Promise<unknown>>();
    const writeNext = async () => {
      for (const changes of lists) {
        const [first] = changes;
        if (first === undefined) continue;
        const key = projectKey(first.held);
        // One write of an AppProject after the other: each is of what the one before has left.
        const writing = Promise.resolve(last.get(key)).then(() => writeIn(key, first.held, changes));
        last.set(key, writing);
        done.push(...(await writing));
      }
    };
    await Promise.all(Array.from({ length: projectsAtOnce }, writeNext));
    return done;
  }

  return async (all: readonly WindowChange[]): Promise<readonly ChangedWindow[]> => {
    const lists = [...Map.groupBy(all, ({ held }) => held.cluster).values()];
    const done = (await Promise.all(lists.map(writeOn))).flat();
    // In the order given, whichever came first: it is in alerts.
    const byId = new Map(done.map((each) => [each.id, each]));
    return all.flatMap(({ id }) => byId.get(id) ?? []);
  };
}

function isRelease({ change }: WindowChange): boolean {
  return change === windowsReleasing;
}

function noteAll(done: readonly ChangedWindow[], syncing: ReadonlySet<string>, seen: WindowsSeen): void {
  const held = done.filter((each) => !isRelease(each));
  const later: ChangedWindow[] = [];
  for (const each of held) {
    const { became } = each;
    if ('against' in became) continue;
    // Who took it away is told when it is put back.
    if (!syncing.has(each.id) || became.did?.stands === true) note([each.id, each.held], became.did, seen);
    else later.push(each);
  }
  // What was taken away at one time is told once.
  for (const { id, held: of } of later) if (seen.putBack.has(projectKey(of))) seen.stood.delete(id);
}

function note(
  [id, held]: readonly [string, HeldApplication],
  window: WindowSeen | undefined,
  { stood, putBack }: WindowsSeen,
): void {
  if (window === undefined) return;
  const isLost = stood.has(id) && window.isPutBack;
  if (window.stands) stood.add(id);
  else stood.delete(id);
  const { cluster, namespace, project } = held;
  const key = projectKey(held);
  if (isLost && !putBack.has(key)) putBack.set(key, { cluster, namespace, project, ...writerOfWindows(window.found) });
}

/** Takes a window away that no sequence has any more. False: there is none. Throws Transient. */
export async function releaseWindow(held: HeldApplication, ports: SequenceKeepPorts): Promise<boolean> {
  const [seen] = await writeAll(held, [{ held, change: windowsReleasing }], ports);
  return seen !== undefined && hasWindow(seen.found, held.application);
}

/** What became of the window for an Application. */
interface WindowSeen {
  /** The AppProject as it was before. */
  readonly found: unknown;
  /** Ours is there now. Where the guard of the Application has its own, or somebody an equal one, it is not. */
  readonly stands: boolean;
  /** It was not there before. */
  readonly isPutBack: boolean;
}

/** Of each change; undefined: the AppProject is not there, or may not be written. */
type WindowsOfProject = readonly (WindowSeen | undefined)[];

/** What became of each change to an AppProject, all by one write. Throws Transient. */
async function writeAll(
  { cluster: name, namespace, project }: HeldApplication,
  changes: readonly Pick<WindowChange, 'held' | 'change'>[],
  ports: SequenceKeepPorts,
): Promise<WindowsOfProject> {
  const { reader, writer } = await ports.cluster(name);
  const path = projectPath(namespace, project);
  const found = await reader.read({ path, query: {} });
  if (found.kind === 'failed') throw failureOf(found);
  if (found.kind !== 'found') return [];
  const metadata = memberOf(found.body, 'metadata');
  const written: string[] = [];
  let now: unknown = found.body;
  for (const { held, change } of changes) {
    const syncWindows = change(now, held.application);
    if (syncWindows === undefined) continue;
    written.push(held.application);
    now = { metadata, spec: { syncWindows } };
  }
  if (written.length > 0) {
    const syncWindows = listAt(memberOf(now, 'spec'), 'syncWindows');
    // No window at all is no list, as it was before the first.
    const spec = { syncWindows: syncWindows.length === 0 ? null : syncWindows };
    await writer?.patch(path, { metadata: { resourceVersion: memberOf(metadata, 'resourceVersion') }, spec });
    const application = listed(written, 5);
    ports.logger.info('sync windows written', { cluster: name, project, application, windows: syncWindows.length });
    if (writer === undefined) return [];
  }
  return changes.map(({ held: { application } }) => {
    const stands = hasWindow(now, application);
    return { found: found.body, stands, isPutBack: stands && !hasWindow(found.body, application) };
  });
}

/** What is to be in the record before windows are written: also those that Applications have where they were before. */
export function heldWith(before: SequenceRecord['held'], wanted: Held): Held {
  const moved = Object.entries(before ?? {}).filter(
    ([id, held]) => wanted[id] !== undefined && stable(wanted[id]) !== stable(held),
  );
  return {
    ...before,
    ...Object.fromEntries(moved.map(([id, held]) => [`${id}${movedTo}${held.namespace}/${held.project}`, held])),
    ...wanted,
  };
}

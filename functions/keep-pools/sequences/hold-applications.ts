import { isBlockedByWindow } from '../../core/argocd/application.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import type { Answer } from '../../core/findings/question.ts';
import { accepts } from '../../core/guard/app-project.ts';
import { listAt, mappingAt, memberOf, textAt } from '../../core/openshift/member.ts';
import type { SequenceJudgement } from '../../core/sequences/judge-sequence.ts';
import { type LostWindows, writerOfWindows } from '../../core/sequences/lost-windows.ts';
import { type PlannedStep, planOf, type SequencePlan } from '../../core/sequences/plan.ts';
import {
  type HeldApplication,
  parseSequenceRecord,
  type SequenceRecord,
  withLog,
} from '../../core/sequences/record.ts';
import { hasWindow, windowsHolding, windowsReleasing } from '../../core/sequences/sync-window.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import { clipped, listed } from '../../core/text/phrases.ts';
import { stable } from '../../core/text/stable.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import { type BoundedPorts, late } from './bounded-ports.ts';
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

/** What keeps the Application of a step from being held back, or from being let go. */
export interface WindowFailure {
  /** The step; of one that has moved, with its former place. */
  readonly item: string;
  readonly cluster: string;
  readonly why: string;
  /** The next look may find it mended. */
  readonly mayPass: boolean;
}

type Against = Pick<WindowFailure, 'why' | 'mayPass'>;

/** What the next look may find mended; anything else is told at once. */
export function mayPass(cause: Transient | Misconfigured): boolean {
  return cause instanceof Transient && ['conflict', 'unreachable', 'busy'].includes(cause.kind);
}

type Became<T> = { readonly did: T } | { readonly against: Against };

/** What a call came to, or why it failed: one Argo CD that is away, or one AppProject that may not be written, keeps no
 *  other Application from being held back.
 *  @param what it is about, in words */
async function tried<T>(what: string, call: () => Promise<T>): Promise<Became<T>> {
  try {
    return { did: await call() };
  } catch (cause) {
    if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
    return { against: { why: `${what}: ${cause.message}`, mayPass: mayPass(cause) } };
  }
}

/** The Applications that a sequence holds back: those whose turn has not come, and that have not begun, in the
 *  AppProject that each is in now, or will be once it is there. One that syncs just now is left alone, because a window
 *  that comes in mid-operation parks it.
 *  Throws Transient where the record names another Application for a step. */
export async function applicationsToHold(
  { plan, judged }: { readonly plan: SequencePlan; readonly judged: SequenceJudgement },
  ports: SequenceKeepPorts,
): Promise<WantedWindows> {
  const { record, turns } = judged;
  if (record.aborted !== undefined) return nothingWanted;
  const waiting = plan.steps.filter(
    ({ id, target }) =>
      target.kind === 'application' &&
      turns.get(id)?.mayGo !== true &&
      record.items[id]?.begunAt === undefined &&
      !Object.hasOwn(record.skipped, id),
  );
  const found = await Promise.all(
    waiting.map(async (step) => ({ step, as: await heldAs(step, record.held?.[step.id], ports) })),
  );
  return {
    held: Object.fromEntries(found.flatMap(({ step, as }) => (as.held === undefined ? [] : [[step.id, as.held]]))),
    namespaces: Object.fromEntries(
      found.flatMap(({ step: { id, target } }) => (target.kind === 'application' ? [[id, target.namespace]] : [])),
    ),
    syncing: new Set(found.flatMap(({ step: { id }, as }) => (as.isMidSync === true ? [id] : []))),
    unknown: new Set(
      found.flatMap(({ step: { id }, as }) => (as.held === undefined && as.against !== undefined ? [id] : [])),
    ),
    failures: found.flatMap(({ step: { id, cluster }, as: { against } }) =>
      against === undefined ? [] : [{ item: id, cluster, ...against }],
    ),
  };
}

const nothingWanted: WantedWindows = {
  held: {},
  namespaces: {},
  syncing: new Set(),
  unknown: new Set(),
  failures: [],
};

/** Where an Application is held back, if it is. */
interface HeldAs {
  readonly held: HeldApplication | undefined;
  /** Why it is not held back where it is now. */
  readonly against?: Against | undefined;
  /** A sync of it runs, and no window has parked it. */
  readonly isMidSync?: boolean | undefined;
}

async function heldAs(
  { id, target }: PlannedStep,
  before: HeldApplication | undefined,
  ports: SequenceKeepPorts,
): Promise<HeldAs> {
  if (target.kind !== 'application') return { held: before };
  const settings = argocdOf(target, ports);
  const known = knownOf(id, before, { target, settings });
  if (settings === undefined) return { held: known };
  const stands = known === undefined ? 'it is not held back' : 'it is held back where it was';
  const what = `${stands}: Application ${target.namespace}/${target.name} of cluster ${settings.cluster}`;
  const now = await tried(what, () => heldNow({ target, settings, known }, ports));
  return 'did' in now ? now.did : { held: known, against: now.against };
}

/** An Application, its Argo CD, and where it is held back already. */
interface ToHold {
  readonly target: Extract<PlannedStep['target'], { readonly kind: 'application' }>;
  readonly settings: ArgoCdSettings;
  readonly known: HeldApplication | undefined;
}

/** Throws Transient and Misconfigured. */
async function heldNow({ target, settings, known }: ToHold, ports: SequenceKeepPorts): Promise<HeldAs> {
  const { reader } = await ports.cluster(settings.cluster);
  const { namespace, name } = target;
  const found = await reader.read({ path: applicationPath(namespace, name), query: {} });
  if (found.kind === 'failed' && known === undefined) throw failureOf(found);
  const now = projectNow(found, known, target);
  if (now === undefined) return { held: known, isMidSync: found.kind === 'found' && isMidSync(found.body) };
  const { project } = now;
  if (project === undefined)
    return { held: known, against: { why: 'its spec.project is the name of no AppProject', mayPass: false } };
  const held = placeIn(project, target, settings);
  const home = held.namespace;
  if (known !== undefined && stable(known) === stable(held)) return { held: known };
  const namesake = await namesakeOf({ namespace, name, project, home }, settings, reader);
  if (namesake === undefined) return { held };
  const why = `${namesake} has its name and is in AppProject ${project} too: a window would hold back both`;
  return { held: known, against: { why, mayPass: false } };
}

/** Its window, as its record has it; undefined: none, or its Argo CD has its projects in another place now, and it is
 *  released where they were. Throws Transient where it is that of another Application. */
function knownOf(
  id: string,
  before: HeldApplication | undefined,
  {
    target,
    settings,
  }: {
    readonly target: Parameters<typeof isOf>[1];
    readonly settings: ArgoCdSettings | undefined;
  },
): HeldApplication | undefined {
  if (before === undefined) return undefined;
  if (before.application !== target.name) throw foreignEntry(id, before);
  return isOf(before, target, settings) ? before : undefined;
}

/** In which AppProject an Application is to be held back; undefined: it stays as it is. One that is not there yet would
 *  sync within seconds of being made. */
function projectNow(
  found: Answer,
  known: HeldApplication | undefined,
  { project }: { readonly project?: string | undefined },
): { readonly project: string | undefined } | undefined {
  switch (found.kind) {
    case 'failed':
      return undefined;
    case 'absent':
      return known === undefined && project !== undefined ? { project } : undefined;
    case 'found':
      return isSyncing(found.body) ? undefined : { project: projectOf(found.body) };
    default:
      return found satisfies never;
  }
}

/** The AppProject that an Application says it is in; undefined: a name that no object has. */
function projectOf(application: unknown): string | undefined {
  const project = memberOf(memberOf(application, 'spec'), 'project');
  return typeof project === 'string' && /^[a-z0-9][a-z0-9.-]{0,252}$/.test(project) ? project : undefined;
}

/** Another Application of the instance that a window for this one would hold back too: windows go by names. One that
 *  only claims the project, from a namespace that the project does not accept, Argo CD never syncs: it does not keep
 *  this one from being held. */
async function namesakeOf(
  { namespace: own, name, project, home }: HeldApplicationIn,
  { namespaces }: ArgoCdSettings,
  reader: ObjectReader,
): Promise<string | undefined> {
  for (const namespace of namespaces) {
    if (namespace === own) continue;
    const found = await reader.read({ path: applicationPath(namespace, name), query: {} });
    // Whoever owns a namespace may delete it and our rights with it: none of theirs keeps this one from being held.
    if (found.kind === 'failed' && found.isForbidden !== true) throw failureOf(found);
    if (found.kind !== 'found' || projectOf(found.body) !== project) continue;
    const sourceNamespaces = await sourceNamespacesOf({ home, project }, reader);
    if (accepts({ namespace: home, sourceNamespaces }, namespace)) return `Application ${namespace}/${name}`;
  }
  return undefined;
}

/** An Application, its AppProject, and the namespace that has the project. */
interface HeldApplicationIn {
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
  readonly home: string;
}

/** Of a project that is not there: none. Throws Transient. */
async function sourceNamespacesOf(
  { home, project }: Pick<HeldApplicationIn, 'home' | 'project'>,
  reader: ObjectReader,
): Promise<readonly string[]> {
  const found = await reader.read({ path: projectPath(home, project), query: {} });
  if (found.kind === 'failed') throw failureOf(found);
  const all = found.kind === 'found' ? listAt(mappingAt(found.body, 'spec'), 'sourceNamespaces') : [];
  return all.filter((each) => typeof each === 'string');
}

/** The namespace of its AppProjects; undefined: that of each Application. */
function homeOf({ controllerNamespace, namespaces }: ArgoCdSettings): string | undefined {
  return controllerNamespace ?? namespaces[0];
}

/** Others may write the record too: it holds back the Application of its step, and no other. */
function isOf(
  { cluster, namespace, application }: HeldApplication,
  target: { readonly namespace: string; readonly name: string },
  settings: ArgoCdSettings | undefined,
): boolean {
  const home = settings && (homeOf(settings) ?? target.namespace);
  return application === target.name && cluster === settings?.cluster && namespace === home;
}

/** Whether AppProjects of an Argo CD that is configured are there. */
function isConfigured(
  { cluster, namespace }: HeldApplication,
  { configuration }: Pick<SequenceKeepPorts, 'configuration'>,
): boolean {
  return configuration.argocd.some((each) => each.cluster === cluster && (homeOf(each) ?? namespace) === namespace);
}

function foreignEntry(id: string, { cluster, namespace, project, application }: HeldApplication): Transient {
  return new Transient(
    `its record says that AppProject ${namespace}/${project} on ${cluster} holds back ${application} for ${id}, which is not so by the configuration: nothing is written there`,
    { kind: 'invalid' },
  );
}

/** The instance that has the Application; undefined: it is not configured. */
function argocdOf(
  { argocd }: { readonly argocd?: string | undefined },
  { configuration }: Pick<SequenceKeepPorts, 'configuration'>,
): ArgoCdSettings | undefined {
  return configuration.argocd.find(({ name }) => argocd === undefined || name === argocd);
}

/** Argo CD takes `operation` away with the patch that writes how it ended. A phase without it is one that nobody runs:
 *  written by hand, or of an operation that somebody took away.
 *  Source: argo-cd, `setOperationState` in controller/appcontroller.go. */
function isSyncing(application: unknown): boolean {
  return memberOf(application, 'operation') !== undefined;
}

function isMidSync(application: unknown): boolean {
  const state = memberOf(memberOf(application, 'status'), 'operationState');
  const isHeldBack = memberOf(state, 'phase') === 'Running' && isBlockedByWindow(textAt(state, 'message') ?? '');
  return isSyncing(application) && !isHeldBack;
}

/** Taking a window away wakes nobody: Argo CD is asked to look at an Application that may sync, until it does.
 *  What fails is tried again by the next tick; Argo CD looks by itself every few minutes. */
export async function refreshApplication({ target }: PlannedStep, ports: SequenceKeepPorts): Promise<void> {
  if (target.kind !== 'application') return;
  const settings = argocdOf(target, ports);
  if (settings === undefined) return;
  try {
    await (await ports.argocd(settings.name)).refresh(target);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('Argo CD could not be asked to look', { application: target.name, why: cause.message });
  }
}

/** The record without windows in places of an Argo CD that is not configured any more, or never was: nothing is written
 *  there, and whatever else the sequence has goes on. */
export function withoutForeign(record: SequenceRecord, ports: Pick<SequenceKeepPorts, 'configuration' | 'clock'>) {
  const entries = Object.entries(record.held ?? {});
  const kept = entries.filter(([, held]) => isConfigured(held, ports));
  if (kept.length === entries.length) return record;
  const { held: _, ...rest } = record;
  const at = ports.clock().toISOString();
  const log = entries
    .filter((each) => !kept.includes(each))
    .map(([item, held]) => ({ at, item: clipped(item, 300), what: foreignText(held) }));
  return withLog(kept.length === 0 ? rest : { ...rest, held: Object.fromEntries(kept) }, log);
}

function foreignText(held: HeldApplication): string {
  return `no Argo CD that is configured has ${placeOf(held)}: its window for ${clipped(held.application, 253)} is forgotten, and nothing is written there. Where it still holds back syncs, take it out of spec.syncWindows`;
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

/** Where windows of a sequence were put back: AppProjects, each once. */
export type WindowsPutBack = Map<string, Omit<LostWindows, 'sequence'>>;

/** What a look finds of windows, also before it fails. */
export interface WindowsSeen {
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

/** Writes windows: the clusters beside each other, and of each some AppProjects. One that has failed is not tried
 *  again: whatever is in it fails with it. */
function projectWriter(ports: BoundedPorts<SequenceKeepPorts>) {
  const end = plusSeconds(ports.clock(), windowsAtMost);
  const isLate = () => ports.isLate() || isPast(end, ports.clock());
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
    const lists = Map.groupBy(all, (each) => stable([isRelease(each), projectKey(each.held)])).values();
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

function placeOf({ cluster, namespace, project }: HeldApplication): string {
  return clipped(`AppProject ${namespace}/${project} of cluster ${cluster}`, 300);
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

function projectKey({ cluster, namespace, project }: HeldApplication): string {
  return stable([cluster, namespace, project]);
}

/** Whether a step is the Application that is held back there. */
function holdsApplication(
  { target }: PlannedStep,
  held: HeldApplication,
  ports: Pick<SequenceKeepPorts, 'configuration'>,
): boolean {
  return target.kind === 'application' && isOf(held, target, argocdOf(target, ports));
}

/** Takes a window away that no sequence has any more. False: there is none. Throws Transient. */
export async function releaseWindow(held: HeldApplication, ports: SequenceKeepPorts): Promise<boolean> {
  const [seen] = await writeAll(held, [{ held, change: windowsReleasing }], ports);
  return seen !== undefined && hasWindow(seen.found, held.application);
}

/** Takes the windows of Applications away that may sync, whatever the record says: that of a first cluster that is gone
 *  named them, or one that was lost. What fails is tried again while the Application does not sync.
 *  @param wanted what is held back: another Application of its name, by a window that would be the same */
export async function releaseUnknown(
  steps: readonly PlannedStep[],
  wanted: Held,
  ports: SequenceKeepPorts,
): Promise<void> {
  const kept = new Set(Object.values(wanted).map(stable));
  for (const { target } of steps) {
    if (target.kind !== 'application') continue;
    try {
      const held = await placeNow(target, ports);
      if (held === undefined || kept.has(stable(held))) continue;
      if ((await keptBySequence(held, ports)) === undefined) await releaseWindow(held, ports);
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      ports.logger.warn('windows could not be looked for', { application: target.name, why: cause.message });
    }
  }
}

/** Whether a configured sequence holds an Application back by this window; `waits`: one has the Application, and has
 *  not looked at it yet. Undefined: none. Throws Transient. */
export async function keptBySequence(
  held: HeldApplication,
  ports: SequenceKeepPorts,
): Promise<'kept' | 'waits' | undefined> {
  for (const [name, sequence] of Object.entries(ports.configuration.sequences ?? {})) {
    if (!planOf(name, sequence).steps.some((step) => holdsApplication(step, held, ports))) continue;
    const records = (await ports.cluster(sequence.clusters[0] ?? '')).sequenceRecords;
    const stored = await records?.load(sequence.namespace, name);
    const record = parseSequenceRecord(stored?.text ?? '');
    if (record === 'unreadable') return 'waits';
    if (Object.values(record.held ?? {}).some((each) => stable(each) === stable(held))) return 'kept';
  }
  return undefined;
}

/** Where a window for an Application would be; undefined: nobody knows. Throws Transient. */
async function placeNow(
  target: Extract<PlannedStep['target'], { readonly kind: 'application' }>,
  ports: SequenceKeepPorts,
): Promise<HeldApplication | undefined> {
  const { namespace, name } = target;
  const settings = argocdOf(target, ports);
  if (settings === undefined) return undefined;
  const { reader } = await ports.cluster(settings.cluster);
  const found = await reader.read({ path: applicationPath(namespace, name), query: {} });
  if (found.kind === 'failed') throw failureOf(found);
  const project = found.kind === 'found' ? projectOf(found.body) : target.project;
  if (project === undefined) return undefined;
  return placeIn(project, target, settings);
}

/** Where a window for an Application of an AppProject is. */
function placeIn(
  project: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  settings: ArgoCdSettings,
): HeldApplication {
  return { cluster: settings.cluster, namespace: homeOf(settings) ?? namespace, project, application: name };
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

function failureOf({
  why,
  isForbidden,
}: {
  readonly why: string;
  readonly isForbidden?: boolean | undefined;
}): Transient {
  return new Transient(why, { kind: isForbidden === true ? 'forbidden' : 'unreachable' });
}

function projectPath(namespace: string, project: string): string {
  return `${applications(namespace)}/appprojects/${encodeURIComponent(project)}`;
}

function applicationPath(namespace: string, name: string): string {
  return `${applications(namespace)}/applications/${encodeURIComponent(name)}`;
}

function applications(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}`;
}

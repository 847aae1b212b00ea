import { isBlockedByWindow } from '../../core/argocd/application.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import type { Answer } from '../../core/findings/question.ts';
import { accepts } from '../../core/guard/app-project.ts';
import { listAt, mappingAt, memberOf, textAt } from '../../core/openshift/member.ts';
import type { SequenceJudgement } from '../../core/sequences/judge-sequence.ts';
import { type PlannedStep, planOf, type SequencePlan } from '../../core/sequences/plan.ts';
import {
  type HeldApplication,
  parseSequenceRecord,
  type SequenceRecord,
  withLog,
} from '../../core/sequences/record.ts';
import { Transient } from '../../core/text/errors.ts';
import { clipped } from '../../core/text/phrases.ts';
import { stable } from '../../core/text/stable.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import {
  type Against,
  applicationPath,
  argocdOf,
  failureOf,
  isConfigured,
  isOf,
  placeIn,
  placeOf,
  projectOf,
  projectPath,
  tried,
} from './held-place.ts';
import type { SequenceKeepPorts } from './sequence-ports.ts';
import { releaseWindow, type WantedWindows } from './write-windows.ts';

type Held = NonNullable<SequenceRecord['held']>;

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

function foreignEntry(id: string, { cluster, namespace, project, application }: HeldApplication): Transient {
  return new Transient(
    `its record says that AppProject ${namespace}/${project} on ${cluster} holds back ${application} for ${id}, which is not so by the configuration: nothing is written there`,
    { kind: 'invalid' },
  );
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

/** Whether a step is the Application that is held back there. */
function holdsApplication(
  { target }: PlannedStep,
  held: HeldApplication,
  ports: Pick<SequenceKeepPorts, 'configuration'>,
): boolean {
  return target.kind === 'application' && isOf(held, target, argocdOf(target, ports));
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

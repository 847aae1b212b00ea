import type { SequenceJudgement } from '../../core/sequences/judge-sequence.ts';
import { memberOf, type PlannedStep, type SequencePlan } from '../../core/sequences/plan.ts';
import type { HeldApplication, SequenceRecord } from '../../core/sequences/record.ts';
import { windowsHolding, windowsReleasing } from '../../core/sequences/sync-window.ts';
import { Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** The Applications that a sequence holds back: those whose turn has not come, and that have not begun. One that syncs
 *  just now is left alone, because a window that comes in mid-operation parks it.
 *  Throws Transient where an Application cannot be read. */
export async function applicationsToHold(
  { plan, judged }: { readonly plan: SequencePlan; readonly judged: SequenceJudgement },
  ports: KeepPorts,
): Promise<SequenceRecord['held']> {
  const { record, turns } = judged;
  if (record.aborted !== undefined) return {};
  const waiting = plan.steps.filter(
    ({ id, target }) =>
      target.kind === 'application' &&
      turns.get(id)?.mayGo !== true &&
      record.items[id]?.begunAt === undefined &&
      !Object.hasOwn(record.skipped, id),
  );
  const held = await Promise.all(waiting.map(async (step) => [step.id, await heldAs(step, judged, ports)] as const));
  return Object.fromEntries(held.flatMap(([id, as]) => (as === undefined ? [] : [[id, as]])));
}

async function heldAs(
  { id, target }: PlannedStep,
  { record }: SequenceJudgement,
  ports: KeepPorts,
): Promise<HeldApplication | undefined> {
  const known = record.held?.[id];
  if (known !== undefined || target.kind !== 'application') return known;
  const settings = ports.configuration.argocd.find(({ name }) => target.argocd === undefined || name === target.argocd);
  if (settings === undefined) return undefined;
  const { reader } = await ports.cluster(settings.cluster);
  const { namespace, name } = target;
  const path = `${applications(namespace)}/applications/${encodeURIComponent(name)}`;
  const found = await reader.read({ path, query: {} });
  if (found.kind === 'failed') throw failureOf(found);
  const project = found.kind === 'found' ? memberOf(memberOf(found.body, 'spec'), 'project') : undefined;
  if (found.kind === 'absent' || typeof project !== 'string' || isSyncing(found.body)) return undefined;
  const home = settings.controllerNamespace ?? settings.namespaces[0] ?? namespace;
  return { cluster: settings.cluster, namespace: home, project, application: name };
}

function isSyncing(application: unknown): boolean {
  const phase = memberOf(memberOf(memberOf(application, 'status'), 'operationState'), 'phase');
  return memberOf(application, 'operation') !== undefined || phase === 'Running' || phase === 'Terminating';
}

/** Taking a window away wakes nobody: Argo CD is asked to look at an Application that may sync, until it does.
 *  What fails is tried again by the next tick; Argo CD looks by itself every few minutes. */
export async function refreshApplication({ target }: PlannedStep, ports: KeepPorts): Promise<void> {
  if (target.kind !== 'application') return;
  const settings = ports.configuration.argocd.find(({ name }) => target.argocd === undefined || name === target.argocd);
  if (settings === undefined) return;
  const path = `${applications(target.namespace)}/applications/${encodeURIComponent(target.name)}`;
  try {
    const { writer } = await ports.cluster(settings.cluster);
    await writer?.patch(path, { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('Argo CD could not be asked to look', { application: target.name, why: cause.message });
  }
}

/** Makes the windows of the AppProjects what they should be. What the record has and is not wanted any more is
 *  released. Returns what is held after that. Throws Transient. */
export async function writeWindows(
  wanted: NonNullable<SequenceRecord['held']>,
  record: SequenceRecord,
  ports: KeepPorts,
): Promise<NonNullable<SequenceRecord['held']>> {
  const released = Object.entries(record.held ?? {}).filter(([id]) => !Object.hasOwn(wanted, id));
  // Whose turn has come goes first: no project that cannot be written keeps the others waiting.
  for (const [, held] of released) await write(held, windowsReleasing, ports);
  for (const [, held] of Object.entries(wanted)) await write(held, windowsHolding, ports);
  return wanted;
}

async function write(
  { cluster: name, namespace, project, application }: HeldApplication,
  change: typeof windowsHolding,
  ports: KeepPorts,
): Promise<void> {
  const { reader, writer } = await ports.cluster(name);
  const path = `${applications(namespace)}/appprojects/${encodeURIComponent(project)}`;
  const found = await reader.read({ path, query: {} });
  if (found.kind === 'failed') throw failureOf(found);
  const syncWindows = found.kind === 'found' ? change(found.body, application) : undefined;
  if (found.kind !== 'found' || syncWindows === undefined) return;
  const resourceVersion = memberOf(memberOf(found.body, 'metadata'), 'resourceVersion');
  await writer?.patch(path, { metadata: { resourceVersion }, spec: { syncWindows } });
  ports.logger.info('sync windows written', { cluster: name, project, application, windows: syncWindows.length });
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

function applications(namespace: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}`;
}

import { mappingAt } from '../../core/openshift/member.ts';
import { checkJobOf } from '../../core/sequences/check-job.ts';
import { resourcePath } from '../../core/sequences/discovery.ts';
import { madeFrom, ownManifest, placeOf, resourceTypeOf } from '../../core/sequences/own-object.ts';
import type { PlannedGate, PlannedStep, SequencePlan } from '../../core/sequences/plan.ts';
import type { FormerObject, MadeObject, SequenceRecord } from '../../core/sequences/record.ts';
import type { ItemReading } from '../../core/sequences/sequence-question.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { clipped } from '../../core/text/phrases.ts';
import { configuredObjects } from './configured-objects.ts';
import { resolveOn } from './discover.ts';
import { findMade } from './find-made.ts';
import type { SequenceCluster, SequenceKeepPorts } from './sequence-ports.ts';

/** Applies the object of a step: tried by the API server first, then written as our field manager, which takes no field
 *  from another. Returns what is to be recorded of it, or what it came to, if it could not be. Undefined: there is
 *  nothing to apply. */
export async function applyObject(
  sequence: string,
  step: PlannedStep,
  ports: SequenceKeepPorts,
): Promise<ItemReading | MadeObject | undefined> {
  if (step.target.kind !== 'object') return undefined;
  const { manifest } = step.target;
  try {
    const cluster = await ports.cluster(step.cluster);
    const path = await pathOf(manifest, cluster, ports.clock());
    if (path === undefined) return undefined;
    const own = ownManifest(sequence, manifest);
    const tried = await cluster.writer?.apply(path, own, 'check');
    // It would be gone a moment later, and said to have been deleted by somebody.
    if (mappingAt(tried, 'metadata')['deletionTimestamp'] !== undefined)
      return { kind: 'unseen', value: 'it could not be applied: it is still being deleted' };
    const applied = await cluster.writer?.apply(path, own, 'write');
    ports.logger.info('object applied', { sequence, step: step.id, cluster: step.cluster });
    return { ...madeFrom(manifest, applied), path };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const about = { sequence, step: step.id, cluster: step.cluster };
    ports.logger.warn('object could not be applied', { ...about, why: cause.message });
    const isPassing = cause.kind === 'unreachable' || cause.kind === 'busy';
    return { kind: isPassing ? 'unseen' : 'refused', value: `it could not be applied: ${cause.message}` };
  }
}

/** Deletes what the sequence applied, as its record says, the last steps first. `left`: the steps and gates of
 *  which something is left. `stay`: in words, what will stay, because another sequence has it. */
export async function removeObjects(
  { name, steps, gates }: SequencePlan,
  { namespace, items }: { readonly namespace: string; readonly items: SequenceRecord['items'] },
  ports: SequenceKeepPorts,
): Promise<{ readonly left: ReadonlySet<string>; readonly stay: readonly string[] }> {
  const left = new Set<string>();
  const stay: string[] = [];
  for (const gate of gates) if (!(await removeJobs({ name, namespace, gate }, ports))) left.add(gate.id);
  for (const step of steps.toReversed()) {
    const made = items[step.id]?.made;
    if (made === undefined) continue;
    try {
      const became = await removeObject(name, { ...step, made }, ports);
      if (became === 'going') left.add(step.id);
      else if (became !== 'gone') stay.push(became.stays);
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      ports.logger.warn('object could not be removed', { sequence: name, step: step.id, why: cause.message });
      left.add(step.id);
    }
  }
  return { left, stay };
}

/** The checks of a gate. */
async function removeJobs(
  { name, namespace, gate }: { readonly name: string; readonly namespace: string; readonly gate: PlannedGate },
  ports: SequenceKeepPorts,
): Promise<boolean> {
  try {
    for (const each of gate.anyOf) {
      const job = checkJobOf(each, { sequence: name, namespace, id: gate.id });
      if (job === undefined) continue;
      const { writer } = await ports.cluster(gate.cluster);
      const path = `/apis/batch/v1/namespaces/${encodeURIComponent(job.namespace)}/jobs/${encodeURIComponent(job.name)}`;
      await writer?.remove(path);
    }
    return true;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('check could not be removed', { sequence: name, gate: gate.id, why: cause.message });
    return false;
  }
}

/** Deletes what the sequence applied and does not plan any more. `former`: what is left of it. `stay`: in words, what
 *  will stay, because nobody here may delete it, or another sequence has it. */
export async function removeFormer(
  sequence: string,
  all: readonly FormerObject[],
  ports: SequenceKeepPorts,
): Promise<{ readonly former: readonly FormerObject[]; readonly stay: readonly string[] }> {
  const former: FormerObject[] = [];
  const stay: string[] = [];
  for (const each of all.toReversed()) {
    const became = await removeOrTell(sequence, each, ports);
    if (became === 'going') former.unshift(each);
    else if (became !== 'gone') stay.push(became.stays);
  }
  return { former, stay };
}

/** What cannot be deleted just now is tried again. */
async function removeOrTell(sequence: string, object: FormerObject, ports: SequenceKeepPorts): Promise<Became> {
  try {
    return await removeMade(sequence, object, ports);
  } catch (cause) {
    if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
    const { path, cluster } = object;
    ports.logger.warn('object could not be removed', { sequence, path, cluster, why: cause.message });
    return cause instanceof Misconfigured || cause.kind === 'forbidden'
      ? { stays: `${path} on ${cluster} stays: ${clipped(cause.message, 300)}` }
      : 'going';
  }
}

/** What became of an object that was made. `gone`: it is not there, or not the one that was made. */
type Became = 'gone' | 'going' | { readonly stays: string };

async function removeObject(
  sequence: string,
  { target, cluster, id, made }: PlannedStep & { readonly made: MadeObject },
  ports: SequenceKeepPorts,
): Promise<Became> {
  if (target.kind !== 'object') return 'gone';
  // Its manifest may have another name by now. A record of an earlier version does not say where it is.
  const path = made.path ?? (await pathOf(target.manifest, await ports.cluster(cluster), ports.clock()));
  if (path === undefined) return 'gone';
  const became = await removeMade(sequence, { cluster, path, uid: made.uid }, ports);
  if (became === 'going') ports.logger.info('object removed', { sequence, step: id, cluster });
  return became;
}

/** Throws Transient and Misconfigured. */
async function removeMade(
  sequence: string,
  { cluster, path, uid }: FormerObject,
  ports: SequenceKeepPorts,
): Promise<Became> {
  const on = await ports.cluster(cluster);
  const found = await findMade(sequence, { path, uid }, on.reader);
  if (found === undefined) return 'gone';
  for (const other of configuredObjects(cluster, found, ports)) {
    if (other.sequence === sequence) continue;
    const planned = await pathOf(other.manifest, on, ports.clock());
    if (planned !== undefined && unversioned(planned) === unversioned(path))
      return { stays: `${path} on ${cluster} stays: sequence ${other.sequence} has it` };
  }
  await on.writer?.remove(path, uid);
  return 'going';
}

/** An object has one path for each version of its API. */
function unversioned(path: string): string {
  return path.replace(/^(\/apis\/[^/]+)\/[^/]+/, '$1');
}

/** Undefined: the cluster does not know the kind. */
async function pathOf(
  manifest: Readonly<Record<string, unknown>>,
  cluster: SequenceCluster,
  now: Date,
): Promise<string | undefined> {
  const resolved = await resolveOn(cluster, resourceTypeOf(manifest), now);
  if (resolved.kind === 'failed') throw new Transient(resolved.why);
  return resolved.kind === 'unknown' ? undefined : resourcePath(resolved.resource, placeOf(manifest));
}

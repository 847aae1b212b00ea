import { checkJobOf } from '../../core/sequences/check-job.ts';
import { resourcePath } from '../../core/sequences/discovery.ts';
import type { ItemReading } from '../../core/sequences/judge-sequence.ts';
import { isOwnObject, ownManifest, placeOf, resourceTypeOf } from '../../core/sequences/own-object.ts';
import type { PlannedGate, PlannedStep, SequencePlan } from '../../core/sequences/plan.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { resolveOn } from './discover.ts';

/** Applies the object of a step: tried by the API server first, then written as our field manager, which takes no field
 *  from another. Says what it came to, if it could not be. Undefined: applied, or there is nothing to apply. */
export async function applyObject(
  sequence: string,
  step: PlannedStep,
  ports: KeepPorts,
): Promise<ItemReading | undefined> {
  if (step.target.kind !== 'object') return undefined;
  const { manifest } = step.target;
  try {
    const cluster = await ports.cluster(step.cluster);
    const path = await pathOf(manifest, cluster, ports.clock());
    if (path === undefined) return undefined;
    const own = ownManifest(sequence, manifest);
    await cluster.writer?.apply(path, own, 'check');
    await cluster.writer?.apply(path, own, 'write');
    ports.logger.info('object applied', { sequence, step: step.id, cluster: step.cluster });
    return undefined;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const isPassing = cause.kind === 'unreachable' || cause.kind === 'busy';
    return { kind: isPassing ? 'unseen' : 'refused', value: `it could not be applied: ${cause.message}` };
  }
}

/** Deletes what the sequence applied, the last steps first. True: nothing of it is left. */
export async function removeObjects(
  { name, steps, gates }: SequencePlan,
  namespace: string,
  ports: KeepPorts,
): Promise<boolean> {
  let isGone = true;
  for (const gate of gates) if (!(await removeJobs({ name, namespace, gate }, ports))) isGone = false;
  for (const step of steps.toReversed()) {
    try {
      if (!(await removeObject(name, step, ports))) isGone = false;
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      ports.logger.warn('object could not be removed', { sequence: name, step: step.id, why: cause.message });
      isGone = false;
    }
  }
  return isGone;
}

/** The checks of a gate. */
async function removeJobs(
  { name, namespace, gate }: { readonly name: string; readonly namespace: string; readonly gate: PlannedGate },
  ports: KeepPorts,
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

/** True: it is not there, or not ours. */
async function removeObject(
  sequence: string,
  { target, cluster: name, id }: PlannedStep,
  ports: KeepPorts,
): Promise<boolean> {
  if (target.kind !== 'object') return true;
  const cluster = await ports.cluster(name);
  const path = await pathOf(target.manifest, cluster, ports.clock());
  if (path === undefined) return true;
  const found = await cluster.reader.read({ path, query: {}, form: 'metadata' });
  if (found.kind === 'failed') throw new Transient(found.why);
  if (found.kind === 'absent' || !isOwnObject(sequence, found.body)) return true;
  await cluster.writer?.remove(path);
  ports.logger.info('object removed', { sequence, step: id, cluster: name });
  return false;
}

/** Undefined: the cluster does not know the kind. */
async function pathOf(
  manifest: Readonly<Record<string, unknown>>,
  { reader }: ClusterPorts,
  now: Date,
): Promise<string | undefined> {
  const resolved = await resolveOn(reader, resourceTypeOf(manifest), now);
  if (resolved.kind === 'failed') throw new Transient(resolved.why);
  return resolved.kind === 'unknown' ? undefined : resourcePath(resolved.resource, placeOf(manifest));
}

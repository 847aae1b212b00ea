import type { Answer } from '../../core/findings/question.ts';
import { applicationSteps } from '../../core/sequences/application-steps.ts';
import { resourcePath } from '../../core/sequences/discovery.ts';
import { isOfStep } from '../../core/sequences/is-of-step.ts';
import {
  csvNameOf,
  extensionHealth,
  installPlanNameOf,
  type StepHealth,
  subscriptionHealth,
} from '../../core/sequences/operator-health.ts';
import { type KnownObject, objectHealth, placeOf, resourceTypeOf } from '../../core/sequences/own-object.ts';
import { annotatedWave, type PlannedStep, type StepTarget } from '../../core/sequences/plan.ts';
import type { ItemReading } from '../../core/sequences/sequence-question.ts';
import { applicationHealth, poolHealth } from '../../core/sequences/target-health.ts';
import { Transient } from '../../core/text/errors.ts';
import { resolveOn } from './discover.ts';
import type { SequenceCluster, SequencePorts } from './sequence-ports.ts';

type Target<Kind extends StepTarget['kind']> = Extract<StepTarget, { readonly kind: Kind }>;

export interface StepOfSequence {
  readonly sequence: string;
  readonly step: PlannedStep;
  /** Of its object, from the record. */
  readonly known: KnownObject;
  /** When it began, from the record; undefined: it has not. */
  readonly begunAt?: string | undefined;
}

/** How a step stands on its cluster. */
export async function readStep(
  of: StepOfSequence,
  cluster: SequenceCluster,
  ports: SequencePorts,
): Promise<ItemReading> {
  const { step } = of;
  const { target } = step;
  switch (target.kind) {
    case 'application':
      return readApplication(target, of, ports);
    case 'subscription':
      return readOperator(target, step, cluster);
    case 'pool':
      return readPool(target.name, cluster, ports);
    case 'object':
      return readObject(target, of, cluster, ports);
    case 'check':
      return { kind: 'healthy', value: 'it only waits' };
    default:
      return target satisfies never;
  }
}

async function readPool(name: string, cluster: SequenceCluster, ports: SequencePorts): Promise<ItemReading> {
  const pool = await cluster.pools.readPool(name);
  const steps = applicationSteps(ports.configuration);
  return poolHealth(pool, (hold) => isOfStep(hold, steps));
}

const olm = '/apis/operators.coreos.com/v1alpha1';

async function readOperator(
  { namespace, name, csv: pinned, olm: version }: Target<'subscription'>,
  step: PlannedStep,
  { reader }: SequenceCluster,
): Promise<ItemReading> {
  const read = async (path: string) => seenBody(await reader.read({ path, query: {} }));
  if (version === 'v1') {
    const extension = await read(`/apis/olm.operatorframework.io/v1/clusterextensions/${encodeURIComponent(name)}`);
    return withWave(extensionHealth(extension), step, extension);
  }
  const home = `${olm}/namespaces/${encodeURIComponent(namespace)}`;
  const subscription = await read(`${home}/subscriptions/${encodeURIComponent(name)}`);
  const csvName = pinned ?? csvNameOf(subscription);
  const csv = csvName && (await read(`${home}/clusterserviceversions/${encodeURIComponent(csvName)}`));
  const first = subscriptionHealth(pinned, { subscription, csv, installPlan: undefined });
  const plan = first.kind === 'healthy' ? undefined : installPlanNameOf(subscription);
  const installPlan = plan && (await read(`${home}/installplans/${encodeURIComponent(plan)}`));
  return withWave(subscriptionHealth(pinned, { subscription, csv, installPlan }), step, subscription);
}

async function readApplication(
  { argocd: named, namespace, name }: Target<'application'>,
  { step, begunAt }: StepOfSequence,
  ports: SequencePorts,
): Promise<ItemReading> {
  const settings = ports.configuration.argocd.find((each) => named === undefined || each.name === named);
  if (settings === undefined) return { kind: 'refused', value: 'its Argo CD instance is not configured' };
  const argocd = await ports.argocd(settings.name);
  const health = applicationHealth(await argocd.readApplication({ namespace, name }), { begunAt, now: ports.clock() });
  if (step.wave !== undefined) return health;
  const { reader } = await ports.cluster(settings.cluster);
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${encodeURIComponent(namespace)}/applications/${encodeURIComponent(name)}`;
  const found = seenBody(await reader.read({ path, query: {}, form: 'metadata' }));
  return found === undefined ? { ...health, isWaveUnknown: true } : withWave(health, step, found);
}

async function readObject(
  { manifest }: Target<'object'>,
  { sequence, known }: StepOfSequence,
  cluster: SequenceCluster,
  { clock }: SequencePorts,
): Promise<ItemReading> {
  const resolved = await resolveOn(cluster, resourceTypeOf(manifest), clock());
  if (resolved.kind === 'failed') return { kind: 'unseen', value: resolved.why };
  if (resolved.kind === 'unknown')
    return { kind: 'unhealthy', value: `the cluster does not know its kind yet: ${resolved.why}` };
  const path = resourcePath(resolved.resource, placeOf(manifest));
  const object = seenBody(await cluster.reader.read({ path, query: {}, form: 'metadata' }));
  const health = objectHealth(sequence, manifest, object, known);
  return health.made === undefined ? health : { ...health, made: { ...health.made, path } };
}

/** Throws Transient where nothing is known. */
function seenBody(answer: Answer): unknown {
  if (answer.kind === 'found') return answer.body;
  if (answer.kind === 'absent') return undefined;
  throw new Transient(answer.why, { kind: answer.isForbidden === true ? 'forbidden' : 'unknown' });
}

/** Only where the configuration has no wave. */
function withWave(health: StepHealth, step: PlannedStep, object: unknown): ItemReading {
  if (step.wave !== undefined) return health;
  const found = annotatedWave(object);
  if (found.kind === 'wrong')
    return {
      kind: 'refused',
      value: 'its annotation argocd.argoproj.io/sync-wave is no whole number; Argo CD reads 0',
    };
  return found.kind === 'wave' ? { ...health, wave: found.wave } : health;
}

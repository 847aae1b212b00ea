import { memberOf } from '../openshift/member.ts';
import { clipped } from '../text/phrases.ts';

/** How a step stands on its cluster. `refused`: waiting does not help. */
export interface StepHealth {
  readonly kind: 'healthy' | 'unhealthy' | 'unseen' | 'refused';
  /** In words for people. */
  readonly value: string;
  /** Of what is on its way by itself: seconds until it is told as no longer healthy; absent: at once. */
  readonly patienceSeconds?: number | undefined;
}

/** What was read of an operator. Undefined: it is not there. */
export interface OperatorRead {
  readonly subscription: unknown;
  readonly csv: unknown;
  readonly installPlan: unknown;
}

/** The name of the ClusterServiceVersion that a Subscription is about to have, or has. */
export function csvNameOf(subscription: unknown): string | undefined {
  return textAt(subscription, 'status', 'currentCSV') ?? textAt(subscription, 'status', 'installedCSV');
}

export function installPlanNameOf(subscription: unknown): string | undefined {
  return (
    textAt(subscription, 'status', 'installPlanRef', 'name') ?? textAt(subscription, 'status', 'installplan', 'name')
  );
}

/** An operator of OLM v0 is ready when its Subscription has installed what it wants, or the pinned version, and that
 *  ClusterServiceVersion has succeeded. A plan that waits for approval is told. Source: OLM's v1alpha1 types. */
export function subscriptionHealth(
  pinned: string | undefined,
  { subscription, csv, installPlan }: OperatorRead,
): StepHealth {
  if (subscription === undefined) return unhealthy('the Subscription is not there');
  const installed = textAt(subscription, 'status', 'installedCSV');
  const waits = approvalWaitedFor(installPlan);
  const wanted = pinned ?? textAt(subscription, 'status', 'currentCSV');
  if (wanted === undefined) return unhealthy(waits ?? problemOf(subscription) ?? 'OLM has not resolved it yet');
  if (installed !== wanted) {
    const has = installed === undefined ? 'nothing is installed yet' : `${clipped(installed, 120)} is installed`;
    return unhealthy(waits ?? `${has}, ${clipped(wanted, 120)} is wanted${suffix(problemOf(subscription))}`);
  }
  if (csv === undefined) return unhealthy(`ClusterServiceVersion ${clipped(wanted, 120)} is not there`);
  const phase = textAt(csv, 'status', 'phase') ?? 'unknown';
  if (phase === 'Succeeded') return { kind: 'healthy', value: `${clipped(wanted, 120)} has succeeded` };
  const message = textAt(csv, 'status', 'message');
  return unhealthy(`${clipped(wanted, 120)} is ${clipped(phase, 40)}${suffix(message)}`);
}

/** Of OLM v1: installed, and in the version that is asked for. */
export function extensionHealth(extension: unknown): StepHealth {
  if (extension === undefined) return unhealthy('the ClusterExtension is not there');
  const installed = conditionOf(extension, 'Installed');
  const progressing = conditionOf(extension, 'Progressing');
  if (textAt(installed, 'status') !== 'True')
    return unhealthy(`not installed${suffix(textAt(installed, 'message') ?? textAt(progressing, 'message'))}`);
  const reason = textAt(progressing, 'reason');
  if (textAt(progressing, 'status') === 'True' && reason !== undefined && reason !== 'Succeeded')
    return unhealthy(`${clipped(reason, 60)}${suffix(textAt(progressing, 'message'))}`);
  const version = textAt(extension, 'status', 'install', 'bundle', 'version') ?? 'its version';
  return { kind: 'healthy', value: `${clipped(version, 60)} is installed` };
}

function approvalWaitedFor(installPlan: unknown): string | undefined {
  const isManual = textAt(installPlan, 'spec', 'approval') === 'Manual';
  if (!isManual || memberOf(memberOf(installPlan, 'spec'), 'approved') === true) return undefined;
  const name = textAt(installPlan, 'metadata', 'name') ?? '';
  return `InstallPlan ${clipped(name, 100)} waits for somebody to approve it`;
}

function problemOf(subscription: unknown): string | undefined {
  return ['ResolutionFailed', 'BundleUnpackFailed', 'CatalogSourcesUnhealthy', 'InstallPlanFailed']
    .map((type) => conditionOf(subscription, type))
    .filter((each) => textAt(each, 'status') === 'True')
    .map((each) => textAt(each, 'message') ?? textAt(each, 'reason'))
    .find((each) => each !== undefined);
}

function conditionOf(object: unknown, type: string): unknown {
  const conditions = memberOf(memberOf(object, 'status'), 'conditions');
  return (Array.isArray(conditions) ? conditions : []).findLast((each) => memberOf(each, 'type') === type);
}

function suffix(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `: ${clipped(text, 200)}`;
}

function unhealthy(value: string): StepHealth {
  return { kind: 'unhealthy', value };
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>((at, key) => memberOf(at, key), value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

import { listAt, mappingAt, memberOf } from '../openshift/member.ts';
import { clipped, listed } from '../text/phrases.ts';
import { isOfEarlierGeneration } from './judge-gate.ts';

/** How a step stands on its cluster. `refused`: waiting does not help. */
export interface StepHealth {
  readonly kind: 'healthy' | 'unhealthy' | 'unseen' | 'refused';
  /** In words for people. */
  readonly value: string;
  /** Of what is on its way by itself: seconds until it is told as no longer healthy; absent: at once. */
  readonly patienceSeconds?: number | undefined;
}

/** Seconds: half an hour. Operators upgrade by themselves, most in minutes. */
const ownUpgradeSeconds = 1800;

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
  if (isBeingDeleted(subscription)) return unhealthy('the Subscription is being deleted');
  const installed = textAt(subscription, 'status', 'installedCSV');
  const waits = approvalWaitedFor(installPlan, pinned);
  const wanted = pinned ?? textAt(subscription, 'status', 'currentCSV');
  if (wanted === undefined) return unhealthy(waits ?? problemOf(subscription) ?? 'OLM has not resolved it yet');
  if (installed !== wanted) {
    const has = installed === undefined ? 'nothing is installed yet' : `${clipped(installed, 120)} is installed`;
    const problem = problemOf(subscription);
    const value = waits ?? `${has}, ${clipped(wanted, 120)} is wanted${suffix(problem)}`;
    return pinned === undefined && waits === undefined && problem === undefined ? upgrading(value) : unhealthy(value);
  }
  return csvHealth(wanted, csv);
}

function csvHealth(wanted: string, csv: unknown): StepHealth {
  if (csv === undefined) return unhealthy(`ClusterServiceVersion ${clipped(wanted, 120)} is not there`);
  const phase = textAt(csv, 'status', 'phase') ?? 'unknown';
  if (isBeingDeleted(csv)) return unhealthy(`ClusterServiceVersion ${clipped(wanted, 120)} is being deleted`);
  if (phase === 'Succeeded') return { kind: 'healthy', value: `${clipped(wanted, 120)} has succeeded` };
  const message = textAt(csv, 'status', 'message');
  const value = `${clipped(wanted, 120)} is ${clipped(phase, 40)}${suffix(message)}`;
  return installing.includes(phase) ? upgrading(value) : unhealthy(value);
}

/** Phases of a ClusterServiceVersion on its way to Succeeded. Source: OLM's v1alpha1 types. */
const installing: readonly string[] = ['Pending', 'InstallReady', 'Installing'];

/** Of OLM v1: installed, and in the version that is asked for. */
export function extensionHealth(extension: unknown): StepHealth {
  if (extension === undefined) return unhealthy('the ClusterExtension is not there');
  if (isBeingDeleted(extension)) return unhealthy('the ClusterExtension is being deleted');
  const installed = conditionOf(extension, 'Installed');
  const progressing = conditionOf(extension, 'Progressing');
  if (textAt(installed, 'status') !== 'True')
    return unhealthy(`not installed${suffix(textAt(installed, 'message') ?? textAt(progressing, 'message'))}`);
  const reason = textAt(progressing, 'reason');
  if ([installed, progressing].some((each) => isOfEarlierGeneration(extension, each)))
    return upgrading('OLM has not looked at its present spec yet');
  // False with another reason: what it asks for is not installed, and waiting does not help.
  if (reason !== undefined && reason !== 'Succeeded')
    return unhealthy(`${clipped(reason, 60)}${suffix(textAt(progressing, 'message'))}`);
  const version = textAt(extension, 'status', 'install', 'bundle', 'version') ?? 'its version';
  return { kind: 'healthy', value: `${clipped(version, 60)} is installed` };
}

/** @param pinned the version that must be installed; undefined: whatever the Subscription comes to */
function approvalWaitedFor(installPlan: unknown, pinned: string | undefined): string | undefined {
  const isManual = textAt(installPlan, 'spec', 'approval') === 'Manual';
  if (!isManual || memberOf(memberOf(installPlan, 'spec'), 'approved') === true) return undefined;
  const name = textAt(installPlan, 'metadata', 'name') ?? '';
  const waits = `InstallPlan ${clipped(name, 100)} waits for somebody to approve it`;
  const versions = listAt(mappingAt(installPlan, 'spec'), 'clusterServiceVersionNames').map(String);
  if (versions.length === 0) return waits;
  const shown = listed(versions.map((each) => clipped(each, 120)));
  if (pinned === undefined || versions.includes(pinned)) return `${waits}: it installs ${shown}`;
  return `no InstallPlan brings the pinned ${clipped(pinned, 120)}: ${clipped(name, 100)}, which waits for an approval, installs ${shown}`;
}

function isBeingDeleted(object: unknown): boolean {
  return memberOf(memberOf(object, 'metadata'), 'deletionTimestamp') !== undefined;
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

/** It is on its way by itself. */
function upgrading(value: string): StepHealth {
  return { kind: 'unhealthy', value, patienceSeconds: ownUpgradeSeconds };
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>((at, key) => memberOf(at, key), value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

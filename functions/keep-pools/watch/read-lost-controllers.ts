import { isRunning, type ObservedApplication } from '../../core/argocd/application.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import type { ObservedControllers } from '../../core/judge/lost-controller.ts';
import { rebootOf } from '../../core/node-rollouts/node-reboots.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { whyUnread } from '../read/why-unread.ts';

/** The application controllers of Argo CD instances whose syncs failed, or have been running for longer than
 *  `syncStillAtMost`: one row of the table, and one list of pods where nodes of their cluster were away. None are read
 *  while nothing is wrong, and what cannot be read explains nothing. */
export async function readLostControllers(
  applications: readonly ObservedApplication[],
  { syncStillAtMostSeconds }: { readonly syncStillAtMostSeconds: number },
  ports: KeepPorts,
): Promise<readonly ObservedControllers[]> {
  const now = ports.clock();
  const inTrouble = new Set(
    applications.flatMap((observed) => {
      const operation = observed.kind === 'seen' ? observed.application.operation : undefined;
      if (observed.kind !== 'seen' || operation === undefined) return [];
      const isLong = isRunning(operation) && secondsSince(operation.startedAt, now) >= syncStillAtMostSeconds;
      return isLong || ['Failed', 'Error'].includes(operation.phase) ? [observed.application.argocd] : [];
    }),
  );
  const instances = ports.configuration.argocd.filter(({ name }) => inTrouble.has(name));
  const read = await Promise.all(instances.map((settings) => readInstance(settings, ports, now)));
  return read.filter((each) => each !== undefined);
}

async function readInstance(
  { name, cluster }: ArgoCdSettings,
  { argocd, nodeRollouts, logger }: KeepPorts,
  now: Date,
): Promise<ObservedControllers | undefined> {
  try {
    const rollouts = await nodeRollouts.load(cluster);
    const away = (rollouts?.open ?? []).filter(({ step }) => step !== 'pickup' && step !== 'prepare');
    const reboots = [...(rollouts?.reboots ?? []), ...away.map(rebootOf)];
    if (reboots.length === 0) return undefined;
    const pods = await (await argocd(name)).controllerPods();
    return { argocd: name, pods, reboots, readAt: now.toISOString() };
  } catch (cause) {
    logger.info('the controllers of an Argo CD could not be read', { argocd: name, why: whyUnread(cause, logger) });
    return undefined;
  }
}

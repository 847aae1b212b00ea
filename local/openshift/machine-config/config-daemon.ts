import { ApiError } from '../api-server/api-error.ts';
import type { Node } from '../api-server/cluster-objects.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigs, nodes } from '../api-server/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { type AnnotationValues, annotate, annotationOf } from './node-annotations.ts';
import { isManaged } from './node-condition.ts';
import type { ReportProgress } from './node-progress.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
  readonly report: ReportProgress;
  /** Takes the node down and resolves when its kubelet is ready again. */
  readonly reboot: (nodeName: string) => Promise<void>;
}

/** Where an update goes wrong: before anything is touched, or after the node has been emptied. */
export type FailingStage = 'prepare' | 'apply';

/** The daemons of all nodes, and what can be done to them. */
export interface ConfigDaemons {
  /** Every update of this node fails at that stage until it is healed. */
  failUpdates(nodeName: string, failure: { readonly stage: FailingStage; readonly reason: string }): void;
  /** Something on the node no longer matches its configuration, although nothing is to be changed. */
  drift(nodeName: string, reason: string): void;
  heal(nodeName: string): void;
}

/** Brings each node from its current to its desired configuration, whatever its pool says meanwhile. */
export function startConfigDaemons({ registry, pace, timings, report, reboot }: Parts): ConfigDaemons {
  const record = createEventRecorder({ registry, pace, component: 'machineconfigdaemon', namespace: mcoNamespace });
  const busy = new Set<string>();
  const failures = new Map<string, { readonly stage: FailingStage; readonly reason: string }>();

  registry.subscribe(({ type, kind, object }) => {
    if (type !== nodes || kind === 'DELETED') return;
    const node = object as Node;
    if (kind === 'ADDED' && isManaged(node)) reportUpdated(node);
    wake(node);
  });

  function reportUpdated(node: Node): void {
    report(node, { type: 'Updated', status: 'True', reason: 'Updated', message: `Node ${node.metadata.name} Updated` });
  }

  function wake(node: Node): void {
    const { name } = node.metadata;
    if (
      busy.has(name) ||
      !isManaged(node) ||
      annotationOf(node, 'desiredConfig') === annotationOf(node, 'currentConfig')
    )
      return;
    busy.add(name);
    update(name)
      .catch((error: unknown) => interrupted(name, error))
      .finally(() => {
        busy.delete(name);
        const after = registry.get(nodes, name);
        if (after) wake(after);
      });
  }

  /** A refused write is tried again later, from the beginning; a node that is gone needs nothing more. */
  async function interrupted(name: string, error: unknown): Promise<void> {
    if (!registry.get(nodes, name)) return;
    if (!(error instanceof ApiError)) throw error;
    await pace.sleep(timings.daemonRetryMs);
  }

  async function update(name: string): Promise<void> {
    const target = annotationOf(read(name), 'desiredConfig');
    change(name, { state: 'Working' });
    await prepared(name, target);
    await drained(name, target);
    await applied(name, target);
    await rebooted(name, target);
    await resumed(name, target);
  }

  function read(name: string): Node {
    const node = registry.get(nodes, name);
    if (!node) throw new Error(`node ${name} is gone`);
    return node;
  }

  function change(name: string, values: AnnotationValues): Node {
    return registry.modify(nodes, keyOf(read(name)), (draft) => annotate(draft, values), {
      manager: 'machine-config-daemon',
    });
  }

  /** A failing stage keeps the node degraded and is tried again until it no longer fails. */
  async function passes(name: string, reasonToFail: () => string | undefined): Promise<void> {
    for (let reason = reasonToFail(); reason !== undefined; reason = reasonToFail()) {
      degrade(name, reason);
      await pace.sleep(timings.daemonRetryMs);
    }
    if (annotationOf(read(name), 'state') !== 'Working') recover(name, 'Working');
  }

  function degrade(name: string, reason: string): void {
    const before = read(name);
    if (annotationOf(before, 'state') === 'Degraded' && annotationOf(before, 'reason') === reason) return;
    report(change(name, { state: 'Degraded', reason }), {
      type: 'NodeDegraded',
      status: 'True',
      reason: 'NodeDegraded',
      message: `Node ${name} upgrade failure. ${reason}`,
    });
  }

  function recover(name: string, state: 'Working' | 'Done'): void {
    report(change(name, { state, reason: '' }), {
      type: 'NodeDegraded',
      status: 'False',
      reason: 'NodeDegraded',
      message: 'All is well',
    });
  }

  async function prepared(name: string, target: string): Promise<void> {
    await passes(name, () => {
      if (!registry.get(machineConfigs, target))
        return `machineconfig.machineconfiguration.openshift.io "${target}" not found`;
      return failingAt(name, 'prepare');
    });
    report(read(name), {
      type: 'UpdatePrepared',
      status: 'True',
      reason: 'UpdateCompatible',
      message: 'Update Compatible. Post Cfg Actions: [] Drain Required: true',
    });
  }

  function failingAt(name: string, stage: FailingStage): string | undefined {
    const failure = failures.get(name);
    return failure?.stage === stage ? failure.reason : undefined;
  }

  async function drained(name: string, target: string): Promise<void> {
    const request = `drain-${target}`;
    const node = change(name, { desiredDrain: request });
    record({ object: node, reason: 'Cordon', message: 'Cordoned node to apply update' });
    record({ object: node, reason: 'Drain', message: 'Draining node to update config.' });
    const asked = pace.now();
    let late = false;
    while (await pending(name, request)) {
      if (late || pace.elapsedMs(asked) < timings.drainTimeoutMs) continue;
      late = true;
      const reason = `failed to drain node: ${name} after 1 hour. Please see machine-config-controller logs for more information`;
      record({ object: read(name), type: 'Warning', reason: 'FailedToDrain', message: reason });
      degrade(name, reason);
    }
    if (late) recover(name, 'Working');
  }

  /** Looks at intervals whether the controller has granted what was asked. */
  async function pending(name: string, request: string): Promise<boolean> {
    await pace.sleep(timings.daemonPollMs);
    return annotationOf(read(name), 'lastAppliedDrain') !== request;
  }

  async function applied(name: string, target: string): Promise<void> {
    await passes(name, () => failingAt(name, 'apply'));
    report(
      read(name),
      {
        type: 'UpdateExecuted',
        status: 'Unknown',
        reason: 'AppliedFilesAndOS',
        message: 'Applying files and new OS config to node',
      },
      {
        type: 'AppliedFilesAndOS',
        status: 'Unknown',
        reason: 'UpdateExecutedAppliedFilesAndOS',
        message: `Applying files and new OS config to node. OS will not need an update. SSH Keys will not need an update`,
      },
    );
    await pace.sleep(timings.applyMs);
    report(
      read(name),
      {
        type: 'UpdateExecuted',
        status: 'True',
        reason: 'AppliedFilesAndOS',
        message: 'Updated the Files and OS on disk as a part of the in progress phase',
      },
      {
        type: 'AppliedFilesAndOS',
        status: 'True',
        reason: 'UpdateExecutedAppliedFilesAndOS',
        message: 'Applied files and new OS config to node. OS did not need an update. SSH Keys did not need an update',
      },
    );
    record({ object: read(name), reason: 'PendingConfig', message: `Written pending config ${target}` });
  }

  async function rebooted(name: string, target: string): Promise<void> {
    const node = change(name, { postConfigAction: 'Rebooting' });
    const message = `Node will reboot into config ${target}`;
    record({ object: node, reason: 'Reboot', message });
    const step = { type: 'RebootedNode', reason: 'UpdatePostActionCompleteRebootedNode' };
    report(
      node,
      { type: 'UpdatePostActionComplete', status: 'Unknown', reason: 'RebootedNode', message },
      { ...step, status: 'Unknown', message: 'Upgrade requires a reboot.' },
    );
    await reboot(name);
    const back = change(name, { postConfigAction: '' });
    report(
      back,
      { type: 'UpdatePostActionComplete', status: 'True', reason: 'RebootedNode', message },
      { ...step, status: 'True', message: 'Upgrade required a reboot. Completed this as the post update action.' },
    );
  }

  async function resumed(name: string, target: string): Promise<void> {
    const request = `uncordon-${target}`;
    const message = `In desired config ${target}. Resumed normal operations.`;
    report(change(name, { desiredDrain: request }), { type: 'Resumed', status: 'True', reason: 'Resumed', message });
    while (await pending(name, request)) {
      // the controller will come round
    }
    const node = change(name, { currentConfig: target, state: 'Done', reason: '' });
    record({ object: node, reason: 'NodeDone', message: `Setting node ${name}, currentConfig ${target} to Done` });
    record({
      object: node,
      reason: 'Uncordon',
      message: `Update completed for config ${target} and node has been uncordoned`,
    });
    reportUpdated(node);
  }

  return {
    failUpdates: (name, failure) => void failures.set(name, failure),
    drift(name, reason) {
      const node = read(name);
      const complete = `unexpected on-disk state validating against ${annotationOf(node, 'currentConfig')}: ${reason}`;
      record({ object: node, type: 'Warning', reason: 'ConfigDriftDetected', message: complete });
      degrade(name, complete);
    },
    heal(name) {
      failures.delete(name);
      if (!busy.has(name) && annotationOf(read(name), 'state') === 'Degraded') recover(name, 'Done');
    },
  };
}

import type { Registry } from '../api-server/registry.ts';
import { machineConfigPools, machineConfigs } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import { minorRelease } from './cluster-release.ts';
import type { DaemonNode } from './daemon-node.ts';
import { annotationOf } from './node-annotations.ts';
import { isDegraded } from './node-condition.ts';
import { membershipError } from './pool-membership.ts';
import { sameContent } from './rendered-config.ts';
import type { Timings } from './timings.ts';

/** Where an update fails: before anything is touched, or after the node has been drained. */
export type FailingStage = 'prepare' | 'apply';

export interface UpdateParts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
  /** Takes the node down and resolves when its kubelet is ready again. */
  readonly reboot: (nodeName: string) => Promise<void>;
  /** Why updates of this node currently fail at this stage; undefined: they do not. */
  readonly failureAt: (nodeName: string, stage: FailingStage) => string | undefined;
}

/** One update of one node to its desired configuration. Pausing the pool does not stop it. Once it has failed, the node
 *  says `Degraded` through all further tries, its drain and its reboot, until it is `Done`. Source: MCO
 *  pkg/daemon/update.go `update`. */
export class NodeUpdate {
  private readonly node: DaemonNode;
  private readonly parts: UpdateParts;
  /** Name of the rendered configuration. */
  private readonly target: string;
  /** False: nothing on the node changes, because the target has the content that the node has. */
  private readonly disruptive: boolean;

  constructor(node: DaemonNode, parts: UpdateParts) {
    this.node = node;
    this.parts = parts;
    const before = node.read();
    this.target = annotationOf(before, 'desiredConfig');
    this.disruptive = !sameContent(annotationOf(before, 'currentConfig'), this.target);
  }

  async run(): Promise<void> {
    await this.retryWhile(() => this.membershipError());
    if (!isDegraded(this.node.read())) this.node.annotate({ state: 'Working' });
    await this.prepare();
    if (this.disruptive) await this.drain();
    await this.apply();
    if (isDegraded(this.node.read())) this.node.reportRecovered();
    if (this.disruptive) await this.reboot();
    else this.node.record({ reason: 'SkipReboot', message: 'Config changes do not require reboot.' });
    if (this.wasRetargeted()) this.node.annotate({ currentConfig: this.target });
    else await this.resume();
  }

  /** Since 4.19 the daemon asks for its node's pool first. */
  private membershipError(): string | undefined {
    const { registry } = this.parts;
    return minorRelease(registry) < 19
      ? undefined
      : membershipError(registry.list(machineConfigPools), this.node.read());
  }

  /** The desired configuration is compared again once the node has the target: another one begins at once, on a node
   *  that stays cordoned. */
  private wasRetargeted(): boolean {
    return annotationOf(this.node.read(), 'desiredConfig') !== this.target;
  }

  private async prepare(): Promise<void> {
    const { registry, failureAt } = this.parts;
    await this.retryWhile(() =>
      registry.get(machineConfigs, this.target)
        ? failureAt(this.node.name, 'prepare')
        : `machineconfig.machineconfiguration.openshift.io "${this.target}" not found`,
    );
    this.node.report({
      type: 'UpdatePrepared',
      status: 'True',
      reason: 'UpdateCompatible',
      message: `Update Compatible. Post Cfg Actions: [] Drain Required: ${this.disruptive}`,
    });
  }

  private async drain(): Promise<void> {
    const { node } = this;
    const { pace, timings } = this.parts;
    const request = `drain-${this.target}`;
    node.annotate({ desiredDrain: request });
    node.record({ reason: 'Cordon', message: 'Cordoned node to apply update' });
    node.record({ reason: 'Drain', message: 'Draining node to update config.' });
    const asked = pace.now();
    let late = false;
    while (await this.isPending(request)) {
      if (late || pace.elapsedMs(asked) < timings.drainTimeoutMs) continue;
      late = true;
      const reason = `failed to drain node: ${node.name} after 1 hour. Please see machine-config-controller logs for more information`;
      node.record({ type: 'Warning', reason: 'FailedToDrain', message: reason });
      node.degrade(reason);
    }
  }

  private async apply(): Promise<void> {
    const { node } = this;
    const { pace, timings, failureAt } = this.parts;
    await this.retryWhile(() => failureAt(node.name, 'apply'));
    node.report(
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
    node.report(
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
    node.record({ reason: 'PendingConfig', message: `Written pending config ${this.target}` });
  }

  private async reboot(): Promise<void> {
    const { node } = this;
    node.annotate({ postConfigAction: 'Rebooting' });
    const message = `Node will reboot into config ${this.target}`;
    node.record({ reason: 'Reboot', message });
    const step = { type: 'RebootedNode', reason: 'UpdatePostActionCompleteRebootedNode' };
    node.report(
      { type: 'UpdatePostActionComplete', status: 'Unknown', reason: 'RebootedNode', message },
      { ...step, status: 'Unknown', message: 'Upgrade requires a reboot.' },
    );
    await this.parts.reboot(node.name);
    node.annotate({ postConfigAction: '' });
    node.report(
      { type: 'UpdatePostActionComplete', status: 'True', reason: 'RebootedNode', message },
      { ...step, status: 'True', message: 'Upgrade required a reboot. Completed this as the post update action.' },
    );
  }

  private async resume(): Promise<void> {
    const { node, target } = this;
    const request = `uncordon-${target}`;
    const message = `In desired config ${target}. Resumed normal operations.`;
    node.annotate({ desiredDrain: request });
    node.report({ type: 'Resumed', status: 'True', reason: 'Resumed', message });
    while (await this.isPending(request)) {
      // until the controller has uncordoned the node
    }
    node.annotate({ currentConfig: target, state: 'Done', reason: '' });
    node.record({ reason: 'NodeDone', message: `Setting node ${node.name}, currentConfig ${target} to Done` });
    node.record({
      reason: 'Uncordon',
      message: `Update completed for config ${target} and node has been uncordoned`,
    });
    node.reportUpdated();
  }

  /** While a stage fails, the node is degraded and the stage is retried. Success does not say `Working` again. */
  private async retryWhile(failure: () => string | undefined): Promise<void> {
    const { pace, timings } = this.parts;
    for (let reason = failure(); reason !== undefined; reason = failure()) {
      this.node.degrade(reason);
      await pace.sleep(timings.daemonRetryMs);
    }
  }

  /** Waits for the poll interval; answers whether the controller has yet to grant the request. */
  private async isPending(request: string): Promise<boolean> {
    const { pace, timings } = this.parts;
    await pace.sleep(timings.daemonPollMs);
    return annotationOf(this.node.read(), 'lastAppliedDrain') !== request;
  }
}

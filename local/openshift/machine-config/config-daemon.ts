import { ApiError } from '../api-server/api-error.ts';
import type { Node } from '../api-server/cluster-objects.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes } from '../api-server/resource-types.ts';
import { createEventRecorder, type RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { DaemonNode } from './daemon-node.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { annotationOf } from './node-annotations.ts';
import { isManaged } from './node-condition.ts';
import type { ReportProgress } from './node-progress.ts';
import { type FailingStage, NodeUpdate } from './node-update.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
  readonly report: ReportProgress;
  /** Takes the node down and resolves when its kubelet is ready again. */
  readonly reboot: (nodeName: string) => Promise<void>;
}

interface UpdateFailure {
  readonly stage: FailingStage;
  readonly reason: string;
}

/** The daemons of all nodes, and what can be done to them. */
export interface ConfigDaemons {
  /** Every update of this node fails at that stage until it is healed. */
  failUpdates(nodeName: string, failure: UpdateFailure): void;
  /** Something on the node no longer matches its configuration, although no change is wanted. Until it is healed, no
   *  update of it succeeds either. */
  drift(nodeName: string, reason: string): void;
  heal(nodeName: string): void;
}

/** Brings each node from its current to its desired configuration. Pausing the pool stops no update that has begun. */
export function startConfigDaemons(parts: Parts): ConfigDaemons {
  const daemons = new Daemons(parts);
  daemons.start();
  return daemons;
}

class Daemons implements ConfigDaemons {
  private readonly parts: Parts;
  private readonly record: RecordEvent;
  /** Names of the nodes that are being updated. */
  private readonly updating = new Set<string>();
  private readonly failures = new Map<string, UpdateFailure>();

  constructor(parts: Parts) {
    const { registry, pace } = parts;
    this.parts = parts;
    this.record = createEventRecorder({
      registry,
      pace,
      component: 'machineconfigdaemon',
      namespace: mcoNamespace,
    });
  }

  start(): void {
    this.parts.registry.subscribe(({ type, kind, object }) => {
      if (type !== nodes || kind === 'DELETED') return;
      const node = object as Node;
      if (kind === 'ADDED' && isManaged(node)) this.nodeNamed(node.metadata.name).reportUpdated();
      this.wake(node);
    });
  }

  failUpdates(nodeName: string, failure: UpdateFailure): void {
    this.failures.set(nodeName, failure);
  }

  drift(nodeName: string, reason: string): void {
    const node = this.nodeNamed(nodeName);
    const current = annotationOf(node.read(), 'currentConfig');
    const complete = `unexpected on-disk state validating against ${current}: ${reason}`;
    this.failUpdates(nodeName, { stage: 'prepare', reason: complete });
    node.record({ type: 'Warning', reason: 'ConfigDriftDetected', message: complete });
    node.degrade(complete);
  }

  heal(nodeName: string): void {
    this.failures.delete(nodeName);
    const node = this.nodeNamed(nodeName);
    if (!this.updating.has(nodeName) && annotationOf(node.read(), 'state') === 'Degraded') node.recover();
  }

  private wake(node: Node): void {
    const { name } = node.metadata;
    if (this.updating.has(name) || !isManaged(node)) return;
    if (annotationOf(node, 'desiredConfig') === annotationOf(node, 'currentConfig')) return;
    this.updating.add(name);
    this.update(name)
      .catch((error: unknown) => this.interrupted(name, error))
      .finally(() => {
        this.updating.delete(name);
        const after = this.parts.registry.get(nodes, name);
        if (after) this.wake(after);
      });
  }

  private async update(name: string): Promise<void> {
    const update = new NodeUpdate(this.nodeNamed(name), {
      ...this.parts,
      failureAt: (nodeName, stage) => this.failureAt(nodeName, stage),
    });
    await update.run();
  }

  /** A refused write is retried later, from the beginning; a node that is gone needs no more. */
  private async interrupted(name: string, error: unknown): Promise<void> {
    const { registry, pace, timings } = this.parts;
    if (!registry.get(nodes, name)) return;
    if (!(error instanceof ApiError)) throw error;
    await pace.sleep(timings.daemonRetryMs);
  }

  private failureAt(nodeName: string, stage: FailingStage): string | undefined {
    const failure = this.failures.get(nodeName);
    return failure?.stage === stage ? failure.reason : undefined;
  }

  private nodeNamed(name: string): DaemonNode {
    const { registry, report } = this.parts;
    return new DaemonNode(name, { registry, report, record: this.record });
  }
}

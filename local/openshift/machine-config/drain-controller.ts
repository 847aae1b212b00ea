import type { Node } from '../api-server/cluster-objects.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes } from '../api-server/resource-types.ts';
import { createEventRecorder, type RecordEvent } from '../event-recorder.ts';
import type { Pace } from '../pace.ts';
import { createDelayQueue, type DelayQueue } from './delay-queue.ts';
import { attemptDrain } from './drain-attempt.ts';
import { mcoNamespace } from './mco-namespace.ts';
import { annotate, annotationOf } from './node-annotations.ts';
import type { ReportProgress, Step } from './node-progress.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
  readonly report: ReportProgress;
}

const manager = 'machine-config-controller';

/** Grants the drain and uncordon requests that the nodes' daemons make by annotation, whether the pool is paused or
 *  not. */
export function startDrainController(parts: Parts): void {
  new DrainController(parts).start();
}

class DrainController {
  private readonly parts: Parts;
  private readonly record: RecordEvent;
  private readonly queue: DelayQueue;
  /** When the drain of a node began. In memory only: a restart of the real controller forgets it too. */
  private readonly drainingSince = new Map<string, Date>();

  constructor(parts: Parts) {
    const { registry, pace } = parts;
    this.parts = parts;
    this.record = createEventRecorder({
      registry,
      pace,
      component: 'machineconfigcontroller-nodecontroller',
      namespace: mcoNamespace,
    });
    this.queue = createDelayQueue({ pace, workers: 5, sync: (name) => this.sync(name) });
  }

  start(): void {
    const { registry, timings } = this.parts;
    registry.subscribe(({ type, kind, object, previous }) => {
      if (type !== nodes || kind === 'DELETED') return;
      const requested = annotationOf(object as Node, 'desiredDrain');
      if (!previous || requested !== annotationOf(previous as Node, 'desiredDrain'))
        this.queue.addAfter(object.metadata.name, timings.drainDelayMs);
    });
  }

  private async sync(name: string): Promise<void> {
    const { registry } = this.parts;
    const node = registry.get(nodes, name);
    if (!node) return;
    const requested = annotationOf(node, 'desiredDrain');
    if (requested === annotationOf(node, 'lastAppliedDrain')) return;
    if (requested.startsWith('uncordon-')) this.uncordon(node);
    else if (!(await this.drain(node))) return;
    if (registry.get(nodes, name))
      registry.modify(nodes, keyOf(node), (draft) => annotate(draft, { lastAppliedDrain: requested }), { manager });
  }

  private uncordon(node: Node): void {
    const { registry, report } = this.parts;
    this.drainingSince.delete(node.metadata.name);
    const free = registry.modify(nodes, keyOf(node), ({ spec }) => void delete spec.unschedulable, { manager });
    report(
      free,
      phase('UpdateComplete', {
        status: 'True',
        reason: 'Uncordoned',
        message: 'Uncordoned Node as part of completing upgrade phase',
      }),
      phase('Uncordoned', {
        status: 'True',
        reason: 'UpdateCompleteUncordoned',
        message: `UnCordoned node. The node is reporting Unschedulable = ${free.spec.unschedulable ?? false}`,
      }),
    );
  }

  /** One attempt. Answers whether the node is drained. */
  private async drain(node: Node): Promise<boolean> {
    const { pace, timings } = this.parts;
    const { name } = node.metadata;
    const begun = this.drainingSince.get(name);
    const failingMs = begun ? pace.elapsedMs(begun) : 0;
    if (failingMs > timings.drainTimeoutMs) {
      const message = `node ${name}: drain exceeded timeout: 1h0m0s. Will continue to retry.`;
      this.record({ object: node, type: 'Warning', reason: 'DrainFailed', message });
    }
    if (!begun || !node.spec.unschedulable) this.cordon(node);
    this.reportDrain(node, {
      status: 'Unknown',
      phaseMessage: 'Draining Node as part of update executed phase',
      message: `Draining node. ${untilApplied(node)}`,
    });
    const error = await attemptDrain(name, this.parts);
    if (error === undefined) {
      this.drainingSince.delete(name);
      this.reportDrain(node, {
        status: 'True',
        phaseMessage: 'Drained Node as part of update executed phase',
        message: `Drained node. The drain is complete as the desired drainer matches current drainer: ${annotationOf(node, 'desiredDrain')}`,
      });
      return true;
    }
    this.retry(node, { error, failingMs });
    this.reportDrain(node, {
      status: 'Unknown',
      phaseMessage: 'Node Drain has not succeeded',
      message: `Error: Node Drain has not succeeded. Error is: ${error} ${untilApplied(node)}`,
    });
    return false;
  }

  private retry(node: Node, { error, failingMs }: { readonly error: string; readonly failingMs: number }): void {
    const { timings } = this.parts;
    // On a real cluster every attempt begins a little late, so the one that is due at the limit is past it.
    if (failingMs < timings.drainFailingAfterMs) {
      this.queue.addAfter(node.metadata.name, timings.drainRetryMs);
      return;
    }
    const minutes = (ms: number) => ms / 60_000;
    const message = `Drain failed. Drain has been failing for more than ${minutes(timings.drainFailingAfterMs)} minutes. Waiting ${minutes(timings.drainFailingRetryMs)} minutes then retrying. Error message from drain: ${error}`;
    this.record({ object: node, type: 'Warning', reason: 'DrainThresholdExceeded', message });
    this.queue.addAfter(node.metadata.name, timings.drainFailingRetryMs);
  }

  private cordon(node: Node): void {
    const { registry, pace, report } = this.parts;
    const cordoned = registry.modify(nodes, keyOf(node), ({ spec }) => Object.assign(spec, { unschedulable: true }), {
      manager,
    });
    this.drainingSince.set(node.metadata.name, pace.now());
    report(
      cordoned,
      phase('UpdateExecuted', {
        status: 'Unknown',
        reason: 'Cordoned',
        message: 'Cordoned Node as part of update executed phase',
      }),
      phase('Cordoned', {
        status: 'True',
        reason: 'UpdateExecutedCordoned',
        message: 'Cordoned node. The node is reporting Unschedulable = true',
      }),
    );
  }

  private reportDrain(node: Node, { status, phaseMessage, message }: DrainReport): void {
    this.parts.report(
      node,
      phase('UpdateExecuted', { status: 'Unknown', reason: 'Drained', message: phaseMessage }),
      phase('Drained', { status, reason: 'UpdateExecutedDrained', message }),
    );
  }
}

interface DrainReport {
  readonly status: Step['status'];
  readonly phaseMessage: string;
  readonly message: string;
}

function phase(type: string, rest: Omit<Step, 'type'>): Step {
  return { type, ...rest };
}

function untilApplied(node: Node): string {
  return `The drain will not be complete until desired drainer ${annotationOf(node, 'desiredDrain')} matches current drainer ${annotationOf(node, 'lastAppliedDrain')}`;
}

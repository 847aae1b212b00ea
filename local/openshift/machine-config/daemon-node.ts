import type { Node } from '../api-server/cluster-objects.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { nodes } from '../api-server/resource-types.ts';
import type { RecordEvent, RecordedEvent } from '../event-recorder.ts';
import { type AnnotationValues, annotate, annotationOf } from './node-annotations.ts';
import type { ReportProgress, Step } from './node-progress.ts';

interface Parts {
  readonly registry: Registry;
  readonly report: ReportProgress;
  readonly record: RecordEvent;
}

/** One node as its daemon sees and changes it: annotations, events and its MachineConfigNode. */
export class DaemonNode {
  readonly name: string;
  private readonly parts: Parts;

  constructor(name: string, parts: Parts) {
    this.name = name;
    this.parts = parts;
  }

  /** Throws once the node is gone. */
  read(): Node {
    const node = this.parts.registry.get(nodes, this.name);
    if (!node) throw new Error(`node ${this.name} is gone`);
    return node;
  }

  annotate(values: AnnotationValues): Node {
    return this.parts.registry.modify(nodes, keyOf(this.read()), (draft) => annotate(draft, values), {
      manager: 'machine-config-daemon',
    });
  }

  report(phase: Step, step?: Step): void {
    this.parts.report(this.read(), phase, step);
  }

  record(event: Omit<RecordedEvent, 'object'>): void {
    this.parts.record({ object: this.read(), ...event });
  }

  /** Writes nothing where the node is degraded for this reason already. */
  degrade(reason: string): void {
    const before = this.read();
    if (annotationOf(before, 'state') === 'Degraded' && annotationOf(before, 'reason') === reason) return;
    this.annotate({ state: 'Degraded', reason });
    this.report({
      type: 'NodeDegraded',
      status: 'True',
      reason: 'NodeDegraded',
      message: `Node ${this.name} upgrade failure. ${reason}`,
    });
  }

  recover(): void {
    this.annotate({ state: 'Done', reason: '' });
    this.reportRecovered();
  }

  /** On its MachineConfigNode alone, which the daemon tells before it reboots. */
  reportRecovered(): void {
    const message = `Node ${this.name} upgrade succeeded`;
    this.report({ type: 'NodeDegraded', status: 'False', reason: 'NodeDegraded', message });
  }

  reportUpdated(): void {
    this.report({ type: 'Updated', status: 'True', reason: 'Updated', message: `Node ${this.name} Updated` });
  }
}

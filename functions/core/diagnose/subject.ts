import type { Node } from '../openshift/node.ts';
import type { NodeRollout } from '../openshift/node-rollout.ts';
import type { Pool } from '../openshift/pool.ts';
import type { KnownApplication } from './managed-by.ts';

/** Where a node stands in the MCO's sequence, from its annotations alone. `failing` is the daemon's own verdict; the
 *  others are steps that take longer than they may. Source: machine-config-operator
 *  pkg/daemon/constants/constants.go. */
export type NodeSymptom = 'failing' | 'draining' | 'working' | 'rebooting' | 'uncordoning' | 'waiting';

/** What is to be explained about a pool as a whole.
 *  `render`: the MCO cannot merge its MachineConfigs. `build`: its OS image cannot be built. `stalled`: a change
 *  waits and no node moves. `unavailable`: nodes are missing though nothing is rolled out. `unrendered`: what a sync
 *  applied is not in the render, and no failure is reported. */
export type PoolSymptom = 'render' | 'build' | 'stalled' | 'unavailable' | 'unrendered';

/** What a diagnosis is about: data of the pass that called for it, so that nothing is read twice. */
export type Subject = NodeSubject | PoolSubject;

interface SubjectFrame {
  readonly cluster: string;
  readonly pool: Pool;
  /** The nodes whose primary pool this is. */
  readonly nodes: readonly Node[];
  /** ISO instant of the first evidence. */
  readonly since: string;
  /** ISO instant at which pool and nodes were read. */
  readonly readAt: string;
  /** Argo CD Applications that deploy to this cluster, as far as the routing tables know them. */
  readonly applications?: readonly KnownApplication[] | undefined;
}

export interface NodeSubject extends SubjectFrame {
  readonly kind: 'node';
  readonly symptom: NodeSymptom;
  readonly node: Node;
  /** All pools of the cluster; undefined: not known, but for its own. */
  readonly pools?: readonly Pick<Pool, 'nodeSelector'>[] | undefined;
  /** Its update as far as it was followed; undefined: it was not. */
  readonly rollout?: NodeRollout | undefined;
}

export interface PoolSubject extends SubjectFrame {
  readonly kind: 'pool';
  readonly symptom: PoolSymptom;
}

/** Names a subject within one pass over one cluster. */
export function subjectKey(subject: Subject): string {
  switch (subject.kind) {
    case 'node':
      return `${subject.pool.name}/node/${subject.node.name}`;
    case 'pool':
      return `${subject.pool.name}/${subject.symptom}`;
    default:
      return subject satisfies never;
  }
}

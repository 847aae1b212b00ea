import type { ArgoCd } from '../../ports/argocd.ts';
import type { ObjectReader, Pools } from '../../ports/cluster.ts';
import type { ObjectWriter, SequenceRecords } from '../../ports/sequences.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** What sequences read and write on a cluster. */
export interface SequenceCluster {
  readonly pools: Pick<Pools, 'readPool'>;
  readonly reader: ObjectReader;
  readonly sequenceRecords?: SequenceRecords | undefined;
  readonly writer?: ObjectWriter | undefined;
  /** The reader by which this cluster is known for the life of the process; absent: `reader`. */
  readonly origin?: ObjectReader | undefined;
}

/** What looking at a sequence needs. */
export interface SequencePorts
  extends Pick<KeepPorts, 'configuration' | 'installation' | 'tickets' | 'evaluateCel' | 'clock'> {
  /** Absent: where a sequence has had its record before is not known. */
  readonly checkpoints?: Pick<KeepPorts['checkpoints'], 'load'>;
  readonly cluster: (name: string) => Promise<SequenceCluster>;
  readonly argocd: (name: string) => Promise<Pick<ArgoCd, 'readApplication' | 'refresh'>>;
}

/** What taking it further needs. */
export interface SequenceKeepPorts
  extends SequencePorts,
    Pick<KeepPorts, 'timeline' | 'logger' | 'sequenceViews' | 'sequenceRequests'> {}

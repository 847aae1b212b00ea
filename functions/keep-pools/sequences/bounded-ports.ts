import { byName } from '../../core/text/by-name.ts';
import { isSilence, Transient } from '../../core/text/errors.ts';
import { isPast, plusSeconds, secondsSince } from '../../core/text/instant.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/time.ts';
import type { SequenceCluster, SequencePorts } from './sequence-ports.ts';

/** How long the looks of one pass may take together. Seconds. A pass has 60, a call that does not end takes 10, and
 *  alerts of the pass come after. */
export const looksAtMost = 15;
/** The same for the turns of pools that are about to resume. */
export const turnsAtMost = 8;

/** Seconds for which a cluster that did not answer is not asked again: the rest of the pass. The next tick asks. */
const notAskedSeconds = 40;

/** When clusters did not answer, by their readers, for the life of the process. */
const unreachableAt = new WeakMap<ObjectReader, Date>();

export type BoundedPorts<Ports extends SequencePorts> = Omit<Ports, 'cluster' | 'argocd' | 'tickets'> &
  Pick<SequencePorts, 'cluster' | 'argocd' | 'tickets'> & {
    /** The time for looks is over. */
    readonly isLate: () => boolean;
    /** Without bounds: for what has to be written down however long the rest took. */
    readonly unbounded: SequencePorts['cluster'];
  };

/** Ports for looks that end in time: after so many seconds nothing more is asked, and a cluster that once
 *  gives no answer at all is not asked again. Whatever was not asked is unseen; records are always saved. */
export function boundedPorts<Ports extends SequencePorts>(ports: Ports, seconds: number): BoundedPorts<Ports> {
  const end = plusSeconds(ports.clock(), seconds);
  const isLate = () => isPast(end, ports.clock());
  const { configuration, clock, tickets } = ports;
  const connected = new Map<string, Promise<SequenceCluster>>();
  const cluster = (name: string): Promise<SequenceCluster> => {
    const known = connected.get(name);
    if (known !== undefined) return known;
    const made = ports.cluster(name).then((found) => boundedCluster(name, found, { isLate, clock }));
    connected.set(name, made);
    return made;
  };
  return {
    ...ports,
    isLate,
    unbounded: ports.cluster,
    cluster,
    argocd: async (name) => {
      const argocd = await ports.argocd(name);
      const of = byName(configuration.argocd, name)?.cluster ?? '';
      const { origin } = await cluster(of);
      const bounded = bound({ name: of, origin, isLate, clock });
      return {
        readApplication: (ref) => bounded(() => argocd.readApplication(ref)),
        refresh: (ref) => bounded(() => argocd.refresh(ref)),
      };
    },
    tickets: {
      ask: (ticket, url) => (isLate() ? Promise.reject(late()) : tickets.ask(ticket, url)),
    },
  };
}

interface Bounds {
  readonly name: string;
  readonly origin: ObjectReader | undefined;
  readonly isLate: () => boolean;
  readonly clock: Clock;
}

function boundedCluster(
  name: string,
  found: SequenceCluster,
  { isLate, clock }: Pick<Bounds, 'isLate' | 'clock'>,
): SequenceCluster {
  const origin = found.origin ?? found.reader;
  const bounds = { name, origin, isLate, clock };
  const bounded = bound(bounds);
  const { pools, reader, writer, sequenceRecords } = found;
  return {
    origin,
    pools: { readPool: (pool) => bounded(() => pools.readPool(pool)) },
    reader: {
      async read(question) {
        const against = whyNotAsked(bounds);
        if (against !== undefined)
          return {
            kind: 'failed',
            why: against.message,
            readAt: clock(),
            isUnreachable: against.kind === 'unreachable',
          };
        const answer = await reader.read(question);
        if (answer.kind === 'failed' && answer.isUnreachable === true) unreachableAt.set(origin, clock());
        return answer;
      },
    },
    writer: writer && {
      apply: (path, manifest, mode) => bounded(() => writer.apply(path, manifest, mode)),
      patch: (path, change) => bounded(() => writer.patch(path, change)),
      create: (path, manifest) => bounded(() => writer.create(path, manifest)),
      remove: (path, uid) => bounded(() => writer.remove(path, uid)),
    },
    sequenceRecords: sequenceRecords && {
      load: (namespace, sequence) => bounded(() => sequenceRecords.load(namespace, sequence)),
      save: (namespace, sequence, written) => sequenceRecords.save(namespace, sequence, written),
      remove: (namespace, sequence, read) => bounded(() => sequenceRecords.remove(namespace, sequence, read)),
    },
  };
}

function bound(bounds: Bounds): <T>(call: () => Promise<T>) => Promise<T> {
  return async (call) => {
    const against = whyNotAsked(bounds);
    if (against !== undefined) throw against;
    try {
      return await call();
    } catch (cause) {
      // Each further call would take as long. A webhook of one kind that fails says nothing of others.
      if (isSilence(cause) && bounds.origin !== undefined) unreachableAt.set(bounds.origin, bounds.clock());
      throw cause;
    }
  };
}

function whyNotAsked({ name, origin, isLate, clock }: Bounds): Transient | undefined {
  if (isLate()) return late();
  const at = origin && unreachableAt.get(origin);
  if (at === undefined || secondsSince(at.toISOString(), clock()) >= notAskedSeconds) return undefined;
  return new Transient(`cluster ${name} did not answer a moment ago`, { kind: 'unreachable' });
}

/** Against a call for which no time is left. */
export function late(): Transient {
  return new Transient('it was not asked: what was asked before has taken too long', { kind: 'busy' });
}

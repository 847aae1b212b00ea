import { Transient } from '../../../functions/core/text/errors.ts';
import type { LeaseStore } from '../../../local/in-cluster/cluster-lease.ts';
import { type ElectionOptions, elect, type Term } from '../../../local/in-cluster/elect.ts';
import { type LeaseRecord, leaseTimes } from '../../../local/in-cluster/judge-lease.ts';
import { fakeLogger } from '../../fakes/index.ts';
import type { VirtualClock } from '../openshift/virtual-clock.ts';

/** One Lease of an API server, that counts versions and refuses what was read before. */
export interface SharedLease {
  /** Undefined: there is none. */
  readonly record: () => LeaseRecord | undefined;
  /** Somebody writes it past everybody. */
  write(record: LeaseRecord): void;
  /** As one process reaches it; `pass` delays or refuses each call, before and after it arrives. */
  storeFor(pass?: () => Promise<void>): LeaseStore;
}

export function sharedLease(): SharedLease {
  let [current, version]: [LeaseRecord | undefined, number] = [undefined, 0];
  function write(record: LeaseRecord): void {
    current = record;
    version += 1;
  }
  function conflict(): never {
    throw new Transient('409', { kind: 'conflict' });
  }
  return {
    record: () => current,
    write,
    storeFor: (pass = async () => {}) => ({
      async read() {
        await pass();
        const read = current && { record: current, version: String(version) };
        await pass();
        return read;
      },
      async create(record) {
        await pass();
        if (current !== undefined) conflict();
        write(record);
        await pass();
      },
      async replace(seen, record) {
        await pass();
        if (seen !== String(version)) conflict();
        write(record);
        await pass();
      },
    }),
  };
}

export interface Candidate {
  readonly term: () => Term | undefined;
  /** Whether it may write now, as far as it knows. */
  readonly leads: () => boolean;
  /** It wants to lead no more. */
  stop(): void;
}

export interface CandidateOptions {
  readonly clock: VirtualClock;
  readonly identity: string;
  readonly lease: LeaseStore;
  /** How wrong its clock is, milliseconds. */
  readonly aheadMs?: number;
  /** Its time, where that is not the clock's. */
  readonly own?: Partial<Pick<ElectionOptions, 'monotonic' | 'clock' | 'sleep'>>;
}

/** A process that wants to lead, in simulated time. */
export function candidate({ clock, identity, lease, aheadMs = 0, own = {} }: CandidateOptions): Candidate {
  const startMs = clock.now().getTime();
  const stop = new AbortController();
  let term: Term | undefined;
  const options: ElectionOptions = {
    lease,
    identity,
    times: leaseTimes(15),
    clock: () => new Date(clock.now().getTime() + aheadMs),
    monotonic: () => clock.now().getTime() - startMs,
    sleep: (ms) =>
      new Promise((resolve) => {
        clock.setTimeout(resolve, ms);
      }),
    logger: fakeLogger(),
    ...own,
  };
  void elect(options, stop.signal).then((won) => {
    term = won;
  });
  return {
    term: () => term,
    leads: () => term !== undefined && !term.deadline(() => new AbortController().signal)(1000).aborted,
    stop: () => stop.abort(),
  };
}

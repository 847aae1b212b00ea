import { Transient } from '../../functions/core/text/errors.ts';
import type { Logger } from '../../functions/ports/telemetry.ts';
import type { Clock, Deadline, Sleep } from '../../functions/ports/time.ts';
import type { LeaseStore } from './cluster-lease.ts';
import {
  judgeLease,
  type LeaseRecord,
  type LeaseTimes,
  type ObservedLease,
  observeLease,
  releasedLease,
  termLeftMs,
} from './judge-lease.ts';

export interface ElectionOptions {
  readonly lease: LeaseStore;
  /** Of this process alone, also of no later one on the same machine. */
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  /** Keeps the process alive: an election goes on until the process ends or gives its Lease back. */
  readonly sleep: Sleep;
  readonly logger: Logger;
}

/** The time in which this process leads. */
export interface Term {
  /** Aborts as soon as it is over: because somebody else holds the Lease, or because it could not be renewed in time.
   *  Nothing may be written from then on. */
  readonly over: AbortSignal;
  /** Deadlines that end with the term at the latest. The time left is asked for with each: a process that stood still
   *  for a while begins nothing that its term does not cover. */
  readonly deadline: (within: Deadline) => Deadline;
  /** Gives the Lease back, so that the next leader need not wait for it to expire. To be called once nothing writes any
   *  more. Throws nothing: a Lease that cannot be given back expires. */
  release(): Promise<void>;
}

/** Waits until this process leads; undefined if `stop` aborts before. */
export async function elect(options: ElectionOptions, stop: AbortSignal): Promise<Term | undefined> {
  const candidate = new Candidate(options);
  let told = '';
  while (!stop.aborted) {
    const outcome = await candidate.attempt();
    if (outcome.kind === 'leads') return new RunningTerm(options, candidate, outcome.renewed);
    const said = outcome.kind === 'waits' ? `waiting: ${outcome.holder} leads` : outcome.why;
    if (said !== told) options.logger.info('not the leader', { why: said });
    told = said;
    await options.sleep(options.times.retrySeconds * 1000);
  }
  return undefined;
}

interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

type Outcome =
  | { readonly kind: 'leads'; readonly renewed: Instant }
  | { readonly kind: 'waits'; readonly holder: string }
  | { readonly kind: 'failed'; readonly why: string };

function instantOf({ clock, monotonic }: ElectionOptions): Instant {
  return { monotonicMs: monotonic(), wallMs: clock().getTime() };
}

/** One look at the Lease and at most one write, again and again. */
class Candidate {
  private readonly options: ElectionOptions;
  private observed: ObservedLease | undefined;

  constructor(options: ElectionOptions) {
    this.options = options;
  }

  async attempt(): Promise<Outcome> {
    try {
      return await this.look();
    } catch (cause) {
      if (cause instanceof Transient) return { kind: 'failed', why: cause.message };
      throw cause;
    }
  }

  async release(): Promise<void> {
    const { lease, identity, clock } = this.options;
    const read = await lease.read();
    if (read?.record.holder !== identity) return;
    await lease.replace(read.version, releasedLease(read.record, clock()));
  }

  private async look(): Promise<Outcome> {
    const { lease, identity, times, clock, monotonic } = this.options;
    const read = await lease.read();
    this.observed = observeLease(this.observed, read?.record, monotonic());
    // Before the write is sent: others see it later than this, and wait for longer.
    const renewed = instantOf(this.options);
    const { observed } = this;
    const move = judgeLease({ observed, identity, times, monotonicMs: renewed.monotonicMs, now: clock() });
    if (move.kind === 'wait') return { kind: 'waits', holder: move.holder };
    await this.write(read?.version, move.record);
    return { kind: 'leads', renewed };
  }

  private async write(version: string | undefined, record: LeaseRecord): Promise<void> {
    const { lease } = this.options;
    await (version === undefined ? lease.create(record) : lease.replace(version, record));
  }
}

class RunningTerm implements Term {
  readonly over: AbortSignal;
  private readonly options: ElectionOptions;
  private readonly candidate: Candidate;
  private readonly ending = new AbortController();
  /** What ends with the term; each until its own deadline. Not by AbortSignal.any, which is slow for many signals of
   *  one that lives long. */
  private readonly calls = new Set<AbortController>();
  private renewed: Instant;
  private isReleased = false;
  private readonly renewing: Promise<void>;

  constructor(options: ElectionOptions, candidate: Candidate, renewed: Instant) {
    this.options = options;
    this.candidate = candidate;
    this.renewed = renewed;
    this.over = this.ending.signal;
    this.renewing = this.renew();
    void this.watch();
  }

  deadline(within: Deadline): Deadline {
    return (ms) => {
      const call = new AbortController();
      if (this.isOver()) {
        call.abort(this.over.reason);
        return call.signal;
      }
      this.calls.add(call);
      const inTime = within(ms);
      inTime.addEventListener('abort', () => {
        this.calls.delete(call);
        call.abort(inTime.reason);
      });
      return call.signal;
    };
  }

  async release(): Promise<void> {
    this.isReleased = true;
    await this.renewing;
    if (this.over.aborted) return;
    await this.candidate.release().catch((error: unknown) => {
      this.options.logger.warn('the lease could not be given back; it expires', { error });
    });
  }

  private get goesOn(): boolean {
    return !this.isReleased && !this.over.aborted;
  }

  /** Whether the term has ended, which it then does. */
  private isOver(): boolean {
    if (this.leftMs() <= 0) this.end('it could not be renewed in time');
    return this.over.aborted;
  }

  private leftMs(): number {
    return termLeftMs(this.renewed, instantOf(this.options), this.options.times);
  }

  private end(why: string): void {
    if (!this.goesOn) return;
    this.options.logger.error('the lease is lost', { why });
    const reason = new Transient(`this process leads no more: ${why}`);
    this.ending.abort(reason);
    for (const call of this.calls) call.abort(reason);
    this.calls.clear();
  }

  private async renew(): Promise<void> {
    while (this.goesOn) {
      await this.options.sleep(this.options.times.retrySeconds * 1000);
      if (this.goesOn) await this.renewOnce();
    }
  }

  /** A failure, a conflict among them, is looked into with the next attempt: whoever wrote may have been the leader
   *  itself, or a person who changed a label. */
  private async renewOnce(): Promise<void> {
    const outcome = await this.candidate.attempt();
    if (outcome.kind === 'leads') this.renewed = outcome.renewed;
    else if (outcome.kind === 'waits') this.end(`${outcome.holder} holds it`);
    else this.options.logger.warn('the lease was not renewed', { why: outcome.why });
  }

  /** Ends the term in time, also while an attempt hangs. */
  private async watch(): Promise<void> {
    while (this.goesOn && !this.isOver()) await this.options.sleep(this.leftMs());
  }
}

/** What a Lease says. Source: coordination.k8s.io/v1 LeaseSpec. */
export interface LeaseRecord {
  /** Empty: nobody leads; the last leader released it. */
  readonly holder: string;
  /** How long others must leave it alone after they saw it renewed. */
  readonly durationSeconds: number;
  /** When its holder became the leader; an instant with microseconds. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the leader changed. */
  readonly transitions: number;
}

/** The times of an election. They must be in this order, longest first: a leader then ends before others may begin. */
export interface LeaseTimes {
  readonly durationSeconds: number;
  /** A leader that could not renew for so long leads no more. */
  readonly renewDeadlineSeconds: number;
  /** Between two attempts, of a leader and of those who wait. */
  readonly retrySeconds: number;
}

/** Seconds of the Leases of Kubernetes' own controllers. Source: client-go tools/leaderelection. */
const usualLeaseSeconds = 15;

/** The times of a Lease that lasts so long, in the proportions of Kubernetes' own: 15, 10 and 2 s.
 *  @param durationSeconds more where the API server may be away for longer; OpenShift's own operators on a single node
 *  have 137 */
export function leaseTimes(durationSeconds: number): LeaseTimes {
  return {
    durationSeconds,
    renewDeadlineSeconds: (durationSeconds * 10) / usualLeaseSeconds,
    retrySeconds: (durationSeconds * 2) / usualLeaseSeconds,
  };
}

/** A record, and since when this process has seen exactly it. */
export interface ObservedLease {
  readonly record: LeaseRecord;
  /** Milliseconds on this process's own monotonic clock. What the record says of time is never compared with it: the
   *  clock of another machine may be wrong. */
  readonly sinceMs: number;
}

/** What may be done about a Lease now. */
export type LeaseMove =
  | { readonly kind: 'write'; readonly why: 'create' | 'take' | 'renew'; readonly record: LeaseRecord }
  | { readonly kind: 'wait'; readonly holder: string; readonly forMs: number };

export interface LeaseQuestion {
  /** Undefined: there is no Lease. */
  readonly observed: ObservedLease | undefined;
  readonly identity: string;
  readonly times: LeaseTimes;
  readonly monotonicMs: number;
  /** Only written, never compared. */
  readonly now: Date;
}

/** The record that was seen before goes on being observed as long as nothing of it changes. */
export function observeLease(
  before: ObservedLease | undefined,
  record: LeaseRecord | undefined,
  monotonicMs: number,
): ObservedLease | undefined {
  if (record === undefined) return undefined;
  return before !== undefined && isSame(before.record, record) ? before : { record, sinceMs: monotonicMs };
}

/** A Lease that somebody else holds may be taken only after it was seen unchanged for its whole duration. */
export function judgeLease({ observed, identity, times, monotonicMs, now }: LeaseQuestion): LeaseMove {
  const renewTime = microTime(now);
  const fresh = { holder: identity, durationSeconds: times.durationSeconds, acquireTime: renewTime, renewTime };
  if (observed === undefined) return { kind: 'write', why: 'create', record: { ...fresh, transitions: 0 } };
  const { record, sinceMs } = observed;
  if (record.holder === identity) {
    const { acquireTime, transitions } = record;
    return { kind: 'write', why: 'renew', record: { ...fresh, acquireTime, transitions } };
  }
  const forMs = sinceMs + record.durationSeconds * 1000 - monotonicMs;
  if (record.holder !== '' && forMs > 0) return { kind: 'wait', holder: record.holder, forMs };
  return { kind: 'write', why: 'take', record: { ...fresh, transitions: record.transitions + 1 } };
}

/** Milliseconds that a leader may go on for after it sent the last renewal that was accepted; none or fewer: it leads
 *  no more. Of two clocks the one that ran further counts: the monotonic one stands still while a machine sleeps, and
 *  the other may be set back. */
export function termLeftMs(
  renewed: { readonly monotonicMs: number; readonly wallMs: number },
  at: { readonly monotonicMs: number; readonly wallMs: number },
  { renewDeadlineSeconds }: LeaseTimes,
): number {
  const gone = Math.max(at.monotonicMs - renewed.monotonicMs, at.wallMs - renewed.wallMs);
  return renewDeadlineSeconds * 1000 - gone;
}

/** What a leader leaves behind that ends by itself, so that the next one need not wait. */
export function releasedLease({ transitions }: LeaseRecord, now: Date): LeaseRecord {
  const at = microTime(now);
  return { holder: '', durationSeconds: 1, acquireTime: at, renewTime: at, transitions };
}

function isSame(one: LeaseRecord, other: LeaseRecord): boolean {
  return (
    one.holder === other.holder &&
    one.durationSeconds === other.durationSeconds &&
    one.acquireTime === other.acquireTime &&
    one.renewTime === other.renewTime &&
    one.transitions === other.transitions
  );
}

/** An instant as a Lease has it, with six places. Source: apimachinery meta/v1 MicroTime. */
function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}

import type { Posted, PostRequest } from '../../functions/adapters/messengers/http-post.ts';
import type { Random } from '../random.ts';

const faults = [
  'busy',
  'error',
  'error accepted',
  'cut',
  'cut accepted',
  'slow',
  'garbled',
  'garbled accepted',
  'unreached',
] as const;

/** What becomes of one call. `accepted`: it is taken, and only the answer is lost or wrong. `slow`: it is taken
 *  after we hung up. */
export type Fault = (typeof faults)[number];

export interface Weather {
  /** Drawn for one call to this target; undefined: it goes well. */
  next(target: string): Fault | undefined;
}

/** Of all calls while the weather is bad. */
const faultRate = 0.3;
/** To one target in a run. */
const faultsAtMost = 6;

/** Faults by the seed, each noted. */
export function weatherOf(
  random: Random,
  isStormy: () => boolean,
  noted: (target: string, fault: Fault) => void,
): Weather {
  const counts = new Map<string, number>();
  return {
    next(target) {
      const count = counts.get(target) ?? 0;
      if (!isStormy() || count >= faultsAtMost || !random.chance(faultRate)) return undefined;
      const fault = random.pick(faults);
      counts.set(target, count + 1);
      noted(target, fault);
      return fault;
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export type Serve = (request: PostRequest) => Reply;

/** Seconds after which a slow call is taken; by then its sender has hung up (8 s) and has not looked yet (10 s). */
export const slowSeconds = 9;

export interface Wire {
  readonly serve: () => Reply;
  readonly later: (seconds: number, act: () => void) => void;
  /** Of a 429. */
  readonly waitSeconds: number;
  /** With which a body comes that is none. */
  readonly wrongStatus: number;
}

/** One call over HTTP, or what the fault leaves of it. */
export function overHttp(fault: Fault | undefined, { serve, later, waitSeconds, wrongStatus }: Wire): Posted {
  switch (fault) {
    case undefined:
      return answered(serve());
    case 'busy':
      return { kind: 'answered', status: 429, retryAfterSeconds: waitSeconds, body: '' };
    case 'error accepted':
      serve();
      return answered({ status: 502, body: 'bad gateway' });
    case 'error':
      return answered({ status: 503, body: 'unavailable' });
    case 'cut accepted':
      serve();
      return { kind: 'cut off', why: 'UND_ERR_SOCKET' };
    case 'cut':
      return { kind: 'cut off', why: 'UND_ERR_SOCKET' };
    case 'slow':
      later(slowSeconds, serve);
      return { kind: 'cut off', why: 'TimeoutError' };
    case 'garbled accepted':
      serve();
      return answered({ status: wrongStatus, body: '<html>' });
    case 'garbled':
      return answered({ status: wrongStatus, body: '{"ok":' });
    case 'unreached':
      return { kind: 'unreached', why: 'ECONNREFUSED' };
    default:
      return fault satisfies never;
  }
}

function answered({ status, body }: Reply): Posted {
  return { kind: 'answered', status, retryAfterSeconds: undefined, body };
}

/** What a fault is matched against. */
export interface RequestFacts {
  readonly method: string;
  /** Kubernetes' verb: get, list, watch, create, update, patch, delete. */
  readonly verb: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty for paths that name no stored kind. */
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
}

/** A fault: an error response with this code, a reset connection, or no response at all. */
export type Fault =
  | { readonly kind: 'status'; readonly code: number; readonly message?: string; readonly retryAfterSeconds?: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'timeout' };

export interface FaultOrder {
  readonly fault: Fault;
  readonly matches: (request: RequestFacts) => boolean;
  /** How many matching requests fail. Undefined: all, until `clear`. */
  readonly times?: number;
  /** True: the request is carried out first, and only the response fails. */
  readonly afterwards?: boolean;
}

/** Makes the API server fail on purpose. */
export interface Faults {
  inject(order: FaultOrder): void;
  /** Delays every matching response. Milliseconds of the clock, not scaled by the speed. */
  delay(delayMs: number, matches?: (request: RequestFacts) => boolean): void;
  clear(): void;
  /** The fault for this request, if any; counts it. */
  strike(request: RequestFacts): { readonly fault: Fault; readonly afterwards: boolean } | undefined;
  delayOf(request: RequestFacts): number;
}

export function createFaults(): Faults {
  let orders: { order: FaultOrder; left: number }[] = [];
  let delays: { readonly delayMs: number; readonly matches: (request: RequestFacts) => boolean }[] = [];
  return {
    inject(order) {
      orders.push({ order, left: order.times ?? Number.POSITIVE_INFINITY });
    },
    delay(delayMs, matches = () => true) {
      delays.push({ delayMs, matches });
    },
    clear() {
      orders = [];
      delays = [];
    },
    strike(request) {
      const hit = orders.find(({ order, left }) => left > 0 && order.matches(request));
      if (!hit) return undefined;
      hit.left -= 1;
      return { fault: hit.order.fault, afterwards: hit.order.afterwards ?? false };
    },
    delayOf: (request) => delays.reduce((sum, { delayMs, matches }) => sum + (matches(request) ? delayMs : 0), 0),
  };
}

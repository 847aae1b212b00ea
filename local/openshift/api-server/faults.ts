/** What a fault sees of a request. */
export interface RequestFacts {
  readonly method: string;
  /** Kubernetes' word: get, list, watch, create, update, patch, delete. */
  readonly verb: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty for paths that name no stored kind. */
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
}

/** What goes wrong: a refusal with this code, a connection cut before any answer, or no answer at all. */
export type Fault =
  | { readonly kind: 'status'; readonly code: number; readonly message?: string; readonly retryAfterSeconds?: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'timeout' };

export interface FaultOrder {
  readonly fault: Fault;
  readonly matches: (request: RequestFacts) => boolean;
  /** How many matching requests go wrong. Without it, all until `clear`. */
  readonly times?: number;
  /** The server does the work first and only then fails to say so. */
  readonly afterwards?: boolean;
}

/** Makes the API server fail on purpose. */
export interface Faults {
  inject(order: FaultOrder): void;
  /** Holds back every matching answer. Real milliseconds, by the clock of the cluster, not shortened. */
  delay(delayMs: number, matches?: (request: RequestFacts) => boolean): void;
  clear(): void;
  /** Takes the fault that hits this request, if one does. */
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

import { Transient } from '../../functions/core/text/errors.ts';

/** Every call of a port, by its name, with what makes it: `tsc` refuses a list that lacks one. */
export type CallsOf<Port> = {
  readonly [Name in keyof Port]-?: NonNullable<Port[Name]> extends (...args: never[]) => unknown
    ? string
    : CallsOf<NonNullable<Port[Name]>>;
};

/** `pools.patchPool` and so on, of the calls that this makes. */
export function callsMadeBy(what: string, calls: object, within = ''): readonly string[] {
  return Object.entries(calls).flatMap(([name, inner]) => {
    if (typeof inner === 'object') return callsMadeBy(what, inner, `${within}${name}.`);
    return inner === what ? [`${within}${name}`] : [];
  });
}

/** What the adapters make of a failed call, and what nobody made anything of. */
export const failures: Readonly<Record<string, (call: string) => Error>> = {
  '403': (call) => new Transient(`GET ${call}: 403, is forbidden`, { kind: 'forbidden', isAnswered: true }),
  '404': (call) => new Transient(`GET ${call}: 404`, { kind: 'unknown', isAnswered: true }),
  '409': (call) => new Transient(`PATCH ${call}: 409`, { kind: 'conflict', isAnswered: true }),
  '500': (call) => new Transient(`GET ${call}: 500`, { kind: 'unreachable', isAnswered: true }),
  timeout: (call) => new Transient(`GET ${call}: no answer within 10 s`, { kind: 'unreachable' }),
  'a bug': (call) => new TypeError(`cannot read properties of undefined, in ${call}`),
};

/** What the call was to do is done, and its answer is lost. */
export class LostAnswer extends Transient {}

/** One call that was made. */
export interface MadeCall {
  readonly name: string;
  readonly args: readonly unknown[];
  /** The cluster or the Argo CD that it is made to; absent: to neither. */
  readonly on?: string;
}

/** Is told of each call before it is made. Returns the error that it fails with; undefined: it does not. */
export type Watch = (call: MadeCall) => Error | undefined;

/** The port, or the ports within, of which each call is watched. */
export function watched<Port extends object>(port: Port, watch: Watch, within = ''): Port {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key !== 'string' || value === null) return value;
      const name = `${within}${key}`;
      if (typeof value === 'object') return watched(value, watch, `${name}.`);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const error = watch({ name, args });
        if (error === undefined) return Reflect.apply(value, target, args);
        if (error instanceof LostAnswer)
          return Promise.resolve(Reflect.apply(value, target, args)).then(() => Promise.reject(error));
        // By its port, it answers that it could not read.
        const isAnswer = name === 'cluster.reader.read' && error instanceof Transient;
        const { message: why } = error;
        return isAnswer ? Promise.resolve({ kind: 'failed', why, readAt: new Date(0) }) : Promise.reject(error);
      };
    },
  });
}

import { Misconfigured } from '../core/text/errors.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Clock } from '../ports/time.ts';

export interface SecretPorts {
  readonly secrets: Secrets;
  /** Name or ARN. */
  readonly secret: string;
  readonly clock: Clock;
}

/** A secret that callers prove to know, by sending it or by signing with it. */
export interface LiveSecret {
  /** Whether `test` holds for a valid value. Throws Misconfigured if there is none, Transient if it cannot be read. */
  isKnown(test: (value: string) => boolean | Promise<boolean>): Promise<boolean>;
}

/** Seconds between two uncached reads: guessing must not cause a read per guess. */
const freshEverySeconds = 30;

/** If no cached value fits, the secret is read again bypassing the cache, so that a rotated value works at once; GitHub
 *  would not redeliver what was refused meanwhile. */
export function liveSecret({ secrets, secret, clock }: SecretPorts): LiveSecret {
  let freshAtMs = Number.NEGATIVE_INFINITY;

  async function liveValues(fresh: boolean): Promise<readonly string[]> {
    // Files put into a secret store end with a line break, what senders have does not.
    const values = (await secrets.read(secret, { fresh })).map((value) => value.replace(/\r?\n$/, '')).filter(Boolean);
    // An empty secret would admit everyone.
    if (values.length === 0) throw new Misconfigured([`secret ${secret} has no live value`]);
    return values;
  }

  return {
    async isKnown(test) {
      if (await fitsAny(await liveValues(false), test)) return true;
      const nowMs = clock().getTime();
      if (nowMs - freshAtMs < freshEverySeconds * 1000) return false;
      freshAtMs = nowMs;
      return fitsAny(await liveValues(true), test);
    },
  };
}

/** Every value is tried, whatever the result of the others, so that the time taken does not reveal which one is in
 *  use. */
async function fitsAny(
  values: readonly string[],
  test: (value: string) => boolean | Promise<boolean>,
): Promise<boolean> {
  return (await Promise.all(values.map(test))).includes(true);
}

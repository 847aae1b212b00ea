import { describe, expect, test } from 'vitest';
import { maskLine } from '../../../../functions/core/machine-config/mask.ts';
import { fc } from '../../../property.ts';

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''));

/** A name of Kubernetes. */
const name = fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$/);

describe('what is masked of a line', () => {
  test('[N-29] [S1-15] is never the name of a rendered config or the digest of an image', () => {
    const line = fc.record({ pool: name, hash: hex(32), other: hex(32), digest: hex(64) });

    fc.assert(
      fc.property(line, ({ pool, hash, other, digest }) => {
        const text = `node is on rendered-${pool}-${hash}, wants "rendered-${pool}-${other}": quay.io/x@sha256:${digest}`;

        expect(maskLine(text)).toBe(text);
      }),
    );
  });

  test('[S1-15] is every other long run of hexadecimal digits, also behind a name that looks like one', () => {
    const line = fc.record({ pool: name, hash: hex(32), secret: hex(40), more: hex(33) });

    fc.assert(
      fc.property(line, ({ pool, hash, secret, more }) => {
        const text = `rendered-${pool}-${hash} ${secret} rendered-${pool}-${more} rendered ${hash} my-${hash}`;

        expect(maskLine(text)).toBe(
          `rendered-${pool}-${hash} [masked] rendered-${pool}-[masked] rendered [masked] my-[masked]`,
        );
      }),
    );
  });
});

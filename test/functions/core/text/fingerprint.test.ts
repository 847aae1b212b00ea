import { expect, test } from 'vitest';
import { fingerprint } from '../../../../functions/core/text/fingerprint.ts';
import { fc } from '../../../property.ts';

test('a fingerprint is short, the same for the same text, and differs for texts that differ', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(fingerprint(one)).toMatch(/^[0-9a-f]{16}$/);
      expect(fingerprint(one) === fingerprint(other)).toBe(one === other);
    }),
  );
});

test('no two of ten thousand similar texts have the same', () => {
  const all = Array.from({ length: 10_000 }, (_, index) => fingerprint(`waiting for completion of hook ${index}`));

  expect(new Set(all).size).toBe(all.length);
});

import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { packed, unpacked } from '../../../functions/adapters/kubernetes/packed-text.ts';
import { Transient } from '../../../functions/core/text/errors.ts';

it('[S2-10] what is short is stored for people to read, and what is long is packed and read again', () => {
  const long = JSON.stringify({ items: 'é'.repeat(600_000) });

  expect(packed('{"v":1}')).toBe('{"v":1}');
  expect(packed(long).length).toBeLessThan(10_000);
  expect(unpacked(packed(long))).toBe(long);
});

it.each([
  ['a bomb', `gzip:${gzipSync(Buffer.alloc(40 * 1024 * 1024)).toString('base64')}`],
  ['no gzip', 'gzip:AAAA'],
])('[S2-19] [N-30] %s is an answer that cannot be understood', (_, stored) => {
  expect(() => unpacked(stored)).toThrow(Transient);
});

import { describe, expect, test } from 'vitest';
import { addsDigestMirrorsOnly } from '../../../../functions/core/machine-config/registries-conf.ts';

const registry = (location: string, ...mirrors: readonly string[]) =>
  [
    '[[registry]]',
    `location = "${location}"`,
    ...mirrors.flatMap((mirror) => [
      '[[registry.mirror]]',
      `location = "${mirror}"`,
      'pull-from-mirror = "digest-only"',
    ]),
  ].join('\n');

describe('[N-30] registries.conf as a stranger may write it', () => {
  // Quadratic work on these takes minutes: the time limit of the test would end it.
  test('a list that does not end is not understood, however long it is', () => {
    const endless = `unqualified-search-registries = [\n${'"a.example.com",\n'.repeat(80_000)}`;

    expect(addsDigestMirrorsOnly('', endless)).toBe(false);
  });

  test('thousands of mirrors are compared by what they say, whatever their order', () => {
    const mirrors = Array.from({ length: 20_000 }, (_, index) => `mirror-${index}.example.com`);
    const before = registry('quay.io', ...mirrors);

    expect(addsDigestMirrorsOnly(before, registry('quay.io', ...mirrors.toReversed(), 'new.example.com'))).toBe(true);
    expect(addsDigestMirrorsOnly(before, registry('quay.io', ...mirrors.slice(1)))).toBe(false);
  });
});

import { expect, test } from 'vitest';
import { sourceFiles } from './source-files.ts';

test('[N-29] whoever asks for pools that a view has no room for asks for those that cannot be parsed, too', () => {
  const found = sourceFiles(['functions', 'local'])
    .filter(({ code }) => code.includes('poolsLeftOut') && !code.includes('unreadablePools'))
    .map(({ path }) => path);

  // It puts a number into words.
  expect(found).toEqual(['local/cli/status/pools-left-out.ts']);
});

import { expect, test } from 'vitest';
import type { GitEntry } from '../../../functions/adapters/github/git-trees.ts';
import { movedFolders } from '../../../functions/adapters/github/two-listings.ts';

const file: GitEntry = { kind: 'file', sha: 'a', size: 1 };

function moved(path: string) {
  return movedFolders({ before: new Map(), after: new Map([[path, file]]), incomplete: undefined }, [path]);
}

test('[N-30] folders of a repository with a path that is too long are unknown', () => {
  expect(moved('new/deep/a.yaml')).toEqual({ appeared: ['new'], vanished: [] });
  expect(moved(`${'d/'.repeat(250)}a.yaml`)).toBeUndefined();
});

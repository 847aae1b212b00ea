import { describe, expect, test } from 'vitest';
import { preparePush } from '../../../../functions/core/routing/is-concerned.ts';
import type { ParsedFiles } from '../../../../functions/core/routing/parsed-files.ts';
import { pushedPaths } from '../../../../functions/core/routing/pushed-paths.ts';
import type { GitGenerator, SetRoute } from '../../../../functions/core/routing/route.ts';
import { isSetConcerned, mayBeFile } from '../../../../functions/core/routing/set-concerned.ts';
import { setNews } from '../../../../functions/core/routing/set-news.ts';
import { aPush } from './builders.ts';
import pathspecs from './pathspecs.json' with { type: 'json' };

const files: GitGenerator = {
  repoURL: 'https://github.com/acme/ocp',
  revision: 'main',
  reads: 'files',
  paths: ['clusters/*/config.json'],
};
const folders: GitGenerator = { ...files, reads: 'folders', paths: ['clusters/*/apps/*'] };

function aSet(...generators: readonly GitGenerator[]): SetRoute {
  const ref = { argocd: 'hub', namespace: 'argocd', name: 'fleet' };
  return { ref, generators, readsAnyPush: false, looksEverySeconds: 180 };
}

function read(change: Partial<ParsedFiles>, ...paths: readonly string[]): ParsedFiles {
  const side = { kind: 'read', manifests: [], isWhole: true } as const;
  return {
    files: paths.map((path) => ({ path, before: { kind: 'absent' }, after: side })),
    tools: [],
    incomplete: undefined,
    ...change,
  };
}

const none = { appeared: [], vanished: [] };
const appeared = (folder: string) => ({ appeared: [folder], vanished: [] });

describe('what changed files give an ApplicationSet', () => {
  test.each<[string, readonly GitGenerator[], ParsedFiles, string | undefined]>([
    ['a file that it names', [files], read({}, 'README.md', 'clusters/a/config.json'), 'clusters/a/config.json'],
    ['another file', [files], read({}, 'clusters/a/x.yaml'), undefined],
    ['files of which the list is not whole', [files], read({ incomplete: 'cut' }, 'x'), 'x'],
    ['no list at all', [folders], read({ incomplete: 'late' }), 'the list of changed files'],
    ['a folder that appeared', [folders], read({ folders: appeared('clusters/a/apps/new') }), 'clusters/a/apps/new'],
    ['a folder that holds such ones', [folders], read({ folders: appeared('clusters/b') }), 'clusters/b'],
    ['a folder within such a one', [folders], read({ folders: appeared('clusters/a/apps/x/y') }), undefined],
    ['a folder elsewhere', [folders], read({ folders: appeared('docs') }), undefined],
    [
      'a folder that vanished',
      [folders],
      read({ folders: { appeared: [], vanished: ['clusters/a/apps/old'] } }),
      'clusters/a/apps/old',
    ],
    ['a new file in a folder that was there', [folders], read({ folders: none }, 'clusters/a/apps/x/new'), undefined],
    ['a new file, where folders are not told', [folders], read({}, 'clusters/a/apps/x/new'), 'clusters'],
    ['a new file at the root, where folders are not told', [folders], read({}, 'new.yaml'), undefined],
    ['any depth', [{ ...folders, paths: ['**'] }], read({ folders: appeared('a/b/c') }), 'a/b/c'],
    [
      'the second of two generators',
      [folders, files],
      read({ folders: none }, 'clusters/a/config.json'),
      'clusters/a/config.json',
    ],
    ['another branch', [{ ...files, revision: 'next' }], read({}, 'clusters/a/config.json'), undefined],
  ])('%s', (_what, generators, changed, path) => {
    expect(setNews(aSet(...generators), aPush(), changed)?.path).toBe(path);
  });
});

describe('a pattern of a files generator', () => {
  test('[S0-12] [N-30] means at least the files that Git lists for it, recorded from Git', () => {
    const missed = Object.entries(pathspecs.listed).flatMap(([pattern, places]) =>
      places
        .map((place) => pathspecs.files[place] ?? '')
        .filter((path) => !mayBeFile(pattern, path))
        .map((path) => ({ pattern, path })),
    );

    expect(missed).toEqual([]);
    expect(Object.keys(pathspecs.listed).length).toBeGreaterThan(70);
  });

  test.each(['.', './', '', 'a/..', './a/./..', ':/', ':(icase)CONFIG.JSON', ':!docs', '*/../x.json'])(
    '[N-30] %s may mean any file',
    (pattern) => {
      expect(['README.md', 'a/b/c.yaml'].filter((path) => mayBeFile(pattern, path))).toHaveLength(2);
    },
  );

  test.each([
    ['a/../b', 'a/c.json'],
    ['./clusters/*/config.json', 'apps/x/config.json'],
    ['a/../clusters/*.json', 'a/x.json'],
    ['clusters/./*/x.yaml', 'clusters/a/y.yaml'],
  ])('%s does not mean %s', (pattern, path) => {
    expect(mayBeFile(pattern, path)).toBe(false);
  });
});

test('[N-30] the patterns of an ApplicationSet, of which there may be tens of thousands, hold up no push to a repository that it follows', () => {
  let compared = 0;
  const counted = <T>(list: readonly T[]): readonly T[] =>
    new Proxy(list, {
      get: (target, key, self) => {
        if (/^\d/.test(String(key))) compared += 1;
        return Reflect.get(target, key, self);
      },
    });
  const patterns = Array.from({ length: 1_000 }, (_, index) => `clusters/${index}/*.json`);
  const set = aSet(...Array.from({ length: 60 }, () => ({ ...files, paths: patterns })));
  const paths = Array.from({ length: 100 }, (_, index) => `nodes/${index}.yaml`);
  const known = pushedPaths({ kind: 'known', paths });
  const push = preparePush(aPush());
  const all = read({ folders: none }, ...paths);

  const isConcernedByIt = isSetConcerned(set, { ...push, paths: known && { ...known, paths: counted(paths) } });
  const news = setNews(set, aPush(), { ...all, files: counted(all.files) });

  expect(isConcernedByIt).toBe(true);
  expect(news?.path).toBe('nodes/0.yaml');
  expect(compared).toBeLessThan(1_000);
});

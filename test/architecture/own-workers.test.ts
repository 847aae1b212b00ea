import { expect, test } from 'vitest';
import { ownWorkers } from '../own-workers.ts';
import { sourceFiles } from './source-files.ts';

/** What stays in a worker for the next file: the environment, what was replaced, the first call of a Lambda. */
const staysBehind = [
  /(?:fake-aws|lambda-environment)\.ts'/,
  /\bvi\.(?:stub|spyOn|mock|doMock|useFake|setSystemTime)/,
  /process\.env\[[^\]]*\] = |delete process\.env|process\.(?:chdir|umask)\(/,
];

test('tests that change what others of their worker see have a worker of their own, and no others have', () => {
  const tests = sourceFiles(['test']).filter(({ path }) => /^test\/(?!cluster\/|cloud\/).*\.test\.ts$/.test(path));

  const found = tests.filter(({ text }) => staysBehind.some((each) => each.test(text))).map(({ path }) => path);

  expect(found.toSorted()).toEqual([...ownWorkers].toSorted());
});

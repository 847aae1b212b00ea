import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitRoutes } from '../../local/git-server/git-routes.ts';
import { createGitHost } from '../../local/openshift/argocd/git-host.ts';
import type { GitPush } from '../../local/openshift/argocd/git-repository.ts';
import { startLocalServer } from '../../local/run/local-server.ts';
import { removeFolder, temporaryFolder } from './harness/leave-nothing.ts';
import { runCommand } from './toolchain/run-command.ts';

const origin = 'https://git.example.com';
const first = { 'apps/a.json': '{"a":1}\n', 'README.md': 'Übersicht\n' };

async function served(onTestFinished: (end: () => Promise<void>) => void) {
  const folder = await temporaryFolder('git-server');
  onTestFinished(() => removeFolder(folder));
  const host = createGitHost({ origin, now: () => new Date('2026-03-02T08:00:00Z') });
  const repository = host.createRepository({ owner: 'acme', name: 'platform', files: first });
  const received: GitPush[] = [];
  const routes = await gitRoutes({
    host,
    origin,
    folder: join(folder, 'served'),
    onReceived: async (push) => void received.push(push),
  });
  const server = await startLocalServer(routes, 0);
  onTestFinished(server.stop);
  const clone = join(folder, 'clone');
  const env = {
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Zoe',
    GIT_AUTHOR_EMAIL: 'zoe@example.com',
    GIT_COMMITTER_NAME: 'Zoe',
    GIT_COMMITTER_EMAIL: 'zoe@example.com',
    GIT_TERMINAL_PROMPT: '0',
  };
  const git = (...args: string[]) => runCommand({ file: 'git', args: ['-C', clone, ...args], env });
  await runCommand({ file: 'git', args: ['clone', '--quiet', `${server.url}/git/acme/platform.git`, clone], env });
  return { repository, received, clone, git, url: server.url };
}

test('[N-32] a repository of the demo is cloned, changed and pushed to with Git itself, and its commits keep their ids', async ({
  onTestFinished,
}) => {
  const { repository, received, clone, git } = await served(onTestFinished);
  const before = repository.head()?.id;

  await writeFile(join(clone, 'apps/a.json'), '{"a":2}\n');
  await git('commit', '--quiet', '--all', '--message', 'raise a');
  await writeFile(join(clone, 'apps/b.json'), '{"b":1}\n');
  await git('rm', '--quiet', 'README.md');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'b comes, the overview goes');
  await git('push', '--quiet');

  const ids = (await git('log', '--reverse', '--format=%H')).trim().split('\n').slice(1);
  expect(received).toMatchObject([{ ref: 'refs/heads/main', before, after: ids[1], forced: false }]);
  expect(received[0]?.commits).toMatchObject([
    { id: ids[0], message: 'raise a', modified: ['apps/a.json'], added: [], removed: [], author: { name: 'Zoe' } },
    { id: ids[1], added: ['apps/b.json'], removed: ['README.md'], modified: [] },
  ]);
  expect([...repository.filesAt(ids[1] ?? '')]).toEqual([
    ['apps/a.json', '{"a":2}\n'],
    ['apps/b.json', '{"b":1}\n'],
  ]);
});

test('[N-32] what is pushed to the simulated host meanwhile is pulled, and is never lost to a push that does not know it', async ({
  onTestFinished,
}) => {
  const { repository, received, clone, git } = await served(onTestFinished);
  repository.push({ message: 'a colleague', files: { 'apps/c.json': '{"c":1}\n' } });
  await writeFile(join(clone, 'apps/a.json'), '{"a":3}\n');
  await git('commit', '--quiet', '--all', '--message', 'raise a');

  await expect(git('push')).rejects.toThrow('fetch first');
  expect(received).toEqual([]);
  await git('pull', '--quiet', '--rebase');
  await git('push', '--quiet');

  expect(await readFile(join(clone, 'apps/c.json'), 'utf8')).toBe('{"c":1}\n');
  expect(received).toHaveLength(1);
  expect([...repository.filesAt(repository.head()?.id ?? '').keys()].toSorted()).toEqual([
    'README.md',
    'apps/a.json',
    'apps/c.json',
  ]);
});

test('[N-32] history is not rewritten, a branch of its own comes, and what does not exist is not found', async ({
  onTestFinished,
}) => {
  const { repository, received, git, url } = await served(onTestFinished);

  await git('commit', '--quiet', '--amend', '--message', 'as if it had begun otherwise');
  await expect(git('push', '--force')).rejects.toThrow('non-fast-forward');
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/try');

  expect(received).toMatchObject([{ ref: 'refs/heads/try', before: '0'.repeat(40) }]);
  expect(repository.head()?.message).toBe('Begin');
  expect(repository.head('try')?.message).toBe('as if it had begun otherwise');
  for (const path of [
    'acme/other.git/info/refs',
    'acme/platform.git/HEAD',
    '../etc/passwd',
    'acme/platform.git/config',
  ])
    expect((await fetch(`${url}/git/${path}`)).status).toBe(404);
});

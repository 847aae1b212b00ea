import { appendFile, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../cluster/toolchain/run-command.ts';

const checkout = fileURLToPath(new URL('../../..', import.meta.url));

/** Poolkeeper's repository as people clone it: the working tree as its first version. */
export interface PublishedRepository {
  readonly folder: string;
  /** Publishes a version with changed code. */
  readonly release: (version: string) => Promise<void>;
}

const author = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
} as const;

/** What would be committed, nothing that is ignored. */
export async function publishRepository(folder: string, version: string): Promise<PublishedRepository> {
  const git = (...args: readonly string[]) => runCommand({ file: 'git', args, folder, env: author });
  const listed = await runCommand({ file: 'git', args: ['ls-files', '-coz', '--exclude-standard'], folder: checkout });
  await mkdir(folder, { recursive: true });
  for (const file of new Set(listed.split('\0').filter(Boolean))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    // A file may be listed and deleted since.
    await copyFile(join(checkout, file), join(folder, file)).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
    });
  }
  const commit = async (message: string, tag: string) => {
    await git('add', '--all');
    await git('commit', '--quiet', '--message', message);
    await git('tag', tag);
  };
  await git('init', '--quiet', '--initial-branch=main');
  await commit('Poolkeeper', version);
  return {
    folder,
    release: async (next) => {
      const changed = join(folder, 'functions', 'keep-pools', 'lambda.ts');
      await appendFile(changed, `\ntelemetry.logger.info('version', { version: '${next}' });\n`);
      await commit(`Poolkeeper ${next}`, next);
    },
  };
}

import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { runCommand } from '../toolchain/run-command.ts';
import { removeFolder, temporaryFolder } from './leave-nothing.ts';
import { close, listen } from './loopback.ts';

/** Plain data: a worker of vitest makes a {@link GitServer} of it. */
export interface GitServerAddress {
  readonly url: string;
  readonly folder: string;
}

export interface GitServer extends GitServerAddress {
  /** Makes an empty repository; the name is a path such as `acme/cluster-config`. */
  readonly createRepository: (name: string) => Promise<Repository>;
}

export interface StartedGitServer extends GitServer {
  readonly stop: () => Promise<void>;
}

export interface Repository {
  readonly name: string;
  readonly branch: string;
  /** To clone from. */
  readonly cloneUrl: string;
  /** As a browser would name it: the clone URL without `.git`. */
  readonly htmlUrl: string;
  /** Commits the files (null deletes one) and pushes the commit. */
  readonly commit: (files: Files, message?: string) => Promise<Commit>;
}

/** Path in the repository -> content; null deletes the file. */
export type Files = Readonly<Record<string, string | null>>;

export interface Commit {
  /** The branch's commit before; forty zeros for the first. */
  readonly before: string;
  readonly after: string;
  readonly message: string;
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

export const noCommit = '0'.repeat(40);

/** Serves repositories over smart HTTP on loopback: Argo CD can clone nothing else that also matches a webhook. */
export async function startGitServer(): Promise<StartedGitServer> {
  const folder = await temporaryFolder('git');
  const bare = join(folder, 'bare');
  await mkdir(bare);
  const backend = join((await runCommand({ file: 'git', args: ['--exec-path'] })).trim(), 'git-http-backend');
  const server = createServer((request, response) => serve({ request, response, bare, backend }));
  const port = await listen(server);
  const address = { url: `http://127.0.0.1:${port}`, folder };
  return {
    ...openGitServer(address),
    stop: async () => {
      await close(server);
      await removeFolder(folder);
    },
  };
}

/** Access to a Git server that runs elsewhere, from its address. */
export function openGitServer(address: GitServerAddress): GitServer {
  return { ...address, createRepository: (name) => createRepository(address, name) };
}

const branch = 'main';

/** The machine's own Git configuration and the person's name must not reach the commits. */
const gitEnvironment = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
} as const;

async function createRepository(address: GitServerAddress, name: string): Promise<Repository> {
  const bare = join(address.folder, 'bare', `${name}.git`);
  const work = join(address.folder, 'work', name);
  const cloneUrl = `${address.url}/${name}.git`;
  await mkdir(work, { recursive: true });
  await git(work, 'init', '--quiet', '--bare', `--initial-branch=${branch}`, bare);
  await git(bare, 'config', 'http.receivepack', 'true');
  await git(work, 'init', '--quiet', `--initial-branch=${branch}`);
  await git(work, 'remote', 'add', 'origin', cloneUrl);

  return {
    name,
    branch,
    cloneUrl,
    htmlUrl: cloneUrl.replace(/\.git$/, ''),
    async commit(files, message = 'change the cluster') {
      const before = await git(work, 'rev-parse', '--quiet', '--verify', 'HEAD').catch(() => noCommit);
      for (const [path, content] of Object.entries(files)) await writeOrRemove(join(work, path), content);
      await git(work, 'add', '--all');
      await git(work, 'commit', '--quiet', '--allow-empty', '--message', message);
      await git(work, 'push', '--quiet', 'origin', branch);
      const after = await git(work, 'rev-parse', 'HEAD');
      const changes = (await git(work, 'show', '--no-renames', '--name-status', '--format=', 'HEAD'))
        .split('\n')
        .filter((line) => line !== '');
      const of = (letter: string) =>
        changes.filter((line) => line.startsWith(`${letter}\t`)).map((line) => line.slice(2));
      return { before, after, message, added: of('A'), modified: of('M'), removed: of('D') };
    },
  };
}

async function writeOrRemove(file: string, content: string | null): Promise<void> {
  if (content === null) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await runCommand({ file: 'git', args, folder, env: gitEnvironment })).trimEnd();
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bare: string;
  readonly backend: string;
}

/** One request, answered by `git http-backend` as a CGI program. */
function serve({ request, response, bare, backend }: Exchange): void {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ...gitEnvironment,
    GIT_PROJECT_ROOT: bare,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    CONTENT_LENGTH: request.headers['content-length'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_USER: 'ada',
  };
  const child = spawn(backend, [], { env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
  child.once('error', () => response.writeHead(500).end());
  // A client that goes away, and a program that ends before it has read everything, are both everyday.
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  let head: Buffer | undefined = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (head === undefined) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    writeHead(response, head.subarray(0, end).toString('latin1'));
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  child.stdout.once('end', () => response.end());
}

function writeHead(response: ServerResponse, head: string): void {
  for (const line of head.split('\r\n')) {
    const [name = '', ...value] = line.split(': ');
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value.join(': '), 10);
    else response.setHeader(name, value.join(': '));
  }
}

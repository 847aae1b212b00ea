import { spawn } from 'node:child_process';

export interface GitCall {
  readonly args: readonly string[];
  readonly input?: Uint8Array | string;
  /** Added to what Git is given anyway. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Git ended with an error, or there is none on this machine. */
class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/** Nothing of the person's own settings: their hooks, their signing key, their default branch. */
const plain = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };

/** Runs the `git` of this machine to its end, and gives what it wrote. Throws GitFailed. */
export async function runGit({ args, input = '', env = {} }: GitCall): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const child = spawn('git', args, { env: { PATH: process.env['PATH'], ...plain, ...env } });
  const written: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => written.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
  child.once('error', (cause) => reject(new GitFailed(`git cannot be started: ${cause.message}`, { cause })));
  child.once('close', (code) => {
    if (code === 0) resolve(Buffer.concat(written));
    else reject(new GitFailed(`git ${args[0]} ended with ${code}: ${Buffer.concat(complaints).toString().trim()}`));
  });
  // Git may end before it has read everything; its exit code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return promise;
}

/** Whether there is a Git here that can serve repositories. */
export async function hasGit(): Promise<boolean> {
  return runGit({ args: ['--exec-path'] }).then(
    () => true,
    () => false,
  );
}

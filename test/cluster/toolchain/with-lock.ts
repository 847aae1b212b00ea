import { spawn } from 'node:child_process';

/**
 * Does a job that only one process on this machine may do at a time.
 * The lock is the kernel's (`flock` of util-linux, part of every Debian), held by a child that ends with us:
 * a killed run leaves no stale lock, which a lock file with a pid in it would.
 */
export async function withLock<T>(file: string, onWait: () => void, job: () => Promise<T>): Promise<T> {
  const holder = spawn('flock', ['--exclusive', file, 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => {
    holder.once('close', () => resolve());
    holder.once('error', () => resolve());
  });
  const waiting = setTimeout(onWait, 2_000);
  try {
    await held(holder, file);
    clearTimeout(waiting);
    return await job();
  } finally {
    clearTimeout(waiting);
    holder.stdin.end();
    await ended;
  }
}

function held(holder: ReturnType<typeof spawn>, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    holder.stdout?.once('data', () => resolve());
    holder.once('error', (cause) => reject(new Error(`cannot lock ${file}: ${cause.message}`, { cause })));
    holder.once('close', (code) => reject(new Error(`cannot lock ${file}: flock ended with status ${code}`)));
  });
}

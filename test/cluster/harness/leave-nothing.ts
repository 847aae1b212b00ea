import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What must not outlive this process, whatever ends it. A signal leaves no time for an orderly stop (vitest exits a
 * millisecond after one), so the rest is cleared at once when the process exits: first the programs, then the folders
 * they write to.
 */
const programs = new Set<ChildProcess>();
const folders = new Set<string>();
process.on('exit', () => {
  for (const program of programs) program.kill('SIGKILL');
  if (isKept()) return;
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** `POOLKEEPER_KEEP_LAB=1` keeps the folders of a run, logs included, for a look at what happened. */
function isKept(): boolean {
  return process.env['POOLKEEPER_KEEP_LAB'] !== undefined;
}

/** Ends the program with this process, unless it ends before. */
export function endWithUs(program: ChildProcess): void {
  programs.add(program);
  program.once('exit', () => programs.delete(program));
}

/** Makes a folder of the system's temporary folder that goes with this process, or when {@link removeFolder} is
 *  called. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `poolkeeper-${name}-`));
  folders.add(folder);
  return folder;
}

export async function removeFolder(folder: string): Promise<void> {
  if (!isKept()) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  folders.delete(folder);
}

import { readdir, readFile } from 'node:fs/promises';

/** Process ids of the containers of a function that the emulator keeps warm: its children, which know the function's
 *  name. */
async function workersOf(emulatorPid: number, fn: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const isOurs = await isWorker(name, emulatorPid, fn).catch(() => false);
    if (isOurs) found.push(Number(name));
  }
  return found;
}

async function isWorker(pid: string, parent: number, fn: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  if (!status.includes(`PPid:\t${parent}\n`)) return false;
  const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  return environment.includes(`AWS_LAMBDA_FUNCTION_NAME=${fn}`);
}

/** Kills them as a failing host does. Answers how many there were. */
export async function killWorkers(emulatorPid: number, fn: string): Promise<number> {
  const workers = await workersOf(emulatorPid, fn);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  return workers.length;
}

import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { etcd } from '../cluster/toolchain/parts.ts';
import { runCommand } from '../cluster/toolchain/run-command.ts';

/** What the figures of a run depend on. */
export interface Surroundings {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  /** Of the minute before the run. */
  readonly load: string;
  readonly versions: string;
}

/** Taken before anything is measured. `apiServer` is its own answer to /version. */
export async function surroundings(apiServer: string): Promise<Surroundings> {
  return {
    ...(await machineOf()),
    versions: `Node ${process.version}, kube-apiserver ${apiServer}, etcd ${etcd.version}`,
  };
}

export async function machineOf(): Promise<Omit<Surroundings, 'versions'>> {
  const [{ model } = { model: 'unknown processor' }] = cpus();
  const memoryGiB = Math.round(totalmem() / 1024 ** 3);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: await commit(),
    machine: `${cpus().length} × ${model.trim()}, ${memoryGiB} GiB, ${type()} ${release().split('-')[0]}`,
    load: loadavg()[0]?.toFixed(1) ?? 'unknown',
  };
}

/** The commit that the working tree is at, and whether something that runs here differs from it. */
async function commit(): Promise<string> {
  const git = (...args: readonly string[]) =>
    runCommand({ file: 'git', args: ['-C', import.meta.dirname, ...args] }).then((text) => text.trim());
  const id = await git('rev-parse', '--short=10', 'HEAD');
  const root = await git('rev-parse', '--show-toplevel');
  const changed = await git('-C', root, 'status', '--porcelain', '--', 'functions', 'events', 'local', 'test/bench');
  return changed === '' ? id : `${id} with local changes`;
}

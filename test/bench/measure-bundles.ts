import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { removeFolder, temporaryFolder } from '../cluster/harness/leave-nothing.ts';
import { type Budget, bundle, keepers, receivers, senders } from '../functions/bundle.ts';
import { median } from './quantile.ts';

const run = promisify(execFile);

/** What a cold start pays for one function. */
export interface BundleCost {
  readonly entry: string;
  readonly sizeKiB: number;
  readonly atMostKiB: number;
  /** Import of the bundle in a fresh process, median, milliseconds. */
  readonly importMs: number;
}

/** Bundles every function and imports each bundle in so many fresh processes, in turn. */
export async function measureBundles(processes: number): Promise<readonly BundleCost[]> {
  const folder = await temporaryFolder('bench-bundles');
  try {
    const program = join(folder, 'import.mjs');
    await writeFile(program, importer);
    const built = [];
    for (const { entry, atMostKiB } of [receivers, keepers, senders].flatMap(entriesOf)) {
      built.push({ entry, atMostKiB, ...(await bundle(entry, folder)), importMs: [] as number[] });
    }
    for (let round = 0; round < processes; round += 1) {
      for (const { file, importMs } of built) importMs.push(await timeImport(program, file));
    }
    return built.map(({ entry, sizeKiB, atMostKiB, importMs }) => ({
      entry,
      sizeKiB,
      atMostKiB,
      importMs: median(importMs),
    }));
  } finally {
    await removeFolder(folder);
  }
}

function entriesOf({ entries, atMostKiB }: Budget) {
  return entries.map((entry) => ({ entry, atMostKiB }));
}

/** The start of Node itself is not counted. */
const importer = `const startedMs = performance.now();
await import(process.argv[2]);
console.error(performance.now() - startedMs);
process.exit();
`;

async function timeImport(program: string, file: string): Promise<number> {
  const { stderr } = await run(process.execPath, [program, pathToFileURL(file).href]);
  const ms = Number(stderr.trim().split('\n').at(-1));
  if (!(ms > 0)) throw new Error(`the import of ${file} said: ${stderr.slice(0, 300)}`);
  return ms;
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { withLock } from './with-lock.ts';

/** One thing the suite needs and builds once: a set of programs or of manifests, in a folder of the cache named
 *  after it. */
export interface Part {
  readonly name: string;
  readonly version: string;
  /** What it costs when it is missing, in words for the progress line. */
  readonly cost: string;
  /** Everything the result depends on, as text: a change of it builds the part again. */
  readonly recipe: () => string;
  /** Makes the part in an empty folder. */
  readonly build: (folder: string, say: Say) => Promise<void>;
}

export type Say = (line: string) => void;

export function partFolder(part: Pick<Part, 'name' | 'version'>): string {
  return join(cacheFolder(), `${part.name}-${part.version}`);
}

/** Builds the part unless a finished one with the same recipe lies in the cache. */
export async function buildPart(part: Part, say: Say): Promise<string> {
  const folder = partFolder(part);
  if (isComplete(part, folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  const tell: Say = (line) => say(`${part.name} ${part.version}: ${line}`);
  await withLock(
    `${folder}.lock`,
    () => tell('another run is building it, waiting'),
    async () => {
      if (isComplete(part, folder)) return;
      const startedMs = performance.now();
      tell(`building (${part.cost})`);
      await removeUnfinished(folder);
      const unfinished = `${folder}.unfinished-${process.pid}`;
      await mkdir(unfinished, { recursive: true });
      await part.build(unfinished, tell);
      await writeFile(join(unfinished, stampFile), fingerprint(part));
      await rm(folder, { recursive: true, force: true });
      await rename(unfinished, folder);
      tell(`built in ${Math.round((performance.now() - startedMs) / 1_000)} s`);
    },
  );
  return folder;
}

/** What a killed run left. A compiler it started may still be at work there, so no run builds in another's folder. */
async function removeUnfinished(folder: string): Promise<void> {
  const names = (await readdir(cacheFolder())).filter((name) => name.startsWith(`${basename(folder)}.unfinished`));
  for (const name of names) await rm(join(cacheFolder(), name), { recursive: true, force: true });
}

/** Written last, so a part without it, or with another recipe's, was not finished. */
const stampFile = '.complete';

function isComplete(part: Part, folder: string): boolean {
  const stamp = join(folder, stampFile);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(part);
}

function fingerprint(part: Part): string {
  return createHash('sha256').update(`${part.version}\n${part.recipe()}`).digest('hex');
}

/** Reads back a folder of JSON manifests a part wrote. */
export async function readManifest<T>(folder: string, file: string): Promise<T> {
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as T;
}

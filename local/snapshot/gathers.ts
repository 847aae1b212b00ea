import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Misconfigured } from '../../functions/core/text/errors.ts';

/** What a gather left. */
export interface Gathered {
  /** Folders with objects. */
  readonly roots: readonly string[];
  readonly takenAt: Date;
}

/** Folders below the given one: the name of the image that gathered. */
const depth = 2;

/** Throws Misconfigured if nothing was gathered there. */
export async function gathersIn(folder: string): Promise<Gathered> {
  const roots = await rootsBelow(folder, depth);
  if (roots.length === 0)
    throw new Misconfigured([
      `--must-gather ${folder}: has neither cluster-scoped-resources nor namespaces, here or ${depth} folders down`,
    ]);
  const times = await Promise.all([folder, ...roots].map(timeIn));
  return { roots, takenAt: times.find((time) => time !== undefined) ?? (await stat(folder)).mtime };
}

async function rootsBelow(folder: string, levels: number): Promise<readonly string[]> {
  const names = await foldersIn(folder);
  if (names.includes('cluster-scoped-resources') || names.includes('namespaces')) return [folder];
  if (levels === 0) return [];
  return (await Promise.all(names.map((name) => rootsBelow(join(folder, name), levels - 1)))).flat();
}

export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The last line of the file `timestamp` that has a time is the end. */
async function timeIn(folder: string): Promise<Date | undefined> {
  const text = await readFile(join(folder, 'timestamp'), 'utf8').catch(() => '');
  return [...text.matchAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\S* ([+-]\d\d)(\d\d)/g)]
    .map(([, day, time, hours, minutes]) => new Date(`${day}T${time}${hours}:${minutes}`))
    .findLast((date) => !Number.isNaN(date.getTime()));
}

import { stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { ValuesFile } from '../../../functions/core/clustergroup/group.ts';
import { type GroupPlace, sharedFilesOf, valueFilesOf } from '../../../functions/core/clustergroup/value-files.ts';
import { mergeValues, setParameter, type Values } from '../../../functions/core/clustergroup/values.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { readValuesFile } from './read-values.ts';

export interface FoundValues {
  /** In their order, later ones win. */
  readonly files: readonly ValuesFile[];
  /** Looked for and not there. */
  readonly missing: readonly string[];
  /** Entries of sharedValueFiles that are not followed. */
  readonly notFollowed: readonly string[];
}

export interface CheckoutOptions {
  readonly place: GroupPlace;
  readonly parameters: Readonly<Record<string, string>>;
  /** `extraValueFiles` of the Pattern object, from the root of the repository. */
  readonly extra: readonly string[];
}

/** The values files of a group in a checkout, found as the framework finds them. Throws Misconfigured. */
export async function findValues(
  checkout: string,
  { place, parameters, extra }: CheckoutOptions,
): Promise<FoundValues> {
  if (!(await isFolder(checkout)))
    throw new Misconfigured([`${checkout}: is no folder; it must be a checkout of the pattern`]);
  const layout = (await isFolder(join(checkout, 'variants'))) ? 'variants' : 'root';
  const layers = [...valueFilesOf(place, layout), ...extra.map((path) => path.replace(/^\/+/, ''))];
  const own = await readAll(checkout, layers);
  if (own.files.every(({ path }) => path === 'values-global.yaml')) {
    const looked = valueFilesOf(place, layout)[1] ?? '';
    throw new Misconfigured([`--group ${place.group}: ${checkout} has no ${looked}`]);
  }
  const merged = own.files.reduce<Values>((values, file) => mergeValues(values, file.values), {});
  const given = Object.entries(parameters).reduce<Values>(
    (values, [name, text]) => setParameter(values, name, text),
    {},
  );
  const shared = sharedFilesOf(merged, given);
  const more = await readAll(checkout, shared.paths);
  return {
    files: [...own.files, ...more.files],
    missing: [...own.missing, ...more.missing],
    notFollowed: shared.notTaken,
  };
}

async function readAll(checkout: string, paths: readonly string[]) {
  const read = await Promise.all(paths.map(async (path) => ({ path, file: await readWithin(checkout, path) })));
  return {
    files: read.flatMap(({ file }) => file ?? []),
    missing: read.flatMap(({ path, file }) => (file === undefined ? [path] : [])),
  };
}

/** Nothing outside of the checkout is read. */
async function readWithin(checkout: string, path: string): Promise<ValuesFile | undefined> {
  if (normalize(path).startsWith('..')) throw new Misconfigured([`${path}: is outside of the checkout`]);
  return readValuesFile(join(checkout, path), path);
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

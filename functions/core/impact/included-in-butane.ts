import type { Change } from '../openshift/manifest.ts';
import { butaneTwins, type IncludedFile } from '../routing/changed-file.ts';
import type { ParsedFiles } from '../routing/parsed-files.ts';

/** Changed files that a Butane file includes, of which the change brings no MachineConfig: where it does, that
 *  is what is applied. */
export function includedInButane(
  { included = [], files }: ParsedFiles,
  { manifests }: Change,
): readonly IncludedFile[] {
  if (included.length === 0) return [];
  const names = new Set(manifests.map(({ before, after }) => (after ?? before)?.name));
  const paths = new Set(files.map(({ path }) => path));
  return included.filter(
    ({ by, makes }) => !(makes !== undefined && names.has(makes)) && !butaneTwins(by).some((twin) => paths.has(twin)),
  );
}

export const includesIt = 'a Butane file includes it';

import { stringify } from 'yaml';
import { type ImportedGroup, importGroup } from '../../../functions/core/clustergroup/import-group.ts';
import { type Remark, refused, trap } from '../../../functions/core/clustergroup/remark.ts';
import { toSequence } from '../../../functions/core/clustergroup/to-sequence.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { SequencesFile } from '../../../functions/shell/configuration/file/sequence.ts';
import { groupManifests } from '../../manifests/group-manifests.ts';
import { objectYaml } from '../../manifests/manifests.ts';
import { isKubernetesName } from '../command.ts';
import { type FoundValues, findValues } from './find-values.ts';
import { importNotes } from './import-notes.ts';
import { readValuesFile } from './read-values.ts';

interface Imported {
  /** A section of poolkeeper.yaml, or with `--render` what would stand in Git. */
  readonly text: string;
  readonly notes: string;
  /** Something in the files was refused. */
  readonly isRefused: boolean;
}

/** Reads the files and writes what they say as a sequence. Throws Misconfigured. */
export async function importFiles(
  words: readonly string[],
  given: GivenImport,
  parameters: Readonly<Record<string, string>>,
): Promise<Imported> {
  const found = await filesOf(words, given, parameters);
  const imported = importGroup(found.files, parameters);
  const printed = given.render ? renderedIn(imported, given) : sequenceIn(imported, given);
  const remarks = [
    ...imported.remarks,
    ...printed.remarks,
    ...groupRemarks(imported, given.group),
    ...found.notFollowed.map(notFollowed),
  ];
  return {
    text: printed.text,
    notes: importNotes(found, imported, remarks),
    isRefused: remarks.some(({ kind }) => kind === 'refused'),
  };
}

interface Printed {
  readonly text: string;
  readonly remarks: readonly Remark[];
}

function sequenceIn(imported: ImportedGroup, given: GivenImport): Printed {
  const { sequences, remarks } = toSequence(imported, {
    cluster: given.cluster ?? given['cluster-name'] ?? imported.group.name,
    ...(given.name !== undefined && { name: given.name }),
    ...(given.argocd !== undefined && { argocd: given.argocd }),
  });
  const text = stringify({ sequences }, { lineWidth: 0, aliasDuplicateObjects: false });
  return { text, remarks: [...remarks, ...refusedByUs(sequences)] };
}

function renderedIn(imported: ImportedGroup, { namespace, image }: GivenImport): Printed {
  if (namespace !== undefined && !isKubernetesName(namespace)) {
    throw new Misconfigured([`--namespace ${namespace}: is not a Kubernetes name`]);
  }
  const { objects, remarks } = groupManifests(imported, { namespace, image });
  return { text: objects.map(objectYaml).join('---\n'), remarks };
}

export interface GivenImport {
  readonly cluster?: string | undefined;
  readonly argocd?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
  readonly group?: string | undefined;
  readonly platform?: string | undefined;
  readonly version?: string | undefined;
  readonly 'cluster-name'?: string | undefined;
  readonly extra: readonly string[];
  readonly set: readonly string[];
  readonly render: boolean;
  readonly pattern?: string | undefined;
}

async function filesOf(
  words: readonly string[],
  given: GivenImport,
  parameters: Readonly<Record<string, string>>,
): Promise<FoundValues> {
  const { group, platform, version, 'cluster-name': clusterName, extra } = given;
  if (group === undefined) return namedFiles(words, given);
  const [checkout, ...more] = words;
  if (checkout === undefined || more.length > 0)
    throw new Misconfigured(['--group: must be followed by one checkout of the pattern']);
  for (const [flag, text] of Object.entries({ group, platform, version, 'cluster-name': clusterName })) {
    if (text !== undefined && !/^[\w.-]{1,100}$/.test(text))
      throw new Misconfigured([`--${flag} ${text}: must be a part of a file name`]);
  }
  const place = {
    group,
    ...(platform !== undefined && { platform }),
    ...(version !== undefined && { version }),
    ...(clusterName !== undefined && { clusterName }),
  };
  return findValues(checkout, { place, parameters, extra });
}

async function namedFiles(words: readonly string[], given: GivenImport): Promise<FoundValues> {
  if (words.length === 0)
    throw new Misconfigured(['sequence import: needs values files, or --group and a checkout; see --help']);
  const useless = (['platform', 'version', 'cluster-name'] as const).filter((flag) => given[flag] !== undefined);
  if (useless.length > 0 || given.extra.length > 0) {
    const flag = useless[0] ?? 'extra';
    throw new Misconfigured([
      `--${flag}: finds files in a checkout, so it needs --group; files that are named are all that is read`,
    ]);
  }
  const read = await Promise.all(words.map(async (path) => ({ path, file: await readValuesFile(path, path) })));
  const missing = read.filter(({ file }) => file === undefined).map(({ path }) => `${path}: does not exist`);
  if (missing.length > 0) throw new Misconfigured(missing);
  return { files: read.flatMap(({ file }) => file ?? []), missing: [], notFollowed: [] };
}

/** The framework finds the files of a group by one name, and the chart calls it by another. */
function groupRemarks({ group }: ImportedGroup, asked: string | undefined): readonly Remark[] {
  if (asked === undefined || asked === group.name) return [];
  const says = `is ${group.name}, though the files are those of ${asked}: its Argo CD is in namespace ${group.argoNamespace}, and its Applications read values-${group.name}.yaml`;
  return [trap('group-name', 'clusterGroup.name', says)];
}

function notFollowed(text: string): Remark {
  const says = `only look-ups of values are understood in templates, not ${JSON.stringify(text)}; this file is not read`;
  return trap('shared-file', 'clusterGroup.sharedValueFiles', says);
}

/** What poolkeeper.yaml would refuse of the outcome: names that are no names, waves beyond its bounds. */
function refusedByUs(sequences: unknown): readonly Remark[] {
  const { error } = SequencesFile.safeParse(sequences);
  return (error?.issues ?? []).map(({ path, message }) =>
    refused('sequence-refused', ['sequences', ...path].join('.'), `${message}; correct it in what was printed`),
  );
}

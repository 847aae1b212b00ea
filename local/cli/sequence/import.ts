import { stringify } from 'yaml';
import { type ImportedGroup, importGroup } from '../../../functions/core/clustergroup/import-group.ts';
import { type Remark, refused, trap } from '../../../functions/core/clustergroup/remark.ts';
import { toSequence } from '../../../functions/core/clustergroup/to-sequence.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { SequencesFile } from '../../../functions/shell/configuration/file/sequence.ts';
import { groupManifests } from '../../manifests/group-manifests.ts';
import { objectYaml } from '../../manifests/manifests.ts';
import { type Command, isKubernetesName, readArgsAndWords } from '../command.ts';
import { type FoundValues, findValues } from './find-values.ts';
import { importNotes } from './import-notes.ts';
import { readValuesFile } from './read-values.ts';

const help = `Reads a cluster group of Validated Patterns and prints it as a section \`sequences:\` of poolkeeper.yaml: each
Subscription, Application and extra object a step in its wave, each sequenceJob a gate. What it does not take, and the
traps that the files fall into, are named on stderr. Asks no cluster and changes nothing.

  npx poolkeeper sequence import values-global.yaml values-hub.yaml overrides/values-AWS.yaml
  npx poolkeeper sequence import --group hub --platform AWS --version 4.18 --cluster-name east ~/git/my-pattern

With FILES, they are layered in their order: later ones win. With --group and a checkout, they are found as the framework
finds them: values-global.yaml, those of the group, the platform, the version and the cluster, a folder variants/, and
clusterGroup.sharedValueFiles.

  --group G           clusterGroup.name: hub, datacenter, factory ...
  --platform P        platform of the cluster: AWS, Azure, GCP, BareMetal, None ...
  --version V         OpenShift version, major and minor: 4.18
  --cluster-name C    name of the cluster, for values-C.yaml
  --extra FILE        one of extraValueFiles of the Pattern object; may be repeated
  --set NAME=VALUE    a Helm parameter, which beats every file; may be repeated
  --pattern NAME      name of the Pattern object (default: global.pattern of the files)
  --cluster NAME      name of the cluster in poolkeeper.yaml (default: --cluster-name, or the group)
  --argocd NAME       name of the group's Argo CD in poolkeeper.yaml, if it has several
  --name NAME         name of the sequence (default: pattern and group)
  --render            print what would stand in Git instead: Namespaces, OperatorGroups, Subscriptions, Applications,
                      extra objects, and for each gate a hook Job with its account (sequence render --help)
  --namespace N       with --render: namespace of those Jobs (default: that of the Subscription)
  --image IMAGE       with --render: image of Jobs whose gate names none

Exit status: 0 = imported, 1 = something in the files was refused, 2 = wrong usage, or a file cannot be read.
`;

const flags = {
  group: { type: 'string' },
  platform: { type: 'string' },
  version: { type: 'string' },
  'cluster-name': { type: 'string' },
  extra: { type: 'string', multiple: true, default: [] as string[] },
  set: { type: 'string', multiple: true, default: [] as string[] },
  pattern: { type: 'string' },
  cluster: { type: 'string' },
  argocd: { type: 'string' },
  name: { type: 'string' },
  render: { type: 'boolean', default: false },
  namespace: { type: 'string' },
  image: { type: 'string' },
} as const;

export const importSequence: Command = {
  about: 'read a cluster group of Validated Patterns, and name what it cannot do',
  help,
  run: async (args, { out, note }) => {
    const { values: given, words } = readArgsAndWords(args, flags);
    const parameters = parametersOf(given);
    const found = await filesOf(words, given, parameters);
    const imported = importGroup(found.files, parameters);
    const { name } = imported.group;
    if (given.group !== undefined && given.group !== name) {
      throw new Misconfigured([`--group ${given.group}: the files are of the group ${name} (clusterGroup.name)`]);
    }
    const printed = given.render ? renderedIn(imported, given) : sequenceIn(imported, given);
    const remarks = [...imported.remarks, ...printed.remarks, ...found.notFollowed.map(notFollowed)];
    out(printed.text);
    note(importNotes(found, imported, remarks));
    return remarks.some(({ kind }) => kind === 'refused') ? 1 : 0;
  },
};

interface Printed {
  readonly text: string;
  readonly remarks: readonly Remark[];
}

function sequenceIn(imported: ImportedGroup, given: Given): Printed {
  const { sequences, remarks } = toSequence(imported, {
    cluster: given.cluster ?? given['cluster-name'] ?? imported.group.name,
    ...(given.name !== undefined && { name: given.name }),
    ...(given.argocd !== undefined && { argocd: given.argocd }),
  });
  const text = stringify({ sequences }, { lineWidth: 0, aliasDuplicateObjects: false });
  return { text, remarks: [...remarks, ...refusedByUs(sequences)] };
}

function renderedIn(imported: ImportedGroup, { namespace, image }: Given): Printed {
  if (namespace !== undefined && !isKubernetesName(namespace)) {
    throw new Misconfigured([`--namespace ${namespace}: is not a Kubernetes name`]);
  }
  const { objects, remarks } = groupManifests(imported, { namespace, image });
  return { text: objects.map(objectYaml).join('---\n'), remarks };
}

interface Given {
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
  readonly pattern?: string | undefined;
}

async function filesOf(
  words: readonly string[],
  given: Given,
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

async function namedFiles(words: readonly string[], given: Given): Promise<FoundValues> {
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

/** What the framework passes as far as it is known here, and what `--set` adds. Throws Misconfigured. */
function parametersOf({
  pattern,
  platform,
  version,
  'cluster-name': name,
  set,
}: Given): Readonly<Record<string, string>> {
  const wrong = set.filter((each) => !/^[^=]+=/.test(each));
  if (wrong.length > 0) throw new Misconfigured(wrong.map((each) => `--set ${each}: must be NAME=VALUE`));
  return {
    ...(pattern !== undefined && { 'global.pattern': pattern }),
    ...(platform !== undefined && { 'global.clusterPlatform': platform }),
    ...(version !== undefined && { 'global.clusterVersion': version }),
    ...(name !== undefined && { 'global.localClusterName': name }),
    ...Object.fromEntries(set.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)])),
  };
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

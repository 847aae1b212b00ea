import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { type Command, readArgsAndWords } from '../command.ts';
import type { GivenImport } from './import-files.ts';

const help = `Reads a cluster group of Validated Patterns and prints it as a section \`sequences:\` of poolkeeper.yaml: each
Subscription, Application and extra object a step in its wave, each sequenceJob a gate. What it does not take, and the
traps that the files fall into, are named on stderr. Asks no cluster and changes nothing.

  poolkeeper sequence import values-global.yaml values-hub.yaml overrides/values-AWS.yaml
  poolkeeper sequence import --group hub --platform AWS --version 4.18 --cluster-name east ~/git/my-pattern

With FILES, they are layered in their order: later ones win. With --group and a checkout, they are found as the framework
finds them: values-global.yaml, those of the group, the platform, the version and the cluster, a folder variants/, and
clusterGroup.sharedValueFiles.

  --group G           the cluster group, as in values-G.yaml: hub, datacenter, factory ...
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
  help,
  run: async (args, { out, note }) => {
    const { values: given, words } = readArgsAndWords(args, flags);
    const parameters = parametersOf(given);
    const { importFiles } = await import('./import-files.ts');
    const { text, notes, isRefused } = await importFiles(words, given, parameters);
    out(text);
    note(notes);
    return isRefused ? 1 : 0;
  },
};

/** What the framework passes as far as it is known here, and what `--set` adds. Throws Misconfigured. */
function parametersOf({
  pattern,
  platform,
  version,
  'cluster-name': name,
  set,
}: GivenImport): Readonly<Record<string, string>> {
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

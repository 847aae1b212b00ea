import { renderTemplate } from './template.ts';
import { listAt, mergeValues, textOf, type Values } from './values.ts';

/** A cluster of a group, as the framework knows it. */
export interface GroupPlace {
  /** `clusterGroup.name`: hub, datacenter, factory ... */
  readonly group: string;
  /** Platform of the cluster as its Infrastructure object has it: AWS, Azure, None ... */
  readonly platform?: string;
  /** Major and minor version: 4.18. */
  readonly version?: string;
  /** Name of the cluster: the first label of its domain. */
  readonly clusterName?: string;
}

/** Values files of a group from the root of the repository, later ones win, any of them may be missing. With a folder
 *  `variants` the files of a group stand in a folder of its own. Source: patterns-operator, argo.go. */
export function valueFilesOf(
  { group, platform, version, clusterName }: GroupPlace,
  layout: 'root' | 'variants',
): readonly string[] {
  const names = [
    group,
    platform,
    platform === undefined || version === undefined ? undefined : `${platform}-${version}`,
    platform === undefined ? undefined : `${platform}-${group}`,
    version === undefined ? undefined : `${version}-${group}`,
    clusterName,
  ];
  const folder = layout === 'variants' ? `variants/${group}/` : '';
  return [
    'values-global.yaml',
    ...names.flatMap((name) => (name === undefined ? [] : [`${folder}values-${name}.yaml`])),
  ];
}

export interface SharedFiles {
  /** From the root of the repository; they win over all other files. */
  readonly paths: readonly string[];
  /** Entries whose template is not understood. */
  readonly notTaken: readonly string[];
}

/** `clusterGroup.sharedValueFiles`: templates themselves. Here the files win over the parameters, as in the framework
 *  (patterns-operator, values.go). */
export function sharedFilesOf(files: Values, parameters: Values): SharedFiles {
  const values = mergeValues(parameters, files);
  const paths: string[] = [];
  const notTaken: string[] = [];
  for (const entry of listAt(values, 'clusterGroup', 'sharedValueFiles')) {
    const text = textOf(entry);
    const path = text === undefined ? undefined : renderTemplate(text, values);
    if (path === undefined) notTaken.push(text ?? JSON.stringify(entry));
    else paths.push(path.replace(/^(?:\$patternref)?\/+/, ''));
  }
  return { paths, notTaken };
}

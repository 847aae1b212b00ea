import { isMap, mergeValues, overDefaults, setParameter, textAt, type Value, type Values } from './values.ts';

export interface ValuesFile {
  readonly path: string;
  readonly values: Values;
}

/** The values of one cluster group, all layers merged. */
export interface Group {
  readonly files: readonly ValuesFile[];
  /** Without the defaults of the chart: what people wrote. */
  readonly given: Values;
  readonly values: Values;
  readonly name: string;
  readonly pattern: string;
  /** Namespace of the Argo CD that syncs the Applications of the group. */
  readonly argoNamespace: string;
}

/** Defaults of the clusterGroup chart 0.9.55 that its Subscriptions, Applications and Jobs depend on. */
const chartDefaults: Values = {
  global: {
    singleArgoCD: false,
    pattern: 'common',
    vpArgoNamespace: 'openshift-gitops',
    targetRevision: 'main',
    options: { useCSV: true, syncPolicy: 'Automatic', installPlanApproval: 'Automatic', applicationRetryLimit: 20 },
  },
  clusterGroup: { name: 'example', targetCluster: 'in-cluster' },
};

/** Merges files in their order, parameters over all of them, as Helm does for the framework. */
export function groupOf(files: readonly ValuesFile[], parameters: Readonly<Record<string, string>> = {}): Group {
  const merged = files.reduce<Values>((values, file) => mergeValues(values, file.values), {});
  const given = Object.entries(parameters).reduce((values, [name, text]) => setParameter(values, name, text), merged);
  const values = overDefaults(chartDefaults, given);
  const name = textAt(values, 'clusterGroup', 'name') ?? '';
  const pattern = textAt(values, 'global', 'pattern') ?? '';
  const isSingle = Boolean(mapValue(values, 'global', 'singleArgoCD'));
  const argoNamespace = isSingle ? (textAt(values, 'global', 'vpArgoNamespace') ?? '') : `${pattern}-${name}`;
  return { files, given, values, name, pattern, argoNamespace };
}

function mapValue(values: Values, section: string, key: string): Value | undefined {
  const found = values[section];
  return isMap(found) ? found[key] : undefined;
}

import type { Group } from './group.ts';
import { type Remark, trap } from './remark.ts';
import { renderTemplate } from './template.ts';
import { valueFilesOf } from './value-files.ts';
import { at, isMap, isSet, listAt, mapAt, textAt, textOf, type Value, type Values } from './values.ts';

interface Sources {
  /** `source` or `sources` of an Application's spec. */
  readonly fields: Values;
  readonly remarks: readonly Remark[];
}

interface Templated {
  readonly texts: readonly string[];
  readonly remarks: readonly Remark[];
}

/** Parameters that the chart hands on to each Application, from values of the same name under `global`. */
const handedOn = [
  'repoURL',
  'originURL',
  'targetRevision',
  'pattern',
  'clusterDomain',
  'localClusterName',
  'clusterVersion',
  'clusterPlatform',
  'hubClusterDomain',
  'multiSourceSupport',
  'multiSourceRepoUrl',
  'multiSourceTargetRevision',
  'privateRepo',
  'experimentalCapabilities',
  'deletePattern',
  'gitOpsSubNamespace',
  'vpArgoNamespace',
] as const;

/** Where an Application comes from: with a `chartVersion` a chart, and beside it the repository of the pattern for its
 *  values; else one source. */
export function sourcesOf(entry: Values, where: string, group: Group): Sources {
  const isMulti = isSet(entry['chartVersion']);
  const global = mapAt(group.values, 'global');
  const files = valueFiles(entry, where, { group, prefix: isMulti ? '$patternref' : '' });
  const parameters = parametersOf(entry, where, group);
  const tool = toolOf(entry, isMulti, { valueFiles: files.texts, parameters: parameters.list });
  const what = isSet(entry['chart']) ? given('chart', textAt(entry, 'chart')) : given('path', textAt(entry, 'path'));
  const remarks = [...files.remarks, ...parameters.remarks];
  if (!isMulti) {
    const source = {
      ...given('repoURL', textAt(entry, 'repoURL') ?? textAt(global, 'repoURL')),
      ...given('targetRevision', textAt(entry, 'targetRevision') ?? textAt(global, 'targetRevision')),
      ...what,
      ...tool,
    };
    return { fields: { source }, remarks };
  }
  const values = {
    ...given('repoURL', textAt(global, 'repoURL')),
    ...given('targetRevision', textAt(global, 'targetRevision')),
    ref: 'patternref',
  };
  const chart = {
    ...given('repoURL', textAt(entry, 'repoURL') ?? textAt(global, 'multiSourceRepoUrl')),
    ...what,
    targetRevision: textAt(entry, 'chartVersion') ?? '',
    ...tool,
  };
  return { fields: { sources: [values, chart] }, remarks };
}

/** What is not known is left out; the chart writes null. */
function given(key: string, text: string | undefined): Values {
  return text === undefined ? {} : { [key]: text };
}

function toolOf(
  entry: Values,
  isMulti: boolean,
  { valueFiles: files, parameters }: { readonly valueFiles: readonly string[]; readonly parameters: readonly Value[] },
): Values {
  if (isSet(entry['plugin'])) return { plugin: entry['plugin'] };
  if (isSet(entry['kustomize']) && !isMulti) return {};
  const fileParameters = listAt(entry, 'fileParameters');
  return {
    helm: {
      ignoreMissingValueFiles: true,
      valueFiles: files,
      parameters,
      ...(fileParameters.length > 0 && { fileParameters }),
    },
  };
}

/** The layers of the group again, then its shared files, then those of the entry. */
function valueFiles(
  entry: Values,
  where: string,
  { group, prefix }: { readonly group: Group; readonly prefix: string },
): Templated {
  const { values } = group;
  const platform = textAt(values, 'global', 'clusterPlatform');
  const version = textAt(values, 'global', 'clusterVersion');
  const clusterName = textAt(values, 'global', 'localClusterName');
  const place = {
    group: group.name,
    ...(platform !== undefined && { platform }),
    ...(version !== undefined && { version }),
    ...(clusterName !== undefined && { clusterName }),
  };
  const own = valueFilesOf(place, 'root').map((path) => `${prefix}/${path}`);
  const extra = listAt(values, 'global', 'extraValueFiles').map((path) =>
    prefix === '' ? (textOf(path) ?? '') : `${prefix}/${textOf(path)}`,
  );
  const shared = templated(listAt(values, 'clusterGroup', 'sharedValueFiles'), values, 'clusterGroup.sharedValueFiles');
  const further = templated(listAt(entry, 'extraValueFiles'), values, `${where}.extraValueFiles`);
  const prefixed = [...shared.texts, ...further.texts].map((path) =>
    prefix === '' || path.startsWith(`${prefix}/`) ? path : `${prefix}${path}`,
  );
  return { texts: [...own, ...extra, ...prefixed], remarks: further.remarks };
}

function templated(list: readonly Value[], values: Values, where: string): Templated {
  const texts: string[] = [];
  const remarks: Remark[] = [];
  list.forEach((item, index) => {
    const text = textOf(item);
    const rendered = text === undefined ? undefined : renderTemplate(text, values);
    if (rendered === undefined) remarks.push(templateRemark(`${where}.${index}`, text));
    else texts.push(rendered);
  });
  return { texts, remarks };
}

function templateRemark(where: string, text: string | undefined): Remark {
  const says = `only look-ups of values are understood in templates, not ${JSON.stringify(text ?? null)}; left out`;
  return trap('template-not-taken', where, says);
}

function parametersOf(
  entry: Values,
  where: string,
  group: Group,
): { readonly list: readonly Value[]; readonly remarks: readonly Remark[] } {
  const global = mapAt(group.values, 'global');
  const text = (key: string) => textAt(global, key) ?? '';
  const named = (field: string, value: string) =>
    listAt(entry, field).map((name) => ({ name: textOf(name) ?? '', value }));
  const nested = Object.entries(mapAt(group.values, 'extraParametersNested'));
  const overrides = overridesOf(entry, where, group.values);
  return {
    list: [
      ...known([
        ...handedOn.map((key) => ({ name: `global.${key}`, value: text(key) })),
        { name: 'global.namespace', value: '$ARGOCD_APP_NAMESPACE' },
        { name: 'global.localClusterDomain', value: text('localClusterDomain') || text('hubClusterDomain') },
      ]),
      ...named('extraHubClusterDomainFields', text('hubClusterDomain')),
      ...named('extraLocalClusterDomainFields', text('localClusterDomain')),
      ...named('extraRepoURLFields', '$ARGOCD_APP_SOURCE_REPO_URL'),
      ...named('extraTargetRevisionFields', '$ARGOCD_APP_SOURCE_TARGET_REVISION'),
      ...named('extraNamespaceFields', '$ARGOCD_APP_NAMESPACE'),
      ...named('extraPatternNameFields', group.pattern),
      ...nested.map(([name, value]) => ({ name, value: textOf(value) ?? '' })),
      ...overrides.list,
    ],
    remarks: overrides.remarks,
  };
}

/** A parameter that is not known is left out: an empty one would beat the values files. */
function known(parameters: readonly { readonly name: string; readonly value: string }[]): readonly Value[] {
  return parameters.flatMap(({ name, value }) => (value === '' ? [] : [{ name, value }]));
}

function overridesOf(entry: Values, where: string, values: Values) {
  const list: Value[] = [];
  const remarks: Remark[] = [];
  const given = at(entry, 'overrides');
  const items = isMap(given) ? Object.values(given) : listAt(entry, 'overrides');
  items.forEach((item, index) => {
    const name = textAt(item, 'name');
    const value = textOf(at(item, 'value')) ?? '';
    const rendered = renderTemplate(value, values);
    if (name === undefined || rendered === undefined)
      remarks.push(templateRemark(`${where}.overrides.${index}`, value));
    else list.push({ name, value: rendered, ...(isSet(at(item, 'forceString')) && { forceString: true }) });
  });
  return { list, remarks };
}

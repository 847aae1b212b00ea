import { type Remark, trap } from './remark.ts';
import { at, isList, isMap, isSet, mapAt, type Value, type Values } from './values.ts';

type Type = 'string' | 'boolean' | 'integer' | 'array' | 'object';

/** Types that the schema of the chart 0.9.55 wants, where it looks. */
const types = {
  options: {
    useCSV: 'boolean',
    syncPolicy: 'string',
    installPlanApproval: 'string',
    autoApproveManualInstallPlans: 'boolean',
    applicationRetryLimit: 'integer',
  },
  subscriptions: {
    name: 'string',
    namespaces: 'array',
    namespace: 'string',
    sourceNamespace: 'string',
    source: 'string',
    channel: 'string',
    csv: 'string',
    installPlanApproval: 'string',
    annotations: 'object',
    config: 'array',
    disabled: 'boolean',
    sequenceJob: 'object',
    channels: 'array',
    version: 'string',
    upgradeConstraintPolicy: 'string',
    serviceAccountName: 'string',
  },
  sequenceJob: {
    syncWave: 'string',
    resourceType: 'string',
    resourceName: 'string',
    resourceNamespace: 'string',
    hookType: 'string',
    image: 'string',
    command: 'array',
    disabled: 'boolean',
  },
  applications: {
    name: 'string',
    repoURL: 'string',
    targetRevision: 'string',
    chart: 'string',
    chartVersion: 'string',
    kustomize: 'boolean',
    plugin: 'object',
    extraValueFiles: 'array',
    overrides: 'object',
    fileParameters: 'array',
    ignoreDifferences: 'array',
    syncPolicy: 'object',
    namespace: 'string',
    project: 'string',
    argoProject: 'string',
    path: 'string',
    annotations: 'object',
    disabled: 'boolean',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Type>>>>;

/** Values that the schema refuses, and with them the whole group. Entries are looked at in the list form only. */
export function schemaRemarks(values: Values): readonly Remark[] {
  return [
    ...wrongIn(mapAt(values, 'global', 'options'), types.options, 'global.options'),
    ...required.flatMap((key) => missing(values, key)),
    ...(isSet(at(values, 'clusterGroup', 'projects')) ? bothLists(mapAt(values, 'clusterGroup')) : []),
    ...(['subscriptions', 'applications'] as const).flatMap((section) => listRemarks(values, section)),
  ];
}

const required = ['useCSV', 'syncPolicy', 'installPlanApproval'];

/** The chart has defaults for these; only a null takes them away. */
function missing(values: Values, key: string): readonly Remark[] {
  if (at(values, 'global', 'options', key) !== undefined) return [];
  const says = 'null takes the default away, and the chart refuses the whole group without it';
  return [trap('chart-refuses-value', `global.options.${key}`, says)];
}

function listRemarks(values: Values, section: 'subscriptions' | 'applications'): readonly Remark[] {
  const entries = at(values, 'clusterGroup', section);
  if (!isList(entries)) return [];
  return entries.flatMap((entry, index) => {
    const where = `clusterGroup.${section}.${index}`;
    if (!isMap(entry)) return [wrongType(where, 'object')];
    const job = entry['sequenceJob'];
    return [
      ...(Object.hasOwn(entry, 'name') ? [] : [nameless(where)]),
      ...(section === 'applications' ? bothProjects(entry, where) : []),
      ...wrongIn(entry, types[section], where),
      ...(section === 'subscriptions' && isMap(job) ? wrongIn(job, types.sequenceJob, `${where}.sequenceJob`) : []),
    ];
  });
}

function bothProjects(entry: Values, where: string): readonly Remark[] {
  if (!Object.hasOwn(entry, 'project') || !Object.hasOwn(entry, 'argoProject')) return [];
  const says = 'stands beside argoProject: in the list form the chart refuses the whole group for it';
  return [trap('chart-refuses-value', `${where}.project`, says)];
}

function bothLists(group: Values): readonly Remark[] {
  if (!Object.hasOwn(group, 'argoProjects')) return [];
  const says = 'stands beside argoProjects: the chart refuses the whole group for it';
  return [trap('chart-refuses-value', 'clusterGroup.projects', says)];
}

function nameless(where: string): Remark {
  return trap(
    'chart-refuses-value',
    `${where}.name`,
    'is missing; in the list form the chart refuses the whole group for it',
  );
}

function wrongIn(entry: Values, wanted: Readonly<Record<string, Type>>, where: string): readonly Remark[] {
  return Object.entries(wanted).flatMap(([key, type]) =>
    !Object.hasOwn(entry, key) || isOf(entry[key], type) ? [] : [wrongType(`${where}.${key}`, type)],
  );
}

function wrongType(where: string, type: Type): Remark {
  const says = `the chart wants ${type === 'integer' || type === 'array' || type === 'object' ? 'an' : 'a'} ${type} here (${whereChecked(where)}), and refuses the whole group`;
  return trap('chart-refuses-value', where, says);
}

function whereChecked(where: string): string {
  return where.startsWith('global') ? 'in its schema' : 'in the list form';
}

function isOf(value: Value | undefined, type: Type): boolean {
  if (type === 'array') return isList(value);
  if (type === 'object') return isMap(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

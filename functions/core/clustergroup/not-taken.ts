import { schemaRemarks } from './chart-schema.ts';
import type { Group } from './group.ts';
import { notTaken, type Remark, trap } from './remark.ts';
import { at, isMap, type Values } from './values.ts';

/** Keys of `clusterGroup` that make no step, and what becomes of them. */
const beside: Readonly<Record<string, string>> = {
  argoCD: 'settings of the Argo CD of the group',
  argoProjects: 'AppProjects of Argo CD; its Applications name them',
  imperative: 'playbooks that a CronJob runs outside of every sync: no wave holds them back',
  indexImages: 'CatalogSources',
  isHubCluster: 'tells the framework only whether this is the hub',
  managedClusterGroups:
    'other groups, on other clusters, rolled out by policies of ACM: nothing orders them against this one; import each with its own values',
  nodes: 'labels and annotations of nodes',
  operatorgroupExcludeTargetNS: 'without effect in the chart',
  projects: 'AppProjects of Argo CD; its Applications name them',
  scheduler: 'the Scheduler of the cluster',
};

/** Keys of `clusterGroup` that the import reads. */
const read = [
  'applications',
  'extraObjects',
  'name',
  'namespaces',
  'operatorgroupExcludes',
  'sharedValueFiles',
  'subscriptions',
  'targetCluster',
];

/** Sections beside `clusterGroup` that the import reads. */
const sections = ['clusterGroup', 'extraParametersNested', 'global'];

/** Options of `global` that the import reads. */
const options = [
  'applicationRetryLimit',
  'autoApproveManualInstallPlans',
  'installPlanApproval',
  'syncPolicy',
  'useCSV',
];

/** Every key that a sequence has no place for, and those that the schema of the chart refuses. */
export function notTakenIn({ given, values }: Group): readonly Remark[] {
  const group = at(given, 'clusterGroup');
  return [
    ...(isMap(group) ? Object.keys(group).flatMap(ofGroup) : []),
    ...Object.keys(given).flatMap(ofValues),
    ...optionsRemarks(given),
    ...schemaRemarks(values),
  ];
}

function ofGroup(key: string): readonly Remark[] {
  if (read.includes(key)) return [];
  const where = `clusterGroup.${key}`;
  const what = Object.hasOwn(beside, key) ? beside[key] : undefined;
  return what === undefined
    ? [trap('chart-refuses-key', where, 'the chart 0.9.55 refuses this key, and with it the whole group; not taken')]
    : [notTaken('key-not-taken', where, what)];
}

function ofValues(key: string): readonly Remark[] {
  if (sections.includes(key)) return [];
  const what = key === 'main' ? 'settings of the patterns operator' : 'values for the charts of the Applications';
  return [notTaken('values-not-taken', key, what)];
}

function optionsRemarks(given: Values): readonly Remark[] {
  const found = at(given, 'global', 'options');
  if (!isMap(found)) return [];
  const path = 'global.options';
  return [
    ...Object.keys(found)
      .filter((key) => !options.includes(key))
      .map((key) => notTaken('key-not-taken', `${path}.${key}`, 'an option that makes no step')),
  ];
}

import type { Group } from './group.ts';
import { notTaken, type Remark, trap } from './remark.ts';
import { at, isMap, isSet, type Values } from './values.ts';

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
export function notTakenIn({ given }: Group): readonly Remark[] {
  const group = at(given, 'clusterGroup');
  return [
    ...(isMap(group) ? Object.keys(group).flatMap(ofGroup) : []),
    ...Object.keys(given).flatMap(ofValues),
    ...optionsRemarks(given),
    ...listFormRemarks(given),
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
  const policy = found['syncPolicy'];
  const says =
    'must be text: the chart refuses an object, and without its schema drops it, so all Applications are synced by hand';
  return [
    ...Object.keys(found)
      .filter((key) => !options.includes(key))
      .map((key) => notTaken('key-not-taken', `${path}.${key}`, 'an option that makes no step')),
    ...(isMap(policy) ? [trap('chart-refuses-value', `${path}.syncPolicy`, says)] : []),
  ];
}

/** Types that the schema of the chart checks in the list form, and only there. */
function listFormRemarks(given: Values): readonly Remark[] {
  const remarks: Remark[] = [];
  const check = (section: string, key: string, isRefused: (entry: Values) => boolean) => {
    const entries = at(given, 'clusterGroup', section);
    if (!Array.isArray(entries)) return;
    entries.forEach((entry, index) => {
      if (!isMap(entry) || !isSet(entry[key]) || !isRefused(entry)) return;
      const where = `clusterGroup.${section}.${index}.${key}`;
      remarks.push(
        trap('chart-refuses-value', where, 'the chart refuses this type in the list form, and with it the group'),
      );
    });
  };
  check('subscriptions', 'config', (entry) => isMap(entry['config']));
  check('applications', 'overrides', (entry) => !isMap(entry['overrides']));
  return remarks;
}

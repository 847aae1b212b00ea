import { ifGiven } from '../text/if-given.ts';
import { annotationsOf } from './annotations.ts';
import { disabledRemarks, type Entry, entriesOf, isDisabled } from './entries.ts';
import { type Gate, gateOf } from './gate.ts';
import type { Group } from './group.ts';
import { unknownKeys } from './known-keys.ts';
import type { GroupManifest } from './manifest.ts';
import { hint, type Remark, trap } from './remark.ts';
import { at, isMap, isSet, listAt, textAt, textOf, type Values } from './values.ts';

/** An operator that the group installs. */
export interface Operator {
  readonly key: string;
  readonly at: string;
  /** Of the package, and of the objects. */
  readonly name: string;
  readonly wave: number;
  /** None for a disabled one; one for each namespace. */
  readonly manifests: readonly GroupManifest[];
  readonly gate: Gate | undefined;
}

export interface Operators {
  readonly operators: readonly Operator[];
  readonly remarks: readonly Remark[];
}

/** The Subscriptions and ClusterExtensions of a group, with the gate of each. */
export function operatorsOf(group: Group): Operators {
  const { entries, remarks } = entriesOf(group.values, 'subscriptions');
  const read = entries.map((entry) => operatorOf(entry, group));
  return {
    operators: read.flatMap(({ operator }) => ifGiven(operator)),
    remarks: [...remarks, ...read.flatMap((each) => each.remarks)],
  };
}

function operatorOf(found: Entry, group: Group): { readonly operator?: Operator; readonly remarks: readonly Remark[] } {
  const { entry, key, at: where } = found;
  const name = textAt(entry, 'name');
  if (name === undefined) {
    const says = 'has no name, so the chart makes nothing of it; an override for a key that no earlier file has?';
    return { remarks: [trap('no-name', where, says)] };
  }
  const { annotations, wave, remarks } = annotationsOf(entry['annotations'], where);
  const isOff = isDisabled(entry);
  const manifests = isOff ? [] : manifestsOf(name, { entry, group, annotations });
  const gate = gateOf(found, { name, wave, hasAnnotations: isMap(entry['annotations']), isOff });
  return {
    operator: { key, at: where, name, wave, manifests, gate: gate.gate },
    remarks: [
      ...disabledRemarks(entry, where),
      ...unknownKeys('subscriptions', found),
      ...(isOff ? [] : remarks),
      ...manifests.slice(0, 1).flatMap((manifest) => readinessRemarks(manifest, where, group)),
      ...gate.remarks,
    ],
  };
}

interface Making {
  readonly entry: Values;
  readonly group: Group;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

function manifestsOf(name: string, making: Making): readonly GroupManifest[] {
  const { entry } = making;
  const namespaces = listAt(entry, 'namespaces').flatMap((namespace) => textOf(namespace) ?? []);
  if (namespaces.length > 0) return namespaces.map((namespace) => subscription(name, namespace, making));
  const namespace = textAt(entry, 'namespace') ?? 'openshift-operators';
  const isExtension = ['channels', 'version', 'upgradeConstraintPolicy', 'serviceAccountName'].some((key) =>
    isSet(entry[key]),
  );
  return [isExtension ? clusterExtension(name, namespace, making) : subscription(name, namespace, making)];
}

function subscription(name: string, namespace: string, { entry, group, annotations }: Making): GroupManifest {
  const channel = textAt(entry, 'channel');
  const csv = textAt(entry, 'csv');
  const config = entry['config'];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace, ...(annotations && { annotations }) },
    spec: {
      name,
      source: textAt(entry, 'source') ?? 'redhat-operators',
      sourceNamespace: textAt(entry, 'sourceNamespace') ?? 'openshift-marketplace',
      ...(channel !== undefined && { channel }),
      installPlanApproval:
        textAt(entry, 'installPlanApproval') ?? textAt(group.values, 'global', 'options', 'installPlanApproval') ?? '',
      ...(isSet(config) && { config }),
      ...(csv !== undefined && { startingCSV: csv }),
    },
  };
}

function clusterExtension(name: string, namespace: string, { entry, annotations }: Making): GroupManifest {
  const account = textAt(entry, 'serviceAccountName');
  const version = textAt(entry, 'version');
  const { channels } = entry;
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name, ...(annotations && { annotations }) },
    spec: {
      namespace,
      ...(account !== undefined && { serviceAccount: { name: account } }),
      source: {
        sourceType: 'Catalog',
        catalog: {
          packageName: name,
          ...(isSet(channels) && { channels }),
          ...(version !== undefined && { version }),
          upgradeConstraintPolicy: textAt(entry, 'upgradeConstraintPolicy') ?? 'CatalogProvided',
        },
      },
    },
  };
}

function readinessRemarks(manifest: GroupManifest, where: string, group: Group): readonly Remark[] {
  if (manifest.kind === 'ClusterExtension') {
    const says =
      'is installed by OLM v1: there is neither an InstallPlan nor a CSV to wait for; its condition Installed is waited for';
    return [hint('cluster-extension', where, says)];
  }
  if (manifest.spec?.['installPlanApproval'] !== 'Manual') return [];
  const isApproved = isSet(at(group.values, 'global', 'options', 'autoApproveManualInstallPlans'));
  const who = isApproved
    ? 'a CronJob of the framework approves them all (autoApproveManualInstallPlans)'
    : 'somebody must approve it';
  return [
    trap('manual-approval', where, `its InstallPlan is approved by hand: the wave stays open until then; ${who}`),
  ];
}

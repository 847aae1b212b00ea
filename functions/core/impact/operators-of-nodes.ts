import type { Manifest, ManifestChange } from '../openshift/manifest.ts';
import { isObject, isSameContent } from './same-content.ts';

/** Packages of operators that may drain or reboot nodes merely because they are installed or updated. Not among them:
 *  those that act on objects that ask for it and are told themselves, as a NodeMaintenance, and those whose
 *  documentation says that their update disrupts no node (performance-addon-operator, nvidia-network-operator). Source:
 *  the repositories and documents named here, not verified on a cluster. */
export const packagesOfNodes: readonly string[] = [
  // It writes MachineConfigs, and each new daemon judges anew whether its node drains or reboots:
  // openshift/sriov-network-operator pkg/daemon/daemon.go, controllers/drain_controller.go.
  'sriov-network-operator',
  // It writes its MachineConfigs of peer pods as the running version has them:
  // openshift/sandboxed-containers-operator controllers/openshift_controller.go `createMcFromFile`.
  'sandboxed-containers-operator',
  // From 4.18 it deletes MachineConfigs that earlier versions made: openshift-kni/numaresources-operator
  // internal/dangling, internal/controller `reconcileResourceMachineConfig`.
  'numaresources-operator',
  // It brings its profiles up to date, whose remediations may be applied by themselves: ComplianceAsCode/
  // compliance-operator cmd/manager/operator.go `ensureDefaultProfileBundles`, doc/remediation-flow.md.
  'compliance-operator',
  // It drains each Windows node and configures it anew: openshift/windows-machine-config-operator README.md, and
  // hack/community/readme.md for the other name.
  'windows-machine-config-operator',
  'community-windows-machine-config-operator',
  // With it come the images of the driver and its manager, for whose upgrade nodes are cordoned and may be drained:
  // NVIDIA/gpu-operator controllers/upgrade_controller.go, api/nvidia/v1/clusterpolicy_types.go.
  'gpu-operator-certified',
  // Its agent on every node reboots one that reaches neither API server nor peers: medik8s/self-node-remediation
  // internal/apicheck/check.go.
  'self-node-remediation',
  // It has unhealthy nodes rebooted, and up to 24.3 installs the agents above: documentation of Workload Availability
  // for Red Hat OpenShift, "Remediating nodes with Node Health Checks".
  'node-healthcheck-operator',
];

/** What an object asks the Operator Lifecycle Manager for. */
interface Asked {
  /** Name of the package; undefined: not said here. */
  readonly name: unknown;
  /** All that decides which version is installed, and when. */
  readonly choice: unknown;
}

type Spec = Readonly<Record<string, unknown>>;

/** Fields of a Subscription by which another version may be installed. Source: operator-framework/api
 *  pkg/operators/v1alpha1 `SubscriptionSpec`. */
const choosingFields = ['name', 'channel', 'startingCSV', 'source', 'sourceNamespace', 'installPlanApproval'];

/** The kinds by which operators are installed. Source: as above, and operator-framework/operator-controller api/v1
 *  `ClusterExtensionSpec`. */
const readers: Readonly<Record<string, (spec: Spec) => Asked>> = {
  'operators.coreos.com/Subscription': (spec) => ({
    name: spec['name'],
    choice: choosingFields.map((field) => spec[field]),
  }),
  'olm.operatorframework.io/ClusterExtension': ({ source }) => ({
    name: fieldsOf(fieldsOf(source)['catalog'])['packageName'],
    choice: source,
  }),
};

/** Those of the packages above that the change of an object installs, updates or removes. */
export function operatorsOfNodes({ before, after }: ManifestChange): readonly string[] {
  const read = readerOf(after ?? before);
  if (read === undefined) return [];
  const [was, is] = [before, after].map((side) => read(fieldsOf(side?.body['spec'])).choice);
  if (isSameContent(was, is)) return [];
  const names = [before, after].flatMap((side) =>
    side === undefined ? [] : [read(fieldsOf(side.body['spec'])).name ?? packageByName(side.name)],
  );
  return packagesOfNodes.filter((name) => names.includes(name));
}

function readerOf(manifest: Manifest | undefined): ((spec: Spec) => Asked) | undefined {
  const key = `${manifest?.group}/${manifest?.kind}`;
  return Object.hasOwn(readers, key) ? readers[key] : undefined;
}

/** A patch of Kustomize need not repeat the package, by which most such objects are named. */
function packageByName(name: string): string {
  return name.replace(/-sub(?:scription)?$/, '');
}

function fieldsOf(value: unknown): Spec {
  return isObject(value) ? value : {};
}

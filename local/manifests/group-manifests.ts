import type * as z from 'zod';
import type { Gate } from '../../functions/core/clustergroup/gate.ts';
import type { ImportedGroup } from '../../functions/core/clustergroup/import-group.ts';
import { hint, type Remark, refused } from '../../functions/core/clustergroup/remark.ts';
import type { Operator } from '../../functions/core/clustergroup/subscriptions.ts';
import { waitForOf } from '../../functions/core/clustergroup/to-sequence.ts';
import { textAt } from '../../functions/core/clustergroup/values.ts';
import { SequenceGate } from '../../functions/core/configuration/sequence.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import { gateJobProblems, gateObjects } from './gate-job.ts';
import type { KubeObject } from './kube-object.ts';

interface GroupManifestsOptions {
  /** Namespace of the Jobs of gates; default: that of the Subscription. */
  readonly namespace?: string | undefined;
  readonly image?: string | undefined;
}

interface GroupManifests {
  readonly objects: readonly object[];
  readonly remarks: readonly Remark[];
}

/** What would stand in Git for a cluster group without its chart: its objects, and a hook Job for each gate. */
export function groupManifests(imported: ImportedGroup, options: GroupManifestsOptions): GroupManifests {
  const gates = imported.operators.map((operator) => gateManifests(operator, options));
  return {
    objects: [
      ...imported.namespaces,
      ...imported.operators.flatMap(({ manifests }) => manifests),
      ...gates.flatMap(({ objects }) => objects),
      ...imported.applications.map(({ manifest }) => manifest),
      ...imported.objects.map(({ manifest }) => manifest),
    ],
    remarks: [...gates.flatMap(({ remarks }) => remarks), ...parameterRemarks(imported)],
  };
}

function gateManifests(
  { gate, manifests, wave }: Operator,
  { namespace, image }: GroupManifestsOptions,
): { readonly objects: readonly KubeObject[]; readonly remarks: readonly Remark[] } {
  if (gate === undefined) return { objects: [], remarks: [] };
  const { data: read, error } = sequenceGate(gate, wave);
  const problems = read === undefined ? problemsOf(error) : gateJobProblems(read);
  if (read === undefined || problems.length > 0) {
    return { objects: [], remarks: problems.map(({ key, why }) => refused('gate-no-job', `${gate.at}.${key}`, why)) };
  }
  const [first] = manifests;
  const own = first?.metadata.namespace ?? textAt(first?.spec, 'namespace') ?? 'openshift-operators';
  const { name, hookType } = gate;
  const place = { name, namespace: namespace ?? own, wave: gate.wave, hookType, image };
  return { objects: gateObjects(read, place), remarks: [] };
}

/** Its hook is that of the chart, also where a sequence knows none. */
function sequenceGate(gate: Gate, wave: number) {
  const { hookType: _hookType, disabled: _disabled, ...asked } = waitForOf(gate, wave);
  return SequenceGate.safeParse(asked);
}

function problemsOf(error: z.ZodError): readonly { readonly key: string; readonly why: string }[] {
  return error.issues.map(({ path, message }) => ({ key: path.join('.'), why: message }));
}

/** Of the framework; the others are empty in most patterns. */
const expected = [
  'repoURL',
  'originURL',
  'clusterDomain',
  'localClusterName',
  'clusterVersion',
  'clusterPlatform',
  'hubClusterDomain',
  'localClusterDomain',
  'multiSourceRepoUrl',
];

function parameterRemarks({ applications, group }: ImportedGroup): readonly Remark[] {
  const missing = expected.filter((key) => textAt(group.values, 'global', key) === undefined);
  if (applications.length === 0 || missing.length === 0) return [];
  const says = `the framework passes ${listed(missing, 12)} to each Application; they are not known here and left out: --set global.repoURL=https://...`;
  return [hint('parameters-unknown', 'global', says)];
}

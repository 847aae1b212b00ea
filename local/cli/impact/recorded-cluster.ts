import { poolOf } from '../../../functions/adapters/kubernetes/pool-of.ts';
import { chooserOf } from '../../../functions/adapters/kubernetes/renderings.ts';
import type { Application } from '../../../functions/core/argocd/application.ts';
import type { AnnotationRules } from '../../../functions/core/argocd/pools-annotation.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import { everyName } from '../../../functions/core/findings/listed.ts';
import type { SeenCluster } from '../../../functions/core/impact/impact-on-cluster.ts';
import type { OwnPace } from '../../../functions/core/impact/node-pace.ts';
import type { UnreadApplication } from '../../../functions/core/impact/unread-applications.ts';
import { disruptionPolicyOf } from '../../../functions/core/machine-config/disruption-policy.ts';
import { machineConfigOf } from '../../../functions/core/machine-config/machine-config.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { seen } from '../../../functions/core/text/observed.ts';
import { applicationRead } from './application-read.ts';
import { KubeObject } from './kube-object.ts';

/** A cluster as needed for the prediction, from its objects: just read or recorded. */
export interface RecordedCluster extends SeenCluster {
  /** Those whose spec alone could be parsed as well. */
  readonly applications: readonly Application[];
  readonly unreadApplications: readonly UnreadApplication[];
  /** What poolkeeper.yaml says about it; absent: not known. */
  readonly settings?: ClusterSettings | undefined;
  /** The pace of the pools' own nodes; absent: not known. */
  readonly paces?: Readonly<Record<string, OwnPace>> | undefined;
  /** When it was as it is here, if the recording says so; absent: just read. */
  readonly recorded?: { readonly at: Date | undefined } | undefined;
}

/** Parses the objects of a cluster. `argocd`: the configured instances that its Applications belong to; undefined: no
 *  configuration was read. Throws Misconfigured naming the object, but for an Application, which its owner may break:
 *  that is kept as one that could not be read. */
export function recordedCluster(
  name: string,
  objects: readonly unknown[],
  argocd?: readonly ArgoCdSettings[],
): RecordedCluster {
  const of = (kind: string) => objects.filter((object) => KubeObject.safeParse(object).data?.kind === kind);
  const pools = of('MachineConfigPool').map((object) => read(object, poolOf));
  if (pools.length === 0) throw new Misconfigured([`${name}: contains no MachineConfigPool`]);
  const [policy] = of('MachineConfiguration');
  const applications = of('Application').map((object) => applicationRead('argocd', object, rulesFor(object, argocd)));
  return {
    name,
    pools,
    sources: {
      machineConfigs: of('MachineConfig').flatMap((object) => machineConfigOf(object) ?? []),
      policy: disruptionPolicyOf(policy),
      choosers: seen(
        ['KubeletConfig', 'ContainerRuntimeConfig', 'MachineOSConfig'].flatMap((kind) =>
          of(kind).flatMap((object) => chooserOf(kind, object)),
        ),
      ),
      isSingleNode: pools.reduce((nodes, { counts }) => nodes + counts.machines, 0) === 1,
      layeredPools: of('Status').some(isRefusalOf('machineosconfigs'))
        ? undefined
        : of('MachineOSConfig').flatMap((object) =>
            chooserOf('MachineOSConfig', object).flatMap(({ pool }) => pool ?? []),
          ),
    },
    applications: applications.flatMap(({ application }) => application ?? []),
    unreadApplications: [
      ...applications.flatMap(({ application, unreadable }) =>
        unreadable === undefined ? [] : [{ ...unreadable, isSpecRead: application !== undefined }],
      ),
      ...of('Status').filter(isRefusalOf('applications')).map(unlisted),
    ],
  };
}

/** These could not be listed. */
function isRefusalOf(plural: string): (refusal: unknown) => boolean {
  return (refusal) => KubeObject.safeParse(refusal).data?.metadata.name === plural;
}

function unlisted(refusal: unknown): UnreadApplication {
  const why = 'cannot be listed';
  return { kind: 'Application', namespace: namespaceOf(refusal), name: everyName, why, isSpecRead: false };
}

function namespaceOf(object: unknown): string {
  return String(KubeObject.safeParse(object).data?.metadata['namespace'] ?? '');
}

/** Without a configuration, an annotation is assumed to add pools and to take none away: never too few. */
function rulesFor(object: unknown, argocd: readonly ArgoCdSettings[] | undefined): AnnotationRules | undefined {
  const namespace = namespaceOf(object);
  if (argocd === undefined)
    return { controllerNamespace: '', poolsAnnotation: { mayAdd: { namespaces: [namespace], projects: [] } } };
  return argocd.find(({ namespaces }) => namespaces.includes(namespace));
}

function read<T>(object: unknown, as: (body: unknown) => T): T {
  try {
    return as(object);
  } catch (cause) {
    const known = KubeObject.safeParse(object).data;
    const said = cause instanceof Error ? cause.message : 'it cannot be parsed';
    throw new Misconfigured([`${known?.kind ?? 'an object'} ${known?.metadata.name ?? ''}: ${said}`], { cause });
  }
}

import { stringify } from 'yaml';
import { unique } from '../../functions/core/text/unique.ts';
import { accessObjects } from './access.ts';
import { admissionLimitObjects, nodeLimit } from './admission-limit.ts';
import { applicationSnippet, argocdSettingsObject } from './argocd-settings.ts';
import { eventSourceObjects } from './event-source.ts';
import { type InClusterStore, inClusterObjects, ownImage } from './in-cluster.ts';
import type { KubeObject } from './kube-object.ts';
import { type ArgoCdForm, notificationsObject } from './notifications.ts';
import type { Level, Part } from './parts.ts';
import { pauseFirstObjects } from './pause-first.ts';
import { handshakeSecret, preSyncJob } from './presync-job.ts';
import type { Rights } from './rights.ts';
import type { CanaryLimits } from './run-access.ts';

export interface ManifestOptions {
  readonly level: Level;
  readonly parts: readonly Part[];
  readonly pools: readonly string[];
  /** False: no pool may be paused. */
  readonly pauses: boolean;
  readonly namespace: string;
  /** Undefined: no Argo CD runs on this cluster. */
  readonly argocdNamespace: string | undefined;
  /** Additional namespaces with Applications. */
  readonly applicationNamespaces: readonly string[];
  readonly form: ArgoCdForm;
  /** Name of the ArgoCD resource, if an operator runs Argo CD. */
  readonly argocdResource: string;
  readonly instance: string;
  readonly cluster: string;
  readonly application: string;
  readonly url: string;
  readonly image: string;
  /** Additional accounts that the admission level exempts. */
  readonly except: readonly string[];
  /** Policy onRefusedSync is `restart`: our account may retry a sync. Level admission only. */
  readonly restartsSyncs: boolean;
  /** The account may read the logs of the Machine Config Operator. */
  readonly readsLogs: boolean;
  /** A pool has pauseMachineHealthChecks: our account may pause MachineHealthChecks. */
  readonly pausesHealthChecks: boolean;
  /** What the sequences of a configuration need on this cluster; absent: none. */
  readonly sequences?: Rights | undefined;
  /** The same of runs. */
  readonly runs?: Rights | undefined;
  /** What those of mode canary write besides. */
  readonly canaries?: CanaryLimits | undefined;
  /** Longest life of a token that our account requests for itself, hours. */
  readonly tokenHours: number;
  /** Audience of its tokens besides the names that API servers have by default. */
  readonly audience: string | undefined;
  /** Image of Poolkeeper itself, for part `in-cluster`; absent: what a build in its namespace pushes. */
  readonly ownImage?: string | undefined;
  /** What it keeps its tables in there; absent: a volume. */
  readonly store?: InClusterStore;
  /** Host of `url`; absent: no URL was given. */
  readonly host?: string | undefined;
  /** Text of docs/install/argocd-notifications-cm.yaml. */
  readonly shippedNotifications: string;
}

export const accountName = 'poolkeeper';

/** The objects of a part. */
export function objectsOf(part: Part, options: ManifestOptions): readonly KubeObject[] {
  const { level, pools, pauses, namespace, argocdNamespace, form, instance, cluster, url, image, canaries } = options;
  const account = { namespace, name: accountName };
  switch (part) {
    case 'access':
      return [
        ...accessObjects({
          account,
          pauses,
          pools,
          argocdNamespaces: applicationNamespaces(options),
          readsLogs: options.readsLogs,
          restartsSyncs: options.restartsSyncs,
          guardsIn: level === 'guard' ? argocdNamespace : undefined,
          pausesHealthChecks: options.pausesHealthChecks,
          sequences: options.sequences,
          runs: options.runs,
        }),
        // Nobody grants the right without what limits it.
        ...(grantsNodes(options) && !options.parts.includes('admission-limit') ? nodeLimit({ account, canaries }) : []),
      ];
    case 'admission-limit':
      return admissionLimitObjects({
        account,
        pauses,
        pools,
        restartsSyncs: options.restartsSyncs,
        guardsSyncs: level === 'guard' && argocdNamespace !== undefined,
        pausesHealthChecks: options.pausesHealthChecks,
        letsNodesGo: grantsNodes(options),
        canaries,
        tokenHours: options.tokenHours,
        audiences: options.audience === undefined ? [] : [options.audience],
      });
    case 'pause-first':
      return pauseFirst(options);
    case 'notifications':
      if (argocdNamespace === undefined) return [];
      return [
        notificationsObject({ shipped: options.shippedNotifications, form, namespace: argocdNamespace, instance, url }),
      ];
    case 'argocd-settings':
      return argocdNamespace === undefined
        ? []
        : [argocdSettingsObject({ form, namespace: argocdNamespace, resource: options.argocdResource })];
    case 'event-source':
      return eventSourceObjects({ namespace, cluster, url });
    case 'presync-job': {
      const home = argocdNamespace ?? namespace;
      const application = { argocd: instance, namespace: home, name: options.application };
      return [preSyncJob({ namespace: home, application, url, image })];
    }
    case 'in-cluster': {
      const { applicationNamespaces: more, store = { kind: 'volume' }, host } = options;
      const own = options.ownImage ?? ownImage(namespace);
      const place = { argocdNamespace, applicationNamespaces: more, cluster, instance, pools };
      return inClusterObjects({ account, ...place, image: own, host, store });
    }
    default:
      return part satisfies never;
  }
}

/** Bound to no named pool, the policy is bound to every one. */
function pauseFirst({ pauses, namespace, pools, except }: ManifestOptions): readonly KubeObject[] {
  return pauses ? pauseFirstObjects({ namespace, pools, except }) : [];
}

/** The runs have the account write nodes. */
function grantsNodes({ runs }: ManifestOptions): boolean {
  return (
    runs?.everywhere.some(({ resources, verbs }) => resources.includes('nodes') && verbs.includes('patch')) === true
  );
}

function applicationNamespaces({ argocdNamespace, applicationNamespaces: more }: ManifestOptions): readonly string[] {
  return unique([...(argocdNamespace === undefined ? [] : [argocdNamespace]), ...more]);
}

/** The requested parts as one YAML stream, each with a comment that says what it is for. */
export function manifestsYaml(options: ManifestOptions): string {
  return options.parts
    .map((part) => ({ part, objects: objectsOf(part, options) }))
    .filter(({ objects }) => objects.length > 0)
    .map(({ part, objects }) => `${comments[part]}${objects.map(objectYaml).join('---\n')}`)
    .join('---\n');
}

export function objectYaml(object: object): string {
  // No folding: long lines are expressions and templates. No aliases: kubectl accepts them, but people find them hard
  // to read.
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });
}

const comments: Readonly<Record<Part, string>> = {
  access:
    '# The service account of Poolkeeper and its permissions: read, pause the named pools, create events, renew its own token.\n',
  'admission-limit':
    '# Of a pool the account may change only spec.paused and its own annotations, and its tokens are short-lived. Kubernetes >= 1.30; leave it out on older versions.\n',
  'pause-first':
    '# Level admission: whatever gives a pool a new rendered config can only be changed while that pool is paused. Kubernetes >= 1.30.\n# How it works, break-glass, removal: docs/admission.md\n',
  notifications:
    '# Argo CD notifies Poolkeeper of every operation of Applications labelled poolkeeper.dev/watch: "true".\n# Its token: key poolkeeper-token of the Secret argocd-notifications-secret. Merge this with what you have.\n',
  'argocd-settings': `# Health check of pools, and fields of theirs that are not Git's. Merge this with what you have.\n${applicationSnippet}`,
  'event-source':
    '# Optional, needs Knative Eventing: changes of pools are seen at once instead of by the next tick. The token of POST /cluster goes into sink.uri.\n',
  'presync-job': `# For Git, next to the MachineConfigs of the Application: Argo CD runs it before each full sync.\n# Print one for each Application instead of copying this one: two of the same name answer for each other.\n# Its token: Secret ${handshakeSecret.name}, key ${handshakeSecret.key}, in the same namespace.\n`,
  'in-cluster':
    '# Poolkeeper itself, in one process beside AWS: docs/in-cluster.md. It needs part access, and the Secret poolkeeper-secrets.\n',
};

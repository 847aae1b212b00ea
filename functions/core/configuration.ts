import type { Policy } from './policy.ts';

/** `poolkeeper.yaml` after it was checked and its defaults were filled in. The reader is functions/shell/configuration/. */
export interface Configuration {
  readonly clusters: readonly ClusterSettings[];
  readonly argocd: readonly ArgoCdSettings[];
  readonly alerts: AlertSettings;
  /** Undefined: nothing is asked of GitHub; it only delivers. */
  readonly github?: GithubSettings | undefined;
}

export interface GithubSettings {
  /** Base URL of the REST API, without a final slash. */
  readonly api: string;
  /** Name or ARN of the secret that holds a token. Either this or `app`. */
  readonly tokenSecret?: string | undefined;
  /** The GitHub App that Poolkeeper signs in as. */
  readonly app?: GithubApp | undefined;
  /** The files that a push changes are read, so that only the pools concerned are paused. */
  readonly readsChanges: boolean;
  /** Webhooks whose lost deliveries are asked for again; none: ticks and sweeps make up for them later. */
  readonly hooks: readonly GithubHook[];
  /** Undefined: pull requests get no preview. */
  readonly preview?: PreviewSettings | undefined;
}

export interface GithubApp {
  readonly id: number;
  /** Name or ARN of the secret that holds its private key, PEM. */
  readonly privateKeySecret: string;
}

/** How pull requests are told what they would do. */
export interface PreviewSettings {
  /** `hide`: clusters, Applications and holders are counted, not named. */
  readonly clusterNames: 'show' | 'hide';
  /** What a pull request from a fork gets: anyone can open one. */
  readonly forks: 'nothing' | 'status' | 'comment';
}

/** A webhook of a repository (`owner/name`) or of an organization: one of the two is set. */
export interface GithubHook {
  readonly repository?: string | undefined;
  readonly organization?: string | undefined;
  readonly id: number;
}

export interface ClusterSettings {
  /** Name people see; part of every key. */
  readonly name: string;
  readonly api: ClusterApi;
  readonly policy: Policy;
  /** By pool name; a pool without an entry has the defaults. */
  readonly pools: Readonly<Record<string, PoolSettings>>;
}

export interface ClusterApi {
  readonly server: string;
  /** PEM of the certificate authority; undefined = the system's. */
  readonly ca: string | undefined;
  /** Name or ARN of the secret that holds the bearer token. */
  readonly tokenSecret: string;
  /** Refused except on loopback. */
  readonly skipTLSVerify: boolean;
}

export interface PoolSettings {
  /** `observe`: alerts only. `react`: pushes and operations pause. `handshake`: the PreSync Job waits for the confirmed pause.
   *  `admission`: the API server refuses a change of what the pool renders while it is not paused. Each later one is `react` and more. */
  readonly protection: 'observe' | 'react' | 'handshake' | 'admission';
  /** Must be set by name for pools that a cluster upgrade waits for (master, arbiter). */
  readonly manageRequired: boolean;
  /** Resume order: lower waves first, equal waves together. */
  readonly wave: number;
  /** Before it resumes, the drains that follow are thought through by the rules of the diagnosis. `warn`: it resumes and says what will
   *  block. `block`: it stays paused until nothing does. `off`: nobody looks. */
  readonly drainable: 'off' | 'warn' | 'block';
}

export interface ArgoCdSettings {
  /** Name of the instance; `poolkeeperInstance` in its notifications' context. */
  readonly name: string;
  /** Cluster it runs in; `in-cluster` destinations mean this one. */
  readonly cluster: string;
  /** Namespaces in which its Applications live. */
  readonly namespaces: readonly string[];
  /** Namespace of its application controller. */
  readonly controllerNamespace: string;
  /** Which cluster a destination means: by server URL or by name. */
  readonly destinations: readonly {
    readonly server?: string | undefined;
    readonly name?: string | undefined;
    readonly cluster: string;
  }[];
  /** Undefined: GitHub delivers to this instance itself, or it only polls. */
  readonly relay?: RelaySettings | undefined;
}

/** Where pushes go on to once their pools are confirmed paused. */
export interface RelaySettings {
  /** `https://<argocd-server>/api/webhook`. */
  readonly url: string;
  /** Of the ApplicationSet controller, which has a webhook server of its own; undefined = it is not told. */
  readonly applicationSetUrl?: string | undefined;
  /** PEM of the certificate authority of both; undefined = the system's. */
  readonly ca: string | undefined;
  /** How long a push is held back for its pools. Then it goes on all the same and is told as late. */
  readonly waitAtMostSeconds: number;
  /** A push goes on twice, because Argo CD up to 3.5 drops a refresh that it is asked for while another one runs: so long after
   *  the first time. Source: argo-cd issues 28306 and 28392. */
  readonly sendAgainAfterSeconds: number;
}

/** An idle MCO confirms a pause within 5 s, behind a rollout of many nodes within some 20 s: half a minute is little for people and
 *  less than Argo CD's own polling (3 min). Seconds. */
export const defaultRelay = { waitAtMostSeconds: 30, sendAgainAfterSeconds: 30 } as const;

export interface AlertSettings {
  readonly targets: readonly AlertTarget[];
  /** Base URL of the status page, for links; undefined = no links. */
  readonly statusUrl: string | undefined;
}

export type AlertTarget =
  | {
      readonly kind: 'slack';
      readonly name: string;
      /** Channel id; names are not accepted by chat.update. */
      readonly channel: string;
      readonly tokenSecret: string;
      /** Base URL of the Slack Web API; only tests and the emulator change it. */
      readonly apiUrl: string;
      readonly filter: AlertFilter;
    }
  | { readonly kind: 'slack-webhook'; readonly name: string; readonly urlSecret: string; readonly filter: AlertFilter }
  | {
      readonly kind: 'email';
      readonly name: string;
      readonly from: string;
      readonly to: readonly string[];
      /** `ses` on AWS; `smtp` elsewhere. */
      readonly via: 'ses' | 'smtp';
      readonly filter: AlertFilter;
    }
  | { readonly kind: 'outbox'; readonly name: string; readonly filter: AlertFilter };

export interface AlertFilter {
  /** Empty = all. */
  readonly clusters: readonly string[];
  readonly pools: readonly string[];
  readonly severities: readonly ('critical' | 'high' | 'warning' | 'info')[];
}

export const defaultPoolSettings: PoolSettings = {
  protection: 'react',
  manageRequired: false,
  wave: 0,
  drainable: 'warn',
};

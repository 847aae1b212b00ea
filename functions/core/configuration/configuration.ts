import type { Policy } from './policy.ts';
import type { ProtectionName } from './protection.ts';

/** `poolkeeper.yaml` after it was checked and its defaults were filled in. The reader is
 *  functions/shell/configuration/. */
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
  /** `observe`: alerts only. `react`: pushes and operations pause. `handshake`: the PreSync Job waits for the confirmed
   *  pause.
   *  `admission`: the API server refuses a change of what the pool renders while it is not paused. Each later one is
   *  `react` and more. */
  readonly protection: ProtectionName;
  /** Must be set by name for pools that a cluster upgrade waits for (master, arbiter). */
  readonly manageRequired: boolean;
  /** Resume order: lower waves first, equal waves together. */
  readonly wave: number;
  /** Which changes it is paused for. `any`: each that is rendered for it. `disruptive`: not for a push of which it
   *  is certain that it does nothing to the nodes, neither a reload nor a restart nor more. */
  readonly pauseFor: 'any' | 'disruptive';
  /** Before it resumes, the drains that follow are thought through by the rules of the diagnosis. `warn`: it resumes
   *  and says what will block. `block`: it stays paused until nothing does. `off`: nobody looks. */
  readonly drainable: 'off' | 'warn' | 'block';
  /** MachineHealthChecks that watch its machines are paused while its nodes roll after our resume, so that nobody
   *  replaces a machine that only reboots as planned. */
  readonly pauseMachineHealthChecks: boolean;
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
  /** A push goes on twice, because Argo CD up to 3.5 drops a refresh that it is asked for while another one runs: so
   *  long after the first time. Source: argo-cd issues 28306 and 28392. */
  readonly sendAgainAfterSeconds: number;
}

/** An idle MCO confirms a pause within 5 s, behind a rollout of many nodes within some 20 s: half a minute is little
 *  for people and less than Argo CD's own polling (3 min). Seconds. */
export const defaultRelay = { waitAtMostSeconds: 30, sendAgainAfterSeconds: 30 } as const;

export interface AlertSettings {
  readonly targets: readonly AlertTarget[];
  /** Base URL of the status page, for links; undefined = no links. */
  readonly statusUrl: string | undefined;
  /** Undefined: messages have no buttons, and nobody may press one. */
  readonly slackButtons?: SlackButtons | undefined;
}

/** The buttons of Slack messages, which acknowledge, snooze and ask for a re-check, and never change a cluster. */
export interface SlackButtons {
  /** Name or ARN of the secret that Slack signs its requests with. */
  readonly signingSecret: string;
  /** Id of the workspace, `T...`, or of the organisation, `E...`. */
  readonly team: string;
  /** Ids of the people who may press; empty: everybody in a channel that is a target. */
  readonly users: readonly string[];
  /** How long an acknowledgement holds. */
  readonly acknowledgeForSeconds: number;
}

/** A shift's half: long enough to mend most causes, short enough to be asked again before going home. Seconds. */
export const defaultAcknowledgeForSeconds = 4 * 3600;

/** What every target has. */
interface TargetBasics {
  readonly name: string;
  readonly filter: AlertFilter;
  /** Held back in these hours: everything that is no page. */
  readonly quietHours?: QuietHours | undefined;
  /** Hears of an incident only when nobody has acknowledged it for so long; 0 or undefined: at once. */
  readonly escalateAfterSeconds?: number | undefined;
}

/** Hours of the wall clock in a zone. */
export interface QuietHours {
  /** `22:00`. Later than `to`: over midnight. */
  readonly from: string;
  readonly to: string;
  /** IANA name. */
  readonly zone: string;
  /** The whole of Saturday and Sunday too. */
  readonly weekends: boolean;
}

export type AlertTarget = TargetBasics & TargetKind;

type TargetKind =
  | {
      readonly kind: 'slack';
      /** Channel id; names are not accepted by chat.update. */
      readonly channel: string;
      readonly tokenSecret: string;
      /** Base URL of the Slack Web API; only tests and the emulator change it. */
      readonly apiUrl: string;
    }
  | { readonly kind: 'slack-webhook'; readonly urlSecret: string }
  | {
      readonly kind: 'email';
      readonly from: string;
      readonly to: readonly string[];
      /** `ses` on AWS; `smtp` elsewhere. */
      readonly via: 'ses' | 'smtp';
    }
  | {
      readonly kind: 'pagerduty';
      /** Name or ARN of the secret that holds the integration key of a service (Events API v2). */
      readonly routingKeySecret: string;
      /** Where events are enqueued; another one in the EU service region. */
      readonly eventsUrl: string;
    }
  | {
      readonly kind: 'alertmanager';
      /** Base URL, to which `/api/v2/alerts` is added. */
      readonly url: string;
      readonly bearerSecret?: string | undefined;
    }
  | {
      readonly kind: 'webhook';
      /** Gets CloudEvents 1.0, structured JSON. */
      readonly url: string;
      readonly bearerSecret?: string | undefined;
      /** What the body is signed with; undefined: it is not. */
      readonly signingSecret?: string | undefined;
    }
  | { readonly kind: 'outbox' };

export interface AlertFilter {
  /** Empty = all. */
  readonly clusters: readonly string[];
  readonly pools: readonly string[];
  readonly severities: readonly ('critical' | 'high' | 'warning' | 'info')[];
  /** Codes of the catalogue: one of them is a root cause. What has no known cause yet passes no such list. */
  readonly causes?: readonly string[] | undefined;
}

export const defaultPoolSettings: PoolSettings = {
  protection: 'react',
  manageRequired: false,
  wave: 0,
  pauseFor: 'any',
  drainable: 'warn',
  pauseMachineHealthChecks: false,
};

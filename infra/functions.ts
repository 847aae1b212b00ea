import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Entry, PoolkeeperFunction } from './constructs/poolkeeper-function.ts';
import type { Settings } from './settings.ts';

/** What the functions are built from: the settings, the configuration and the values of environment variables. */
export interface FunctionInputs {
  readonly settings: Settings;
  readonly configurationFile: string;
  /** Redelivery of GitHub webhooks is configured. */
  readonly redelivers: boolean;
  /** Machines outside OpenShift ask by the FleetLock protocol. */
  readonly locks: boolean;
  /** A rule of a run waits for a callback. */
  readonly callbacks: boolean;
  /** Undefined: no Argo CD has a relay. */
  readonly RELAY_QUEUE_URL?: string | undefined;
  /** Undefined: pull requests get no preview. */
  readonly PREVIEW_QUEUE_URL?: string | undefined;
  /** Undefined: no mail is sent by SES. */
  readonly SES_CONFIGURATION_SET?: string | undefined;
  readonly WORK_QUEUE_URL: string;
  readonly ALERT_QUEUE_URL: string;
  readonly TABLE_NAME: string;
  readonly BUS_NAME: string;
  readonly GITHUB_SECRET_ARN: string;
  readonly ARGOCD_TOKEN_SECRET_ARN: string;
  readonly CLUSTER_TOKEN_SECRET_ARN: string;
  readonly HANDSHAKE_TOKEN_SECRET_ARN: string;
  readonly STATUS_TOKEN_SECRET_ARN: string;
  /** Name or ARN of Slack's signing secret; undefined: messages have no buttons. */
  readonly SLACK_SIGNING_SECRET_ARN?: string | undefined;
}

/** Timeout of each function. */
export const timeouts: Readonly<Record<Entry, Duration>> = {
  // GitHub hangs up after 10 s: a later response is a failed delivery in any case.
  'receive-github': Duration.seconds(8),
  'receive-argocd': Duration.seconds(8),
  'receive-cluster': Duration.seconds(8),
  // Slack hangs up after 3 s.
  'receive-slack': Duration.seconds(3),
  // API Gateway hangs up after 30 s; before that the handshake answers "not yet", and its caller asks again.
  handshake: Duration.seconds(29),
  // A few calls to the table. A client waits for half an hour, API Gateway does not.
  'fleet-lock': Duration.seconds(10),
  // The same.
  'receive-callback': Duration.seconds(10),
  // A pass makes a bounded number of parallel calls of at most 10 s each; the diagnosis of many stuck nodes takes
  // longest. An event that failed waits six times this long for its second attempt, so it must not be generous.
  'keep-pools': Duration.seconds(60),
  // Calls to Slack and other targets time out after 8 s, those of one incident one after the other: seven that hang.
  'send-alerts': Duration.seconds(60),
  // The metrics of a thousand clusters with twenty frozen pools, 37 MB before they are packed, take 4.5 s of a full
  // vCPU besides the reads. Not more than Prometheus waits (docs/metrics.md), and API Gateway.
  status: Duration.seconds(25),
  // A thousand reads of the table, twenty-five at a time.
  'watch-ticks': Duration.seconds(30),
  // GitHub takes about a second to answer; up to twenty redeliveries per hook, one after the other.
  redeliver: Duration.seconds(120),
  // One POST of at most 10 s, and a few calls to the table.
  'relay-pushes': Duration.seconds(30),
  // Trees and blobs from GitHub, then up to twenty clusters in parallel. Less than the 150 s for which a run keeps its
  // pull request to itself.
  'preview-changes': Duration.seconds(120),
};

/** MiB. A function gets a full vCPU at 1,769 MiB; JavaScript uses one, so more would not help. */
const memorySizes: Readonly<Record<Entry, number>> = {
  // Idle between pushes, so that most pushes start it cold, and Argo CD applies 0.3 to 0.6 s after a push: a full vCPU,
  // with which the same work takes a third of the time and costs the same. Source: docs/benchmarks.md, a cold start.
  'receive-github': 1769,
  // Imports take 160 ms here (46 ms on a full vCPU): a cold start still answers well within a second.
  'receive-argocd': 512,
  'receive-cluster': 512,
  'receive-slack': 512,
  'fleet-lock': 512,
  'receive-callback': 512,
  // Parse lists of thousands of Applications and race the machine config controller: a full vCPU.
  handshake: 1769,
  'keep-pools': 1769,
  // Waits for Slack and SES most of the time.
  'send-alerts': 512,
  // Renders one page of the data of a thousand clusters, about 10 MB, within seconds: a full vCPU.
  status: 1769,
  'watch-ticks': 256,
  redeliver: 256,
  // Unpacks at most 4 MiB.
  'relay-pushes': 512,
  // Parses manifests at two commits and every MachineConfig of the clusters: a full vCPU.
  'preview-changes': 1769,
};

/** What distinguishes one function from the others. */
interface FunctionSpec {
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  /** True: the configuration is bundled next to the handler. */
  readonly configured: boolean;
  /** True: calls API servers or an Argo CD, so it runs in the VPC where there is one. */
  readonly reachesClusters?: boolean;
  /** Provisioned concurrency; default 0. */
  readonly warm?: number;
  /** Reserved concurrency; default 0. */
  readonly reserved?: number;
  /** True: it sends to the queue that invokes it, and something else than Lambda ends that. */
  readonly loops?: boolean;
}

/** The functions of every deployment, and those that only some configurations need. */
export type Functions = Readonly<Record<Exclude<Entry, OptionalEntry>, PoolkeeperFunction>> & {
  readonly [entry in OptionalEntry]?: PoolkeeperFunction;
};
type OptionalEntry =
  | 'fleet-lock'
  | 'receive-callback'
  | 'receive-slack'
  | 'redeliver'
  | 'relay-pushes'
  | 'preview-changes';

/** Makes the functions, each with exactly the environment that it reads (functions/shell/environment.ts). */
export function poolkeeperFunctions(scope: Construct, inputs: FunctionInputs): Functions {
  const { settings, configurationFile } = inputs;

  function make(entry: Entry, spec: FunctionSpec): PoolkeeperFunction {
    const {
      description,
      environment,
      configured,
      reachesClusters = false,
      warm = 0,
      reserved = 0,
      loops = false,
    } = spec;
    return new PoolkeeperFunction(scope, pascalCase(entry), {
      entry,
      description,
      settings,
      memorySize: memorySizes[entry],
      timeout: timeouts[entry],
      environment,
      configurationFile: configured ? configurationFile : undefined,
      warm,
      reserved,
      loops,
      network: reachesClusters ? settings.network : undefined,
    });
  }

  return { ...receivers(make, inputs), ...workers(make, inputs), ...optionalFunctions(make, inputs) };
}

type Make = (entry: Entry, spec: FunctionSpec) => PoolkeeperFunction;

/** Construct ids are part of logical ids: `receive-github` is `ReceiveGithub` there. */
function pascalCase(entry: Entry): string {
  return entry.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
}

/** What webhooks call. */
function receivers(make: Make, inputs: FunctionInputs) {
  const { settings, WORK_QUEUE_URL, RELAY_QUEUE_URL, PREVIEW_QUEUE_URL } = inputs;
  return {
    'receive-github': make('receive-github', {
      description: 'Takes pushes and pull requests from GitHub',
      environment: {
        WORK_QUEUE_URL,
        GITHUB_SECRET_ARN: inputs.GITHUB_SECRET_ARN,
        ...(RELAY_QUEUE_URL === undefined ? {} : { RELAY_QUEUE_URL }),
        ...(PREVIEW_QUEUE_URL === undefined ? {} : { PREVIEW_QUEUE_URL }),
      },
      configured: false,
      warm: settings.warm.receiveGithub,
      reserved: settings.entrances.github.reserved,
    }),
    'receive-argocd': make('receive-argocd', {
      description: 'Takes the phases of syncs from Argo CD notifications',
      environment: { WORK_QUEUE_URL, ARGOCD_TOKEN_SECRET_ARN: inputs.ARGOCD_TOKEN_SECRET_ARN },
      configured: false,
      reserved: settings.entrances.argocd.reserved,
    }),
    'receive-cluster': make('receive-cluster', {
      description: 'Takes events and alerts from the clusters',
      environment: { WORK_QUEUE_URL, CLUSTER_TOKEN_SECRET_ARN: inputs.CLUSTER_TOKEN_SECRET_ARN },
      configured: false,
      reserved: settings.entrances.cluster.reserved,
    }),
  };
}

/** What pauses and resumes pools, sends alerts and answers people. */
function workers(make: Make, inputs: FunctionInputs) {
  const { settings, SES_CONFIGURATION_SET, WORK_QUEUE_URL, ALERT_QUEUE_URL, TABLE_NAME, BUS_NAME } = inputs;
  const ofPasses = { WORK_QUEUE_URL, ALERT_QUEUE_URL, TABLE_NAME, BUS_NAME };
  return {
    handshake: make('handshake', {
      description: 'Answers a PreSync Job when the pause of its pools is confirmed',
      environment: { ...ofPasses, HANDSHAKE_TOKEN_SECRET_ARN: inputs.HANDSHAKE_TOKEN_SECRET_ARN },
      configured: true,
      reachesClusters: true,
      reserved: settings.entrances.handshake.reserved,
    }),
    'keep-pools': make('keep-pools', {
      description: 'Reads the clusters an event concerns, pauses and resumes their pools, and reports',
      environment: ofPasses,
      configured: true,
      reachesClusters: true,
      warm: settings.warm.keepPools,
      reserved: settings.workers.reservedForKeepPools,
      // A recheck sends one other at most: while a pause is not older than `confirmWithinSeconds` (15 min at most), an
      // opened guard or what it waits for than 30 s, a release than 2 min (keep-pools/tell/schedule-recheck.ts).
      loops: true,
    }),
    'send-alerts': make('send-alerts', {
      description: 'Brings every channel and mailbox up to the current state of an incident',
      environment: {
        WORK_QUEUE_URL,
        ALERT_QUEUE_URL,
        TABLE_NAME,
        ...(SES_CONFIGURATION_SET === undefined ? {} : { SES_CONFIGURATION_SET }),
      },
      configured: true,
      // One message at a time for what an incident owes a target. After failures the pauses double, and from 15 min on
      // the sweep of keep-pools goes on instead; a target that asks for less is asked no sooner than it says, and given
      // up a day after the end of the incident (core/alerts/notify-failing.ts).
      loops: true,
    }),
    status: make('status', {
      description: 'Shows clusters, pools, holds, gates and incidents',
      environment: { TABLE_NAME, STATUS_TOKEN_SECRET_ARN: inputs.STATUS_TOKEN_SECRET_ARN },
      configured: true,
      reserved: settings.entrances.status.reserved,
    }),
    'watch-ticks': make('watch-ticks', {
      description: 'Checks that every cluster was seen lately',
      environment: { TABLE_NAME },
      configured: true,
    }),
  };
}

/** What exists only where the configuration asks for it: Slack's buttons, redelivery, a relay, previews, FleetLock,
 *  callbacks. */
function optionalFunctions(make: Make, inputs: FunctionInputs) {
  const { ALERT_QUEUE_URL, RELAY_QUEUE_URL, PREVIEW_QUEUE_URL, TABLE_NAME, BUS_NAME } = inputs;
  const { settings, SLACK_SIGNING_SECRET_ARN, redelivers, locks, callbacks } = inputs;
  return {
    ...(SLACK_SIGNING_SECRET_ARN !== undefined && {
      'receive-slack': make('receive-slack', {
        description:
          'Takes the buttons of messages in Slack, which acknowledge, snooze, ask for a re-check and approve',
        environment: { ALERT_QUEUE_URL, TABLE_NAME, SLACK_SIGNING_SECRET_ARN },
        configured: true,
        reserved: settings.entrances.slack.reserved,
      }),
    }),
    ...(locks && {
      'fleet-lock': make('fleet-lock', {
        description: 'Tells machines outside OpenShift whether they may reboot',
        environment: { TABLE_NAME },
        configured: true,
        reserved: settings.entrances.fleetLock.reserved,
      }),
    }),
    ...(callbacks && {
      'receive-callback': make('receive-callback', {
        description: 'Takes what became of the events of rules at nodes',
        environment: { TABLE_NAME },
        configured: false,
        reserved: settings.entrances.callback.reserved,
      }),
    }),
    ...(redelivers && {
      redeliver: make('redeliver', {
        description: 'Asks GitHub once more for pushes that it could not deliver',
        environment: { TABLE_NAME },
        configured: true,
      }),
    }),
    ...(RELAY_QUEUE_URL !== undefined && {
      'relay-pushes': make('relay-pushes', {
        description: 'Passes a push on to Argo CD once its pools are confirmed paused',
        environment: { TABLE_NAME, BUS_NAME, RELAY_QUEUE_URL },
        configured: true,
        // Argo CD is as private as the API server of its cluster.
        reachesClusters: true,
        // One message a second for a push and its Argo CD, until the push is as old as `waitAtMostSeconds` (10 min at
        // most); then it is passed on, whatever is lacking. One that another claim keeps waits until that ends, after
        // 20 s at most.
        loops: true,
      }),
    }),
    ...(PREVIEW_QUEUE_URL !== undefined && {
      'preview-changes': make('preview-changes', {
        description: 'Tells pull requests what they would do to pools and nodes',
        environment: { TABLE_NAME, PREVIEW_QUEUE_URL },
        configured: true,
        reachesClusters: true,
      }),
    }),
  };
}

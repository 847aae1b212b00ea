import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type Entry, PoolkeeperFunction } from './constructs/poolkeeper-function.ts';
import type { Settings } from './settings.ts';

/** What the functions are told through their environment, and the two things that every one of them is built with. */
export interface Surroundings {
  readonly settings: Settings;
  readonly configurationFile: string;
  /** GitHub's API is configured. */
  readonly redelivers: boolean;
  /** Undefined: no Argo CD has its pushes from us. */
  readonly RELAY_QUEUE_URL?: string | undefined;
  /** Undefined: pull requests get no preview. */
  readonly PREVIEW_QUEUE_URL?: string | undefined;
  readonly WORK_QUEUE_URL: string;
  readonly ALERT_QUEUE_URL: string;
  readonly TABLE_NAME: string;
  readonly BUS_NAME: string;
  readonly GITHUB_SECRET_ARN: string;
  readonly ARGOCD_TOKEN_SECRET_ARN: string;
  readonly CLUSTER_TOKEN_SECRET_ARN: string;
  readonly HANDSHAKE_TOKEN_SECRET_ARN: string;
  readonly STATUS_TOKEN_SECRET_ARN: string;
  /** Name or ARN of what Slack signs with; undefined: messages have no buttons. */
  readonly SLACK_SIGNING_SECRET_ARN?: string | undefined;
}

/** How long each function may take. */
export const timeouts: Readonly<Record<Entry, Duration>> = {
  // GitHub hangs up after 10 s; an answer that comes later is a failed delivery whatever we did.
  'receive-github': Duration.seconds(8),
  'receive-argocd': Duration.seconds(8),
  'receive-cluster': Duration.seconds(8),
  // Slack hangs up after 3 s.
  'receive-slack': Duration.seconds(3),
  // API Gateway hangs up after 30 s; the handshake answers "not yet" before that and is asked again.
  handshake: Duration.seconds(29),
  // A pass makes few and bounded calls of 10 s at most each, side by side; a diagnosis of many stuck nodes is the
  // longest. Six times this is how long an event that failed waits for its second attempt, so it must not be generous.
  'keep-pools': Duration.seconds(60),
  // Slack and SES answer within 10 s or are given up; five messages of a batch go one after the other.
  'send-alerts': Duration.seconds(60),
  status: Duration.seconds(10),
  // A thousand reads of a table, twenty-five at a time.
  'watch-ticks': Duration.seconds(30),
  // GitHub's answers take a second or so, twenty redeliveries of each hook go one after the other.
  redeliver: Duration.seconds(120),
  // One POST of 10 s at most, and a few calls of the table round it.
  'relay-pushes': Duration.seconds(30),
  // GitHub's trees and blobs, then up to twenty clusters side by side. Less than a run may keep others from its pull
  // request (150 s).
  'preview-changes': Duration.seconds(120),
};

/** MiB. A function gets a full virtual CPU at 1,769 MiB; JavaScript runs on one, so more buys nothing. */
const memory: Readonly<Record<Entry, number>> = {
  // 46 ms of import on a whole CPU, 160 ms here: a cold start still answers well within a second.
  'receive-github': 512,
  'receive-argocd': 512,
  'receive-cluster': 512,
  'receive-slack': 512,
  // Parse lists of thousands of Applications and race the machine config controller: the whole CPU.
  handshake: 1769,
  'keep-pools': 1769,
  // Wait for Slack and SES most of their time.
  'send-alerts': 512,
  // Renders one page; a thousand clusters are some 10 MB of views.
  status: 1024,
  'watch-ticks': 256,
  redeliver: 256,
  // Unpacks 4 MiB at most.
  'relay-pushes': 512,
  // Parses manifests at two commits and every MachineConfig of the clusters: the whole CPU.
  'preview-changes': 1769,
};

interface Making {
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The checked configuration lies beside the handler. */
  readonly configured: boolean;
  /** Calls API servers, or an Argo CD. */
  readonly reachesClusters?: boolean;
  readonly warm?: number;
}

/** The functions of every deployment, and those that only the configuration gives work to: GitHub's token, a relay,
 *  previews. */
export type Functions = Readonly<Record<Exclude<Entry, OptionalEntry>, PoolkeeperFunction>> & {
  readonly [entry in OptionalEntry]?: PoolkeeperFunction;
};
type OptionalEntry = 'receive-slack' | 'redeliver' | 'relay-pushes' | 'preview-changes';

/** The functions, each with exactly the environment it reads (functions/shell/environment.ts). */
export function poolkeeperFunctions(scope: Construct, around: Surroundings): Functions {
  const { settings, configurationFile, WORK_QUEUE_URL, ALERT_QUEUE_URL, TABLE_NAME, BUS_NAME } = around;
  const { RELAY_QUEUE_URL, PREVIEW_QUEUE_URL, SLACK_SIGNING_SECRET_ARN } = around;
  const ofKeepers = { WORK_QUEUE_URL, ALERT_QUEUE_URL, TABLE_NAME, BUS_NAME };

  function make(
    entry: Entry,
    { description, environment, configured, reachesClusters = false, warm = 0 }: Making,
  ): PoolkeeperFunction {
    return new PoolkeeperFunction(scope, pascalCase(entry), {
      entry,
      description,
      settings,
      memorySize: memory[entry],
      timeout: timeouts[entry],
      environment,
      configurationFile: configured ? configurationFile : undefined,
      warm,
      network: reachesClusters ? settings.network : undefined,
    });
  }

  return {
    'receive-github': make('receive-github', {
      description: 'Takes pushes and pull requests from GitHub',
      environment: {
        WORK_QUEUE_URL,
        GITHUB_SECRET_ARN: around.GITHUB_SECRET_ARN,
        ...(RELAY_QUEUE_URL === undefined ? {} : { RELAY_QUEUE_URL }),
        ...(PREVIEW_QUEUE_URL === undefined ? {} : { PREVIEW_QUEUE_URL }),
      },
      configured: false,
      warm: settings.warm.receiveGithub,
    }),
    'receive-argocd': make('receive-argocd', {
      description: 'Takes the phases of syncs from Argo CD notifications',
      environment: { WORK_QUEUE_URL, ARGOCD_TOKEN_SECRET_ARN: around.ARGOCD_TOKEN_SECRET_ARN },
      configured: false,
    }),
    'receive-cluster': make('receive-cluster', {
      description: 'Takes events and alerts from the clusters',
      environment: { WORK_QUEUE_URL, CLUSTER_TOKEN_SECRET_ARN: around.CLUSTER_TOKEN_SECRET_ARN },
      configured: false,
    }),
    handshake: make('handshake', {
      description: 'Answers a PreSync Job when the pause of its pools is confirmed',
      environment: { ...ofKeepers, HANDSHAKE_TOKEN_SECRET_ARN: around.HANDSHAKE_TOKEN_SECRET_ARN },
      configured: true,
      reachesClusters: true,
    }),
    'keep-pools': make('keep-pools', {
      description: 'Looks at the clusters an event concerns, pauses and resumes their pools, and tells',
      environment: ofKeepers,
      configured: true,
      reachesClusters: true,
      warm: settings.warm.keepPools,
    }),
    'send-alerts': make('send-alerts', {
      description: 'Brings every channel and mailbox up to the current state of an incident',
      environment: { WORK_QUEUE_URL, ALERT_QUEUE_URL, TABLE_NAME },
      configured: true,
    }),
    status: make('status', {
      description: 'Shows clusters, pools, holds, gates and incidents',
      environment: { TABLE_NAME, STATUS_TOKEN_SECRET_ARN: around.STATUS_TOKEN_SECRET_ARN },
      configured: true,
    }),
    'watch-ticks': make('watch-ticks', {
      description: 'Looks whether every cluster was looked at',
      environment: { TABLE_NAME },
      configured: true,
    }),
    ...(SLACK_SIGNING_SECRET_ARN !== undefined && {
      'receive-slack': make('receive-slack', {
        description: 'Takes the buttons of messages in Slack, which acknowledge, snooze and ask for a re-check',
        environment: { ALERT_QUEUE_URL, TABLE_NAME, SLACK_SIGNING_SECRET_ARN },
        configured: true,
      }),
    }),
    ...(around.redelivers && {
      redeliver: make('redeliver', {
        description: 'Asks GitHub once more for pushes that it could not deliver',
        environment: { TABLE_NAME },
        configured: true,
      }),
    }),
    ...(RELAY_QUEUE_URL !== undefined && {
      'relay-pushes': make('relay-pushes', {
        description: 'Lets Argo CD have a push once its pools are confirmed paused',
        environment: { TABLE_NAME, BUS_NAME, RELAY_QUEUE_URL },
        configured: true,
        // Argo CD is as private as the API server of its cluster.
        reachesClusters: true,
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

/** Construct ids are part of logical ids: `receive-github` is `ReceiveGithub` there. */
function pascalCase(entry: Entry): string {
  return entry.replace(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
}

import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { CannotDeploy } from './cannot-deploy.ts';

/** The part of the configuration that decides which resources and permissions the stack has.
 *  functions/shell/configuration/ has validated the whole of it; only these fields are read again here. */
export const DeployedConfiguration = z.object({
  clusters: z
    .array(
      z.object({
        /** Also the name of the cluster's schedule, which allows only these characters. Source: EventBridge Scheduler
         *  API, Name. */
        name: z.string().regex(/^[0-9a-zA-Z_.-]{1,64}$/, 'letters, digits, ".", "_" and "-" only, at most 64'),
        /** `tokenSecret`: name or ARN of an existing secret. */
        api: z.object({ tokenSecret: z.string().min(1) }),
        /** `headerSecret`: name or ARN of an existing secret. */
        windows: z
          .array(z.object({ calendarFrom: z.object({ headerSecret: z.string().min(1).optional() }).optional() }))
          .optional(),
        /** `headerSecret`: name or ARN of an existing secret. */
        pools: z
          .record(z.string(), z.object({ ticket: z.object({ headerSecret: z.string().min(1).optional() }).optional() }))
          .optional(),
      }),
    )
    .min(1, 'without a cluster there is nothing to keep'),
  /** `headerSecret`, `signingSecret`: names or ARNs of existing secrets. */
  nodeTurns: z
    .looseObject({
      rules: z
        .record(
          z.string(),
          z.looseObject({
            /** Names or ARNs of functions. */
            lambda: z
              .object({ functionName: z.string().optional(), cleanUpFunctionName: z.string().optional() })
              .optional(),
            http: z
              .object({
                headerSecret: z.string().min(1).optional(),
                signingSecret: z.string().min(1).optional(),
                /** Its events are answered by callbacks. */
                callbackUrl: z.string().min(1).optional(),
              })
              .optional(),
          }),
        )
        .optional(),
    })
    .optional(),
  /** Gates anywhere in it have `http.headerSecret`: name or ARN of an existing secret. */
  sequences: z.record(z.string(), z.unknown()).optional(),
  /** `relay`: Poolkeeper forwards pushes to this Argo CD. */
  argocd: z.array(z.object({ relay: z.object({}).optional() })),
  /** Undefined: GitHub's API is not used. */
  github: z
    .object({
      tokenSecret: z.string().min(1).optional(),
      app: z.object({ privateKeySecret: z.string().min(1) }).optional(),
      readsChanges: z.boolean(),
      /** None: lost deliveries are not redelivered. */
      hooks: z.array(z.object({})),
      /** Undefined: pull requests get no preview. */
      preview: z.object({}).optional(),
    })
    .optional(),
  /** Undefined: no machine asks by the FleetLock protocol. `tokenSecret`: name or ARN of an existing secret. */
  fleetLock: z.object({ groups: z.record(z.string(), z.object({ tokenSecret: z.string().min(1) })) }).optional(),
  alerts: z.object({
    targets: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('slack'), tokenSecret: z.string().min(1) }),
        z.object({ kind: z.literal('slack-webhook'), urlSecret: z.string().min(1) }),
        z.object({ kind: z.literal('email'), via: z.enum(['ses', 'smtp']), from: z.string().includes('@') }),
        z.object({ kind: z.literal('pagerduty'), routingKeySecret: z.string().min(1) }),
        z.object({ kind: z.literal('alertmanager'), bearerSecret: z.string().min(1).optional() }),
        z.object({
          kind: z.literal('webhook'),
          bearerSecret: z.string().min(1).optional(),
          signingSecret: z.string().min(1).optional(),
        }),
        z.object({ kind: z.literal('outbox') }),
      ]),
    ),
    /** Undefined: messages have no buttons, and no route takes them. */
    slackButtons: z.object({ signingSecret: z.string().min(1) }).optional(),
  }),
});
export type DeployedConfiguration = z.infer<typeof DeployedConfiguration>;

/** Reads the validated configuration, written as JSON. Throws CannotDeploy with every problem and its path. */
export function readConfiguration(file: string): DeployedConfiguration {
  if (!existsSync(file)) {
    throw new CannotDeploy(
      `${file} is missing. It is written from poolkeeper.yaml before the stack is made: use "npx cdk synth".`,
    );
  }
  const read = DeployedConfiguration.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.success) throw new CannotDeploy(`${file} cannot be deployed:\n${z.prettifyError(read.error)}`);
  return read.data;
}

/** Whether any Argo CD has a relay. */
export function relays({ argocd }: Pick<DeployedConfiguration, 'argocd'>): boolean {
  return argocd.some(({ relay }) => relay !== undefined);
}

/** Whether pull requests get a preview. */
export function previews({ github }: Pick<DeployedConfiguration, 'github'>): boolean {
  return github?.preview !== undefined;
}

/** Names or ARNs of the secrets that authenticate requests to GitHub. */
export function githubSecrets({ github }: Pick<DeployedConfiguration, 'github'>): readonly string[] {
  return [github?.tokenSecret, github?.app?.privateKeySecret].filter((secret) => secret !== undefined);
}

/** How many token secrets a role lists one by one: 50 with long names, read and renewed, fit into its policies. Source:
 *  IAM quotas, 10,240 characters in line and 6,144 in a managed policy. */
const listedTokenSecrets = 50;

/** Names or ARNs of the secrets that hold cluster tokens, each once. Of a fleet with more than `listedTokenSecrets` of
 *  them, those whose names differ by the name of their cluster alone are one pattern: `poolkeeper/prod/*\/token`.
 *  Throws CannotDeploy where that leaves too many. */
export function clusterTokenSecrets({ clusters }: Pick<DeployedConfiguration, 'clusters'>): readonly string[] {
  const listed = unique(clusters.map(({ api }) => api.tokenSecret));
  if (listed.length <= listedTokenSecrets) return listed;
  const patterns = unique(clusters.map(({ name, api }) => patternOf(api.tokenSecret, name) ?? api.tokenSecret));
  if (patterns.length <= listedTokenSecrets) return patterns;
  throw new CannotDeploy(
    [
      `The policies of a role have no room for ${patterns.length} names of token secrets (clusters[].api.tokenSecret).`,
      `From ${listedTokenSecrets + 1} clusters on, name them alike but for the name of the cluster,`,
      'as connect does: poolkeeper/<stage>/<name of the cluster>/token.',
    ].join(' '),
  );
}

/** A star for the name of the cluster where it is a part of its own below a folder, which keeps secrets of others out;
 *  undefined where it is not. */
function patternOf(secret: string, cluster: string): string | undefined {
  const parts = secret.split('/');
  const at = parts.lastIndexOf(cluster);
  return at < 1 || secret.startsWith('arn:') ? undefined : parts.with(at, '*').join('/');
}

/** Names or ARNs of the secrets that tickets are asked with, each once. */
export function ticketSecrets({ clusters }: Pick<DeployedConfiguration, 'clusters'>): readonly string[] {
  const pools = clusters.flatMap(({ pools: own = {} }) => Object.values(own));
  return unique(pools.flatMap(({ ticket }) => present(ticket?.headerSecret)));
}

/** Names or ARNs of the secrets that rules of type http send, or sign with, each once. */
export function ruleSecrets({ nodeTurns }: Pick<DeployedConfiguration, 'nodeTurns'>): readonly string[] {
  const rules = Object.values(nodeTurns?.rules ?? {});
  return unique(rules.flatMap(({ http }) => [...present(http?.headerSecret), ...present(http?.signingSecret)]));
}

/** Whether any rule of a run waits for a callback. */
export function callbacks({ nodeTurns }: Pick<DeployedConfiguration, 'nodeTurns'>): boolean {
  return Object.values(nodeTurns?.rules ?? {}).some(({ http }) => http?.callbackUrl !== undefined);
}

/** Names or ARNs of the functions that rules of type lambda invoke, each once. */
export function ruleFunctionNames({ nodeTurns }: Pick<DeployedConfiguration, 'nodeTurns'>): readonly string[] {
  const rules = Object.values(nodeTurns?.rules ?? {});
  return unique(rules.flatMap(({ lambda }) => present(lambda?.functionName, lambda?.cleanUpFunctionName)));
}

/** Names or ARNs of the secrets that gates of sequences and runs ask addresses with, each once. */
export function gateSecrets({
  sequences,
  nodeTurns,
}: Pick<DeployedConfiguration, 'sequences' | 'nodeTurns'>): readonly string[] {
  return unique(headerSecretsIn([sequences, nodeTurns]));
}

const Asked = z.object({ http: z.object({ headerSecret: z.string().min(1) }) });

/** Objects of users, in which a key of this name means something else. */
const foreign: readonly string[] = ['jobSpec', 'cleanUpJobSpec', 'manifest', 'manifests'];

function headerSecretsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const asked = Asked.safeParse(value);
  const own = asked.success ? [asked.data.http.headerSecret] : [];
  const parts = Object.entries(value).filter(([key]) => !foreign.includes(key));
  return [...own, ...parts.flatMap(([, part]) => headerSecretsIn(part))];
}

/** Names or ARNs of the secrets with the tokens of groups of machines, each once. */
export function fleetLockSecrets({ fleetLock }: Pick<DeployedConfiguration, 'fleetLock'>): readonly string[] {
  return unique(Object.values(fleetLock?.groups ?? {}).map(({ tokenSecret }) => tokenSecret));
}

/** Names or ARNs of the secrets that calendars are read with, each once. */
export function calendarSecrets({ clusters }: Pick<DeployedConfiguration, 'clusters'>): readonly string[] {
  const windows = clusters.flatMap(({ windows: own = [] }) => own);
  return unique(windows.flatMap(({ calendarFrom }) => present(calendarFrom?.headerSecret)));
}

/** Names or ARNs of the secrets that alert targets need, each once. */
export function alertSecrets(configuration: DeployedConfiguration): readonly string[] {
  return unique(
    configuration.alerts.targets.flatMap((target) => {
      switch (target.kind) {
        case 'slack':
          return [target.tokenSecret];
        case 'slack-webhook':
          return [target.urlSecret];
        case 'pagerduty':
          return [target.routingKeySecret];
        case 'alertmanager':
          return present(target.bearerSecret);
        case 'webhook':
          return present(target.bearerSecret, target.signingSecret);
        case 'email':
        case 'outbox':
          return [];
        default:
          return target satisfies never;
      }
    }),
  );
}

/** Name or ARN of the secret that Slack signs button presses with; none where messages have no buttons. */
export function slackSecrets({ alerts }: Pick<DeployedConfiguration, 'alerts'>): readonly string[] {
  return present(alerts.slackButtons?.signingSecret);
}

/** Addresses that mail is sent from through SES, without display names, each once. */
export function senders(configuration: DeployedConfiguration): readonly string[] {
  return unique(
    configuration.alerts.targets.flatMap((target) =>
      target.kind === 'email' && target.via === 'ses' ? [bareAddress(target.from)] : [],
    ),
  );
}

/** SES and IAM compare the bare address: `Poolkeeper <alerts@example.com>` is sent as `alerts@example.com`. */
function bareAddress(from: string): string {
  return from.match(/<([^>]+)>\s*$/)?.[1]?.trim() ?? from.trim();
}

function present(...names: readonly (string | undefined)[]): readonly string[] {
  return names.filter((name) => name !== undefined);
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

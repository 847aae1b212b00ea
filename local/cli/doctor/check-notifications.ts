import { parse } from 'yaml';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** What Argo CD's notifications are set up with, as far as it was read. */
export interface NotificationsSeen {
  /** Data of argocd-notifications-cm; undefined = it does not exist. */
  readonly config: Readonly<Record<string, string>> | undefined;
  /** Keys of argocd-notifications-secret. */
  readonly secretKeys: readonly string[];
  /** Applications labelled poolkeeper.dev/watch=true. */
  readonly watched: number;
  /** Name of the instance in poolkeeper.yaml. */
  readonly instance: string;
  /** Address of Poolkeeper, when it is known. */
  readonly url: string | undefined;
}

const keys = [
  'service.webhook.poolkeeper',
  'trigger.on-poolkeeper-operation',
  'template.poolkeeper-operation',
] as const;
const again = 'npx poolkeeper manifests --only notifications';

/** Does Argo CD tell us of its syncs, and can it? */
export function checkNotifications(about: string, seen: NotificationsSeen): readonly Finding[] {
  const { config, secretKeys, instance, url } = seen;
  const missing = keys.filter((key) => config?.[key] === undefined);
  if (config === undefined || missing.length > 0) {
    const what =
      config === undefined
        ? 'there is no argocd-notifications-cm'
        : `argocd-notifications-cm lacks ${missing.join(', ')}`;
    return [
      wrong(about, `notifications: ${what}: syncs are seen minutes late`, again),
      ...watchedFindings(about, seen),
    ];
  }
  const findings = [
    ...tokenFindings(about, config['service.webhook.poolkeeper'] ?? '', secretKeys),
    ...contextFindings(about, config['context'] ?? '', instance),
    ...addressFindings(about, config['service.webhook.poolkeeper'] ?? '', url),
    ...subscriptionFindings(about, config['subscriptions'] ?? ''),
    ...watchedFindings(about, seen),
  ];
  return findings.length === 0
    ? [ok(about, `notifications: tell of every operation of ${seen.watched} Applications`)]
    : findings;
}

/** Argo CD puts `$key` in for the value of its secret's key; where the secret lacks it, it sends the letters `$key`. */
function tokenFindings(about: string, service: string, secretKeys: readonly string[]): readonly Finding[] {
  const named = [...service.matchAll(/\$([A-Za-z0-9][\w.-]*)/g)].map((match) => match[1] ?? '');
  const lacking = named.filter((key) => !secretKeys.includes(key));
  if (named.length === 0)
    return [
      warning(
        about,
        'notifications: the token stands in the ConfigMap itself, for everybody to read',
        `put it into argocd-notifications-secret; ${again}`,
      ),
    ];
  if (lacking.length === 0) return [];
  const key = lacking.join(', ');
  return [
    wrong(
      about,
      `notifications: argocd-notifications-secret has no key ${key}, so Argo CD sends the letters $${key} instead of a token, and we refuse it`,
      `oc -n NAMESPACE patch secret argocd-notifications-secret -p '{"stringData":{"${lacking[0]}":"THE TOKEN"}}'`,
    ),
  ];
}

function contextFindings(about: string, context: string, instance: string): readonly Finding[] {
  const said = field(context, 'poolkeeperInstance');
  if (said === instance) return [];
  return [
    wrong(
      about,
      `notifications: call this instance ${said ?? 'nothing'}, poolkeeper.yaml calls it ${instance}`,
      `${again} --instance ${instance}`,
    ),
  ];
}

function addressFindings(about: string, service: string, url: string | undefined): readonly Finding[] {
  const said = field(service, 'url') ?? '';
  if (said.startsWith('https://poolkeeper.example.com'))
    return [wrong(about, 'notifications: go to poolkeeper.example.com', `${again} --url https://...`)];
  if (url === undefined || said === `${url}/argocd`) return [];
  return [warning(about, `notifications: go to ${said}, not to ${url}/argocd`, `${again} --url ${url}`)];
}

function subscriptionFindings(about: string, subscriptions: string): readonly Finding[] {
  if (subscriptions.includes('on-poolkeeper-operation')) return [];
  return [
    warning(
      about,
      'notifications: nobody is subscribed to on-poolkeeper-operation by default',
      `${again}, or annotate each Application`,
    ),
  ];
}

function watchedFindings(about: string, { watched }: NotificationsSeen): readonly Finding[] {
  if (watched > 0) return [];
  return [
    warning(
      about,
      'notifications: no Application is labelled poolkeeper.dev/watch=true, so none is told of',
      'label those that bring MachineConfigs',
    ),
  ];
}

function field(text: string, name: string): string | undefined {
  try {
    const value: unknown = parse(text)?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

import { parse } from 'yaml';
import { command, poolkeeperCommand } from '../../../functions/core/text/shell-words.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** The setup of Argo CD's notifications, as far as it could be read. */
export interface NotificationsSeen {
  /** Data of argocd-notifications-cm; undefined: it does not exist. */
  readonly config: Readonly<Record<string, string>> | undefined;
  /** Keys of argocd-notifications-secret. */
  readonly secretKeys: readonly string[];
  /** Applications labelled poolkeeper.dev/watch=true. */
  readonly watched: number;
  /** Name of the instance in poolkeeper.yaml. */
  readonly instance: string;
  /** Its own namespace. */
  readonly namespace: string;
  /** Address of Poolkeeper, if known. */
  readonly url: string | undefined;
}

const keys = [
  'service.webhook.poolkeeper',
  'trigger.on-poolkeeper-operation',
  'template.poolkeeper-operation',
] as const;

/** One command with all that it writes: where one of these is left out it would be reset. */
function againFor({ instance, namespace, url }: NotificationsSeen): string {
  const words = ['--only', 'notifications', '--argocd-namespace', namespace, '--instance', instance];
  const { href, note } = addressFor(url);
  return `${poolkeeperCommand('manifests', ...words)} --url ${href}${note}`;
}

/** What is no address is refused, and cannot be applied by mistake. */
function addressFor(url: string | undefined): { readonly href: string; readonly note: string } {
  return url === undefined
    ? { href: 'ADDRESS', note: ' (the address of Poolkeeper; doctor --url fills it in)' }
    : { href: command(url), note: '' };
}

/** Whether Argo CD notifies Poolkeeper of its syncs, and can. */
export function checkNotifications(about: string, seen: NotificationsSeen): readonly Finding[] {
  const { config, secretKeys, instance, url } = seen;
  const again = againFor(seen);
  const missing = keys.filter((key) => config?.[key] === undefined);
  if (config === undefined || missing.length > 0) {
    const what =
      config === undefined
        ? 'there is no argocd-notifications-cm'
        : `argocd-notifications-cm has no ${missing.join(', ')}`;
    return [
      wrong(about, `notifications: ${what}: syncs are noticed minutes late`, again),
      ...watchedFindings(about, seen),
    ];
  }
  const findings = [
    ...tokenFindings(about, config['service.webhook.poolkeeper'] ?? '', { secretKeys, again }),
    ...contextFindings(about, config['context'] ?? '', { instance, again }),
    ...addressFindings(about, config['service.webhook.poolkeeper'] ?? '', { url, again }),
    ...subscriptionFindings(about, config['subscriptions'] ?? '', again),
    ...watchedFindings(about, seen),
  ];
  return findings.length === 0
    ? [ok(about, `notifications: sent for every operation of ${seen.watched} Applications`)]
    : findings;
}

/** Argo CD substitutes `$key` by the value of that key in its secret; if the key is missing it sends the literal text
 *  `$key`. */
function tokenFindings(
  about: string,
  service: string,
  { secretKeys, again }: { readonly secretKeys: readonly string[]; readonly again: string },
): readonly Finding[] {
  const named = [...service.matchAll(/\$([A-Za-z0-9][\w.-]*)/g)].map((match) => match[1] ?? '');
  const lacking = named.filter((key) => !secretKeys.includes(key));
  if (named.length === 0)
    return [
      warning(
        about,
        'notifications: the token is in the ConfigMap itself, readable by everyone',
        `put it into argocd-notifications-secret; ${again}`,
      ),
    ];
  if (lacking.length === 0) return [];
  const key = lacking.join(', ');
  return [
    wrong(
      about,
      `notifications: argocd-notifications-secret has no key ${key}, so Argo CD sends the literal text $${key} instead of a token, and Poolkeeper refuses it`,
      `oc -n NAMESPACE patch secret argocd-notifications-secret -p '{"stringData":{"${lacking[0]}":"THE TOKEN"}}'`,
    ),
  ];
}

function contextFindings(
  about: string,
  context: string,
  { instance, again }: { readonly instance: string; readonly again: string },
): readonly Finding[] {
  const said = field(context, 'poolkeeperInstance');
  if (said === instance) return [];
  return [
    wrong(about, `notifications: name this instance ${said ?? 'nothing'}, poolkeeper.yaml names it ${instance}`, again),
  ];
}

function addressFindings(
  about: string,
  service: string,
  { url, again }: { readonly url: string | undefined; readonly again: string },
): readonly Finding[] {
  const said = field(service, 'url') ?? '';
  if (said.startsWith('https://poolkeeper.example.com'))
    return [wrong(about, 'notifications: go to poolkeeper.example.com', again)];
  if (url === undefined || said === `${url}/argocd`) return [];
  return [warning(about, `notifications: go to ${said}, not to ${url}/argocd`, again)];
}

function subscriptionFindings(about: string, subscriptions: string, again: string): readonly Finding[] {
  if (subscriptions.includes('on-poolkeeper-operation')) return [];
  return [
    warning(
      about,
      'notifications: no default subscription to on-poolkeeper-operation',
      `${again}, or annotate each Application`,
    ),
  ];
}

function watchedFindings(about: string, { watched }: NotificationsSeen): readonly Finding[] {
  if (watched > 0) return [];
  return [
    warning(
      about,
      'notifications: no Application is labelled poolkeeper.dev/watch=true, so none is reported',
      'label those that deploy MachineConfigs',
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

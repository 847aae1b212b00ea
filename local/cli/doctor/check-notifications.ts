import { memberOf } from '../../../functions/core/openshift/member.ts';
import { counted, listed } from '../../../functions/core/text/phrases.ts';
import { byTurns } from '../../../functions/core/text/rounds.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import { command, poolkeeperCommand } from '../../../functions/core/text/shell-words.ts';
import { yamlIn } from './argocd-yaml.ts';
import { type ControllerSeen, checkNotificationsController } from './check-notifications-controller.ts';
import { checkTemplate, checkTrigger, type Reach, reachOf, watchSelector } from './check-notifications-text.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';
import { unreadFindings } from './unread-notifications.ts';

/** The setup of Argo CD's notifications, as far as it could be read. */
export interface NotificationsSeen {
  /** Data of argocd-notifications-cm; undefined: it does not exist. */
  readonly config: Readonly<Record<string, string>> | undefined;
  /** Keys of argocd-notifications-secret. */
  readonly secretKeys: readonly string[];
  /** The same as it is printed, with addresses and names to be replaced. */
  readonly shipped: Readonly<Record<string, string>>;
  readonly controller: ControllerSeen;
  readonly applications: readonly ApplicationSeen[];
  /** Name of the instance in poolkeeper.yaml. */
  readonly instance: string;
  /** Its own namespace. */
  readonly namespace: string;
  /** Address of Poolkeeper, if known. */
  readonly url: string | undefined;
}

interface ApplicationSeen {
  /** `<namespace>/<name>`. */
  readonly name: string;
  /** Whoever may make up any number of them: its namespace and project. */
  readonly owner: string;
  /** It has poolkeeper.dev/watch=true. */
  readonly isLabelled: boolean;
  /** By its annotation, whatever the default is. */
  readonly isSubscribed: boolean;
  /** It deploys what the Machine Config Operator renders, to a cluster of the configuration. */
  readonly changesPools: boolean;
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
  const { config, shipped, secretKeys, instance, namespace, url } = seen;
  const again = againFor(seen);
  const runs = checkNotificationsController(about, namespace, seen.controller);
  const missing = keys.filter((key) => config?.[key] === undefined);
  if (config === undefined || missing.length > 0) {
    const what =
      config === undefined
        ? 'there is no argocd-notifications-cm'
        : `argocd-notifications-cm has no ${missing.join(', ')}`;
    return [
      wrong(about, `notifications: ${what}: syncs are noticed minutes late`, again),
      ...runs,
      ...watchedFindings(about, seen, [watchSelector]),
    ];
  }
  const reach = reachOf(config);
  const unread = unreadFindings(about, config, { ours: keys, again });
  const read = () => [
    ...contextFindings(about, config['context'] ?? '', { instance, again }),
    ...addressFindings(about, config['service.webhook.poolkeeper'] ?? '', { url, again }),
    ...checkTrigger(about, config, shipped, again),
    ...checkTemplate(about, config, shipped, again),
    ...subscriptionFindings(about, reach, { seen, again }),
  ];
  const findings = [
    ...runs,
    ...tokenFindings(about, config['service.webhook.poolkeeper'] ?? '', { secretKeys, again }),
    ...(unread.length > 0 ? unread : read()),
    ...watchedFindings(about, seen, reach.selectors),
  ];
  const told = seen.applications.filter((each) => isTold(each, reach.selectors)).length;
  return findings.length === 0
    ? [ok(about, `notifications: sent for every operation of ${counted(told, 'Application')}`)]
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
  if (said === instance || yamlIn(context) === undefined) return [];
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
  if (url === undefined || said === `${url}/argocd` || yamlIn(service) === undefined) return [];
  return [warning(about, `notifications: go to ${said}, not to ${url}/argocd`, again)];
}

function subscriptionFindings(
  about: string,
  { selectors, others }: Reach,
  { seen: { applications }, again }: { readonly seen: NotificationsSeen; readonly again: string },
): readonly Finding[] {
  const unknown = selectors.filter((each) => each !== '' && each !== watchSelector);
  if (selectors.length > unknown.length) return [];
  if (unknown.length > 0)
    return [
      warning(
        about,
        `notifications: the default subscription is for ${listed(unknown.map(worded), 3)}, not for ${watchSelector}`,
        again,
      ),
    ];
  const meant = applications.filter(({ changesPools, isSubscribed }) => changesPools || isSubscribed);
  if (meant.length > 0 && meant.every(({ isSubscribed }) => isSubscribed)) return [];
  const instead = others.length === 0 ? '' : ` of webhook poolkeeper: it goes to ${listed(others.map(worded), 3)}`;
  return [
    warning(
      about,
      `notifications: no default subscription to on-poolkeeper-operation${instead}`,
      `${again}, or annotate each Application`,
    ),
  ];
}

/** Whoever may write Applications writes labels, and whoever writes subscriptions any text. */
function worded(text: string): string {
  return safeLine(text, 100);
}

/** By the default subscription or its own. Without a default its label tells nobody. */
function isTold({ isLabelled, isSubscribed }: ApplicationSeen, selectors: readonly string[]): boolean {
  return isSubscribed || selectors.includes('') || (isLabelled && selectors.length > 0);
}

/** Most Applications that are named. */
const mostNamed = 3;

/** @param selectors of the Applications that the default subscription is for */
function watchedFindings(
  about: string,
  { applications }: NotificationsSeen,
  selectors: readonly string[],
): readonly Finding[] {
  const isMeant = (each: ApplicationSeen) => each.isLabelled || isTold(each, selectors);
  const untold = applications.filter((each) => each.changesPools && !isMeant(each));
  if (untold.length > 0) {
    const [change, are] = untold.length === 1 ? ['changes', 'is'] : ['change', 'are'];
    const names = byTurns(untold, ({ owner }) => owner).map(({ name }) => name);
    return [
      warning(
        about,
        `notifications: ${counted(untold.length, 'Application')} that ${change} pools ${are} not labelled ${watchSelector}, so that their syncs are noticed minutes late: ${listed(names, mostNamed)}`,
        'label them, in Git where they come from there',
      ),
    ];
  }
  if (applications.some(isMeant)) return [];
  return [
    warning(
      about,
      `notifications: no Application is labelled ${watchSelector}, so none is reported`,
      'label those that deploy MachineConfigs',
    ),
  ];
}

function field(text: string, name: string): string | undefined {
  const value = memberOf(yamlIn(text), name);
  return typeof value === 'string' ? value : undefined;
}

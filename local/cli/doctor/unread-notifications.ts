import * as z from 'zod';
import { listed } from '../../../functions/core/text/phrases.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import { isNoYaml, yamlIn } from './argocd-yaml.ts';
import { type Finding, wrong } from './finding.ts';
import { isLabelSelector } from './label-selector.ts';

type Scalar = string | number | boolean;

/** Argo CD makes text of what is written as a number or a truth value, and of nothing the empty text. */
const text = z
  .custom<Scalar>((value) => ['string', 'number', 'boolean'].includes(typeof value))
  .nullish()
  .transform((value) => String(value ?? ''));

/** But not in subscriptions. Some texts are infinite, or no numbers, for our reader: `1e400`, `.`. */
const word = z
  .custom<Scalar>((value) => typeof value === 'string' || (typeof value === 'number' && !Number.isFinite(value)))
  .nullish()
  .transform((value) => String(value ?? ''));

const Texts = z.array(text).nullish();
const Words = z.array(word).nullish();

/** A condition of a trigger. */
export const Condition = z.object({ description: text, when: text, oncePer: text, send: Texts });

/** A default subscription. */
export const Subscription = z.object({ recipients: Words, triggers: Words, selector: word });

const WithSelector = Subscription.refine(({ selector }) => isLabelSelector(selector), { path: ['selector'] });

/** What a template may say to each service of all versions from 2.9 on, as far as it is text. */
const textsFor: Readonly<Record<string, readonly string[]>> = {
  alertmanager: ['generatorURL'],
  awssqs: [],
  email: ['subject', 'body'],
  github: ['repoURLPath', 'revisionPath'],
  googlechat: ['cards'],
  mattermost: ['attachments'],
  newrelic: ['revision', 'changelog', 'description', 'user'],
  opsgenie: ['description'],
  pagerduty: ['title', 'body', 'urgency', 'priorityId'],
  pagerdutyv2: ['summary', 'severity', 'source', 'component', 'group', 'class', 'url'],
  rocketchat: ['attachments'],
  slack: ['attachments', 'blocks', 'groupingKey'],
  teams: ['template', 'title', 'summary', 'text', 'themeColor', 'facts', 'sections', 'potentialAction'],
};

function allText(fields: readonly string[]) {
  return z.object(Object.fromEntries(fields.map((field) => [field, text]))).nullish();
}

const Template = z
  .object({
    message: text,
    webhook: z.record(z.string(), allText(['method', 'body', 'path'])).nullish(),
    ...Object.fromEntries(Object.entries(textsFor).map(([service, fields]) => [service, allText(fields)])),
  })
  .nullish();

const Options = z.looseObject({}).nullish();
const Webhook = z.object({ url: text, headers: z.array(allText(['name', 'value'])).nullish() }).nullish();

/** What Argo CD reads a key of its ConfigMap as; undefined: nothing.
 *  Source: argoproj/notifications-engine pkg/api/config.go `ParseConfig`, pkg/services `NewService`; argoproj/argo-cd
 *  util/notification/settings `getContext`. */
function schemaOf(key: string): z.ZodType | undefined {
  const [kind, type, ...names] = key.split('.');
  if (key === 'subscriptions') return z.array(WithSelector.nullish()).nullish();
  if (key === 'context') return z.record(z.string(), text).nullish();
  if (kind === 'defaultTriggers') return Texts;
  if (type === undefined) return undefined;
  if (kind === 'trigger') return z.array(Condition.nullish()).nullish();
  if (kind === 'template') return Template;
  if (kind !== 'service') return undefined;
  if (names.length > 1) return z.never();
  return type === 'webhook' ? Webhook : Options;
}

/** One value that Argo CD cannot read leaves it without the whole ConfigMap. What it cannot compile does so, too, but
 *  takes its own languages to tell: conditions, and what templates say in double braces.
 *  @param ours keys that are printed anew by `again` */
export function unreadFindings(
  about: string,
  config: Readonly<Record<string, string>>,
  { ours, again }: { readonly ours: readonly string[]; readonly again: string },
): readonly Finding[] {
  const unread = Object.entries(config).flatMap(([key, value]) => {
    const place = unreadIn(key, value);
    return place === undefined ? [] : [{ key, place }];
  });
  if (unread.length === 0) return [];
  const places = unread.map(({ place }) => safeLine(place, 100));
  return [
    wrong(
      about,
      `notifications: Argo CD sends nothing, because it cannot read ${listed(places, 3)} in argocd-notifications-cm`,
      unread.every(({ key }) => ours.includes(key))
        ? again
        : 'correct it there, or in Git where it comes from there; see the log of the notifications controller',
    ),
  ];
}

/** The first thing that cannot be read, by its key. */
function unreadIn(key: string, written: string): string | undefined {
  const schema = schemaOf(key);
  if (schema === undefined) return undefined;
  const value = yamlIn(written);
  if (value === undefined) return isNoYaml(written) ? key : undefined;
  const path = schema.safeParse(value).error?.issues[0]?.path;
  if (path === undefined) return undefined;
  const [first] = path;
  if (typeof first === 'number') return `entry ${first + 1} of ${key}`;
  return path.length === 0 ? key : `${path.map(String).join('.')} of ${key}`;
}

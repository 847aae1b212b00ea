import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import * as z from 'zod';
import { listed } from '../../../functions/core/text/phrases.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import { type Finding, warning, wrong } from './finding.ts';

type Config = Readonly<Record<string, string>>;

const triggerKey = 'trigger.on-poolkeeper-operation';
const templateKey = 'template.poolkeeper-operation';

/** Argo CD makes text of what is written as a number or a truth value. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** As Argo CD reads it: what is left out, or null, is empty, but a condition is compiled. */
const Condition = z.object({
  description: text.nullish(),
  when: text.pipe(z.string().trim().nonempty()),
  oncePer: text.nullish(),
  send: z.array(text).nullish(),
});

/** One entry of a trigger or a subscription that Argo CD cannot read, or compile, leaves it without the whole
 *  ConfigMap. Source: argoproj/notifications-engine pkg/api/config.go, pkg/subscriptions, pkg/triggers/service.go. */
export function checkEntries(about: string, config: Config): readonly Finding[] {
  const unread = Object.entries(config).flatMap(([key, value]) => {
    const of = key === 'subscriptions' ? Subscription.nullish() : key.startsWith('trigger.') ? Condition : undefined;
    const nth = of === undefined ? -1 : entriesOf(value).findIndex((entry) => !of.safeParse(entry).success);
    return nth < 0 ? [] : [`entry ${nth + 1} of ${key}`];
  });
  if (unread.length === 0) return [];
  return [
    wrong(
      about,
      `notifications: Argo CD sends nothing, because it cannot read ${listed(
        unread.map((each) => safeLine(each, 100)),
        3,
      )} in argocd-notifications-cm`,
      'correct it there, or in Git where it comes from there; see the log of the notifications controller',
    ),
  ];
}

/** Conditions in the language of Argo CD are not judged: those that are as printed send what they should, others may
 *  not. What else somebody has added is theirs. */
export function checkTrigger(about: string, config: Config, shipped: Config, again: string): readonly Finding[] {
  const theirs = entriesIn(Condition, config[triggerKey]);
  const lacking = entriesIn(Condition, shipped[triggerKey]).filter(
    ({ when, oncePer, send }) =>
      !theirs.some(
        (each) =>
          each.when === when &&
          (each.oncePer ?? '') === (oncePer ?? '') &&
          (send ?? []).every((name) => each.send?.includes(name)),
      ),
  );
  if (lacking.length === 0) return [];
  if (theirs.length === 0)
    return [wrong(about, `notifications: ${triggerKey} has no condition, so that nothing is sent`, again)];
  const names = lacking.map(({ description }) => description ?? 'a condition').join('; ');
  return [warning(about, `notifications: ${triggerKey} is not as printed, and may not send: ${names}`, again)];
}

const Template = z.object({
  webhook: z.object({ poolkeeper: z.looseObject({ method: z.literal('POST'), body: z.string() }) }),
});

/** Argo CD sends a service of which the template says nothing a GET without a body, which is refused. */
export function checkTemplate(about: string, config: Config, shipped: Config, again: string): readonly Finding[] {
  const theirs = webhookIn(config[templateKey]);
  if (theirs === undefined)
    return [wrong(about, `notifications: ${templateKey} has nothing that posts to webhook poolkeeper`, again)];
  if (isDeepStrictEqual(theirs, webhookIn(shipped[templateKey]))) return [];
  return [
    warning(
      about,
      `notifications: ${templateKey} is not as printed: what it sends may be refused, or lack facts`,
      again,
    ),
  ];
}

function webhookIn(written: string | undefined) {
  const read = Template.safeParse(yamlIn(written));
  if (!read.success) return undefined;
  const { poolkeeper } = read.data.webhook;
  return { ...poolkeeper, body: poolkeeper.body.trim() };
}

const Subscription = z.object({
  recipients: z.array(z.string()).nullish(),
  triggers: z.array(z.string()).nullish(),
  selector: z.string().nullish(),
});

/** Whom the default subscriptions to our trigger reach. */
export interface Reach {
  /** Selectors of Applications of which our service is told, as they are written: `watchSelector` for whatever chooses
   *  all that it does; empty: of every one. */
  readonly selectors: readonly string[];
  /** Who else gets what our trigger sends. */
  readonly others: readonly string[];
}

export const watchSelector = 'poolkeeper.dev/watch=true';

export function reachOf({ subscriptions }: Config): Reach {
  const ours = entriesIn(Subscription, subscriptions).filter(({ triggers }) =>
    triggers?.includes('on-poolkeeper-operation'),
  );
  const reaching = ours.filter(({ recipients }) => recipients?.some(isOurs));
  return {
    selectors: reaching.map(({ selector }) => meantBy((selector ?? '').trim())),
    others: ours.flatMap(({ recipients }) => (recipients ?? []).filter((each) => !isOurs(each))),
  };
}

/** Of one requirement alone: by its value, among others, or by the label being there at all. */
function meantBy(selector: string): string {
  const [label = '', value] = watchSelector.split('=');
  if (!selector.startsWith(label)) return selector;
  const rest = selector.slice(label.length).trim();
  const values = /^in *\(([^()]*)\)$/.exec(rest)?.[1] ?? /^==?([^,]*)$/.exec(rest)?.[1];
  const isMeant = rest === '' || values?.split(',').some((each) => each.trim() === value) === true;
  return isMeant ? watchSelector : selector;
}

/** A webhook has a service and no recipient: `poolkeeper`. */
function isOurs(recipient: string): boolean {
  return recipient === 'poolkeeper' || recipient.startsWith('poolkeeper:');
}

/** Those that Argo CD reads: `checkEntries` tells of others. */
function entriesIn<Entry>(of: z.ZodType<Entry>, written: string | undefined): readonly Entry[] {
  return entriesOf(written).flatMap((each) => of.safeParse(each).data ?? []);
}

function entriesOf(written: string | undefined): readonly unknown[] {
  return z.array(z.unknown()).safeParse(yamlIn(written)).data ?? [];
}

/** Undefined: it is no YAML. */
export function yamlIn(written: string | undefined): unknown {
  try {
    return parse(written ?? '');
  } catch {
    return undefined;
  }
}

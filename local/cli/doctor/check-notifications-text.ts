import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { yamlIn } from './argocd-yaml.ts';
import { type Finding, warning, wrong } from './finding.ts';
import { Condition, Subscription } from './unread-notifications.ts';

type Config = Readonly<Record<string, string>>;

const triggerKey = 'trigger.on-poolkeeper-operation';
const templateKey = 'template.poolkeeper-operation';

/** Conditions in the language of Argo CD are not judged: those that are as printed send what they should, others may
 *  not. What else somebody has added is theirs. */
export function checkTrigger(about: string, config: Config, shipped: Config, again: string): readonly Finding[] {
  const theirs = entriesIn(Condition, config[triggerKey]);
  const lacking = entriesIn(Condition, shipped[triggerKey]).filter(
    ({ when, oncePer, send }) =>
      !theirs.some(
        (each) =>
          each.when === when && each.oncePer === oncePer && (send ?? []).every((name) => each.send?.includes(name)),
      ),
  );
  if (lacking.length === 0) return [];
  if (theirs.length === 0 && isReadable(config[triggerKey]))
    return [wrong(about, `notifications: ${triggerKey} has no condition, so that nothing is sent`, again)];
  const names = lacking.map(({ description }) => description).join('; ');
  return [warning(about, `notifications: ${triggerKey} is not as printed, and may not send: ${names}`, again)];
}

const Template = z.object({
  webhook: z.object({ poolkeeper: z.looseObject({ method: z.literal('POST'), body: z.string() }) }),
});

/** Argo CD sends a service of which the template says nothing a GET without a body, which is refused. */
export function checkTemplate(about: string, config: Config, shipped: Config, again: string): readonly Finding[] {
  const theirs = webhookIn(config[templateKey]);
  if (theirs === undefined && isReadable(config[templateKey]))
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

/** Otherwise Argo CD may read something else than nothing. */
function isReadable(written: string | undefined): boolean {
  return yamlIn(written) !== undefined;
}

function webhookIn(written: string | undefined) {
  const read = Template.safeParse(yamlIn(written));
  if (!read.success) return undefined;
  const { poolkeeper } = read.data.webhook;
  return { ...poolkeeper, body: poolkeeper.body.trim() };
}

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
    selectors: reaching.map(({ selector }) => meantBy(selector.trim())),
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

/** Those that Argo CD reads: `unreadFindings` tells of others. */
function entriesIn<Entry>(of: z.ZodType<Entry>, written: string | undefined): readonly Entry[] {
  const entries = z.array(z.unknown()).safeParse(yamlIn(written)).data ?? [];
  return entries.flatMap((each) => of.safeParse(each).data ?? []);
}

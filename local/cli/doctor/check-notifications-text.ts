import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import * as z from 'zod';
import { type Finding, warning, wrong } from './finding.ts';

type Config = Readonly<Record<string, string>>;

const triggerKey = 'trigger.on-poolkeeper-operation';
const templateKey = 'template.poolkeeper-operation';

const Trigger = z.array(
  z.object({
    description: z.string().default('a condition'),
    when: z.string(),
    oncePer: z.string().optional(),
    send: z.array(z.string()),
  }),
);

/** Conditions in the language of Argo CD are not judged: those that are as printed send what they should, others may
 *  not. What else somebody has added is theirs. */
export function checkTrigger(about: string, config: Config, shipped: Config, again: string): readonly Finding[] {
  const theirs = Trigger.safeParse(yamlIn(config[triggerKey])).data ?? [];
  const lacking = Trigger.parse(yamlIn(shipped[triggerKey])).filter(
    ({ when, oncePer, send }) =>
      !theirs.some(
        (each) => each.when === when && each.oncePer === oncePer && send.every((name) => each.send.includes(name)),
      ),
  );
  if (lacking.length === 0) return [];
  if (theirs.length === 0)
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

function webhookIn(text: string | undefined) {
  const read = Template.safeParse(yamlIn(text));
  if (!read.success) return undefined;
  const { poolkeeper } = read.data.webhook;
  return { ...poolkeeper, body: poolkeeper.body.trim() };
}

const Subscriptions = z.array(
  z.object({
    recipients: z.array(z.string()).nullish(),
    triggers: z.array(z.string()).nullish(),
    selector: z.string().nullish(),
  }),
);

/** Whom the default subscriptions to our trigger reach. */
export interface Reach {
  /** Selectors of Applications of which our service is told; empty: of every one. */
  readonly selectors: readonly string[];
  /** Who else gets what our trigger sends. */
  readonly others: readonly string[];
}

export const watchSelector = 'poolkeeper.dev/watch=true';

export function reachOf({ subscriptions }: Config): Reach {
  const read = Subscriptions.safeParse(yamlIn(subscriptions)).data ?? [];
  const ours = read.filter(({ triggers }) => triggers?.includes('on-poolkeeper-operation'));
  const reaching = ours.filter(({ recipients }) => recipients?.some(isOurs));
  return {
    selectors: reaching.map(({ selector }) => (selector ?? '').replaceAll(' ', '').replace('==', '=')),
    others: ours.flatMap(({ recipients }) => (recipients ?? []).filter((each) => !isOurs(each))),
  };
}

/** A webhook has a service and no recipient: `poolkeeper`. */
function isOurs(recipient: string): boolean {
  return recipient === 'poolkeeper' || recipient.startsWith('poolkeeper:');
}

function yamlIn(text: string | undefined): unknown {
  try {
    return parse(text ?? '');
  } catch {
    return undefined;
  }
}

import type { OutgoingMessage } from '../../../../functions/core/alerts/outgoing.ts';
import type { Severity } from '../../../../functions/core/findings/trouble.ts';
import { severities } from '../../../../functions/core/findings/trouble-words.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import type { Messenger, SendOutcome } from '../../../../functions/ports/messages.ts';
import { wordsOf } from '../../adapters/messengers/slack-words.ts';
import type { Illness, TargetName } from './course.ts';

/** What a target got. */
export interface Sent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly target: TargetName;
  readonly part: 'post' | 'edit' | 'reply';
  readonly words: string;
  /** It notifies whoever reads there. */
  readonly isAloud: boolean;
  /** How it shows each incident that it is about, by number; a reply in a thread shows none. */
  readonly shown: ReadonlyMap<number, Shown | undefined>;
  /** The message that it is, changes or replies to. */
  readonly id: string;
  /** What a pager is to do, in this order. */
  readonly pager: readonly string[];
}

export interface Shown {
  readonly isOver: boolean;
  /** The most that it may be: a light of one colour stands for two. Undefined: it recovers, or is over. */
  readonly severity: Severity | undefined;
}

interface Side {
  readonly sent: Sent[];
  readonly clock: () => Date;
  readonly illness: () => Illness | undefined;
}

const refusals: Readonly<Record<Exclude<Illness, 'mute'>, SendOutcome>> = {
  away: { kind: 'not-sent', why: 'connection refused', retryAfterSeconds: undefined },
  busy: { kind: 'not-sent', why: 'too many requests', retryAfterSeconds: 90 },
  silent: { kind: 'unknown', why: 'no answer' },
  dead: { kind: 'dead', why: 'is_archived' },
};

/** One that notes what arrives. */
export function messengerFor(target: TargetName, { sent, clock, illness }: Side): Messenger {
  const found = new Map<string, string>();
  let count = 0;

  function take(part: Sent['part'], message: OutgoingMessage, id: string): SendOutcome {
    const how = illness();
    if (how !== undefined && how !== 'mute') return refusals[how];
    found.set(message.deliveryId, id);
    sent.push(sentOf(target, part, message, { at: clock().getTime(), id }));
    return how === 'mute' ? { kind: 'unknown', why: 'no answer' } : { kind: 'sent', remote: { channel: target, id } };
  }

  return {
    post: async (message) => {
      count += 1;
      return take('post', message, `${target}/${count}`);
    },
    edit: async ({ id }, message) => take('edit', message, id),
    reply: async ({ id }, message) => take('reply', message, id),
    find: async (deliveryId, _since, thread) => {
      if (!isChat(target)) return 'unable';
      if (illness() === 'away') throw new Transient('connection refused', { kind: 'busy' });
      const id = found.get(deliveryId);
      return id === undefined ? 'absent' : { channel: target, id: thread?.id ?? id };
    },
  };
}

export function isChat(target: TargetName): boolean {
  return target === 'channel' || target === 'lead';
}

function sentOf(
  target: TargetName,
  part: Sent['part'],
  message: OutgoingMessage,
  where: { readonly at: number; readonly id: string },
): Sent {
  const { slack, mail, pagerDuty = [] } = message;
  const words = [
    ...(slack === undefined ? [] : [wordsOf(slack)]),
    ...(mail === undefined ? [] : [`${mail.subject}\n${mail.text}`]),
    ...pagerDuty.map(({ payload }) => JSON.stringify(payload).replaceAll('\\n', '\n')),
  ].join('\n');
  const pager = pagerDuty.map((form) => form.event_action);
  const isSilent = isChat(target)
    ? part !== 'post' && slack?.broadcast !== true
    : target === 'pager' && pager.every((action) => action === 'acknowledge');
  const shown = part === 'reply' && isChat(target) ? new Map([[numberIn(words), undefined]]) : shownIn(words, message);
  return { ...where, target, part, words, isAloud: !isSilent, shown, pager };
}

const colours: Readonly<Record<string, Severity>> = { c9252d: 'critical', c2560c: 'warning', '2563b0': 'info' };
const lights: Readonly<Record<string, Severity>> = { '🔴': 'critical', '🟠': 'warning', '🔵': 'info' };
const ofPager: Readonly<Record<string, Severity>> = { error: 'high' };

/** What a reader sees of each incident. */
function shownIn(words: string, { mail, pagerDuty }: OutgoingMessage): Sent['shown'] {
  const [first] = pagerDuty ?? [];
  if (first !== undefined) {
    const { custom_details: details, summary, severity } = first.payload;
    const isFiring = summary.startsWith('FIRING');
    return one(details['incident'], summary.startsWith('RESOLVED'), isFiring ? (ofPager[severity] ?? severity) : '');
  }
  if (mail !== undefined) {
    const colour = /background-color:#(c9252d|c2560c|2563b0)/.exec(mail.html)?.[1] ?? '';
    const state = mail.headers['X-Poolkeeper-State'];
    return one(mail.headers['X-Poolkeeper-Incident'], state === 'RESOLVED', colours[colour]);
  }
  const list = [...words.matchAll(/(\p{So}) `PK-(\d+)` \*/gu)];
  if (list.length === 0) return one(words, words.includes('RESOLVED'), /FIRING · (\w+) ·/.exec(words)?.[1]);
  return new Map(
    list.map(([, light = '', number]) => [Number(number), { isOver: light === '🟢', severity: lights[light] }]),
  );
}

function one(name: string | undefined, isOver: boolean, severity: string | undefined): Sent['shown'] {
  return new Map([[numberIn(name ?? ''), { isOver, severity: severities.find((each) => each === severity) }]]);
}

function numberIn(words: string): number {
  return Number(/`PK-(\d+)`/.exec(words)?.[1] ?? /PK-(\d+)/.exec(words)?.[1]);
}

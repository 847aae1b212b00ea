import type { LinkPlaces, PlaceLink } from '../../configuration/links.ts';
import type { Severity } from '../../findings/trouble.ts';
import { when } from '../../text/durations.ts';
import { safeHeadline } from '../../text/safe-text.ts';
import type { Occasion } from '../incident.ts';
import type { StateWord } from '../incident-words.ts';
import type { AskedConfig, OfferedSequence } from '../slack-buttons.ts';

/** An incident before it is put into the form of a target: every text is cleaned, on one line and bounded, but not
 *  escaped. */
export interface Message {
  readonly state: StateWord;
  readonly severity: Severity;
  /** `prod/worker`. */
  readonly place: string;
  readonly cluster: string;
  /** Pool, or the cluster if all of it is affected. */
  readonly subject: string;
  /** `drain blocked`. */
  readonly kind: string;
  /** `PK-7`. */
  readonly name: string;
  readonly headline: string;
  /** Headline of the opening; never changes, for subjects and keys. */
  readonly firstHeadline: string;
  /** `12 min`: for how long it has been, or was, wrong. */
  readonly lasting: string;
  /** Root cause, or what ended it. */
  readonly why: string;
  /** From the symptom to the root cause, without the root cause. */
  readonly chain: readonly string[];
  /** Findings besides the first. */
  readonly also: readonly string[];
  /** Lowest risk first. */
  readonly remedies: readonly MessageRemedy[];
  readonly facts: readonly MessageFact[];
  readonly confidence: string;
  /** Title of the root cause in the catalogue, and a link to its explanation; undefined while unknown and after the
   *  end. */
  readonly cause: { readonly code: string; readonly title: string; readonly link: string | undefined } | undefined;
  /** `14:02:11 UTC`; undefined without evidence. */
  readonly evidenceReadAt: string | undefined;
  readonly evidence: readonly string[];
  readonly openedAt: string | undefined;
  /** Who acknowledged or snoozed it, and until when; undefined: nobody, or it is resolved. */
  readonly attention: string | undefined;
  /** Warnings about this message itself: stale, repeated, late, flapping. */
  readonly notices: readonly string[];
  readonly history: readonly MessageNote[];
  readonly link: string | undefined;
  /** The pool, Applications and commits elsewhere, at addresses of the configuration. */
  readonly links: readonly PlaceLink[];
  readonly product: string;
  /** Whether it has buttons. */
  readonly buttons: boolean;
  /** Whether it has a menu to freeze among them. */
  readonly mayFreeze: boolean;
  /** What its buttons approve; undefined: nothing. */
  readonly approval: AskedConfig | undefined;
  /** Ids of people in Slack who pushed what it is about, for its first message. */
  readonly mentions: readonly string[];
  /** What its menu steers; empty: it has none. */
  readonly steered: readonly OfferedSequence[];
  readonly number: number;
  readonly seq: number;
  /** See `episodeOf`. */
  readonly episode: string;
}

export interface MessageRemedy {
  readonly title: string;
  /** In words: `no risk`, `short outage`. */
  readonly risk: string;
  readonly who: string;
  /** Whether the message itself prints its command: only what can be undone without an outage. */
  readonly harmless: boolean;
  readonly command: string | undefined;
  readonly undo: string | undefined;
}

export interface MessageFact {
  readonly label: string;
  readonly value: string;
}

export interface MessageNote {
  readonly at: string;
  readonly text: string;
}

export interface MessageContext {
  readonly now: Date;
  readonly occasion: Occasion;
  /** Status page; undefined: no link. */
  readonly statusUrl: string | undefined;
  /** What links begin with; absent: there are none. */
  readonly places?: LinkPlaces | undefined;
  /** `poolkeeper 0.1.0`. */
  readonly product: string;
  /** Buttons below the message in Slack. */
  readonly buttons?: boolean | undefined;
  /** Somebody may freeze from Slack. */
  readonly mayFreeze?: boolean | undefined;
  /** Somebody may steer sequences from Slack. */
  readonly maySteer?: boolean | undefined;
  /** The earlier message of this incident is gone. */
  readonly continued?: boolean | undefined;
  /** Unknown whether an earlier attempt arrived. */
  readonly mayRepeat?: boolean | undefined;
  /** ISO instant from which on the target was to be told, where that is not when it opened. */
  readonly owedSince?: string | undefined;
  /** Nothing is in the thread yet. */
  readonly isFirstReply?: boolean | undefined;
  /** The thread is that of several incidents; `isToldAloud`: the channel is told of this one too. `newMentions`: whom
   *  the message at its head did not mention when it was posted. */
  readonly inThreadOf?: { readonly isToldAloud: boolean; readonly newMentions: readonly string[] } | undefined;
}

/** `opened 2026-03-02 14:02 UTC, 12 min ago`, for forms that cannot show the reader's time zone. */
export function openedWords({ openedAt }: Message, now: Date): string {
  return openedAt === undefined ? '' : `opened ${when(openedAt, now)}`;
}

/** What, where, how long: at most 150 characters; the first 60 name what and where. */
export function summaryLine({ state, place, headline, lasting }: Message): string {
  const end = state === 'RESOLVED' ? ` (after ${lasting})` : ` (${lasting})`;
  return `${state} ${safeHeadline(`${place}: ${headline}`, 149 - state.length - end.length)}${end}`;
}

import { keyText } from '../findings/trouble.ts';
import { duration } from '../text/durations.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { listed } from '../text/phrases.ts';
import { safeLine } from '../text/safe-text.ts';
import { unique } from '../text/unique.ts';
import type { Incident } from './incident.ts';
import { type Actions, type Button, plainText, type SelectMenu } from './message/slack-blocks.ts';

/** The request of a button. Only a freeze changes a cluster. */
export interface ButtonRequest {
  readonly wish: 'acknowledge' | 'snooze' | 'recheck' | 'freeze-here';
  readonly number: number;
  /** Sequence of the message below which it was shown. */
  readonly seenSeq: number;
  /** See {@link episodeOf}; undefined: a message of an earlier version. */
  readonly episode: string | undefined;
  /** For a snooze or a freeze. */
  readonly forSeconds: number | undefined;
  /** For a freeze. */
  readonly scope?: 'pool' | 'cluster' | undefined;
}

/** A press on one of the buttons below a change that waits for approvals. */
export interface ApprovalButton {
  readonly verb: 'approve' | 'revoke';
  /** Of the message's incident. */
  readonly number: number;
  readonly cluster: string;
  readonly pool: string;
  readonly config: string;
}

/** What the change is called that a message asks to approve. */
export interface AskedConfig {
  readonly cluster: string;
  readonly pool: string;
  /** Name of the rendered config; in image mode with the digest of its image (`changeName`). */
  readonly config: string;
}

/** The buttons of a change that waits for approvals: what they approve is in them, so that a press counts for what was
 *  shown, whatever has been rendered, or built, since. At most 652 characters, of 2,000 that Slack takes. */
export function approvalButtons(number: number, { cluster, pool, config }: AskedConfig): Actions['elements'] {
  const value = `${number}.${cluster}/${pool}/${config}`;
  return [
    { type: 'button', text: plainText('Approve'), action_id: 'approve', value, style: 'primary' },
    { type: 'button', text: plainText('Revoke my approval'), action_id: 'revoke', value },
  ];
}

const approvalVerbs = ['approve', 'revoke'] as const;

const approvalValue =
  /^(\d{1,9})\.([a-z0-9.-]{1,63})\/([a-z0-9.-]{1,253})\/([a-z0-9.-]{1,253}(?:@sha256:[0-9a-f]{64})?)$/;

/** Undefined if it is not one of these buttons. */
export function readApprovalButton(actionId: string, value: string | undefined): ApprovalButton | undefined {
  const verb = approvalVerbs.find((each) => each === actionId);
  const [, number, cluster, pool, config] = approvalValue.exec(value ?? '') ?? [];
  if (verb === undefined || cluster === undefined || pool === undefined || config === undefined) return undefined;
  return { verb, number: Number(number), cluster, pool, config };
}

/** What a message lets people steer: a sequence, or a step or gate of it. */
export interface SteeredSequence {
  readonly sequence: string;
  readonly item?: string | undefined;
}

/** A sequence in the menu to steer it. */
export interface OfferedSequence extends SteeredSequence {
  /** Who has paused it, as they call themselves; absent: nobody. */
  readonly pausedBy?: string | undefined;
}

/** A choice in the menu to steer a sequence. */
export interface SteerChoice extends SteeredSequence {
  readonly act: 'pause' | 'go-on' | 'abort' | 'skip';
  readonly reason: string;
  /** Of the message's incident. */
  readonly number: number;
  /** Where that incident is kept, and which episode of it the message is of; undefined: a message of an earlier
   *  version, which does not say. */
  readonly shown: Pick<SteeredIncident, 'cluster' | 'episode'> | undefined;
}

/** What the menu says of the incident that its message tells of. */
export interface SteeredIncident {
  readonly number: number;
  readonly cluster: string;
  /** See {@link episodeOf}. */
  readonly episode: string;
}

/** Slack has no field for a reason in a message: it is part of the choice. */
const steerReasons = {
  pause: { act: 'pause', words: 'Pause', reason: 'nothing more is to begin' },
  'go-on': { act: 'go-on', words: 'Go on with', reason: 'it may go on' },
  abort: { act: 'abort', words: 'Abort', reason: 'it is not to go on' },
  unneeded: { act: 'skip', words: 'Not needed, skip', reason: 'not needed here' },
  'by-hand': { act: 'skip', words: 'Done by hand, skip', reason: 'done by hand' },
} as const;

type SteerKey = keyof typeof steerReasons;
const steerKeys = ['pause', 'go-on', 'abort', 'unneeded', 'by-hand'] as const satisfies readonly SteerKey[];

/** Slack takes 100 options, of 75 characters each. */
const optionsAtMost = 40;
const optionCharacters = 75;
/** Of the text that asks once more. */
const confirmCharacters = 300;

/** The menu to steer the sequences of a message; Slack asks once more before it sends anything. None: nothing fits. The
 *  cluster and the episode stand in its id, once for all options: a message has no room for so many of them. */
export function steerMenu(
  { number, cluster, episode }: SteeredIncident,
  steered: readonly OfferedSequence[],
): readonly SelectMenu[] {
  const sequences = unique(steered.map(({ sequence }) => sequence));
  const ofWhole = sequences.flatMap((sequence) =>
    (['pause', 'go-on', 'abort'] as const).map((key) => ({ key, name: sequence })),
  );
  const ofItems = steered.flatMap(({ sequence, item }) =>
    item === undefined ? [] : (['unneeded', 'by-hand'] as const).map((key) => ({ key, name: `${sequence}/${item}` })),
  );
  const options = [...ofWhole, ...ofItems]
    .map(({ key, name }) => ({
      text: plainText(`${steerReasons[key].words} ${name}`),
      value: `${number}.${key}.${name}`,
    }))
    .filter(({ text, value }) => text.text.length <= optionCharacters && value.length <= optionCharacters)
    .slice(0, optionsAtMost);
  if (options.length === 0) return [];
  const confirm = {
    title: plainText('Are you sure?'),
    text: plainText(safeLine(`${endsPauses(steered)}${whenItCounts}`, confirmCharacters)),
    confirm: plainText('Yes'),
    deny: plainText('No'),
  };
  const action_id = `steer-sequence.${episode}.${cluster}`;
  return [{ type: 'static_select', placeholder: plainText('Sequence'), action_id, options, confirm }];
}

const whenItCounts = 'It counts with the next look at the sequence, within a minute or two, under your name.';

/** Whoever goes on with a sequence ends somebody's pause, too, and is to know whose before they do. */
function endsPauses(steered: readonly OfferedSequence[]): string {
  const pauses = new Map(
    steered.flatMap(({ sequence, pausedBy }) =>
      pausedBy === undefined ? [] : [[sequence, `${sequence} (by ${safeLine(pausedBy, 30)})`] as const],
    ),
  );
  return pauses.size === 0 ? '' : `Paused: ${listed([...pauses.values()], 1)}. To go on ends that, too: ask first. `;
}

const steerAction = /^steer-sequence(?:\.([0-9a-f]{8})\.([a-z0-9.-]{1,63}))?$/;
const steerValue = /^(\d{1,9})\.([a-z-]{1,10})\.([a-z0-9.-]{1,63})(?:\/([\w.@/-]{1,300}))?$/;

/** Undefined if it is not an option of this menu. */
export function readSteerChoice(actionId: string, value: string | undefined): SteerChoice | undefined {
  const menu = steerAction.exec(actionId);
  const [, number, key, sequence, item] = steerValue.exec(value ?? '') ?? [];
  const known = steerKeys.find((each) => each === key);
  if (menu === null || known === undefined || sequence === undefined) return undefined;
  const [, episode, cluster] = menu;
  const { act, reason } = steerReasons[known];
  if ((act === 'skip') !== (item !== undefined)) return undefined;
  const shown = episode === undefined || cluster === undefined ? undefined : { cluster, episode };
  return { act, reason, number: Number(number), sequence, item, shown };
}

/** Seconds: half an hour, two hours, until the next shift. */
const snoozes = [1800, 7200, 28_800] as const;

/** Seconds: for a shift, until somebody with a terminal is there. */
const freezes = [14_400, 86_400] as const;

/** What a button says of the incident that its message tells of. */
interface ShownIncident {
  readonly number: number;
  readonly seq: number;
  /** See {@link episodeOf}. */
  readonly episode: string;
}

/** Names one episode of one incident; its number does not: installations that share a channel use the same, and so
 *  does one that has lost its table, while messages from before stand in the channel. */
export function episodeOf({ key, openedAt }: Pick<Incident, 'key' | 'openedAt'>): string {
  return fingerprint(JSON.stringify([keyText(key), openedAt])).slice(0, 8);
}

function pressValue({ number, seq, episode }: ShownIncident): string {
  return `${number}.${seq}.${episode}`;
}

/** The three buttons below a message, and a menu to freeze where somebody may. */
export function buttonsFor(incident: ShownIncident, mayFreeze = false): Actions['elements'] {
  const value = pressValue(incident);
  return [
    acknowledgeButton(incident),
    snoozeMenu(value),
    { type: 'button', text: plainText('Re-check now'), action_id: 'recheck', value },
    ...(mayFreeze ? [freezeMenu(value)] : []),
  ];
}

/** Beside one incident of a list. */
export function acknowledgeButton(incident: ShownIncident): Button {
  return { type: 'button', text: plainText('Acknowledge'), action_id: 'acknowledge', value: pressValue(incident) };
}

function freezeMenu(value: string): SelectMenu {
  const options = (['pool', 'cluster'] as const).flatMap((scope) =>
    freezes.map((seconds) => ({
      text: plainText(`${scope}, ${duration(seconds)}`),
      value: `${value}.${scope}.${seconds}`,
    })),
  );
  return { type: 'static_select', placeholder: plainText('Freeze'), action_id: 'freeze-here', options };
}

/** Undefined if it is not an option of the menu. */
function readFreeze(value: string | undefined): ButtonRequest | undefined {
  const [, number, seenSeq, episode, scope, seconds] =
    /^(\d{1,9})\.(\d{1,9})(?:\.([0-9a-f]{8}))?\.(pool|cluster)\.(\d{1,6})$/.exec(value ?? '') ?? [];
  const forSeconds = freezes.find((each) => each === Number(seconds));
  if (forSeconds === undefined || (scope !== 'pool' && scope !== 'cluster')) return undefined;
  return { wish: 'freeze-here', number: Number(number), seenSeq: Number(seenSeq), episode, forSeconds, scope };
}

function snoozeMenu(value: string): SelectMenu {
  return {
    type: 'static_select',
    placeholder: plainText('Snooze'),
    action_id: 'snooze',
    options: snoozes.map((seconds) => ({ text: plainText(duration(seconds)), value: `${value}.${seconds}` })),
  };
}

/** Undefined if it is not one of our buttons. */
export function readButton(actionId: string, value: string | undefined): ButtonRequest | undefined {
  if (actionId === 'freeze-here') return readFreeze(value);
  const parts = /^(\d{1,9})\.(\d{1,9})(?:\.([0-9a-f]{8}))?(?:\.(\d{1,6}))?$/.exec(value ?? '');
  const wish = wishes.find((each) => each === actionId);
  if (parts === null || wish === undefined) return undefined;
  const [, number, seenSeq, episode, seconds] = parts;
  const forSeconds = snoozes.find((each) => each === Number(seconds));
  if (wish === 'snooze' && forSeconds === undefined) return undefined;
  return { wish, number: Number(number), seenSeq: Number(seenSeq), episode, forSeconds };
}

const wishes = ['acknowledge', 'snooze', 'recheck'] as const;

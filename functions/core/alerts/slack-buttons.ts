import { duration } from '../text/durations.ts';
import { type Actions, plainText, type SelectMenu } from './message/slack-blocks.ts';

/** The request of a button. None of them changes a cluster. */
export interface ButtonRequest {
  readonly wish: 'acknowledge' | 'snooze' | 'recheck';
  readonly number: number;
  /** Sequence of the message below which it was shown. */
  readonly seenSeq: number;
  /** For a snooze. */
  readonly forSeconds: number | undefined;
}

/** Seconds: half an hour, two hours, until the next shift. */
const snoozes = [1800, 7200, 28_800] as const;

/** The three buttons below a message. */
export function buttonsFor(incident: { readonly number: number; readonly seq: number }): Actions['elements'] {
  const value = `${incident.number}.${incident.seq}`;
  return [
    { type: 'button', text: plainText('Acknowledge'), action_id: 'acknowledge', value },
    snoozeMenu(value),
    { type: 'button', text: plainText('Re-check now'), action_id: 'recheck', value },
  ];
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
  const parts = /^(\d{1,9})\.(\d{1,9})(?:\.(\d{1,6}))?$/.exec(value ?? '');
  const wish = wishes.find((each) => each === actionId);
  if (parts === null || wish === undefined) return undefined;
  const [, number, seenSeq, seconds] = parts;
  const forSeconds = snoozes.find((each) => each === Number(seconds));
  if (wish === 'snooze' && forSeconds === undefined) return undefined;
  return { wish, number: Number(number), seenSeq: Number(seenSeq), forSeconds };
}

const wishes = ['acknowledge', 'snooze', 'recheck'] as const;

import type { Trouble } from '../findings/trouble.ts';
import { isProgress } from '../findings/trouble-words.ts';
import type { Incident } from './incident.ts';

/** `PK-7`. */
export function incidentName(number: number): string {
  return `PK-${number}`;
}

export type StateWord = 'FIRING' | 'RECOVERING' | 'RESOLVED';

/** The state as a word; colour and emoji only supplement it. */
export function stateWord(state: Incident['state']): StateWord {
  switch (state) {
    case 'pending':
    case 'firing':
      return 'FIRING';
    case 'resolving':
      return 'RECOVERING';
    case 'ok':
      return 'RESOLVED';
    default:
      return state satisfies never;
  }
}

const outcomes: Readonly<Record<NonNullable<Incident['outcome']>, string>> = {
  fixed: 'no longer seen',
  superseded: 'superseded by another incident',
  'subject-removed': 'its subject was removed',
  'closed-by-person': 'closed by a person',
};

export function outcomeWords(outcome: Incident['outcome']): string {
  return outcome === undefined ? 'over' : outcomes[outcome];
}

/** The trouble that stands for the incident in lists and headlines: once the condition is gone, what people were told
 *  of while it fired rather than how it faded. Of what tells how far something is, how far it was, or that it ended. */
export function troubleToName({ key, state, cause, trouble }: Incident): Trouble | undefined {
  if (isProgress(key.kind)) return state === 'ok' && trouble !== undefined ? ended(trouble) : trouble;
  return state === 'ok' || state === 'resolving' ? (cause ?? trouble) : trouble;
}

/** How it ended is told beside it. */
function ended(trouble: Trouble): Trouble {
  const subject = trouble.findings[0]?.subject;
  return subject === undefined
    ? trouble
    : { ...trouble, headline: `${subject.kind.toLowerCase()} ${subject.name} has ended` };
}

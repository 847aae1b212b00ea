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
  fixed: 'fixed',
  superseded: 'superseded by another incident',
  'subject-removed': 'its subject was removed',
  'closed-by-person': 'closed by a person',
};

export function outcomeWords(outcome: Incident['outcome']): string {
  return outcome === undefined ? 'over' : outcomes[outcome];
}

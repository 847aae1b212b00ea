import { type Html, html } from '../html.ts';
import type { SequenceItemStatus, SequenceStatus } from '../status.ts';
import type { Tone } from './words.ts';

/** How a step or a gate is shown: a word, and a sign and a colour that say the same. */
export interface Look {
  readonly tone: Tone;
  readonly word: string;
  readonly sign: 'check' | 'clock' | 'cross' | 'question' | 'circle' | 'skip';
}

export function lookOf(item: SequenceItemStatus, problems: SequenceStatus['problems']): Look {
  const problem = problems.find((each) => each.item === item.id);
  switch (item.state) {
    case 'healthy':
      if (problem?.kind === 'drift') return { tone: 'warn', word: 'Changed by others', sign: 'cross' };
      return { tone: 'good', word: item.kind === 'gate' ? 'Open' : 'Healthy', sign: 'check' };
    case 'skipped':
      return { tone: 'mute', word: 'Skipped', sign: 'skip' };
    case 'passed':
      return { tone: 'warn', word: 'Timed out, let pass', sign: 'skip' };
    case 'unseen':
      return { tone: 'warn', word: 'Cannot be seen', sign: 'question' };
    case 'unasked':
      return { tone: 'mute', word: 'Not its turn', sign: 'circle' };
    case 'unhealthy':
      return unhealthy(item, problem?.kind);
    default:
      return item.state satisfies never;
  }
}

function unhealthy(
  { kind, overdue, begunAt, heldBy }: SequenceItemStatus,
  problem: SequenceStatus['problems'][number]['kind'] | undefined,
): Look {
  if (problem === 'regression') return { tone: 'bad', word: 'No longer healthy', sign: 'cross' };
  if (problem === 'drift') return { tone: 'bad', word: 'Deleted by others', sign: 'cross' };
  if (problem === 'refused') return { tone: 'bad', word: 'Cannot be asked', sign: 'cross' };
  if (overdue) return { tone: 'bad', word: 'Not in time', sign: 'cross' };
  if (kind === 'gate') return { tone: 'info', word: 'Waiting', sign: 'clock' };
  if (heldBy !== undefined && begunAt === undefined) return { tone: 'mute', word: 'Held back', sign: 'circle' };
  return { tone: 'info', word: begunAt === undefined ? 'Not healthy' : 'Under way', sign: 'clock' };
}

const paths: Readonly<Record<Look['sign'], string>> = {
  check: 'M4.5 8.3l2.4 2.4 4.6-5',
  clock: 'M8 4.6V8l2.3 1.6',
  cross: 'M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2',
  question: 'M6.3 6.4a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.9.6-.9 1.2M8 11.4v.1',
  circle: '',
  skip: 'M5 5.2L8 8l-3 2.8M9 5.2L12 8l-3 2.8',
};

/** A sign in the colour of its tone; the word beside it says the same. */
export function icon({ tone, sign }: Look): Html {
  return html`<svg class="sign ${tone}" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="7"/><path d="${paths[sign]}"/></svg>`;
}

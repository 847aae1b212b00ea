import { wrap } from '../../functions/core/text/columns.ts';
import type { AcceleratedClock } from '../run/accelerated-clock.ts';

/** Widest line of the demo; only commands may be wider, which are to be copied. */
export const widest = 100;
/** Milliseconds of real time without a line after which the demo says what it waits for: with the looks between, a
 *  line comes every two seconds. */
const quietAtMostMs = 1_500;
/** Before the second line of a step: below its words. */
const belowStep = ' '.repeat(24);

/** Prints the steps of the demo, each with the cluster's time since the demo began, who acted and what happened. */
export interface StepPrinter {
  /** Times count from here on. */
  begin(): void;
  step(who: string, what: string): void;
  /** A line without time and actor. */
  say(line: string): void;
  /** Says what is awaited, if nothing was said for a while. */
  stillWaiting(what: string): void;
}

export interface Terminal {
  readonly write: (line: string) => void;
  /** The text in this colour, or as it is where there are none. */
  readonly paint: (colour: Colour, text: string) => string;
  /** Milliseconds of real time, from any moment on. */
  readonly elapsedMs: () => number;
}

/** As `styleText` of node:util calls them. */
export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

const colours: Readonly<Record<string, Colour>> = {
  Poolkeeper: 'cyan',
  'Git push': 'magenta',
  'Argo CD': 'yellow',
  MCO: 'blue',
  'A person': 'green',
  You: 'green',
};

export function stepPrinter(clock: AcceleratedClock, { write, paint, elapsedMs }: Terminal): StepPrinter {
  let startMs = clock.now().getTime();
  let lastLineMs = elapsedMs();

  function say(line: string): void {
    lastLineMs = elapsedMs();
    write(line);
  }

  function step(who: string, what: string): void {
    const time = since(clock.now().getTime() - startMs);
    const actor = who.padEnd(11);
    const [first = '', ...rest] = wrap(what, { first: belowStep, rest: belowStep }, widest);
    say(`${paint('dim', time)}  ${paint(colours[who] ?? 'bold', actor)} ${first.slice(belowStep.length)}`);
    for (const line of rest) say(line);
  }

  return {
    begin: () => {
      startMs = clock.now().getTime();
    },
    step,
    say: (line) => say(coloured(line, paint)),
    stillWaiting: (what) => {
      if (elapsedMs() - lastLineMs < quietAtMostMs) return;
      say(paint('dim', `${since(clock.now().getTime() - startMs)}  ${'...'.padEnd(11)} waiting for ${what}`));
    },
  };
}

/** A line of a message, with its state as in Slack. */
function coloured(line: string, paint: Terminal['paint']): string {
  return line
    .replace(/(?<=\| )FIRING\b/, (state) => paint('red', state))
    .replace(/(?<=\| )RESOLVED\b/, (state) => paint('green', state));
}

/** `+  0.4 s`, `+ 1 m 05 s`: ten characters. */
function since(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `+${seconds.toFixed(1).padStart(5)} s`.padEnd(10);
  const whole = Math.floor(seconds);
  return `+${String(Math.floor(whole / 60)).padStart(2)} m ${String(whole % 60).padStart(2, '0')} s`;
}

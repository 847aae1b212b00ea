import type { Sleep } from '../../functions/ports/time.ts';
import type { AcceleratedClock } from '../run/accelerated-clock.ts';
import type { StepPrinter } from './step-printer.ts';

/** The person in front of the terminal. */
export interface OnCall {
  /** Resolves when Enter is pressed from now on: an Enter from before the question is no answer to it. */
  enter(): Promise<void>;
}

/** What is used of `process.stdin`. */
interface Input {
  readonly isTTY: boolean;
  on(event: 'data' | 'end', listener: () => void): unknown;
}

/** Reads the input from now on, so that nothing that is typed ahead waits in the terminal. Undefined: nobody is there,
 *  because the input is no terminal. */
export function onCallAt(input: Input): OnCall | undefined {
  if (!input.isTTY) return undefined;
  let answer = () => {};
  let isGone = false;
  input.on('data', () => answer());
  // Ctrl-D: no Enter can follow.
  input.on('end', () => {
    isGone = true;
    answer();
  });
  return {
    enter: () =>
      new Promise((resolve) => {
        answer = resolve;
        if (isGone) resolve();
      }),
  };
}

/** What the person is to end. */
export interface Trouble {
  /** What to do, and that Enter leaves it to the demo. */
  readonly words: string;
  /** Begins to look whether the person does something about it: that it ends takes minutes of the cluster's time more.
   *  Called each time that they are asked. Absent: what they do ends it at once. */
  readonly watch?: () => Promise<() => Promise<boolean>>;
  readonly isOver: () => Promise<boolean>;
}

/** Where the person is asked. */
export interface Question {
  readonly clock: Pick<AcceleratedClock, 'now' | 'runtime' | 'speed'>;
  /** From now on the cluster's clock runs so many times as fast as the person's. */
  readonly runAt: (speed: number) => void;
  readonly printer: Pick<StepPrinter, 'say' | 'step' | 'stillWaiting'>;
}

/** Minutes of the cluster's time in which the trouble ends after what the person did, if that was a remedy. */
const endsWithinMinutes = 10;
/** Milliseconds of the cluster's time between two looks. */
const lookEveryMs = 500;

/** Waits until the person on call has ended the trouble, or has pressed Enter: then the demo goes on by itself. While
 *  they read and think, the cluster's clock runs as fast as theirs; once they have acted, as fast as before. If what
 *  they did has not ended it, they are asked again. */
export async function untilRemedied(
  onCall: OnCall,
  { words, watch, isOver }: Trouble,
  { clock, runAt, printer }: Question,
): Promise<'by-the-person' | 'enter'> {
  const enter = pressOf(onCall, clock.runtime.sleep);
  const { speed } = clock;
  const [before, again] = speed > 1 ? [meanwhile, `: the cluster's clock runs ${speed} times as fast again`] : ['', ''];
  for (let said = words; ; said = notYet) {
    if (!(await acts(said))) return 'enter';
    if (await ends()) return 'by-the-person';
  }

  async function acts(asked: string): Promise<boolean> {
    const isDone = (await watch?.()) ?? isOver;
    const hasActed = async () => (await isDone()) || (await isOver());
    runAt(Math.min(speed, 1));
    printer.say(`${asked}${before}`);
    while (!(await hasActed()) && !enter.isPressed) await enter.orSleep();
    runAt(speed);
    const acted = await hasActed();
    printer.step('You', `${acted ? 'have acted' : 'leave it to the demo'}${again}`);
    return acted;
  }

  /** An Enter meanwhile is for the next question: the demo does not do once more what is being done. */
  async function ends(): Promise<boolean> {
    const patientUntilMs = clock.now().getTime() + endsWithinMinutes * 60_000;
    while (!(await isOver()) && clock.now().getTime() < patientUntilMs) {
      printer.stillWaiting('that to end the trouble');
      await enter.orSleep();
    }
    return isOver();
  }
}

interface Press {
  readonly isPressed: boolean;
  /** Resolves after a while, or as soon as it is pressed. */
  orSleep(): Promise<void>;
}

function pressOf(onCall: OnCall, sleep: Sleep): Press {
  let isPressed = false;
  let wake = () => {};
  void onCall.enter().then(() => {
    isPressed = true;
    wake();
  });
  return {
    get isPressed() {
      return isPressed;
    },
    orSleep: () =>
      new Promise((resolve) => {
        wake = resolve;
        void sleep(lookEveryMs).then(resolve);
      }),
  };
}

const meanwhile = "Until then the cluster's clock runs as fast as yours.\n";

const notYet = `That has not ended it within ${endsWithinMinutes} minutes of the cluster's time. Do something else about it, or press Enter,
and the demo does what the message advises.\n\n`;

/** Whether a `mark` of what the person can change is another one: at the first question than it was `before`, so that
 *  they may be faster than the question; at each further one than when they were asked again. */
export function changeOf<Mark>(mark: () => Promise<Mark>, before: Mark): NonNullable<Trouble['watch']> {
  let isFirst = true;
  return async () => {
    const from = isFirst ? before : await mark();
    isFirst = false;
    return async () => (await mark()) !== from;
  };
}

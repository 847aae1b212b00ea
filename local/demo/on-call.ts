/** The person in front of the terminal. */
export interface OnCall {
  /** Resolves when Enter is pressed. */
  enter(): Promise<void>;
}

/** What is used of `process.stdin`. */
interface Input {
  readonly isTTY: boolean;
  once(event: 'data', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** Undefined: nobody is there, because the input is no terminal. */
export function onCallAt(input: Input): OnCall | undefined {
  if (!input.isTTY) return undefined;
  return {
    enter: () =>
      new Promise((resolve) => {
        input.resume();
        input.once('data', () => {
          input.pause();
          resolve();
        });
      }),
  };
}

interface Trouble {
  readonly isOver: () => Promise<boolean>;
  /** Between two looks. */
  readonly sleep: () => Promise<void>;
}

/** Waits until the person on call has ended the trouble, or has pressed Enter: then the demo goes on by itself. */
export async function untilRemedied(onCall: OnCall, { isOver, sleep }: Trouble): Promise<'by-the-person' | 'enter'> {
  let isPressed = false;
  void onCall.enter().then(() => {
    isPressed = true;
  });
  while (!isPressed) {
    if (await isOver()) return 'by-the-person';
    await sleep();
  }
  return 'enter';
}

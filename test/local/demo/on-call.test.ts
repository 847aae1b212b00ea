import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { changeOf, onCallAt, type Trouble, untilRemedied } from '../../../local/demo/on-call.ts';
import { fakeRuntime } from '../../fakes/index.ts';

function terminal(isTTY: boolean) {
  return Object.assign(new PassThrough(), { isTTY });
}

/** A person at a terminal, and a demo whose time moves from look to look. */
function stage(speed = 20) {
  const input = terminal(true);
  const onCall = onCallAt(input);
  const seen: string[] = [];
  let nowMs = Date.parse('2026-03-02T10:00:00Z');
  let looks = 0;
  let perform = (_look: number) => {};
  const sleep = async (ms: number) => {
    looks += 1;
    nowMs += ms;
    perform(looks);
    // What is typed arrives in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    seen,
    type: () => void input.write('\n'),
    hangUp: () => void input.end(),
    /** Resolves with the end. `at`: what happens at each look. */
    async ask(trouble: Omit<Trouble, 'words'>, at: (look: number) => void = () => {}) {
      if (onCall === undefined) throw new Error('nobody is there');
      perform = at;
      const ended = await untilRemedied(
        onCall,
        { words: 'You are on call.\n', ...trouble },
        {
          clock: { now: () => new Date(nowMs), runtime: { ...fakeRuntime(), sleep }, speed },
          runAt: (next) => void seen.push(`${next}x`),
          printer: {
            say: (line) => void seen.push(line.split('.')[0] ?? ''),
            step: (who, what) => void seen.push(`${who} ${what}`),
            stillWaiting: () => undefined,
          },
        },
      );
      return { ended, looks };
    },
  };
}

const never = async () => false;
const again = "the cluster's clock runs 20 times as fast again";

describe('[N-32] the demo stops where a person decides', () => {
  test('while they read the time is theirs, and after Enter that of the story', async () => {
    const { ask, type, seen } = stage();

    const { ended, looks } = await ask({ isOver: never }, (look) => look === 3 && type());

    expect(ended).toBe('enter');
    expect(looks).toBe(3);
    expect(seen).toEqual(['1x', 'You are on call', '20x', `You leave it to the demo: ${again}`]);
  });

  test('once they have done something, what follows is as fast as before, and does not wait for its end', async () => {
    const { ask, seen } = stage();
    let [isLabelled, isUpdated] = [false, false];
    const acts = (look: number) => {
      isLabelled = look >= 2;
      isUpdated = look >= 9;
    };

    const { ended } = await ask(
      { watch: changeOf(async () => isLabelled, false), isOver: async () => isUpdated },
      (look) => {
        acts(look);
        if (look === 8) expect(seen.at(-2)).toBe('20x');
      },
    );

    expect(ended).toBe('by-the-person');
    expect(seen).toEqual(['1x', 'You are on call', '20x', `You have acted: ${again}`]);
  });

  test('who acts before being asked has acted', async () => {
    const { ask, seen } = stage();
    let isUpdated = false;

    const { ended } = await ask({ watch: changeOf(async () => true, false), isOver: async () => isUpdated }, (look) => {
      isUpdated = look === 4;
    });

    expect(ended).toBe('by-the-person');
    expect(seen.slice(2)).toEqual(['20x', `You have acted: ${again}`]);
  });

  test('what ends it at once needs nothing else to be watched', async () => {
    const { ask } = stage();
    let isOver = false;

    const { ended } = await ask({ isOver: async () => isOver }, (look) => {
      isOver = look === 2;
    });

    expect(ended).toBe('by-the-person');
  });

  test('if what they did was no remedy they are asked again, and the time is theirs again', async () => {
    const { ask, type, seen } = stage();
    let commit = 'broken';
    // Ten minutes are 1,200 looks.
    const acts = (look: number) => {
      if (look === 2) commit = 'no better';
      if (look === 1_300) type();
    };

    const { ended } = await ask({ watch: changeOf(async () => commit, 'broken'), isOver: never }, acts);

    expect(ended).toBe('enter');
    expect(seen).toEqual([
      ...['1x', 'You are on call', '20x', `You have acted: ${again}`],
      ...['1x', "That has not ended it within 10 minutes of the cluster's time", '20x'],
      `You leave it to the demo: ${again}`,
    ]);
  });

  test('an Enter after they have acted does nothing twice: it counts if they are asked again', async () => {
    const { ask, type } = stage();
    let commit = 'broken';
    const acts = (look: number) => {
      if (look === 2) commit = 'no better';
      if (look === 4) type();
    };

    const { ended, looks } = await ask({ watch: changeOf(async () => commit, 'broken'), isOver: never }, acts);

    expect(ended).toBe('enter');
    expect(looks).toBe(1_202);
  });

  test('an Enter from before the question is no answer, and a second one none to the next', async () => {
    const { ask, type } = stage();
    type();
    type();
    await new Promise((resolve) => setImmediate(resolve));

    const first = await ask({ isOver: never }, (look) => {
      if (look !== 5) return;
      type();
      type();
    });
    await new Promise((resolve) => setImmediate(resolve));
    const second = await ask({ isOver: never }, (look) => look === 9 && type());

    expect([first.looks, second.looks]).toEqual([5, 9]);
  });

  test('who closes the terminal leaves it to the demo', async () => {
    const { ask, hangUp } = stage();

    expect((await ask({ isOver: never }, (look) => look === 2 && hangUp())).ended).toBe('enter');
    expect((await ask({ isOver: never })).ended).toBe('enter');
  });

  test('a clock that is not faster than theirs stays as it is, and nothing is said of it', async () => {
    const { ask, type, seen } = stage(1);

    await ask({ isOver: never }, (look) => look === 2 && type());

    expect(new Set(seen)).toEqual(new Set(['1x', 'You are on call', 'You leave it to the demo']));
  });

  test('unless nobody is there', () => {
    expect(onCallAt(terminal(false))).toBeUndefined();
  });
});

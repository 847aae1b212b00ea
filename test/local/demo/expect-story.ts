import { expect } from 'vitest';

/** What a scenario says of its steps, each after the one before. */
export function expectInOrder(text: string, steps: readonly RegExp[]): void {
  const positions = steps.map((step) => unwrapped(text).search(step));
  expect(positions, text).not.toContain(-1);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
}

/** The same, in lines that fit, for a terminal without colours. */
export function expectStory(text: string, steps: readonly RegExp[]): void {
  expectInOrder(text, steps);
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(text).not.toContain('\u001b');
}

/** With each step in one line however wide it is. */
function unwrapped(text: string): string {
  return text.replaceAll(/\n {24}/g, ' ');
}

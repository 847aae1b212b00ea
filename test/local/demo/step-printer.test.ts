import { describe, expect, test } from 'vitest';
import { stepPrinter } from '../../../local/demo/step-printer.ts';
import { acceleratedClock } from '../../../local/run/accelerated-clock.ts';

function printed() {
  const lines: string[] = [];
  let realMs = 0;
  const printer = stepPrinter(acceleratedClock(1), {
    write: (line) => void lines.push(line),
    paint: (colour, text) => `<${colour}>${text}</${colour}>`,
    elapsedMs: () => realMs,
  });
  const pass = (ms: number) => {
    realMs += ms;
  };
  return { lines, printer, pass };
}

describe('[N-32] the lines of the demo', () => {
  test('go on below their own words where they are too long, and are no wider than 100 columns', () => {
    const { lines, printer } = printed();

    printer.step('Poolkeeper', 'the gates are open and the pool resumes, '.repeat(6));

    const plain = lines.map((line) => line.replaceAll(/<\/?\w+>/g, ''));
    expect(plain.length).toBeGreaterThan(2);
    expect(Math.max(...plain.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(plain[0]).toMatch(/^\+ {2}0\.\d s {4}Poolkeeper {2}the gates/);
    for (const line of plain.slice(1)) expect(line).toMatch(/^ {24}\S/);
  });

  test('have the colour of who acts, and a message that of its state', () => {
    const { lines, printer } = printed();

    printer.step('Argo CD', 'Running');
    printer.say('            | FIRING 1 min - demo/worker');
    printer.say('            | RESOLVED after 6 min');

    expect(lines[0]).toContain('<yellow>Argo CD    </yellow> Running');
    expect(lines.slice(1)).toEqual([
      '            | <red>FIRING</red> 1 min - demo/worker',
      '            | <green>RESOLVED</green> after 6 min',
    ]);
  });

  test('say what is awaited when nothing was said for a second and a half, and not earlier', () => {
    const { lines, printer, pass } = printed();

    pass(1_400);
    printer.stillWaiting('the gates to open');
    pass(200);
    printer.stillWaiting('the gates to open');
    printer.stillWaiting('the gates to open');
    pass(1_600);
    printer.step('Poolkeeper', 'resumes');
    printer.stillWaiting('the rollout');

    expect(lines).toEqual([expect.stringContaining('... '.padEnd(11)), expect.stringContaining('resumes')]);
    expect(lines[0]).toContain('waiting for the gates to open');
  });
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gates } from '../../../../functions/core/gates/index.ts';

const page = readFileSync(new URL('../../../../docs/windows.md', import.meta.url), 'utf8');

/** The gates in one column of the table of the emergency lane. */
function column(index: 1 | 2): readonly string[] {
  const [row = ''] = page.split('| passed | counts as ever |')[1]?.match(/^\|.*`.*\|$/m) ?? [];
  return [...(row.split('|')[index]?.matchAll(/`([a-z-]+)`/g) ?? [])].map(([, gate = '']) => gate).toSorted();
}

test('[N-21] the page says of every gate whether an emergency passes it', () => {
  const named = (inEmergency: 'passed' | 'asked') =>
    gates.flatMap((gate) => (gate.inEmergency === inEmergency ? [gate.name] : [])).toSorted();

  expect(column(1)).toEqual(named('passed'));
  expect(column(2)).toEqual(named('asked'));
});

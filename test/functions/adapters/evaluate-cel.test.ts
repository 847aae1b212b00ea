import { expect, it } from 'vitest';
import { evaluateCel } from '../../../functions/adapters/cel/evaluate-cel.ts';

const object = {
  metadata: { name: 'ceph', labels: { tier: 'gold' } },
  status: { phase: 'Ready', replicas: 3, conditions: [{ type: 'Available', status: 'True' }] },
};

/** Milliseconds, where nothing is to be stopped: the usual ones pass on a busy machine. */
const unhurried = 60_000;

it.each([
  ["object.status.phase == 'Ready'", true],
  ["object.status.phase == 'Failed'", false],
  ["object.status.conditions.exists(c, c.type == 'Available' && c.status == 'True')", true],
  ['object.status.replicas >= 3', true],
  ['object.status.replicas > 3', false],
  ["has(object.status.phase) && object.metadata.labels['tier'] == 'gold'", true],
  ['has(object.status.version)', false],
  ["object.metadata.name.startsWith('ce') && size(object.status.conditions) == 1", true],
])('[S2-9] CEL over an object: %s is %s', (expression, expected) => {
  expect(evaluateCel(expression, object, unhurried)).toEqual({ kind: 'value', value: expected });
});

it('[S2-9] what is not there yet, and what is no CEL, are two errors that can be told apart', () => {
  expect(evaluateCel("object.status.version == '1'", object, unhurried)).toEqual({
    kind: 'error',
    why: expect.stringMatching(/no such key/i),
  });
  expect(evaluateCel('object.status.phase ==', object, unhurried)).toMatchObject({ kind: 'error' });
  expect(evaluateCel('objekt.status', object, unhurried)).toMatchObject({
    kind: 'error',
    why: expect.not.stringMatching(/key/i),
  });
});

it('[S2-9] an expression that never ends is interrupted, and one that is too large is refused', () => {
  const many = { list: Array.from({ length: 400 }, (_, index) => index) };
  const nested = 'object.list.all(a, object.list.all(b, object.list.all(c, object.list.all(d, a + b + c + d >= 0))))';

  expect(evaluateCel(nested, many)).toEqual({ kind: 'stopped' });
  expect(evaluateCel("object.metadata.name.matches('(a+)+$')", { metadata: { name: `${'a'.repeat(40)}!` } })).toEqual({
    kind: 'stopped',
  });
  // On a busy machine its parsing may be interrupted before it has counted.
  const large = evaluateCel(Array.from({ length: 1_500 }, () => '1').join('+'), object);
  expect(['error', 'stopped']).toContain(large.kind);
});

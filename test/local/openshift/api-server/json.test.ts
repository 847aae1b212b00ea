import { expect, test } from 'vitest';
import { copyJson, frozenJson, jsonText } from '../../../../local/openshift/api-server/json.ts';

const node = {
  kind: 'Node',
  metadata: { name: 'worker-0', labels: { a: 'b' } },
  status: { conditions: [{ type: 'Ready' }] },
};
const odd = JSON.parse('{"metadata":{"annotations":{"__proto__":{"polluted":true},"constructor":"x"}}}');

test.each([
  ['a list of frozen objects', { kind: 'List', items: [frozenJson(node), frozenJson(odd)] }],
  ['a list alone', { items: [node, 'text', null] }],
  ['an empty list', { kind: 'List', items: [] }],
  ['an object with items that is no list', { items: [1], kind: 'ConfigMap' }],
  ['items that are no array', { kind: 'Pod', items: 'none' }],
  ['no object', [node]],
])('the JSON of %s is what Node writes', (_, value) => {
  expect(jsonText(value)).toBe(JSON.stringify(value));
  expect(jsonText(value)).toBe(JSON.stringify(value));
});

test.each([
  ['copied', copyJson],
  ['frozen', frozenJson],
])('an object is %s whole, with keys that have a meaning for JavaScript', (_, taken) => {
  expect(JSON.stringify(taken(odd))).toBe(JSON.stringify(odd));
  expect(Object.getPrototypeOf(taken(odd).metadata.annotations)).toBe(Object.prototype);
  expect(taken(node)).toEqual(node);
});

test('a copy may be changed, and the original stays', () => {
  const copy = copyJson(frozenJson(node));

  copy.metadata.labels.a = 'c';

  expect(node.metadata.labels.a).toBe('b');
});

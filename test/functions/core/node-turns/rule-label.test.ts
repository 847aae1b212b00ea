import { describe, expect, it } from 'vitest';
import { ruleLabel, ruleLabelsOf } from '../../../../functions/core/node-turns/rule-label.ts';

/** What the API server takes as the part of a label's key behind the prefix. */
const namePart = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;

/** What the key of a label says; undefined: it is of no rule. */
function read(label: string) {
  const [found] = ruleLabelsOf({ [label]: '' });
  if (found === undefined) return undefined;
  const { key, ...said } = found;
  expect(key).toBe(label);
  return said;
}

describe('the label of a rule', () => {
  it('[S4-6] names rule and namespace, and is read at the last dot, because namespaces have none', () => {
    const dotted = { name: 'move.primary.v2', namespace: 'databases' };

    expect(ruleLabel({ name: 'drain-db', namespace: 'databases' })).toBe('rule.poolkeeper.dev/drain-db.databases');
    expect(read(ruleLabel(dotted))).toEqual({ kind: 'rule', by: 'poolkeeper', rule: dotted });
  });

  it('[S4-6] is a label whatever the rule is called, and another one for another rule', () => {
    const places = [
      { name: 'r'.repeat(253), namespace: 'n'.repeat(63) },
      { name: 'r'.repeat(253), namespace: 'n'.repeat(62) },
      { name: `${'r'.repeat(252)}s`, namespace: 'n'.repeat(63) },
      { name: `${'r.'.repeat(25)}r`, namespace: 'databases-of-the-shop' },
      { name: 'a', namespace: 'b' },
    ];
    const keys = places.map(ruleLabel);

    for (const key of keys) expect(key.slice(key.indexOf('/') + 1)).toMatch(namePart);
    expect(new Set(keys).size).toBe(places.length);
    expect(keys.slice(0, 4).map(read)).toEqual(keys.slice(0, 4).map(() => ({ kind: 'cut', by: 'poolkeeper' })));
  });

  it('[S4-6] of the reference is read too, by its own prefix only', () => {
    const rule = { name: 'k8s-example', namespace: 'node-upgrade-mutex-operator' };
    const reference = 'mutexrule.openshift-optional.skrzypek.io/k8s-example.node-upgrade-mutex-operator';
    const labels = { [reference]: '', 'mutexrule.example.com/a.b': '', 'mutexrules/a.b': '', 'a.b': '', hold: '' };

    expect(read(reference)).toEqual({ kind: 'rule', by: 'reference', rule });
    expect(ruleLabelsOf({ ...labels, [ruleLabel(rule)]: '' }).map(({ key }) => key)).toEqual([
      reference,
      ruleLabel(rule),
    ]);
  });

  it('is none without a namespace or a name', () => {
    for (const part of ['', 'rule', '.ns', 'rule.']) expect(read(`rule.poolkeeper.dev/${part}`)).toBeUndefined();
  });
});

import { expect, test } from 'vitest';
import { mayDiffer } from '../../../../functions/core/impact/may-differ.ts';

const resource = { group: 'g', kind: 'K', namespace: 'n', name: 'x', status: 'Synced' };
const any = { group: 'g', kind: 'K', namespace: '', name: '' };

test.each([
  ['of its kind', any, true],
  ['of its name', { ...any, name: 'x' }, true],
  ['of its namespace', { ...any, namespace: 'n' }, true],
  ['of its namespace and name', { ...any, namespace: 'n', name: 'x' }, true],
  ['of any group', { ...any, group: '*' }, true],
  ['of kinds like its own', { ...any, kind: 'K{a,b}' }, true],
  ['of anything', { ...any, group: '?', kind: '[K]' }, true],
  ['of another name', { ...any, name: 'y' }, false],
  ['of another namespace', { ...any, namespace: 'm', name: 'x' }, false],
  ['of another kind', { ...any, kind: 'L' }, false],
  ['of another group', { ...any, group: '', kind: '*' }, false],
] as const)(
  '[S0-13] [N-30] with a rule %s it is known whether a resource that looks Synced may differ',
  (_, rule, expected) => {
    const others = Array.from({ length: 50 }, (_each, index) => ({ ...any, name: `other-${index}` }));

    expect(mayDiffer(resource, { overlooks: [...others, rule] })).toBe(expected);
    expect(mayDiffer({ ...resource, status: 'OutOfSync' }, { overlooks: [] })).toBe(true);
  },
);

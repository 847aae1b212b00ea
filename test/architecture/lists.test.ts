import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../functions');

/** Lists that are not parsed item by item, by file, and why none of their items hides another. */
const others: Readonly<Record<string, number>> = {
  // MachineConfigs by name: one that is wanted must not pass for one that does not exist; the others are not looked at.
  'pools.ts': 1,
  // Pods of the application controller: where it runs is unknown if one of its own pods is invalid. Others are not
  // looked at.
  'argocd.ts': 1,
  // MachineConfigs and choosers: what is invalid is left out, which makes the answer wider, never narrower.
  'renderings.ts': 2,
};

function filesOf(folder: string): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ name, text: readFileSync(join(root, folder, name), 'utf8') }));
}

test('[N-30] a port that lists what others write says what could not be parsed', () => {
  const lists = filesOf('ports')
    .filter(({ name }) => name === 'argocd.ts' || name === 'cluster.ts')
    .flatMap(({ text }) => [...text.matchAll(/^ {2}(list\w+)\(.*\): Promise<(.*)>;$/gm)]);

  expect(lists.length).toBeGreaterThanOrEqual(6);
  expect(lists.filter(([, , type = '']) => !type.startsWith('Listed<')).map(([, name]) => name)).toEqual([]);
});

test('[N-30] an adapter parses a list of the API server item by item', () => {
  const wrong = filesOf('adapters/kubernetes').flatMap(({ name, text }) => {
    const lists = [...text.matchAll(/\bclient\.list\(/g)].length;
    const parsed = [...text.matchAll(/\bitemByItem\(/g)].length;
    return lists <= parsed + (others[name] ?? 0) ? [] : [`${name}: ${lists} lists, ${parsed} of them item by item`];
  });

  expect(wrong).toEqual([]);
});

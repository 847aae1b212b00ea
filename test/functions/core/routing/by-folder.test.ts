import { describe, expect, test } from 'vitest';
import { byFolder } from '../../../../functions/core/routing/by-folder.ts';
import { fc, runs } from '../../../property.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', 'a-b', 'a0', '/', '/', '.'), { maxLength: 6 })
  .map((parts) => parts.join(''));
const at = ({ path: place }: { readonly path: string }) => place;

describe('[N-30] what lies in a folder, looked up', () => {
  test('is what a comparison with each path says, in the order of the paths', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), path, (paths, folder) => {
        const all = paths.map((each, nth) => ({ path: each, nth }));
        const found = byFolder(all, at);

        const below = all.filter((each) => folder === '' || each.path.startsWith(`${folder}/`));
        const within = all.filter((each) => below.includes(each) || each.path === folder);
        const above = all.filter((each) => each.path === folder || folder.startsWith(`${each.path}/`));
        const rest = (each: string) => (folder === '' ? each : each.slice(folder.length + 1));
        expect(found.below(folder)).toEqual(below);
        expect(found.within(folder)).toEqual(within);
        expect(found.atOrAbove(folder)).toEqual(above);
        expect([found.countBelow(folder), found.countWithin(folder)]).toEqual([below.length, within.length]);
        // A folder has no slash at its ends.
        if (!/^\/|\/$/.test(folder))
          expect(found.directlyIn(folder)).toEqual(below.filter((each) => !rest(each.path).includes('/')));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('costs no look at each of the others', () => {
    let looks = 0;
    const all = Array.from({ length: 2_000 }, (_, nth) => ({
      get path() {
        looks += 1;
        return `vendor/${nth % 10}/${nth}.yaml`;
      },
    }));
    const found = byFolder(all, at);

    for (let nth = 0; nth < 2_000; nth += 1) {
      const folder = `teams/${nth}/nodes`;
      expect([found.countBelow(folder), found.directlyIn(folder), found.atOrAbove(folder)]).toEqual([0, [], []]);
    }

    expect(looks).toBeLessThan(4 * all.length);
  });
});

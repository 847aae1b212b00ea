import { describe, expect, test } from 'vitest';
import type { Application } from '../../../../functions/core/argocd/application.ts';
import { isConcerned } from '../../../../functions/core/routing/is-concerned.ts';
import { routeOf } from '../../../../functions/core/routing/route.ts';
import { routingTable } from '../../../../functions/core/routing/routing-table.ts';
import { alwaysHolds, fc, runs } from '../../../property.ts';
import { type HandledPush, type PathRules, refreshed } from './argocd-handler.ts';
import { reasonForMore } from './reason-for-more.ts';
import { isRefreshedInVain } from './refreshed-in-vain.ts';
import { routedPush } from './routed-push.ts';
import { applications, push } from './worlds.ts';

const worlds = runs(4_000);

function concerned(list: readonly Application[], pushed: HandledPush): ReadonlySet<string> {
  const table = routingTable(list.map((each) => routeOf(each, 'prod')));
  return new Set(table.concernedBy(routedPush(pushed)).map(({ route }) => route.ref.name));
}

/** Without the hydrated manifests: an older Argo CD also refreshes for a push beside them, though they are all that
 *  such a source is made of, so that nothing can follow. */
function withoutHydrated(application: Application): Application {
  return { ...application, sources: application.sources.filter(({ hydration }) => hydration !== 'hydrated') };
}

describe('the Applications that a push concerns', () => {
  test.each<PathRules>(['source', 'all'])(
    '[S0-12] [N-1] are at least those that Argo CD refreshes, paths relative to %s',
    (rules) => {
      let met = 0;
      alwaysHolds(
        'the Applications of a push',
        fc.property(applications, push, (list, pushed) => {
          const ours = concerned(list, pushed);

          const theirs = refreshed(list, pushed, rules);

          met += theirs.length;
          const missed = theirs.filter(({ name }) => !ours.has(name));
          const counting = rules === 'source' ? missed : missed.map(withoutHydrated);
          expect(counting.filter((each) => !isRefreshedInVain(each, pushed, rules))).toEqual([]);
        }),
        { numRuns: worlds },
      );
      expect(met).toBeGreaterThan(worlds / 4);
    },
  );

  test('[N-1] are no more than Argo CD refreshes but for reasons that have a name', async () => {
    await fc.assert(
      fc.property(applications, push, (list, pushed) => {
        const theirs = new Set(refreshed(list, pushed, 'source').map(({ name }) => name));

        const ours = concerned(list, pushed);
        const more = list.filter(({ name }) => ours.has(name) && !theirs.has(name));

        expect(more.filter((each) => reasonForMore(each, pushed) === undefined)).toEqual([]);
      }),
      { numRuns: Math.ceil(worlds / 2) },
    );
  });

  test('are the same by the table and one by one, and both say why', async () => {
    await fc.assert(
      fc.property(applications, push, (list, pushed) => {
        const routes = list.map((each) => routeOf(each, 'prod'));
        const answers = routes.map((route) => isConcerned(route, routedPush(pushed)));

        const found = routingTable(routes).concernedBy(routedPush(pushed));

        expect(found.map(({ route }) => route)).toEqual(routes.filter((_, at) => answers[at]?.concerned));
        for (const { why } of [...found, ...answers]) expect(why).toMatch(/^(?:its )?source/);
      }),
      { numRuns: Math.ceil(worlds / 4) },
    );
  });

  test('[S0-12] are all of the repository and revision when it is not known which files changed', async () => {
    await fc.assert(
      fc.property(applications, push, (list, pushed) => {
        const all = concerned(list, { ...pushed, files: [] });

        const some = concerned(list, pushed);

        expect([...some].filter((name) => !all.has(name))).toEqual([]);
      }),
      { numRuns: Math.ceil(worlds / 4) },
    );
  });
});

import { expect, test } from 'vitest';
import { type PushNews, pushNews } from '../../../../functions/core/holds/push-news.ts';
import { syncHoldId } from '../../../../functions/core/openshift/hold.ts';
import type { Change } from '../../../../functions/core/openshift/manifest.ts';
import type { Route } from '../../../../functions/core/routing/route.ts';
import { routingTable } from '../../../../functions/core/routing/routing-table.ts';
import { fc } from '../../../property.ts';
import { aPush, aRoute, aSource } from '../routing/builders.ts';

const at = '2026-03-02T10:00:00.000Z';
const waits = '2026-03-02T10:15:00.000Z';
const elsewhere = [aSource({ repoURL: 'https://github.com/acme/elsewhere' })];
const gap = { path: 'a file', why: 'it is not understood' };

/** Names of those with gaps in their own files; undefined: the files are not known. */
function newsOf(
  routes: readonly Route[],
  gaps: readonly string[] | undefined,
  manifests: Change['manifests'] = [],
): PushNews {
  const concerned = routingTable(routes).concernedBy(aPush());
  const changeFor = (route: Route): Change => ({
    to: 'b',
    manifests,
    unknown: gaps?.includes(route.ref.name) === true ? [gap] : [],
  });
  return pushNews({
    at,
    revision: 'b',
    before: 'a',
    concerned,
    everywhere: concerned,
    changeFor: gaps === undefined ? undefined : changeFor,
    sets: [],
    newsOf: () => undefined,
    expectSyncWithinSeconds: 900,
  });
}

function children(...names: readonly string[]) {
  return names.map((name) => ({ namespace: 'openshift-gitops', name }));
}

const idOf = (name: string) => syncHoldId({ argocd: 'hub', namespace: 'openshift-gitops', name });

test('[N-30] [S0-12] that one of several writers does not sync by itself leaves nothing alone, in either order', () => {
  const root = aRoute({ name: 'root', children: children('nodes') });
  const claims = aRoute({ name: 'claims', children: children('nodes'), automated: false });
  const nodes = aRoute({ name: 'nodes', sources: elsewhere });

  for (const routes of [
    [root, claims, nodes],
    [claims, nodes, root],
  ]) {
    const { pushes, notes } = newsOf(routes, undefined);
    expect(pushes.get(idOf('nodes'))?.via).toEqual({ ...root.ref, before: 'a', revision: 'b' });
    expect(notes).toEqual([]);
  }
  expect(newsOf([{ ...root, automated: false }, claims, nodes], undefined).notes).toEqual([
    { about: idOf('nodes'), why: expect.stringMatching(/^the push concerns root and claims, .* none of them syncs/) },
  ]);
});

test('[N-30] [S0-12] of several that sync by themselves none ends the wait for the others', () => {
  const root = aRoute({ name: 'root', children: children('nodes') });
  const claims = aRoute({ name: 'claims', children: children('nodes') });
  const nodes = aRoute({ name: 'nodes', sources: elsewhere });

  expect(newsOf([claims, nodes, root], undefined).pushes.get(idOf('nodes'))?.via?.until).toBe(waits);
  // Where the files are known, only what they change counts.
  expect(newsOf([claims, nodes, root], ['root']).pushes.get(idOf('nodes'))?.via).toEqual({
    ...root.ref,
    before: 'a',
    revision: 'b',
  });
  expect(newsOf([claims, nodes, root], []).notes.map(({ about }) => about)).toEqual([idOf('nodes')]);
});

test('[S0-12] one that the push concerns directly waits for its writer where the same push may change its spec', () => {
  const root = aRoute({ name: 'root', children: children('nodes') });
  const nodes = aRoute({ name: 'nodes' });
  const viaOf = (gaps: readonly string[] | undefined, change: Partial<Route> = {}) =>
    newsOf([{ ...root, ...change }, nodes], gaps).pushes.get(idOf('nodes'));

  expect(viaOf(undefined)).toMatchObject({ revision: 'b', via: { ...root.ref, before: 'a', revision: 'b' } });
  expect(viaOf(['root'])?.via?.name).toBe('root');
  expect(viaOf([])).toMatchObject({ revision: 'b' });
  expect(viaOf([])?.via).toBeUndefined();
  expect(viaOf(undefined, { automated: false })?.via).toBeUndefined();
  expect(viaOf(undefined, { ref: { ...root.ref, argocd: 'another' } })?.via).toBeUndefined();
});

test('[N-30] [S0-12] a circle that somebody closes by a claim hides no change, whichever is asked first', () => {
  // `claims` is one of the Applications of team, and says that it writes root.
  const root = aRoute({ name: 'root', children: children('team'), sources: elsewhere });
  const above = aRoute({ name: 'above', children: children('root') });
  const team = aRoute({ name: 'team', sources: elsewhere, children: children('claims', 'nodes') });
  const claims = aRoute({ name: 'claims', sources: elsewhere, children: children('root') });
  const nodes = aRoute({ name: 'nodes', sources: elsewhere });

  for (const routes of [
    [above, root, team, claims, nodes],
    [nodes, claims, team, root, above],
    [claims, above, root, nodes, team],
  ]) {
    const { changes, notes } = newsOf(routes, ['above']);
    for (const name of ['root', 'team', 'claims', 'nodes'])
      expect(changes.get(idOf(name))?.unknown[0], name).toEqual(gap);
    expect(notes).toEqual([]);
  }
});

test('[N-30] what a push changes is looked through once, however many Applications claim to write however many', () => {
  let looks = 0;
  const object = { group: 'argoproj.io', kind: 'Application', namespace: '', labels: {}, annotations: {} };
  const manifests = Array.from({ length: 100 }, (_, nth) => ({
    before: undefined,
    get after() {
      looks += 1;
      return { ...object, name: `n${nth}`, body: { spec: { nth } } };
    },
    files: ['apps.yaml'],
  }));
  const names = Array.from({ length: 100 }, (_, nth) => `n${nth + 99}`);
  const writers = Array.from({ length: 20 }, (_, nth) => aRoute({ name: `w${nth}`, children: children(...names) }));
  const written = names.map((name) => aRoute({ name, sources: elsewhere }));

  const { changes } = newsOf([...writers, ...written], [], manifests);

  expect(changes.get(idOf('n99'))?.unknown).toContainEqual({ path: 'apps.yaml', why: 'its own spec changes' });
  expect(changes.has(idOf('n100'))).toBe(false);
  expect(looks).toBeLessThan(1_000);
});

test('[N-30] [S0-12] property: whoever claims to write others hides no push and shortens no wait', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const honest = fc.tuple(
    ...names.map((name, index) =>
      fc.record({
        name: fc.constant(name),
        // One of those before it writes it, or none.
        writer: fc.option(fc.constantFrom(...names.slice(0, Math.max(1, index))), { nil: undefined }),
        automated: fc.boolean(),
        isDirect: fc.boolean(),
      }),
    ),
  );
  const claim = fc.record({
    children: fc.subarray([...names, 'x0', 'x1', 'x2']),
    writer: fc.option(fc.constantFrom(...names), { nil: undefined }),
    automated: fc.boolean(),
    isDirect: fc.boolean(),
  });
  const gaps = fc.option(fc.subarray([...names, 'x0', 'x1', 'x2']), { nil: undefined });

  fc.assert(
    fc.property(honest, fc.array(claim, { maxLength: 3 }), gaps, fc.boolean(), (all, claims, withGaps, isLast) => {
      const writtenBy = (name: string) => [
        ...all.flatMap((each, index) => (index > 0 && each.writer === name ? [each.name] : [])),
        ...claims.flatMap(({ writer }, index) => (writer === name ? [`x${index}`] : [])),
      ];
      const sourcesOf = (isDirect: boolean) => (isDirect ? [aSource()] : elsewhere);
      const real = all.map(({ name, automated, isDirect }) =>
        aRoute({ name, automated, sources: sourcesOf(isDirect), children: children(...writtenBy(name)) }),
      );
      const claimed = claims.map(({ children: listed, automated, isDirect }, index) =>
        aRoute({ name: `x${index}`, automated, sources: sourcesOf(isDirect), children: children(...listed) }),
      );
      const before = newsOf(real, withGaps);
      const after = newsOf(isLast ? [...real, ...claimed] : [...claimed, ...real], withGaps);

      for (const [id, { via }] of before.pushes) {
        const now = after.pushes.get(id);
        expect(now, `${id} is hidden`).toBeDefined();
        // Who is concerned directly and waits for a writer besides waits no shorter.
        const isSame = via === undefined || (now?.via?.name === via.name && now?.via?.until === via.until);
        expect(isSame || now?.via?.until === waits, `${id} is let go by another`).toBe(true);
        const [had, has] = [before.changes.get(id), after.changes.get(id)].map((each) => each?.unknown.length ?? 1);
        expect(has === 0 && had !== 0, `${id} seems known`).toBe(false);
      }
    }),
    { numRuns: 2_000 },
  );
});

import { expect, test } from 'vitest';
import { type Route, routeOf } from '../../../functions/core/routing/route.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { askNames } from '../../../functions/keep-pools/route/repository-names.ts';
import type { KnownName } from '../../../functions/ports/tables.ts';
import { anApplication, fakeLogger } from '../../fakes/index.ts';
import { commitA, commitB, type KeepLab, keepLab } from './keep-lab.ts';

const renamed = {
  htmlUrl: 'https://github.com/acme/platform-next',
  fullName: 'acme/platform-next',
  defaultBranch: 'main',
};

/** A world in which GitHub calls a repository otherwise than its Applications do. Returns what it is asked. */
function withNames(lab: KeepLab, nameNow: (name: string) => string | undefined): readonly string[] {
  const asked: string[] = [];
  Object.assign(lab.ports, {
    repositoryNames: {
      isAsked: (name: string) => name.startsWith('github.com/'),
      nameNow: async (name: string) => {
        asked.push(name);
        return nameNow(name);
      },
    },
  });
  return asked;
}

test('[N-29] a push to a repository pauses the pools of Applications that name it as it was called before', async () => {
  const lab = keepLab();
  const asked = withNames(lab, () => 'github.com/acme/platform-next');
  await lab.tick();

  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(asked).toEqual(['github.com/acme/platform']);
  expect(lab.pool().paused).toBe(true);
  expect(lab.record()?.holds?.[0]?.why).toContain('of github.com/acme/platform, now github.com/acme/platform-next');
});

test('[N-29] also where other Applications name it as it is called now', async () => {
  const lab = keepLab();
  const base = anApplication({ sync: { status: 'Synced', revisions: [commitA] } });
  const sources = base.sources.map((each) => ({ ...each, repoURL: renamed.htmlUrl }));
  lab.world.argocd.put({ ...base, name: 'other', uid: 'uid-other', resources: [], sources });
  withNames(lab, () => 'github.com/acme/platform-next');
  await lab.tick();

  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(lab.record()?.holds?.map(({ who }) => who)).toContain('openshift-gitops/nodes');
});

test('[N-29] a name that leads nowhere else any more counts no longer', async () => {
  const lab = keepLab();
  let now = 'github.com/acme/platform-next';
  withNames(lab, () => now);
  await lab.tick();
  now = 'github.com/acme/platform';
  await lab.pass(25 * 3600);

  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(lab.pool().paused).toBe(false);
});

test('[N-29] what was learnt counts while GitHub answers that there is none of that name, as it hides what is private', async () => {
  const lab = keepLab();
  let now: string | undefined = 'github.com/acme/platform-next';
  withNames(lab, () => now);
  await lab.tick();
  now = undefined;
  await lab.pass(50 * 3600);

  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(lab.pool().paused).toBe(true);
});

test('[N-30] each name is asked for once a day, and one that is not answered again after an hour, ten at a time', async () => {
  const lab = keepLab();
  const base = anApplication();
  for (let index = 0; index < 14; index += 1) {
    const sources = base.sources.map((each) => ({ ...each, repoURL: `https://github.com/acme/app-${index}` }));
    lab.world.argocd.put({ ...base, name: `app-${index}`, uid: `uid-${index}`, resources: [], sources });
  }
  const asked = withNames(lab, (name) => {
    if (name === 'github.com/acme/app-3') throw new Transient('no answer');
    return name;
  });

  await lab.tick();
  const first = asked.length;
  await lab.pass(30 * 60);
  const second = asked.length;
  await lab.pass(2 * 3600);

  expect([first, second]).toEqual([10, 15]);
  expect(asked.slice(15).every((name) => name === 'github.com/acme/app-3')).toBe(true);
  expect(asked.slice(15)).toHaveLength(2);
});

test.each([
  ['many names that GitHub refuses', 130],
  ['more of them than are kept', 2_100],
])('[N-29] [N-30] %s keep no new name of others from being asked', async (_, many) => {
  const lab = keepLab();
  const base = anApplication({ sync: { status: 'Synced', revisions: [commitA] } });
  const [source] = base.sources;
  if (source === undefined) throw new Error('the Application has no source');
  const asked = withNames(lab, (name) => {
    if (name === 'github.com/acme/platform') return 'github.com/acme/platform-next';
    throw new Misconfigured(['is the App installed there?']);
  });
  const strangers = Array.from({ length: many }, (_each, index) => `https://github.com/nobody-${index}/x`);
  const sources = strangers.map((repoURL) => ({ ...source, repoURL }));
  lab.world.argocd.put({ ...base, namespace: 'tenant', name: 'a', uid: 'uid-a', resources: [], sources });
  lab.world.argocd.change('nodes', { sources: [{ ...source, repoURL: 'https://git.example.com/acme/x' }] });
  await lab.tick();
  await lab.pass(3 * 3600);

  lab.world.argocd.change('nodes', { sources: base.sources });
  const before = asked.length;
  await lab.pass(10 * 60);
  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(asked.slice(before)).toContain('github.com/acme/platform');
  expect(lab.pool().paused).toBe(true);
});

test.each([
  ['from an ApplicationSet as well', 'tenant-a', true],
  ['from a second namespace as well', 'tenant-b', false],
])(
  '[N-29] [N-30] a tenant who names the repository of others among thousands, %s, takes no turn of theirs',
  async (_, also, isSet) => {
    const lab = keepLab();
    const base = anApplication({ sync: { status: 'Synced', revisions: [commitA] }, namespace: 'team' });
    const [source] = base.sources;
    if (source === undefined) throw new Error('the Application has no source');
    const own = Array.from({ length: 2_500 }, (_each, index) => `https://github.com/nobody/x-${index}`);
    const following = (namespace: string, urls: readonly string[]) =>
      lab.world.argocd.put({
        ...base,
        namespace,
        name: namespace,
        uid: `uid-${namespace}`,
        resources: [],
        sources: urls.map((repoURL) => ({ ...source, targetRevision: 'none', repoURL })),
      });
    withNames(lab, (name) => (name === 'github.com/acme/platform' ? 'github.com/acme/platform-next' : name));
    lab.world.argocd.remove('nodes');
    following('tenant-a', [source.repoURL, ...own]);
    lab.world.argocd.put(base);
    if (isSet) {
      const generators = own.map((repoURL) => ({ repoURL, revision: 'none', reads: 'files' as const, paths: ['x'] }));
      const ref = { argocd: 'hub', namespace: also, name: 's' };
      lab.world.argocd.setApplicationSets([{ ref, generators, readsAnyPush: false, looksEverySeconds: 180 }]);
    } else following(also, own);
    await lab.tick();
    await lab.pass(20 * 60);

    await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

    expect(lab.pool().paused).toBe(true);
  },
);

test.each([
  ['an Application', (name: string) => name],
  ['an Application by the name of their ApplicationSet', () => 'fleet'],
])(
  '[N-29] [N-30] a tenant whose thousands of names come from %s in their namespace takes no turn of theirs',
  async (_, nameOf) => {
    const lab = keepLab();
    const base = anApplication({ sync: { status: 'Synced', revisions: [commitA] } });
    const own = base.sources.flatMap((each) =>
      Array.from({ length: 2_500 }, (_each, index) => ({ ...each, repoURL: `https://github.com/nobody/x-${index}` })),
    );
    const asked = withNames(lab, (name) => (name.endsWith('/platform') ? 'github.com/acme/platform-next' : name));
    lab.world.argocd.remove('nodes');
    lab.world.argocd.put({ ...base, name: nameOf('a'), uid: 'uid-a', resources: [], sources: own });
    lab.world.argocd.put(base);
    const generators = [
      { repoURL: 'https://github.com/acme/fleet', revision: 'HEAD', reads: 'files' as const, paths: ['x'] },
    ];
    const ref = { argocd: 'hub', namespace: base.namespace, name: 'fleet' };
    lab.world.argocd.setApplicationSets([{ ref, generators, readsAnyPush: false, looksEverySeconds: 180 }]);
    await lab.tick();
    await lab.pass(20 * 60);

    await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

    expect(asked).toContain('github.com/acme/fleet');
    expect(lab.pool().paused).toBe(true);
  },
);

test('[N-29] [N-30] the thousands of names of ten Applications in their namespace take no turn of others', async () => {
  const lab = keepLab();
  const base = anApplication({ sync: { status: 'Synced', revisions: [commitA] } });
  const [source] = base.sources;
  if (source === undefined) throw new Error('the Application has no source');
  withNames(lab, (name) => name.replace(/acme\/platform.*/, 'acme/platform-next'));
  lab.world.argocd.remove('nodes');
  for (let number = 0; number < 10; number += 1) {
    const own = Array.from({ length: 250 }, (_, index) => `https://github.com/nobody/x-${number}-${index}`);
    const sources = own.map((repoURL) => ({ ...source, repoURL }));
    lab.world.argocd.put({ ...base, name: `a-${number}`, uid: `uid-${number}`, resources: [], sources });
  }
  lab.world.argocd.put(base);

  await lab.pass(20 * 60);
  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(lab.pool().paused).toBe(true);
});

test('[N-29] [N-30] what was learnt is kept before thousands of names that lead nowhere else', async () => {
  const lab = keepLab();
  const route = routeOf(anApplication(), 'prod');
  const following = (name: string, names: readonly string[]): Route => ({
    ...route,
    ref: { ...route.ref, name },
    sources: route.sources.flatMap((each) => names.map((repoURL) => ({ ...each, repoURL: `https://${repoURL}` }))),
  });
  const learnt = Array.from({ length: 12 }, (_, index) => `github.com/acme/platform-${index}`);
  const others = Array.from({ length: 2_100 }, (_, index) => `github.com/nobody/x-${index}`);
  const routes = [following('nodes', learnt), ...others.map((name) => following(name, [name]))];
  const askedAt = lab.world.clock.now().toISOString();
  const known = [
    ...learnt.map((name) => ({ name, now: name.replace('platform', 'next'), askedAt })),
    ...others.slice(0, 1_988).map((name) => ({ name, askedAt })),
  ];
  withNames(lab, (name) => name);
  lab.world.clock.advance(3600);

  const after = await askNames({ routes, sets: [] }, known, lab.ports);

  expect([after.length, after.filter(({ now }) => now !== undefined).length]).toEqual([2_000, 12]);
});

test('[N-29] [N-30] Applications in their namespace that name other repositories each time take no turn of others', async () => {
  const lab = keepLab();
  const base = anApplication({ sync: { status: 'Synced', revisions: [commitA] } });
  const [source] = base.sources;
  if (source === undefined) throw new Error('the Application has no source');
  const asked = withNames(lab, (name) => name.replace(/acme\/platform$/, 'acme/platform-next'));
  const values = { ...source, repoURL: 'https://github.com/acme/values' };
  lab.world.argocd.change('nodes', { sources: [values, source] });
  for (let minute = 0; minute < 60; minute += 1) {
    for (let number = 0; number < 10; number += 1) {
      const sources = [{ ...source, repoURL: `https://github.com/tenant/x-${number}-${minute}` }];
      lab.world.argocd.put({ ...base, name: `a-${number}`, uid: `uid-${number}`, resources: [], sources });
    }
    await lab.pass(60);
  }

  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(asked).toContain('github.com/acme/platform');
  expect(lab.pool().paused).toBe(true);
});

function withUrl({ sources }: Route, names: readonly string[]): Route['sources'] {
  return sources.flatMap((source) => names.map((name) => ({ ...source, repoURL: `https://${name}` })));
}

/** Routes by which ten Applications of a tenant follow so many repositories each, and one follows these. */
function besideTenant(each: number, names: readonly string[]) {
  const route = routeOf(anApplication(), 'prod');
  const following = (name: string, all: readonly string[]): Route => ({
    ...route,
    ref: { ...route.ref, name },
    sources: withUrl(route, all),
  });
  const ofTenant = Array.from({ length: 10 }, (_, number) =>
    Array.from({ length: each }, (_each, index) => `github.com/tenant/x-${number}-${index}`),
  );
  const routes = [...ofTenant.map((all, number) => following(`a-${number}`, all)), following('nodes', names)];
  return { routes, ofTenant: ofTenant.flat() };
}

test('[N-29] [N-30] names that a tenant was led on from, as many as are kept, keep none of others from being known', async () => {
  const lab = keepLab();
  const theirs = Array.from({ length: 5 }, (_, index) => `github.com/acme/platform-${index}`);
  const { routes, ofTenant } = besideTenant(200, theirs);
  withNames(lab, (name) => name.replace('tenant', 'next'));
  const askedAt = lab.world.clock.now().toISOString();
  let known: readonly KnownName[] = ofTenant.map((name) => ({ name, now: name.replace('tenant', 'next'), askedAt }));
  for (let minute = 0; minute < 12; minute += 1) {
    lab.world.clock.advance(61);
    known = await askNames({ routes, sets: [] }, known, lab.ports);
  }

  expect(known.map(({ name }) => name)).toEqual(expect.arrayContaining(theirs));
});

test('[N-29] [N-30] what was learnt of a whole organisation is kept beside the refused names of one Application', async () => {
  const lab = keepLab();
  const { routes, ofTenant } = besideTenant(100, []);
  const fleet = Array.from({ length: 1_500 }, (_, index) => `github.com/acme/platform-${index}`);
  const [of] = routes;
  if (of === undefined) throw new Error('there is no route');
  const following = fleet.map((name) => ({ ...of, ref: { ...of.ref, name }, sources: withUrl(of, [name]) }));
  withNames(lab, () => {
    throw new Misconfigured(['is the App installed there?']);
  });
  const askedAt = lab.world.clock.now().toISOString();
  let known: readonly KnownName[] = [
    ...fleet.map((name) => ({ name, now: name.replace('platform', 'next'), askedAt })),
    ...ofTenant.slice(0, 490).map((name) => ({ name, askedAt, isUnanswered: true as const })),
  ];
  for (let list = 0; list < 5; list += 1) {
    lab.world.clock.advance(61);
    known = await askNames({ routes: [...following, ...routes], sets: [] }, known, lab.ports);
  }

  expect([known.length, known.filter(({ now }) => now !== undefined).length]).toEqual([2_000, 1_500]);
});

test('[N-29] [N-30] of the new names of an Application each may be the next, in whatever order they are listed', async () => {
  const lab = keepLab();
  const { routes } = besideTenant(
    20,
    Array.from({ length: 20 }, (_, index) => `github.com/acme/platform-${index}`),
  );
  const asked = withNames(lab, (name) => name);
  for (let list = 0; list < 20; list += 1) {
    lab.world.clock.advance(61);
    await askNames({ routes, sets: [] }, [], lab.ports);
  }

  expect(new Set(asked.filter((name) => name.includes('/platform-'))).size).toBeGreaterThan(8);
});

test('[N-29] [N-30] a name that was not answered once is asked again after an hour, however many of others are refused', async () => {
  const lab = keepLab();
  const { routes, ofTenant } = besideTenant(190, ['github.com/acme/platform']);
  const asked = withNames(lab, (name) => name);
  const yesterday = new Date(lab.world.clock.now().getTime() - 23 * 3600_000).toISOString();
  const refused = ofTenant.map((name) => ({ name, askedAt: yesterday, isUnanswered: true as const }));
  const anHourAgo = new Date(lab.world.clock.now().getTime() - 3601_000).toISOString();
  let known: readonly KnownName[] = [
    ...refused,
    { name: 'github.com/acme/platform', askedAt: anHourAgo, isUnanswered: true },
  ];

  for (let list = 0; list < 3; list += 1) {
    known = await askNames({ routes, sets: [] }, known, lab.ports);
    lab.world.clock.advance(300);
  }

  expect(asked).toHaveLength(30);
  expect(asked).toContain('github.com/acme/platform');
});

test('[N-30] more names than are kept are asked for once a minute at most, however many pushes have them listed', async () => {
  const lab = keepLab();
  const base = anApplication();
  const sources = base.sources.flatMap((each) =>
    Array.from({ length: 2_100 }, (_each, index) => ({ ...each, repoURL: `https://github.com/nobody/x-${index}` })),
  );
  lab.world.argocd.put({ ...base, namespace: 'tenant', name: 'a', uid: 'uid-a', resources: [], sources });
  const asked = withNames(lab, () => {
    throw new Misconfigured(['is the App installed there?']);
  });
  await lab.tick();
  const repository = { htmlUrl: 'https://github.com/tenant/x', fullName: 'tenant/x', defaultBranch: 'main' };

  for (let n = 0; n < 5; n += 1) await lab.deliver(lab.pushOf(commitB, { repository, delivery: `d-${n}` }));
  const within = asked.length;
  lab.world.clock.advance(60);
  await lab.deliver(lab.pushOf(commitB, { repository, delivery: 'later' }));

  expect([within, asked.length]).toEqual([10, 20]);
});

test('[N-30] when each of many names was asked for is looked at a few times, not at each step of a sort', async () => {
  const route = routeOf(anApplication(), 'prod');
  const names = Array.from({ length: 2_000 }, (_, index) => `github.com/acme/x-${index}`);
  const now = new Date('2026-03-31T00:00:00Z');
  let looks = 0;
  const known = names.map((name, index): KnownName => {
    const askedAt = new Date(Date.parse('2026-03-01T00:00:00Z') + ((index * 7_919) % 2_000) * 1_000).toISOString();
    const each = { name, askedAt };
    return Object.defineProperty(each, 'askedAt', {
      enumerable: true,
      get: () => {
        looks += 1;
        return askedAt;
      },
    });
  });
  const asked: string[] = [];
  const repositoryNames = {
    isAsked: () => true,
    isKept: () => false,
    nameNow: async (name: string) => {
      asked.push(name);
      return name;
    },
  };

  const ports = { repositoryNames, clock: () => now, logger: fakeLogger() };
  await askNames({ routes: [{ ...route, sources: withUrl(route, names) }], sets: [] }, known, ports);
  const perName = looks / names.length;

  const oldest = known.toSorted((a, b) => Date.parse(a.askedAt) - Date.parse(b.askedAt)).map(({ name }) => name);
  expect(asked).toEqual(oldest.slice(0, 10));
  expect(perName).toBeLessThan(4);
});

test('[N-29] a clock that was ahead when a name was asked for keeps none from being asked for later', async () => {
  const lab = keepLab();
  let now = 'github.com/acme/platform';
  withNames(lab, () => now);
  const right = lab.world.clock.now();
  lab.world.clock.advance(30 * 24 * 3600);
  await lab.tick();
  lab.world.clock.set(right);
  now = 'github.com/acme/platform-next';

  await lab.pass(20 * 60);
  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(lab.pool().paused).toBe(true);
});

test('[N-29] answers are kept where another pass stores the table while names are asked for', async () => {
  const lab = keepLab();
  await lab.tick();
  const asked = withNames(lab, () => 'github.com/acme/platform-next');
  const { nameNow } = lab.ports.repositoryNames ?? {};
  Object.assign(lab.ports.repositoryNames ?? {}, {
    nameNow: async (name: string) => {
      const stored = await lab.ports.routes.load('hub');
      if (stored !== undefined) await lab.ports.routes.save(stored);
      return nameNow?.(name);
    },
  });

  await lab.pass(2 * 3600);
  await lab.deliver(lab.pushOf(commitB, { repository: renamed }));

  expect(asked).toHaveLength(1);
  expect(lab.pool().paused).toBe(true);
});

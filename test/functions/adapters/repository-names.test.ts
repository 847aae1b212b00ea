import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  type GithubAuthorization,
  githubAuthorization,
} from '../../../functions/adapters/github/github-authorization.ts';
import { repositoryNames } from '../../../functions/adapters/github/repository-names.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { githubPath } from '../../../functions/core/routing/github-path.ts';
import { routeOf } from '../../../functions/core/routing/route.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { askNames } from '../../../functions/keep-pools/route/repository-names.ts';
import { anApplication, fakeClock, fakeLogger } from '../../fakes/index.ts';

test('[N-29] what GitHub leads on to is what a repository is called now; it is asked once an hour', async () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  const asked: string[] = [];

  await withGithub(
    ({ url = '' }, response) => {
      asked.push(url);
      if (url.startsWith('/api/v3/repos/acme/old'))
        return response.writeHead(301, { location: '/api/v3/repositories/1' }).end();
      if (!url.endsWith('/1')) return response.writeHead(404).end('{}');
      return response.end(JSON.stringify({ html_url: 'http://127.0.0.1/acme/new', default_branch: 'main' }));
    },
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), clock: clock.now });

      expect(await names.nameNow('127.0.0.1/acme/old')).toBe('127.0.0.1/acme/new');
      expect(await names.nameNow('127.0.0.1/acme/old')).toBe('127.0.0.1/acme/new');
      expect(await names.nameNow('127.0.0.1/acme/none')).toBeUndefined();
      expect(await names.nameNow('elsewhere.example.com/acme/old')).toBeUndefined();
      expect(asked).toHaveLength(3);
      clock.advance(3_600);
      await names.nameNow('127.0.0.1/acme/old');
      expect(asked).toHaveLength(5);
    },
  );
});

test('[N-29] an answer that came while the clock was ahead is not kept once it is set back', async () => {
  const clock = fakeClock('2026-03-31T00:00:00Z');
  let name = 'acme/old';

  await withGithub(
    (_, response) => response.end(JSON.stringify({ html_url: `http://127.0.0.1/${name}`, default_branch: 'main' })),
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), clock: clock.now });
      await names.nameNow('127.0.0.1/acme/old');
      clock.set(new Date('2026-03-01T00:00:00Z'));
      name = 'acme/new';

      expect(names.isKept('127.0.0.1/acme/old')).toBe(false);
      expect(await names.nameNow('127.0.0.1/acme/old')).toBe('127.0.0.1/acme/new');
      expect(names.isKept('127.0.0.1/acme/old')).toBe(true);
    },
  );
});

test('[N-30] a refusal is asked for once an hour as well, so that others have their turn', async () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  let asked = 0;
  const authorization = async () => {
    asked += 1;
    throw new Misconfigured(['is the App installed there?']);
  };
  const names = repositoryNames({ ...optionsOf('http://127.0.0.1/api/v3'), authorization, clock: clock.now });

  await expect(names.nameNow('127.0.0.1/stranger/charts')).rejects.toThrow('is the App installed there?');
  await expect(names.nameNow('127.0.0.1/stranger/charts')).rejects.toThrow('is the App installed there?');

  expect([asked, names.isKept('127.0.0.1/stranger/charts')]).toEqual([1, true]);
  clock.advance(3_600);
  expect(names.isKept('127.0.0.1/stranger/charts')).toBe(false);
});

test('[N-29] [N-30] a 403 that only its body calls a rate limit refuses no name, and is waited for', async () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  let asked = 0;

  await withGithub(
    (_, response) => {
      asked += 1;
      const limited = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };
      if (asked === 1) return response.writeHead(403).end(JSON.stringify(limited));
      return response.end(JSON.stringify({ html_url: 'http://127.0.0.1/acme/new', default_branch: 'main' }));
    },
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), clock: clock.now });
      const sources = anApplication().sources.map((each) => ({ ...each, repoURL: 'https://127.0.0.1/acme/old' }));
      const routes = [routeOf(anApplication({ sources }), 'prod')];
      const ports = { repositoryNames: names, clock: clock.now, logger: fakeLogger() };

      const limited = await askNames({ routes, sets: [] }, [], ports);
      const meanwhile = await names.nameNow('127.0.0.1/acme/other').catch((error: unknown) => error);
      const askedMeanwhile = asked;
      clock.advance(3_600);
      const learnt = await askNames({ routes, sets: [] }, limited, ports);

      const askedAt = '2026-03-01T00:00:00.000Z';
      expect(limited).toEqual([{ name: '127.0.0.1/acme/old', askedAt, isUnanswered: true }]);
      expect(meanwhile).toMatchObject({ name: 'Transient', kind: 'busy' });
      expect([askedMeanwhile, names.isKept('127.0.0.1/acme/other')]).toEqual([1, false]);
      expect(learnt).toMatchObject([{ now: '127.0.0.1/acme/new' }]);
    },
  );
});

test('[N-29] a 403 whose body breaks off says nothing, and is asked for again', async () => {
  await withGithub(
    (_, response) => {
      response.writeHead(403, { 'content-length': '100' }).write('{');
      setImmediate(() => response.destroy());
    },
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), clock: fakeClock('2026-03-01T00:00:00Z').now });

      await expect(names.nameNow('127.0.0.1/acme/old')).rejects.toThrow(Transient);
      expect(names.isKept('127.0.0.1/acme/old')).toBe(false);
    },
  );
});

test('[N-30] a question that runs is waited for, and by nobody once it failed', async () => {
  let asked = 0;

  await withGithub(
    (_, response) => {
      asked += 1;
      if (asked <= 2) return response.writeHead(502).end();
      return response.end(JSON.stringify({ html_url: 'http://127.0.0.1/acme/new', default_branch: 'main' }));
    },
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), clock: fakeClock('2026-03-01T00:00:00Z').now });
      const askMany = () => Promise.allSettled(Array.from({ length: 30 }, () => names.nameNow('127.0.0.1/acme/old')));

      const first = await askMany();
      const before = asked;
      const second = await askMany();

      expect(first.every(({ status }) => status === 'rejected')).toBe(true);
      expect(second.every((each) => each.status === 'fulfilled' && each.value === '127.0.0.1/acme/new')).toBe(true);
      expect([before, asked]).toEqual([2, 3]);
    },
  );
});

test('[N-29] also where GitHub leads on only at the second attempt', async () => {
  let attempts = 0;

  await withGithub(
    ({ url = '' }, response) => {
      const isOld = url === '/api/v3/repos/acme/old';
      if (isOld) attempts += 1;
      if (attempts === 1) return response.writeHead(502).end();
      if (isOld) return response.writeHead(301, { location: '/api/v3/repositories/1' }).end();
      return response.end(JSON.stringify({ html_url: 'http://127.0.0.1/acme/new', default_branch: 'main' }));
    },
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), clock: fakeClock('2026-03-01T00:00:00Z').now });

      expect(await names.nameNow('127.0.0.1/acme/old')).toBe('127.0.0.1/acme/new');
    },
  );
});

test('[N-29] as a GitHub App too; what an earlier name leads to signs in for that name alone', async () => {
  await asApp({ isPrivate: false }, async ({ names, authorization, asked }) => {
    const found = await Promise.all(['old', 'other'].map((name) => names.nameNow(`127.0.0.1/acme/${name}`)));
    await authorization('acme/old');

    expect(found).toEqual(['127.0.0.1/elsewhere/new', '127.0.0.1/acme/other']);
    expect(asked).toContain('/repositories/1 Bearer token-7');
    expect(asked).toContain('/repos/acme/other Bearer token-5');
    expect(asked.filter((each) => each.includes('access_tokens'))).toHaveLength(2);
    expect(asked.filter((each) => each.startsWith('/repos/acme/old/installation'))).toHaveLength(1);
  });
});

test('[N-29] also where its earlier owner was asked before, from whom GitHub hides what is private now', async () => {
  await asApp({ isPrivate: true }, async ({ names, asked }) => {
    const found = await Promise.all(['other', 'old'].map((name) => names.nameNow(`127.0.0.1/acme/${name}`)));

    expect(found).toEqual(['127.0.0.1/acme/other', '127.0.0.1/elsewhere/new']);
    expect(asked).toContain('/repos/acme/old Bearer token-5');
    expect(asked).toContain('/repositories/1 Bearer token-7');
  });
});

test('[N-29] where the App is not installed for it, there is none of that name', async () => {
  await asApp({ isPrivate: true }, async ({ names }) => {
    await names.nameNow('127.0.0.1/acme/other');

    expect(await names.nameNow('127.0.0.1/acme/hidden')).toBeUndefined();
  });
});

test('[N-30] a sign-in that GitHub limits is asked for once, and nobody signs in for that owner until then', async () => {
  const clock = fakeClock('2026-03-01T00:00:00Z');
  let signIns = 0;
  const authorization: GithubAuthorization = async (_, { alone = false } = {}) => {
    if (!alone) return 'Bearer token';
    signIns += 1;
    throw new Transient('GitHub limits our requests (sign-in)', { kind: 'busy', retryAfterSeconds: 60 });
  };

  await withGithub(
    (_, response) => response.writeHead(404).end('{}'),
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), appId: 1, authorization, clock: clock.now });
      const ask = (name: string) => names.nameNow(`127.0.0.1/acme/${name}`).catch((error: unknown) => error);

      const first = await ask('one');
      clock.advance(10);
      const second = await ask('two');
      const before = signIns;
      clock.advance(50);
      await ask('two');

      expect([first, second]).toMatchObject([
        { kind: 'busy', retryAfterSeconds: 60 },
        { kind: 'busy', retryAfterSeconds: 50 },
      ]);
      expect([before, signIns]).toEqual([1, 2]);
    },
  );
});

test('[N-29] no token goes to another host', async () => {
  await withGithub(
    (_, response) => response.writeHead(301, { location: 'https://elsewhere.example.com/repositories/1' }).end(),
    async (api) => {
      const names = repositoryNames({ ...optionsOf(api), clock: fakeClock('2026-03-01T00:00:00Z').now });

      await expect(names.nameNow('127.0.0.1/acme/old')).rejects.toThrow(Transient);
    },
  );
});

test.each([
  ['github.com/acme/platform', 'https://api.github.com', 'acme/platform'],
  ['acme.ghe.com/acme/platform', 'https://api.acme.ghe.com', 'acme/platform'],
  ['git.example.com/acme/platform', 'https://git.example.com/api/v3', 'acme/platform'],
  ['gitlab.com/acme/platform', 'https://api.github.com', undefined],
  ['github.com/acme/platform/deep', 'https://api.github.com', undefined],
  ['github.com/acme/{{name}}', 'https://api.github.com', undefined],
  ['github.com/acme', 'https://api.github.com', undefined],
])('[N-29] %s is, at %s, %s', (repository, api, path) => {
  expect(githubPath(repository, api)).toBe(path);
});

/** An App that is installed for acme (5), and for elsewhere (7), to which acme/old has moved. */
async function asApp(
  { isPrivate }: { readonly isPrivate: boolean },
  use: (app: {
    readonly names: ReturnType<typeof repositoryNames>;
    readonly authorization: ReturnType<typeof githubAuthorization>;
    readonly asked: readonly string[];
  }) => Promise<void>,
): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const clock = fakeClock('2026-03-01T00:00:00Z');
  const asked: string[] = [];
  const hidden = isPrivate ? /acme\/hidden|acme\/old .*-5$/ : undefined;
  await withGithub(
    ({ url: path = '', headers }, response) => {
      const url = path.replace('/api/v3', '');
      const line = `${url} ${/^Bearer token-.*/.exec(headers.authorization ?? '') ?? 'App'}`;
      asked.push(line);
      if (hidden?.test(line)) return response.writeHead(404).end('{}');
      if (url.startsWith('/repos/acme/old'))
        return response.writeHead(301, { location: path.replace('/repos/acme/old', '/repositories/1') }).end();
      if (url.endsWith('/installation')) return response.end(`{"id":${url.startsWith('/repositories/') ? 7 : 5}}`);
      const token = /installations\/(\d)/.exec(url)?.[1];
      const lease = { token: `token-${token}`, expires_at: '2026-03-01T01:00:00Z' };
      if (token !== undefined) return response.writeHead(201).end(JSON.stringify(lease));
      const name = url === '/repositories/1' ? 'elsewhere/new' : 'acme/other';
      return response.end(JSON.stringify({ html_url: `http://127.0.0.1/${name}`, default_branch: 'main' }));
    },
    async (api) => {
      const authorization = githubAuthorization({
        deadline: systemRuntime.deadline,
        settings: { api, app: { id: 1, privateKeySecret: 'key' } },
        secrets: { read: async () => [privateKey] },
        clock: clock.now,
      });
      const names = repositoryNames({ ...optionsOf(api), authorization, appId: 1, clock: clock.now });
      await use({ names, authorization, asked });
    },
  );
}

function optionsOf(api: string) {
  return { api, authorization: async () => 'Bearer token', appId: undefined, deadline: systemRuntime.deadline };
}

async function withGithub(listener: RequestListener, use: (api: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3`);
  } finally {
    server.close();
  }
}

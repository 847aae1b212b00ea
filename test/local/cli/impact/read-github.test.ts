import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isConcerned } from '../../../../functions/core/routing/is-concerned.ts';
import { readGithub } from '../../../../local/cli/impact/read-github.ts';

const [commitA, commitB] = ['a'.repeat(40), 'b'.repeat(40)];

test('[N-29] a repository that is asked for by its earlier name is also that of Applications with that name', async () => {
  const read = await withServer(asRenamed, (api) =>
    readGithub(
      'acme/platform-old',
      { from: 'from', to: 'to' },
      { environment: { GITHUB_API_URL: api, GITHUB_TOKEN: 'x' }, now: () => new Date('2026-03-02T10:00:00Z') },
    ),
  );

  expect(read).toMatchObject({
    origin: 'https://github.com/acme/platform',
    otherNames: ['github.com/acme/platform-old'],
  });
  const { origin: htmlUrl = '', otherNames, defaultBranch = '' } = read;
  const files = { kind: 'unknown', why: 'not read' } as const;
  for (const repoURL of ['https://github.com/acme/platform-old', 'git@github.com:acme/platform.git']) {
    const sources = [{ repoURL, path: 'nodes', targetRevision: 'main', chart: '' }];
    const push = { htmlUrl, otherNames, defaultBranch, ref: 'refs/heads/main', files };
    expect(isConcerned({ sources, generatePaths: undefined }, push).concerned).toBe(true);
  }
});

/** GitHub leads from the earlier name to the id. */
const asRenamed: RequestListener = ({ url = '' }, response) => {
  const say = (body: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const earlier = '/repos/acme/platform-old';
  if (url.startsWith(earlier)) {
    response.writeHead(301, { location: url.replace(earlier, '/repositories/1') }).end();
    return;
  }
  if (url === '/repositories/1') say({ id: 1, html_url: 'https://github.com/acme/platform', default_branch: 'main' });
  else if (url.includes('/commits/')) response.writeHead(200).end(url.endsWith('from') ? commitA : commitB);
  else if (url.includes('/compare/')) say({ merge_base_commit: { sha: commitA } });
  else say({ truncated: false, tree: [] });
};

const commitC = 'c'.repeat(40);
const here = { 'nodes/a.yaml': '1' };

test.each([
  ['has all of its base', commitA, here, undefined],
  ['is merged already', commitB, here, undefined],
  ['is behind, beside whose changes the base has others', commitC, { ...here, 'shop/a.yaml': '2' }, undefined],
  ['is behind, with changes of its base in a folder of its own', commitC, { 'nodes/a.yaml': '2' }, 'GitHub is not'],
])('[S1-15] of a branch that %s, it is told whether merging it may give something else', async (...row) => {
  const [, mergeBase, onBase, why] = row;
  const trees: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    [commitA]: onBase,
    [commitB]: { ...here, 'nodes/b.yaml': '3' },
    [commitC]: here,
  };
  const say: RequestListener = (request, response) => {
    const [, commit = ''] = /\/git\/trees\/(\w+)/.exec(request.url ?? '') ?? [];
    const blob = { mode: '100644', type: 'blob', size: 1 };
    const tree = Object.entries(trees[commit] ?? {}).map(([path, id]) => ({ ...blob, path, sha: id.repeat(40) }));
    if (commit !== '') response.writeHead(200).end(JSON.stringify({ truncated: false, tree }));
    else if (request.url?.includes('/compare/'))
      response.writeHead(200).end(JSON.stringify({ merge_base_commit: { sha: mergeBase } }));
    else asRenamed(request, response);
  };

  const { unmerged } = await withServer(say, (api) =>
    readGithub(
      'acme/platform-old',
      { from: 'from', to: 'to' },
      { environment: { GITHUB_API_URL: api, GITHUB_TOKEN: 'x' }, now: () => new Date('2026-03-02T10:00:00Z') },
    ),
  );

  if (why === undefined) expect(unmerged).toBeUndefined();
  else expect(unmerged).toContain(why);
});

test.each([
  ['from', { branch: 'from' }],
  ['refs/heads/from', { branch: 'from' }],
  ['tags/from', {}],
  [commitA, {}],
])('[S1-15] [N-29] --from %s is the branch that is pushed to, or none', async (from, named) => {
  const say: RequestListener = (request, response) => {
    const [, revision = ''] = /\/commits\/(.+)$/.exec(request.url ?? '') ?? [];
    if (/^heads%2F(?!from$)/.test(revision)) response.writeHead(422).end('{}');
    else if (revision === commitA) response.writeHead(200).end(commitA);
    else asRenamed(request, response);
  };

  const { branch } = await withServer(say, (api) =>
    readGithub(
      'acme/platform-old',
      { from, to: 'to' },
      { environment: { GITHUB_API_URL: api, GITHUB_TOKEN: 'x' }, now: () => new Date('2026-03-02T10:00:00Z') },
    ),
  );

  expect({ branch }).toEqual({ branch: undefined, ...named });
});

async function withServer<T>(listener: RequestListener, use: (api: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

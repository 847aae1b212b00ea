import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GithubPush } from '../../../functions/receive-github/github-push.ts';
import { receiveGithub } from '../../../functions/receive-github/receive-github.ts';
import { PlainRequest } from '../../../functions/shell/exchange.ts';
import { githubHeaders, receiverPorts } from '../receiving.ts';

const push = {
  ref: 'refs/heads/main',
  before: 'a'.repeat(40),
  after: 'b'.repeat(40),
  created: false,
  deleted: false,
  forced: false,
  commits: [{ added: [], modified: ['a.yaml'], removed: [] }],
  repository: { html_url: 'https://github.com/acme/platform', full_name: 'acme/platform', default_branch: 'main' },
};

afterEach(() => vi.restoreAllMocks());

async function plainRequest(body: string, secret: string): Promise<PlainRequest> {
  const fields = await githubHeaders({ body, secret });
  return new PlainRequest({ method: 'POST', url: 'http://127.0.0.1/github', fields }, Buffer.from(body));
}

describe('what the intake of a push costs', () => {
  it('[C-1] a wrong signature costs no parse', async () => {
    const handle = receiveGithub(receiverPorts());
    const [wrong, right] = [
      await plainRequest(JSON.stringify(push), 'guessed'),
      await plainRequest(JSON.stringify(push), 'new-secret'),
    ];
    const parse = vi.spyOn(JSON, 'parse');

    const refused = await handle(wrong);
    const parsedForIt = parse.mock.calls.length;
    const accepted = await handle(right);

    expect([refused.status, parsedForIt]).toEqual([401, 0]);
    expect([accepted.status, parse.mock.calls.length]).toEqual([202, 1]);
  });

  it('[C-1] no Request, Response or Headers is made for a request that has none', async () => {
    const handle = receiveGithub(receiverPorts());
    const request = await plainRequest(JSON.stringify(push), 'new-secret');
    const made = (['Request', 'Response', 'Headers'] as const).map((name) => vi.spyOn(globalThis, name));

    const { status } = await handle(request);

    expect(status).toBe(202);
    expect(made.flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});

const listed = z
  .array(z.string())
  .nullish()
  .transform((paths) => paths ?? undefined);
/** Commits by zod alone. */
const reference = z.object({ commits: z.array(z.object({ added: listed, modified: listed, removed: listed })) });

it.each<[unknown]>([
  [[]],
  [[{}]],
  [[{ added: null, modified: undefined }]],
  [[{ added: ['a'], modified: [], removed: ['b', 'c'], id: 'x', author: { name: 'ada' } }]],
  [[{ added: ['a'] }, { added: 'a' }]],
  [[{ added: ['a', 7] }]],
  [[null]],
  [['a']],
  [[[]]],
  [{}],
  ['commits'],
  [undefined],
])('[C-1] commits %j are read as their schema says, and refused in its words', (commits) => {
  const read = GithubPush.safeParse({ ...push, commits });
  const expected = reference.safeParse({ commits });

  const said = (error: z.ZodError | undefined) => error?.issues.map(({ path, message }) => [path, message]);
  expect(read.data?.commits).toEqual(expected.data?.commits);
  expect(said(read.error)).toEqual(said(expected.error));
});

it('headers of a plain request are read in any case, and several values are one', () => {
  const fields = { 'x-one': '1', 'x-many': ['a', 'b'], 'x-none': undefined };
  const { headers, body } = new PlainRequest({ method: 'GET', url: 'http://127.0.0.1/', fields }, Buffer.from('x'));

  expect([headers.get('X-One'), headers.get('x-many'), headers.get('x-none')]).toEqual(['1', 'a, b', null]);
  expect([headers.has('X-ONE'), headers.has('x-none')]).toEqual([true, false]);
  expect([...headers]).toEqual([
    ['x-one', '1'],
    ['x-many', 'a, b'],
  ]);
  expect(body).toBeNull();
});

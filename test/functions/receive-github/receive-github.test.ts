import type { EmitterWebhookEvent } from '@octokit/webhooks';
import examples from '@octokit/webhooks-examples' with { type: 'json' };
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { PushSeen } from '../../../events/index.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import type { GithubPull } from '../../../functions/receive-github/github-pull.ts';
import type { GithubPush } from '../../../functions/receive-github/github-push.ts';
import { receiveGithub } from '../../../functions/receive-github/receive-github.ts';
import { fc } from '../../property.ts';
import { answerOf, delivery, type GithubDelivery, githubRequest, post, receiverPorts } from '../receiving.ts';

/** The package types its JSON as a module. */
type Examples = readonly { readonly name: string; readonly examples: readonly { readonly deleted?: boolean }[] }[];

interface Commit {
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

/** A push of one commit to the default branch, only the fields that GitHub's documentation names and some it does
 *  not. */
function aPush(change: Record<string, unknown> = {}) {
  return {
    ref: 'refs/heads/main',
    before: 'a'.repeat(40),
    after: 'b'.repeat(40),
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: 'https://github.com/acme/platform/compare/aaa...bbb',
    commits: [aCommit({ modified: ['nodes/99-worker-ssh.yaml'] })],
    head_commit: null,
    pusher: { name: 'ada', email: 'ada@example.com' },
    repository: {
      id: 1,
      full_name: 'acme/platform',
      html_url: 'https://github.com/acme/platform',
      default_branch: 'main',
    },
    ...change,
  };
}

function aForm(): string {
  return encodeURIComponent(JSON.stringify(aPush()));
}

function aCommit(change: Partial<Commit> = {}): Commit {
  return { added: [], modified: [], removed: [], ...change };
}

async function receive(delivered: GithubDelivery, ports = receiverPorts()) {
  const answer = await answerOf(await receiveGithub(ports)(await githubRequest(delivered)));
  return { ...answer, ports, sent: ports.work.sent.map(({ event }) => event) };
}

async function receivePush(change: Record<string, unknown>) {
  const { sent, ...rest } = await receive({ body: JSON.stringify(aPush(change)) });
  return { ...rest, sent, data: sent[0]?.type === 'poolkeeper.push.seen.v1' ? sent[0].data : undefined };
}

describe('a push delivered by GitHub', () => {
  it('[C-1] becomes one event with the union of its files, under the id of the delivery', async () => {
    const commits = [
      aCommit({ added: ['nodes/b.yaml'], modified: ['nodes/a.yaml'] }),
      aCommit({ removed: ['nodes/c.yaml'], modified: ['nodes/a.yaml'] }),
    ];

    const { status, body, sent } = await receive({ body: JSON.stringify(aPush({ commits })) });

    expect(status).toBe(202);
    expect(body).toEqual({
      accepted: true,
      delivery,
      reason: 'push queued',
      requestId: expect.stringMatching(/^[\w-]+$/),
    });
    expect(sent).toEqual([
      {
        specversion: '1.0',
        type: 'poolkeeper.push.seen.v1',
        id: delivery,
        source: '/poolkeeper/receive-github',
        subject: 'acme/platform refs/heads/main',
        time: '2026-03-02T10:00:00.250Z',
        datacontenttype: 'application/json',
        correlation: delivery,
        data: {
          delivery,
          receivedAt: '2026-03-02T10:00:00.250Z',
          repository: {
            htmlUrl: 'https://github.com/acme/platform',
            fullName: 'acme/platform',
            defaultBranch: 'main',
          },
          ref: 'refs/heads/main',
          before: 'a'.repeat(40),
          after: 'b'.repeat(40),
          created: false,
          deleted: false,
          forced: false,
          pusher: 'ada',
          files: { kind: 'known', paths: ['nodes/b.yaml', 'nodes/a.yaml', 'nodes/c.yaml'] },
        },
      },
    ]);
  });

  it.each([
    ['names the commit of an annotated tag beside the tag', 'refs/tags/v1.2.0', 'c'.repeat(40), 'c'.repeat(40)],
    ['names no other commit of a tag that is none', 'refs/tags/v1.2.0', 'b'.repeat(40), undefined],
    ['names no other commit of a branch', 'refs/heads/main', 'c'.repeat(40), undefined],
    ['is accepted where its newest commit cannot be read', 'refs/tags/v1.2.0', 'HEAD', undefined],
  ])('[C-1] [N-17] %s', async (_, ref, id, commit) => {
    const { status, data } = await receivePush({ ref, head_commit: { id } });

    expect([status, data?.after, data?.commit]).toEqual([202, 'b'.repeat(40), commit]);
  });

  it('[C-1] keeps its id when it is delivered again, so that the repeat is known for one', async () => {
    const ports = receiverPorts();
    const body = JSON.stringify(aPush());

    await receive({ body }, ports);
    const { sent } = await receive({ body }, ports);

    expect(sent.map(({ id }) => id)).toEqual([delivery, delivery]);
  });

  const pushes = (examples as unknown as Examples).flatMap(({ name, examples: payloads }) =>
    name === 'push' ? payloads : [],
  );

  it('[C-1] has seven real examples', () => {
    expect(pushes).toHaveLength(7);
  });

  it.each(pushes.map((payload, index) => ({ payload, index })))(
    '[C-1] is accepted as GitHub really sends it, example $index',
    async ({ payload }) => {
      const { status, body, sent } = await receive({ body: JSON.stringify(payload) });

      expect(status).toBe(202);
      expect(body['accepted']).toBe(true);
      expect(sent.map((event) => PushSeen.parse(event).data)).toMatchObject([
        { repository: { fullName: 'Codertocat/Hello-World' }, deleted: payload.deleted },
      ]);
    },
  );

  it.each([
    ['a forced push', { forced: true }, /^forced push/],
    ['a new ref', { created: true }, /^new ref/],
    ['2048 commits', { commits: Array.from({ length: 2048 }, () => aCommit({ added: ['a'] })) }, /^2048 commits/],
    ['3000 files in a commit', { commits: [aCommit({ added: manyPaths(2999), removed: ['b'] })] }, /^3000 files/],
    ['no commit', { commits: [] }, /^no changed file/],
    ['an empty commit', { commits: [aCommit()] }, /^no changed file/],
    ['a commit without a list', { commits: [{ added: ['a'], modified: [] }] }, /^a commit does not list/],
    ['paths too large for a message', { commits: [aCommit({ added: manyPaths(2500, 'p'.repeat(80)) })] }, /too long/],
  ])('[C-1] does not claim to know the files of %s', async (_what, change, why) => {
    const { status, data } = await receivePush(change);

    expect(status).toBe(202);
    expect(data?.files).toEqual({ kind: 'unknown', why: expect.stringMatching(why) });
  });

  it.each([
    ['2047 commits', { commits: Array.from({ length: 2047 }, () => aCommit({ added: ['a'] })) }, 1],
    ['2999 files in a commit', { commits: [aCommit({ added: manyPaths(2999) })] }, 2999],
  ])('[C-1] knows the files of %s', async (_what, change, count) => {
    const { data } = await receivePush(change);

    expect(data?.files.kind === 'known' && data.files.paths).toHaveLength(count);
  });

  it("[C-1] [N-30] may be anything that GitHub's own types allow", () => {
    type Sent = EmitterWebhookEvent<'push'>['payload'];
    type SentPull = EmitterWebhookEvent<'pull_request.edited' | 'pull_request.opened'>['payload'];

    expectTypeOf<Sent>().toExtend<z.input<typeof GithubPush>>();
    expectTypeOf<SentPull>().toExtend<z.input<typeof GithubPull>>();
  });

  it('[C-1] [N-30] is taken whatever of its lists of files and its pusher is absent or null, its files then unknown', async () => {
    const given = <T>(value: T) => fc.constantFrom<(T | null | undefined)[]>(value, null, undefined);
    const list = fc.constantFrom<(readonly string[] | null | undefined)[]>([], ['nodes/a.yaml'], null, undefined);
    const commit = fc.record({ added: list, modified: list, removed: list });
    const pusher = fc.oneof(given({ email: null }), fc.record({ name: given('ada'), email: given('a@example.com') }));

    await fc.assert(
      fc.asyncProperty(fc.array(commit, { maxLength: 3 }), pusher, async (commits, by) => {
        const { status, data } = await receivePush({ commits, pusher: by });

        const lists = commits.flatMap(({ added, modified, removed }) => [added, modified, removed]);
        const isWhole = lists.every((each) => Array.isArray(each)) && lists.flat().length > 0;
        expect(status).toBe(202);
        expect(data?.files.kind).toBe(isWhole ? 'known' : 'unknown');
        expect(['ada', '']).toContain(data?.pusher);
      }),
    );
  });

  it('[C-1] keeps non-ASCII paths as they are', async () => {
    const { status, data } = await receivePush({ commits: [aCommit({ added: ['knoten/größe-日本-🚀.yaml'] })] });

    expect(status).toBe(202);
    expect(data?.files).toEqual({ kind: 'known', paths: ['knoten/größe-日本-🚀.yaml'] });
  });

  it('[C-1] is accepted and dropped when it is about notes', async () => {
    const { status, body, sent } = await receivePush({ ref: 'refs/notes/commits' });

    expect(status).toBe(202);
    expect(body).toMatchObject({
      accepted: false,
      delivery,
      reason: expect.stringMatching(/neither a branch nor a tag/),
    });
    expect(sent).toEqual([]);
  });

  it('[C-1] that the queue does not take is answered with 503, so that it can be delivered again', async () => {
    const ports = receiverPorts();
    ports.faults.failAll(['work.send'], new Transient('queue https://sqs.internal unreachable'));

    const { status, body, headers } = await receive({ body: JSON.stringify(aPush()) }, ports);

    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(JSON.stringify(body)).not.toContain('sqs');
    expect(ports.metrics.counts).toEqual({ RequestsFailed: 1 });
  });
});

describe('the signature of a delivery', () => {
  it.each(['new-secret', 'old-secret'])('[C-1] may be made with either live secret: %s', async (secret) => {
    const { status } = await receive({ body: JSON.stringify(aPush()), secret });

    expect(status).toBe(202);
  });

  it("[C-1] passes GitHub's published test vector", async () => {
    const ports = receiverPorts(["It's a Secret to Everybody"]);
    const body = 'Hello, World!';
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

    const answer = await receive(
      { body, headers: { 'x-github-event': 'ping', 'x-hub-signature-256': signature } },
      ports,
    );

    expect(answer.status).toBe(200);
  });

  const sound = JSON.stringify(aPush());
  it.each<[string, GithubDelivery]>([
    ['is missing', { body: sound, headers: { 'x-hub-signature-256': undefined } }],
    ['is SHA-1 only', { body: sound, headers: { 'x-hub-signature-256': undefined, 'x-hub-signature': 'sha1=00' } }],
    ['was made with another secret', { body: sound, secret: 'revoked' }],
    ['is cut short', { body: sound, headers: { 'x-hub-signature-256': 'sha256=757107' } }],
    ['has no algorithm', { body: sound, headers: { 'x-hub-signature-256': '0'.repeat(64) } }],
    ['is over no body', { body: '', headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } }],
  ])('[C-1] is refused with 401 and no detail when it %s', async (_what, delivered) => {
    const { status, body, ports, sent } = await receive(delivered);

    expect(status).toBe(401);
    expect(body).toEqual({ reason: 'the signature is missing or wrong', requestId: expect.any(String) });
    expect(sent).toEqual([]);
    expect(ports.metrics.counts).toEqual({ RequestsUnauthorized: 1 });
    expect(JSON.stringify(ports.logger.lines)).not.toMatch(/sha256=|secret/);
  });

  it('[C-1] covers the bytes as sent, so that the same JSON written otherwise is refused', async () => {
    const headers = (await githubRequest({ body: sound })).headers;

    const response = await receiveGithub(receiverPorts())(
      post('/github', JSON.stringify(aPush(), null, 2), Object.fromEntries(headers)),
    );

    expect(response.status).toBe(401);
  });

  it('[C-1] is checked before the body is parsed', async () => {
    const { status } = await receive({ body: 'not json', secret: 'revoked' });

    expect(status).toBe(401);
  });

  it('[C-1] is refused by a secret without any value instead of passing everybody', async () => {
    const { status, ports } = await receive({ body: sound, secret: 'any' }, receiverPorts(['', '\n']));

    expect(status).toBe(500);
    expect(ports.work.sent).toEqual([]);
  });
});

describe('a delivery that is not what GitHub should send', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('[C-1] [N-29] is read also as a form, which GitHub sends unless told otherwise', async () => {
    const commits = [aCommit({ modified: ['nodes/a+b &ü.yaml'] })];
    const body = new URLSearchParams({ payload: JSON.stringify(aPush({ commits })) }).toString();

    const { status, sent } = await receive({ body, headers: form });

    expect(status).toBe(202);
    expect(sent).toMatchObject([{ id: delivery, data: { files: { paths: ['nodes/a+b &ü.yaml'] } } }]);
  });

  it('[C-1] is not read as a form whose signature is wrong', async () => {
    const body = `payload=${encodeURIComponent(JSON.stringify(aPush()))}`;

    const { status, sent } = await receive({ body, secret: 'guessed', headers: form });

    expect([status, sent]).toEqual([401, []]);
  });

  it.each([
    ['signed as JSON, with a payload in a commit message', JSON.stringify({ message: `&payload=${aForm()}&` })],
    ['of two payloads', `payload=${aForm()}&payload=${aForm()}`],
    ['without a payload', 'ref=refs%2Fheads%2Fmain'],
    ['whose payload is no JSON', 'payload=%7B'],
  ])('[C-1] [N-30] is refused as a form %s', async (_, body) => {
    const { status, sent } = await receive({ body, headers: form });

    expect([status, sent]).toEqual([400, []]);
  });

  it.each([['text/plain'], [undefined]])('[C-1] is refused with content type %s', async (type) => {
    const { status } = await receive({ body: JSON.stringify(aPush()), headers: { 'content-type': type } });

    expect(status).toBe(415);
  });

  it('[C-1] may name a character set', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };

    const { status } = await receive({ body: JSON.stringify(aPush()), headers });

    expect(status).toBe(202);
  });

  it('[C-1] [N-29] is refused with what happens now when it is too large, whether it says so or not', async () => {
    const body = JSON.stringify(aPush({ padding: 'x'.repeat(4 * 1024 * 1024) }));

    const silent = await receive({ body });
    const honest = await receive({ body, headers: { 'content-length': `${Buffer.byteLength(body)}` } });

    for (const { status, body: answer, sent } of [silent, honest]) {
      expect(status).toBe(413);
      expect(answer['reason']).toMatch(
        /^the body is larger than 4096 KiB; .*not paused for.*found by looking, within five minutes.*Push fewer commits/,
      );
      expect(sent).toEqual([]);
    }
  });

  it.each([
    ['X-GitHub-Event', undefined, 'header X-GitHub-Event is missing'],
    ['X-GitHub-Delivery', undefined, 'header X-GitHub-Delivery is missing'],
    ['X-GitHub-Delivery', '../../etc', 'header X-GitHub-Delivery is not valid'],
  ])('[C-1] is refused when %s is %s', async (name, value, reason) => {
    const { status, body } = await receive({
      body: JSON.stringify(aPush()),
      headers: { [name.toLowerCase()]: value },
    });

    expect(status).toBe(400);
    expect(body['reason']).toBe(reason);
  });

  it('[C-1] is refused without quoting it when it is not JSON', async () => {
    const { status, body, ports } = await receive({ body: '{"private": tru' });

    expect(status).toBe(400);
    expect(body['reason']).toBe('the body is not JSON');
    expect(JSON.stringify(ports.logger.lines)).not.toContain('private');
  });

  it('[C-1] is refused when it is not UTF-8', async () => {
    const bytes = Uint8Array.from([0x7b, 0xff, 0x7d]);

    const response = await receiveGithub(receiverPorts())(
      post('/github', bytes, { 'content-type': 'application/json' }),
    );

    expect(response.status).toBe(400);
  });

  it.each([
    ['repository.default_branch', { repository: { full_name: 'a/b', html_url: 'https://github.com/a/b' } }],
    ['commits[0].removed', { commits: [{ added: [], modified: [], removed: 'a.yaml' }] }],
    ['after', { after: 'main' }],
    ['forced', { forced: 'yes' }],
    ['ref', { ref: undefined }],
  ])('[C-1] is refused naming %s when that field is wrong', async (field, change) => {
    const { status, body, sent } = await receivePush(change);

    expect(status).toBe(400);
    expect(body['reason']).toMatch(new RegExp(`^${field.replace(/[[\].]/g, '\\$&')}: `));
    expect(sent).toEqual([]);
  });

  it.each(['null', '[]', '"push"', '7'])('[C-1] is refused when it is the JSON value %s', async (body) => {
    const { status } = await receive({ body });

    expect(status).toBe(400);
  });

  it('[C-1] is refused with the allowed method when it is no POST', async () => {
    const { status, headers } = await answerOf(
      await receiveGithub(receiverPorts())(new Request('https://poolkeeper.example.com/github')),
    );

    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('POST');
  });
});

describe('other events of GitHub', () => {
  it('[C-1] a ping is answered once its signature is right', async () => {
    const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1, hook: {} });

    const right = await receive({ body, headers: { 'x-github-event': 'ping' } });
    const wrong = await receive({ body, secret: 'revoked', headers: { 'x-github-event': 'ping' } });

    expect([right.status, wrong.status]).toEqual([200, 401]);
    expect(right.sent).toEqual([]);
  });

  it.each(['issues', 'pull_request', 'brand_new_event'])('[C-1] %s is accepted and dropped', async (event) => {
    const { status, body, sent } = await receive({ body: '{}', headers: { 'x-github-event': event } });

    expect(status).toBe(202);
    expect(body).toMatchObject({ accepted: false, delivery });
    expect(sent).toEqual([]);
  });
});

function manyPaths(count: number, prefix = 'nodes/'): readonly string[] {
  return Array.from({ length: count }, (_each, index) => `${prefix}${index}.yaml`);
}

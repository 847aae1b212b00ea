import examples from '@octokit/webhooks-examples' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { PullSeen } from '../../../events/index.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { receiveGithub } from '../../../functions/receive-github/receive-github.ts';
import { answerOf, delivery, githubRequest, receiverPorts } from '../receiving.ts';

/** The package types its JSON as a module. */
type Examples = readonly {
  readonly name: string;
  readonly examples: readonly {
    readonly action: string;
    readonly pull_request: { readonly state: string; readonly draft: boolean };
  }[];
}[];

function aPull(change: Record<string, unknown> = {}, ofPull: Record<string, unknown> = {}) {
  return {
    action: 'opened',
    number: 12,
    pull_request: {
      state: 'open',
      draft: false,
      title: 'größere Log-Dateien 🚀',
      head: { sha: 'c'.repeat(40), ref: 'chrony', repo: { full_name: 'acme/platform' } },
      base: { sha: 'a'.repeat(40), ref: 'main' },
      ...ofPull,
    },
    repository: { full_name: 'acme/platform', html_url: 'https://github.com/acme/platform', default_branch: 'main' },
    ...change,
  };
}

async function receive(payload: unknown, options: { readonly previews?: boolean; readonly secret?: string } = {}) {
  const ports = receiverPorts();
  const sent: PullSeen[] = [];
  const previews = { send: async (event: PullSeen) => void sent.push(event) };
  const request = await githubRequest({
    body: JSON.stringify(payload),
    headers: { 'x-github-event': 'pull_request' },
    ...(options.secret === undefined ? {} : { secret: options.secret }),
  });
  const handle = receiveGithub({ ...ports, previews: options.previews === false ? undefined : previews });
  return { ...(await answerOf(await handle(request))), sent, ports };
}

describe('a pull request delivered by GitHub', () => {
  it('[N-14] becomes one small event for the previews and none for the pools, under the id of the delivery', async () => {
    const { status, sent, ports } = await receive(aPull());

    expect(status).toBe(202);
    expect(ports.work.sent).toEqual([]);
    expect(sent).toEqual([
      {
        specversion: '1.0',
        type: 'poolkeeper.pull.seen.v1',
        id: delivery,
        source: '/poolkeeper/receive-github',
        subject: 'acme/platform#12',
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
          number: 12,
          action: 'opened',
          head: 'c'.repeat(40),
          base: 'main',
        },
      },
    ]);
  });

  it.each([
    ['opened', true, {}, {}],
    ['synchronize', true, {}, {}],
    ['reopened', true, {}, {}],
    ['ready_for_review', true, {}, {}],
    ['edited', true, { changes: { base: { ref: { from: 'main' } } } }, {}],
    ['edited', false, { changes: { title: { from: 'old' } } }, {}],
    ['labeled', false, {}, {}],
    ['closed', false, {}, { state: 'closed' }],
    ['synchronize', false, {}, { draft: true }],
    ['synchronize', false, {}, { state: 'closed' }],
  ])('[N-14] %s: queued is %s (%j %j)', async (action, queued, change, ofPull) => {
    const { status, body, sent } = await receive(aPull({ action, ...change }, ofPull));

    expect(status).toBe(202);
    expect(body['accepted']).toBe(queued);
    expect(sent).toHaveLength(queued ? 1 : 0);
  });

  it('[N-14] is dropped unread where previews are not configured', async () => {
    const { status, body, sent } = await receive({ action: 7 }, { previews: false });

    expect(status).toBe(202);
    expect(body['reason']).toMatch(/not configured/);
    expect(sent).toEqual([]);
  });

  it('[N-14] is refused without a right signature', async () => {
    const { status, sent } = await receive(aPull(), { secret: 'revoked' });

    expect(status).toBe(401);
    expect(sent).toEqual([]);
  });

  it.each([
    ['pull_request.head.sha', aPull({}, { head: { sha: 'main' } })],
    ['number', aPull({ number: 0 })],
    ['repository.full_name', aPull({ repository: { ...aPull().repository, full_name: 'acme/../../orgs' } })],
  ])('[N-14] is refused naming %s when that field is wrong', async (field, payload) => {
    const { status, body } = await receive(payload);

    expect(status).toBe(400);
    expect(body['reason']).toMatch(new RegExp(`^${field}: `));
  });

  it('[N-14] is answered with 503 while its queue does not take it, so that it can be delivered again', async () => {
    const ports = receiverPorts();
    const previews = {
      send: async () => {
        throw new Transient('the queue does not answer');
      },
    };
    const headers = { 'x-github-event': 'pull_request' };

    const response = await receiveGithub({ ...ports, previews })(
      await githubRequest({ body: JSON.stringify(aPull()), headers }),
    );

    expect(response.status).toBe(503);
  });

  const pulls = (examples as unknown as Examples).flatMap(({ name, examples: payloads }) =>
    name === 'pull_request' ? payloads : [],
  );

  it.each(pulls.map((payload, index) => ({ payload, index })))(
    '[N-14] is understood as GitHub really sends it, example $index',
    async ({ payload }) => {
      const { status, sent } = await receive(payload);

      const isLooked = ['opened', 'synchronize', 'reopened', 'ready_for_review'].includes(payload.action);
      expect(status).toBe(202);
      expect(sent.map((event) => PullSeen.parse(event).data.action)).toEqual(
        isLooked && payload.pull_request.state === 'open' && !payload.pull_request.draft ? [payload.action] : [],
      );
    },
  );
});

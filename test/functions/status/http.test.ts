import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { configurationJsonSchema } from '../../../functions/shell/configuration/json-schema.ts';
import { liveSecret } from '../../../functions/shell/live-secret.ts';
import { statusJsonSchemaText } from '../../../functions/status/json-schema.ts';
import { policyLines } from '../../../functions/status/policy-lines.ts';
import type { StatusPorts } from '../../../functions/status/read-status.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { aNodeRollout, anIncident, aTimelineEntry, aView } from '../../fakes/builders.ts';
import { fakeClock } from '../../fakes/fake-clock.ts';
import { fakeLogger } from '../../fakes/fake-logger.ts';
import { fakeIds } from '../../fakes/index.ts';

const clock = fakeClock('2026-03-02T10:00:30.000Z').now;

function handler(ports: Partial<StatusPorts> = {}) {
  return statusOf({
    views: { list: async () => [aView()] },
    incidents: { list: async () => [anIncident()] },
    timeline: { latest: async () => [aTimelineEntry()] },
    nodeRollouts: { ended: async () => ({ rollouts: [aNodeRollout()] }) },
    clock,
    newId: fakeIds(),
    ...ports,
  });
}

function request(headers: Readonly<Record<string, string>> = {}, method = 'GET'): Request {
  return new Request('http://localhost/status', { method, headers });
}

function basic(user: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

function token(...values: readonly string[]) {
  return liveSecret({ secrets: { read: async () => values }, secret: 'status-token', clock });
}

async function failing(): Promise<never> {
  throw new Transient('the table does not answer at 10.0.0.1', { kind: 'unreachable' });
}

describe('the form of the answer', () => {
  it.each([
    ['This is a <b>simulation</b>.', '<p class="only">This is a &lt;b&gt;simulation&lt;/b&gt;.</p>\n<h1'],
    [undefined, '<main id="main" data-refresh="15">\n\n<h1'],
  ])('[N-33] what is to be known before everything else stands above it: %s', async (notice, expected) => {
    const page = await (await handler({ notice: () => notice })(request({ accept: 'text/html' }))).text();

    expect(page).toContain(expected);
  });

  it('[N-33] says where changes are told, and the version from before anything was read', async () => {
    let version = 'p.1';
    const views = {
      list: async () => {
        version = 'p.2';
        return [aView()];
      },
    };

    const ports = { views, changes: () => ({ path: 'status/changes', version }) };
    const page = await (await handler(ports)(request({ accept: 'text/html' }))).text();

    expect(page).toContain('<main id="main" data-refresh="15" data-changes="status/changes" data-version="p.1">');
  });

  it.each([
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'text/html'],
    ['curl', '*/*', 'text/html'],
    ['nobody says anything', undefined, 'text/html'],
    ['a program', 'application/json', 'application/json'],
    ['a program with a second choice', 'application/json, text/plain, */*', 'application/json'],
    ['more JSON than HTML', 'text/html;q=0.5, application/json;q=0.9', 'application/json'],
    ['more HTML than JSON', 'application/json;q=0.5, text/html', 'text/html'],
    ['anything of text', 'text/*', 'text/html'],
    ['anything of application', 'application/*', 'application/json'],
    ['no JSON', 'application/json;q=0, */*', 'text/html'],
    ['capitals', 'Application/JSON', 'application/json'],
    ['a broken weight', 'application/json;q=x', 'text/html'],
  ])('%s is given what it prefers', async (_, accept, type) => {
    const response = await handler()(request(accept === undefined ? {} : { accept }));

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(type);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('HEAD has the headers of GET and no body', async () => {
    const [head, got] = await Promise.all([handler()(request({}, 'HEAD')), handler()(request())]);

    expect(head.status).toBe(200);
    expect([...head.headers]).toEqual([...got.headers]);
    expect(await head.text()).toBe('');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is refused and told what works', async (method) => {
    const response = await handler()(request({}, method));

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await response.json()).toMatchObject({ reason: 'use GET' });
  });

  it('the JSON says what its schema says', async () => {
    const response = await handler()(request({ accept: 'application/json' }));

    const status = Status.parse(await response.json());

    expect(status.clusters[0]?.pools[0]?.name).toBe('worker');
    expect(status.timeline).toHaveLength(1);
  });

  it('the JSON Schema in docs/schemas says what the code says (else: npm run schemas)', async () => {
    const path = fileURLToPath(new URL('../../../docs/schemas/status.schema.json', import.meta.url));

    const written = await readFile(path, 'utf8');

    expect(written).toBe(statusJsonSchemaText());
  });

  it('[C-8] the policy is shown under the keys and with the defaults of poolkeeper.yaml', () => {
    const shown = policyLines(defaultPolicy);
    const written: Record<string, string> = {};
    collect(configurationJsonSchema().properties?.['policy'], '', written);

    expect(shown).toEqual(written);
  });
});

/** Keys of the schema with their defaults as text. */
function collect(schema: unknown, path: string, into: Record<string, string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  if ('properties' in schema && typeof schema.properties === 'object' && schema.properties !== null) {
    for (const [key, value] of Object.entries(schema.properties))
      collect(value, path === '' ? key : `${path}.${key}`, into);
  } else if ('default' in schema) {
    into[path] = Array.isArray(schema.default) ? schema.default.join(', ') : String(schema.default);
  }
}

describe('who may read', () => {
  it.each([
    ['the token', { authorization: 'Bearer new-token' }],
    ['the token that is being replaced', { authorization: 'Bearer old-token' }],
    ['the token as a password, with any user', basic('anna', 'new-token')],
    ['the token as a password, without a user', basic('', 'old-token')],
  ])('%s opens the page', async (_, headers) => {
    const response = await handler({ token: token('new-token', 'old-token') })(request(headers));

    expect(response.status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['a wrong token', { authorization: 'Bearer new-token2' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['a wrong password', basic('anna', 'x')],
    ['the token as the user', basic('new-token', '')],
    ['text that is not base64', { authorization: 'Basic !!!' }],
    ['base64 without a colon', { authorization: `Basic ${Buffer.from('new-token').toString('base64')}` }],
    ['another scheme', { authorization: 'Digest new-token' }],
  ])('%s is refused, and a browser is asked for a password', async (_, headers) => {
    const logger = fakeLogger();

    const response = await handler({ token: token('new-token'), logger })(request(headers));

    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      'Basic realm="Poolkeeper", charset="UTF-8", Bearer realm="Poolkeeper"',
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(logger.lines)).not.toContain('new-token');
  });

  it('nothing is read for a stranger', async () => {
    const reads: string[] = [];
    const noted = async () => {
      reads.push('read');
      return [];
    };

    await handler({
      token: token('t'),
      views: { list: noted },
      incidents: { list: noted },
      timeline: { latest: noted },
    })(request({ authorization: 'Bearer x' }));

    expect(reads).toEqual([]);
  });

  it('a secret without a value lets nobody in', async () => {
    const response = await handler({ token: token('') })(request({ authorization: 'Bearer ' }));

    expect([401, 500]).toContain(response.status);
  });

  it('a token that cannot be read just now is answered with 503 and nothing of our inside', async () => {
    const unreadable = liveSecret({ secrets: { read: failing }, secret: 'status-token', clock });

    const response = await handler({ token: unreadable })(request({ authorization: 'Bearer x' }));

    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('10.0.0.1');
  });

  it('without a token port everybody may read', async () => {
    const response = await handler()(request());

    expect(response.status).toBe(200);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['clusters', { views: { list: failing } }],
    ['incidents', { incidents: { list: failing } }],
    ['timeline', { timeline: { latest: failing } }],
    ['reboots', { nodeRollouts: { ended: failing } }],
  ])('%s: the rest is shown, the gap is said, and the answer is a 503', async (part, ports) => {
    const logger = fakeLogger();
    const handle = handler({ ...ports, logger });

    const [page, json] = await Promise.all([handle(request()), handle(request({ accept: 'application/json' }))]);
    const text = await page.text();
    const status = Status.parse(await json.json());

    expect([page.status, json.status]).toEqual([503, 503]);
    expect(text).toContain(`The ${part} could not be read; their state is unknown.`);
    expect(text).not.toContain('All clear');
    expect(text).not.toContain('No incidents.');
    expect(text).not.toContain('10.0.0.1');
    expect(status.unread).toEqual([part]);
    expect(['unseen', 'trouble']).toContain(status.summary.state);
    expect(logger.lines.map(({ message }) => message)).toContain('a part of the status could not be read');
  });
});

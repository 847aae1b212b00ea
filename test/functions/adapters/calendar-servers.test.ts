import { describe, expect, test } from 'vitest';
import { calendarServers } from '../../../functions/adapters/calendars/calendar-servers.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { CalendarAddress } from '../../../functions/core/configuration/calendar-address.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { fakeSecrets } from '../receiving.ts';
import { type StubReply, startStub } from './stub-server.ts';

const text = 'BEGIN:VCALENDAR\nEND:VCALENDAR\n';

function servers(addresses: readonly string[] = ['127.0.0.1']) {
  return calendarServers({
    secrets: fakeSecrets({ 'calendar/token': ['Bearer the-token\n'] }),
    deadline: systemRuntime.deadline,
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
}

function addressOf(url: string, change: object = {}) {
  return CalendarAddress.parse({ url, internalNetworks: ['127.0.0.0/8'], timeoutSeconds: 1, ...change });
}

/** A server on loopback, by the name that only our resolver answers. */
async function server(reply: StubReply) {
  const stub = await startStub(() => reply);
  return { stub, url: `${stub.url.replace('127.0.0.1', 'localhost')}/holidays.ics?key=4711` };
}

describe('[N-8] a calendar at an address', () => {
  test('is one GET with its secret and the marks of the text that is known', async () => {
    const { stub, url } = await server({
      body: text,
      headers: { etag: '"2"', 'last-modified': 'Tue, 24 Nov 2026 08:00:00 GMT' },
    });
    const calendar = addressOf(url, { header: 'X-Token', headerSecret: 'calendar/token' });
    const known = { text: 'old', readAt: '', etag: '"1"', lastModified: 'Mon, 23 Nov 2026 08:00:00 GMT' };

    const first = await servers().read(calendar, undefined);
    await servers().read(calendar, known);

    expect(first).toEqual({ kind: 'read', text, etag: '"2"', lastModified: 'Tue, 24 Nov 2026 08:00:00 GMT' });
    expect(stub.seen).toMatchObject([
      { method: 'GET', path: '/holidays.ics', query: { key: '4711' }, headers: { 'x-token': 'Bearer the-token' } },
      { headers: { 'if-none-match': '"1"', 'if-modified-since': 'Mon, 23 Nov 2026 08:00:00 GMT' } },
    ]);
    expect(stub.seen[0]?.headers).not.toHaveProperty('if-none-match');
  });

  test('that did not change is not sent again', async () => {
    const { url } = await server({ status: 304, body: '' });

    expect(await servers().read(addressOf(url), { text, readAt: '' })).toEqual({ kind: 'unchanged' });
    await expect(servers().read(addressOf(url), undefined)).rejects.toThrow('status 304');
  });

  test('that sends us elsewhere is not followed', async () => {
    const elsewhere = await startStub(() => ({ body: text }));
    const { url } = await server({ status: 302, headers: { location: elsewhere.url }, body: '' });

    await expect(servers().read(addressOf(url), undefined)).rejects.toThrow('answered with status 302');
    expect(elsewhere.seen).toEqual([]);
  });

  test.each<[string, StubReply, RegExp]>([
    ['does not answer', 'hang', /no answer in time$/],
    ['does not end its answer', 'stall', /no answer in time$/],
    ['breaks off', 'cut', /did not answer/],
    ['fails', { status: 503, body: text }, /status 503$/],
    ['answers 10 MB', { body: 'BEGIN:VCALENDAR\n'.repeat(640 * 1024) }, /more than 1024 KiB$/],
  ])('whose server %s cannot be read, and its path and query are not told', async (_, reply, why) => {
    const { url } = await server(reply);

    const failed = await servers()
      .read(addressOf(url), undefined)
      .catch((cause: unknown) => cause);

    expect(failed).toBeInstanceOf(Transient);
    expect(String(failed)).toMatch(why);
    expect(String(failed)).not.toMatch(/holidays|4711|127\.0/);
  });

  test.each([
    ['private', ['10.1.2.3'], { internalNetworks: [] }],
    ['private behind a public one', ['198.35.26.96', '192.168.0.1'], { internalNetworks: [] }],
    ['that of a metadata service', ['169.254.169.254'], { internalNetworks: ['169.254.0.0/16'] }],
  ])('whose address is %s is not called', async (_, addresses, change) => {
    const { stub, url } = await server({ body: text });

    await expect(servers(addresses).read(addressOf(url, change), undefined)).rejects.toThrow(/its address/);
    expect(stub.seen).toEqual([]);
  });

  test('is not read without its secret', async () => {
    const { stub, url } = await server({ body: text });

    await expect(servers().read(addressOf(url, { headerSecret: 'calendar/none' }), undefined)).rejects.toThrow(
      'the secret is not set',
    );
    expect(stub.seen).toEqual([]);
  });

  test('keeps only marks that may be sent again', async () => {
    const { url } = await server({ body: text, headers: { etag: `"${'x'.repeat(300)}"` } });

    expect(await servers().read(addressOf(url), undefined)).toMatchObject({ etag: undefined });
  });
});

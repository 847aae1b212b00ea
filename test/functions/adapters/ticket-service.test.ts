import { describe, expect, test } from 'vitest';
import { forbiddenAddress } from '../../../functions/adapters/tickets/forbidden-address.ts';
import { ticketService } from '../../../functions/adapters/tickets/ticket-service.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { fakeClock } from '../../fakes/index.ts';
import { fakeSecrets } from '../receiving.ts';
import { type StubReply, startStub } from './stub-server.ts';

const loopback = ['127.0.0.0/8'];

function lab(addresses: readonly (readonly string[])[] = [['127.0.0.1']]) {
  const clock = fakeClock();
  const asked: string[] = [];
  const tickets = ticketService({
    secrets: fakeSecrets({ 'itsm/token': ['Bearer größer\nx-other: 1'] }),
    clock: clock.now,
    deadline: systemRuntime.deadline,
    resolve: async (host) => {
      asked.push(host);
      const found = addresses[Math.min(asked.length, addresses.length) - 1] ?? [];
      return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  return { tickets, clock, asked };
}

function wanted(change: object = {}) {
  return Ticket.parse({ url: 'https://itsm.example.com', internalNetworks: loopback, timeoutSeconds: 1, ...change });
}

/** A server on loopback, by the name that only our resolver answers. */
async function server(reply: StubReply) {
  const stub = await startStub(() => reply);
  return { stub, url: stub.url.replace('127.0.0.1', 'localhost') };
}

describe('[N-17] a ticket', () => {
  test('is one GET with the secret in its header, and the value at its place', async () => {
    const { stub, url } = await server({ body: { result: [{ state: 'approved' }] } });
    const { tickets } = lab();
    const ticket = wanted({
      path: 'result.0.state',
      equals: 'approved',
      header: 'X-Token',
      headerSecret: 'itsm/plain',
    });
    const withToken = ticketService({
      secrets: fakeSecrets({ 'itsm/plain': [' the-token\n'] }),
      clock: fakeClock().now,
      deadline: systemRuntime.deadline,
    });

    const answer = await withToken.ask(ticket, `${url}/change/4711?pool=worker`);

    expect(answer).toEqual({ status: 200, value: 'approved' });
    expect(stub.seen).toMatchObject([{ method: 'GET', path: '/change/4711', query: { pool: 'worker' }, body: '' }]);
    expect(stub.seen[0]?.headers['x-token']).toBe('the-token');
    // A value that is no header is never sent, and appears in no message.
    const broken = wanted({ headerSecret: 'itsm/token' });
    await expect(tickets.ask(broken, url)).rejects.toThrow(/^(?!.*größer)/);
  });

  test.each<[string, StubReply, object, unknown]>([
    ['a number', { body: { ok: 1 } }, { path: 'ok' }, '1'],
    ['a truth value', { body: { ok: true } }, { path: 'ok' }, 'true'],
    ['nothing there', { body: { ok: null } }, { path: 'ok' }, undefined],
    ['nothing along the way', { body: { a: 'b' } }, { path: 'a.b.c' }, undefined],
    ['nothing but what every object inherits', { body: {} }, { path: 'constructor.name' }, undefined],
    ['no place at all', { body: 'plain text' }, {}, undefined],
  ])('with %s', async (_, reply, change, value) => {
    const { url } = await server(reply);

    expect(await lab().tickets.ask(wanted({ ...change }), url)).toEqual({ status: 200, value });
  });

  test('that sends us elsewhere is not followed', async () => {
    const elsewhere = await startStub(() => ({ body: { state: 'approved' } }));
    const { url } = await server({ status: 302, headers: { location: elsewhere.url }, body: {} });

    expect(await lab().tickets.ask(wanted(), url)).toEqual({ status: 302, value: undefined });
    expect(elsewhere.seen).toEqual([]);
  });

  test.each<[string, StubReply, object]>([
    ['does not answer', 'hang', {}],
    ['does not end its answer', 'stall', {}],
    ['breaks off', 'cut', {}],
    ['answers no JSON', { body: '<html>login</html>' }, { path: 'state' }],
    ['answers an object where a value should be', { body: { state: {} } }, { path: 'state' }],
    ['answers a value of any length', { body: { state: 'x'.repeat(300) } }, { path: 'state' }],
    ['answers more than 256 KiB', { body: { state: 'x'.repeat(300_000) } }, { path: 'state' }],
  ])('whose system %s cannot be read', async (_, reply, change) => {
    const { url } = await server(reply);

    await expect(lab().tickets.ask(wanted(change), url)).rejects.toThrow(Transient);
  });

  test('is not asked without its secret', async () => {
    const { stub, url } = await server({ body: {} });

    await expect(lab().tickets.ask(wanted({ headerSecret: 'itsm/none' }), url)).rejects.toThrow(Transient);
    expect(stub.seen).toEqual([]);
  });

  test('is asked again only when its answer no longer counts, also after a failure', async () => {
    const { stub, url } = await server({ body: {} });
    const { tickets, clock } = lab();

    for (let pass = 0; pass < 5; pass += 1) {
      await tickets.ask(wanted(), url);
      clock.advance(10);
    }
    const within = stub.seen.length;
    clock.advance(10);
    await tickets.ask(wanted(), url);
    await tickets.ask(wanted(), `${url}/other`);

    expect([within, stub.seen.length]).toEqual([1, 3]);
  });

  test('[N-17] is asked again once a clock that ran ahead is set back', async () => {
    const { stub, url } = await server({ body: {} });
    const { tickets, clock } = lab();

    clock.advance(3 * 3600);
    await tickets.ask(wanted(), url);
    clock.advance(-3 * 3600);
    await tickets.ask(wanted(), url);
    await tickets.ask(wanted(), url);

    expect(stub.seen).toHaveLength(2);
  });
});

describe('[N-17] the address of a ticket', () => {
  test('is resolved once, and what the name means afterwards does not matter', async () => {
    const { stub, url } = await server({ body: {} });
    const { tickets, asked } = lab([['127.0.0.1'], ['169.254.169.254']]);

    await tickets.ask(wanted(), url);

    expect([asked, stub.seen.length]).toEqual([['localhost'], 1]);
  });

  test.each([
    ['an internal one that is not listed', ['127.0.0.1'], []],
    ['another internal one than the listed', ['127.0.0.1'], ['10.0.0.0/8']],
    ['one of two', ['93.184.215.14', '10.0.0.7'], []],
    ['the metadata service, even if it is listed', ['169.254.169.254'], ['0.0.0.0/0']],
    ['its form inside IPv6', ['::ffff:169.254.169.254'], ['0.0.0.0/0', '::/0']],
    ['none', [], loopback],
  ])('is not called if the name leads to %s', async (_, addresses, internalNetworks) => {
    const { stub, url } = await server({ body: {} });

    await expect(lab([addresses]).tickets.ask(wanted({ internalNetworks }), url)).rejects.toThrow(Transient);
    expect(stub.seen).toEqual([]);
  });

  test.each(['127.0.0.1', '[::1]'])('is judged too where it is written: %s', async (host) => {
    const { stub } = await server({ body: {} });
    const url = `http://${host}:${new URL(stub.url).port}`;

    await expect(lab().tickets.ask(wanted({ internalNetworks: [] }), url)).rejects.toThrow('is internal');
    expect(stub.seen).toEqual([]);
  });

  test('is not called unencrypted, except on this machine', async () => {
    await expect(lab().tickets.ask(wanted(), 'http://itsm.example.com/')).rejects.toThrow('may not be called');
  });

  test.each([
    ['10.0.0.1', true],
    ['172.16.0.1', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['100.64.0.1', true],
    ['127.0.0.53', true],
    ['0.0.0.0', true],
    ['224.0.0.1', true],
    ['255.255.255.255', true],
    ['8.8.8.8', false],
    ['::1', true],
    ['::', true],
    ['fd00::1', true],
    ['fe80::1%eth0', true],
    ['fe80::1', true],
    ['::ffff:10.0.0.1', true],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::a00:1', true],
    ['2002:a00:1::1', true],
    ['2606:4700::1111', false],
    ['no address', true],
  ])('%s is internal, or nothing that may be called: %s', (address, isForbidden) => {
    expect(forbiddenAddress(address, []) !== undefined).toBe(isForbidden);
  });

  test('of a listed network may be called, in either form', () => {
    expect(forbiddenAddress('10.1.2.3', ['10.1.0.0/16'])).toBeUndefined();
    expect(forbiddenAddress('::ffff:10.1.2.3', ['10.1.0.0/16'])).toBeUndefined();
    expect(forbiddenAddress('fd12::9', ['fd12::/64'])).toBeUndefined();
    expect(forbiddenAddress('10.2.2.3', ['10.1.0.0/16'])).toBeDefined();
  });
});

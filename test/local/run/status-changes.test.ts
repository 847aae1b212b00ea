import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { liveSecret } from '../../../functions/shell/live-secret.ts';
import { countedChanges } from '../../../local/run/changes.ts';
import { type LocalServer, startLocalServer } from '../../../local/run/local-server.ts';
import { statusChanges } from '../../../local/run/status-changes.ts';
import { fakeIds, fakeRuntime } from '../../fakes/index.ts';

const readersAtMost = 32;

let server: LocalServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

interface Heard {
  readonly answer: IncomingMessage;
  readonly asked: ClientRequest;
  /** Everything that was said until `count` versions were. */
  until(count: number): Promise<readonly string[]>;
}

/** A served stream whose seconds pass when the test says so. */
async function serve(token?: string, read: () => Promise<readonly string[]> = async () => [token ?? '']) {
  const changes = countedChanges('p');
  const runtime = fakeRuntime();
  let sleeping = 0;
  const sleep = async (ms: number) => {
    sleeping += 1;
    await runtime.sleep(ms);
    sleeping -= 1;
  };
  const live =
    token === undefined ? undefined : liveSecret({ secrets: { read }, secret: 'status', clock: () => new Date() });
  const route = statusChanges({ changes, sleep, newId: fakeIds(), token: live, logger: undefined });
  const started = await startLocalServer({ '* /status/changes': route }, 0);
  server = started;

  async function listen(headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Heard> {
    const asked = request(`${started.url}/status/changes`, { headers, method });
    // The server ends it.
    asked.on('error', () => {});
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    answer.on('error', () => {});
    const said = () => [...text.matchAll(/data: (\S+)\n\n/g)].map(([, version = '']) => version);
    return {
      answer,
      asked,
      async until(count) {
        while (said().length < count) await once(answer, 'data');
        return said();
      },
    };
  }

  const second = () => runtime.advance(1_000);
  /** The server hears later that somebody has left. */
  async function untilNothingRuns(): Promise<void> {
    while (sleeping > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await second();
    }
  }
  return {
    changes,
    route,
    url: started.url,
    listen,
    second,
    sleeping: () => sleeping,
    untilNothingRuns,
    stop: () => started.stop(),
  };
}

describe('[N-33] open pages hear that there is something new', () => {
  test('at first how it is, then each other version within a second, and what nothing changed not again', async () => {
    const { changes, listen, second } = await serve();
    const { answer, until } = await listen();
    const first = await until(1);

    await second();
    changes.note();
    changes.note();
    await second();
    await second();
    const all = await until(2);

    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect([first, all]).toEqual([['p.0'], ['p.0', 'p.2']]);
  });

  test('in quiet times too that somebody is still there, before the page asks by itself', async () => {
    const { listen, second } = await serve();
    const { until } = await listen();

    for (let seconds = 0; seconds < 10; seconds += 1) await second();

    expect(await until(2)).toEqual(['p.0', 'p.0']);
  });

  test('no more of them than fit, the next one once another has left, and nothing runs for nobody', async () => {
    const { listen, sleeping, untilNothingRuns } = await serve();
    const open = await Promise.all(Array.from({ length: readersAtMost }, () => listen()));
    const tooMany = await listen();
    const running = sleeping();

    for (const { asked } of open) asked.destroy();
    await untilNothingRuns();
    const later = await listen();

    expect(open.map(({ answer }) => answer.statusCode)).toEqual(open.map(() => 200));
    expect([tooMany.answer.statusCode, tooMany.answer.headers['retry-after']]).toEqual([503, '15']);
    expect([running, later.answer.statusCode]).toEqual([1, 200]);
  });

  test('and none after the server has ended', async () => {
    const { listen, stop, untilNothingRuns } = await serve();
    const { answer, until } = await listen();
    await until(1);
    const closed = new Promise((resolve) => answer.once('close', resolve));

    await stop();
    await closed;
    await untilNothingRuns();

    expect(answer.complete).toBe(false);
  });

  test('those alone who may read the page', async () => {
    const { listen, sleeping } = await serve('right');

    const [none, wrong, right] = await Promise.all([
      listen(),
      listen({ authorization: 'Bearer wrong' }),
      listen({ authorization: `Basic ${Buffer.from('ann:right').toString('base64')}` }),
    ]);

    expect([none, wrong, right].map(({ answer }) => answer.statusCode)).toEqual([401, 401, 200]);
    expect(sleeping()).toBe(1);
  });

  test('who has left before it was known who they are holds nothing open', async () => {
    let know = (_tokens: readonly string[]) => {};
    const known = new Promise<readonly string[]>((resolve) => {
      know = resolve;
    });
    const isAsked = Promise.withResolvers<void>();
    const { url, listen, sleeping, untilNothingRuns } = await serve('right', () => {
      isAsked.resolve();
      return known;
    });
    const headers = { authorization: 'Bearer right' };
    const asked = request(`${url}/status/changes`, { headers }).on('error', () => {});
    asked.end();
    await isAsked.promise;
    const left = new Promise((resolve) => asked.once('close', resolve));
    asked.destroy();
    await left;
    // The server hears of it.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));

    know(['right']);
    const stays = await listen(headers);
    stays.asked.destroy();
    await untilNothingRuns();

    expect(sleeping()).toBe(0);
  });

  test('who only asks for the head holds nothing open, and nobody sends anything', async () => {
    const { listen, sleeping } = await serve();

    const head = await listen({}, 'HEAD');
    const post = await listen({}, 'POST');

    expect([head.answer.statusCode, post.answer.statusCode]).toEqual([200, 405]);
    expect(sleeping()).toBe(0);
  });

  test('one that does not read is told the newest when it does, and fills nothing meanwhile', async () => {
    const { changes, route, second } = await serve();
    const answer = await route(new Request('http://localhost/status/changes'));
    if (!(answer instanceof Response) || answer.body === null) throw new Error('it is no stream');
    const reader = answer.body.getReader();

    for (let seconds = 0; seconds < 1_000; seconds += 1) {
      changes.note();
      await second();
    }
    const first = await reader.read();
    await second();
    const next = await reader.read();
    await reader.cancel();

    expect([first, next].map(({ value }) => new TextDecoder().decode(value))).toEqual([
      'data: p.0\n\n',
      'data: p.1000\n\n',
    ]);
  });
});

test('[N-33] no version is one of another process', () => {
  const [one, other] = [countedChanges('one'), countedChanges('other')];

  expect(one.version()).not.toBe(other.version());
});

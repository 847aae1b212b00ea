import { describe, expect, test } from 'vitest';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { renewingToken } from '../../../functions/adapters/kubernetes/renewing-token.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { fakeClock, fakeLogger } from '../../fakes/index.ts';

const start = '2026-03-02T10:00:00Z';
const hour = 3600;

/** Looks like a token of a ServiceAccount; nobody here checks its signature. */
function token({ from = start, hours = 24, id = 'first', names = {} } = {}): string {
  const iat = Date.parse(from) / 1000;
  const claims = {
    sub: 'system:serviceaccount:poolkeeper:poolkeeper',
    aud: ['https://kubernetes.default.svc'],
    iat,
    jti: id,
    ...names,
    ...(hours === 0 ? {} : { exp: iat + hours * hour }),
  };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
}

/** A secret, the API server that gives tokens, and one container that uses them. */
function lab(first: string) {
  const clock = fakeClock(start);
  const logger = fakeLogger();
  const values = [first];
  const asked: { readonly path: string; readonly body: unknown }[] = [];
  let refuse: Transient | undefined;
  let longest = Number.POSITIVE_INFINITY;
  const client: Pick<KubeClient, 'post'> = {
    async post(path, _query, body) {
      asked.push({ path, body });
      if (refuse !== undefined) throw refuse;
      const { spec } = body as { readonly spec: { readonly expirationSeconds: number } };
      if (spec.expirationSeconds > longest) throw new Transient(`POST ${path}: 422, denied`, { isAnswered: true });
      const value = token({ from: clock.now().toISOString(), id: `renewed-${asked.length}` });
      return { status: { token: value, expirationTimestamp: '2026-03-04T10:00:00Z' } };
    },
  };
  const container = () => {
    const renewing = renewingToken({
      secrets: { read: async () => values.slice(0, 2) },
      writer: { write: async (_name, value) => void values.unshift(value) },
      secret: 'poolkeeper/prod/token',
      clock: clock.now,
      logger,
    });
    return { source: renewing.source, renew: () => renewing.renew(client as KubeClient) };
  };
  return {
    ...{ clock, logger, values, asked, container },
    refuseLonger: (seconds: number) => {
      longest = seconds;
    },
    refuse: (cause: Transient | undefined) => {
      refuse = cause;
    },
  };
}

describe('[C-13] the token of a cluster', () => {
  test('is renewed when it has lived half its life, with the same account, life and audience', async () => {
    const { clock, values, asked, container } = lab(token());
    const one = container();
    await one.source();
    clock.advance(11.9 * hour);
    await one.renew();
    const before = asked.length;
    clock.advance(0.2 * hour);

    await one.renew();
    await one.renew();

    expect(before).toBe(0);
    expect(asked).toEqual([
      {
        path: '/api/v1/namespaces/poolkeeper/serviceaccounts/poolkeeper/token',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds: 24 * hour, audiences: ['https://kubernetes.default.svc'] },
        },
      },
    ]);
    expect(values).toHaveLength(2);
  });

  test('[C-11] is renewed for the name of its issuer alone, which the policy on tokens admits', async () => {
    const [now, before] = ['https://issuer.example.com/cluster', 'https://kubernetes.default.svc'];
    const { clock, asked, container } = lab(token({ names: { iss: now, aud: [before, now] } }));
    const one = container();
    await one.source();
    clock.advance(13 * hour);

    await one.renew();

    expect(asked).toMatchObject([{ body: { spec: { audiences: [now] } } }]);
  });

  test('is renewed by one container, and the others find it in the secret', async () => {
    const { clock, asked, container } = lab(token());
    const [one, other] = [container(), container()];
    for (const each of [one, other]) await each.source();
    clock.advance(13 * hour);

    await one.renew();
    await other.renew();

    expect(asked).toHaveLength(1);
  });

  test('stays in use when it cannot be renewed, and is tried again five minutes later', async () => {
    const { clock, logger, asked, container, refuse } = lab(token());
    const one = container();
    await one.source();
    clock.advance(13 * hour);
    refuse(new Transient('403', { kind: 'forbidden' }));

    await one.renew();
    await one.renew();
    refuse(undefined);
    clock.advance(301);
    await one.renew();

    expect(asked).toHaveLength(2);
    expect(logger.lines.map(({ message }) => message)).toEqual(['cluster token not renewed', 'cluster token renewed']);
    expect(JSON.stringify(logger.lines)).not.toContain('signature');
  });

  test('[C-11] lives a day from then on where a policy admits no longer one', async () => {
    const { clock, logger, values, asked, container, refuseLonger } = lab(token({ hours: 168 }));
    refuseLonger(24 * hour);
    const one = container();
    await one.source();
    clock.advance(85 * hour);

    await one.renew();

    expect(asked).toMatchObject([168, 24].map((hours) => ({ body: { spec: { expirationSeconds: hours * hour } } })));
    expect(values).toHaveLength(2);
    expect(logger.lines.map(({ message }) => message)).toEqual(['cluster token renewed']);
  });

  test.each([
    ['one that never ends', token({ hours: 0 })],
    ['one that is no token of an account', 'sha256~opaque'],
  ])('%s is left as it is', async (_what, first) => {
    const { clock, asked, container } = lab(first);
    const one = container();
    await one.source();
    clock.advance(1000 * hour);

    await one.renew();

    expect(asked).toEqual([]);
  });
});

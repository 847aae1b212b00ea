import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { checkCluster } from '../../../local/cli/doctor/check-cluster.ts';
import { checkNotifications, type NotificationsSeen } from '../../../local/cli/doctor/check-notifications.ts';
import { checkRights } from '../../../local/cli/doctor/check-rights.ts';
import { checkToken } from '../../../local/cli/doctor/check-token.ts';
import { findingsText, ok, wrong } from '../../../local/cli/doctor/finding.ts';
import { type ConnectedIn, connectAgain } from '../../../local/cli/doctor/remedy-commands.ts';
import { runCommand } from '../../../local/cli/run-command.ts';
import { aConnected } from './a-connected.ts';

const now = new Date('2026-03-02T12:00:00Z');

function token(issued: string, ends: string | undefined, home = 'poolkeeper'): string {
  const seconds = (instant: string) => Date.parse(instant) / 1000;
  const claims = {
    sub: `system:serviceaccount:${home}:poolkeeper`,
    iat: seconds(issued),
    ...(ends === undefined ? {} : { exp: seconds(ends) }),
  };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
}

describe('[C-13] the doctor on the token of a cluster', () => {
  test.each([
    ['ok', 'valid until 2026-03-03T00:00Z', token('2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z')],
    ['warning', 'was not renewed', token('2026-03-01T18:00:00Z', '2026-03-02T13:00:00Z')],
    ['wrong', 'expired', token('2026-03-01T00:00:00Z', '2026-03-02T11:00:00Z')],
    ['warning', 'never expires', token('2026-03-01T00:00:00Z', undefined)],
    ['warning', 'not a ServiceAccount token', 'sha256~opaque'],
  ])('%s: %s', (state, words, value) => {
    const finding = checkToken(aConnected(), value, now);

    expect(finding.state).toBe(state);
    expect(finding.what).toContain(words);
    expect(finding.what).not.toContain(value);
  });

  test.each([token('2026-03-01T00:00:00Z', '2026-03-02T11:00:00Z'), token('2026-03-01T00:00:00Z', undefined)])(
    'issues a new one for the account that it is of, in its place',
    (value) => {
      const connected = aConnected({ home: 'pk-dev', config: 'dev.yaml' });

      expect(checkToken(connected, value, now).remedy).toBe(
        'issue a new one: poolkeeper connect --name prod --namespace pk-dev --stage live --config dev.yaml',
      );
    },
  );
});

describe('[C-13] the command by which the doctor has a cluster connected again', () => {
  test.each<[string, Partial<ConnectedIn>]>([
    ['--stage live', {}],
    ['--namespace pk-dev --stage live', { home: 'pk-dev' }],
    ['--secret poolkeeper/prod/token', { tokenSecret: 'poolkeeper/prod/token' }],
    ['--secret poolkeeper/live/edge/token', { tokenSecret: 'poolkeeper/live/edge/token' }],
    ["--stage live --config '/tmp/of two/poolkeeper.yaml'", { config: '/tmp/of two/poolkeeper.yaml' }],
    ['(--token-dir as before)', { tokenSecret: 'POOLKEEPER_TOKEN_PROD' }],
  ])('has %s', (words, change) => {
    expect(connectAgain(aConnected(change))).toBe(`poolkeeper connect --name prod ${words}`);
  });

  test('says what cannot be known without a token', () => {
    expect(connectAgain({ ...aConnected(), home: undefined })).toBe(
      'poolkeeper connect --name prod --stage live (--namespace as before)',
    );
  });
});

test('[C-13] [N-29] the doctor has no other token made for a Poolkeeper that runs in the cluster, where it is not', async () => {
  const text =
    'clusters: [{ name: own, api: { server: "https://kubernetes.default.svc", tokenSecret: service-account } }]';
  const configuration = readConfiguration(text, { source: 'poolkeeper.yaml' });
  const [cluster] = configuration.clusters;
  if (cluster === undefined) throw new Error('there is no cluster');
  const read = async () => {
    throw new Misconfigured(['secret service-account: is not there']);
  };

  const findings = await checkCluster({
    ...{ cluster, configuration, secrets: { read }, clock: () => now, config: undefined, file: 'poolkeeper.yaml' },
  });

  expect(findings).toEqual([
    { about: 'own', state: 'unchecked', what: expect.stringContaining('that of the pod in which Poolkeeper runs') },
  ]);
});

test('[C-13] [N-29] the doctor has rights granted to the account whose token it is', async () => {
  const client = { post: async () => ({ status: { allowed: false } }) };

  const findings = await checkRights(aConnected({ home: 'pk-dev' }), client as never, {
    pools: ['worker'],
    argocdNamespaces: ['openshift-gitops'],
  });

  const again = 'poolkeeper connect --name prod --namespace pk-dev --stage live';
  expect(findings).toMatchObject([
    { state: 'wrong', remedy: again },
    { state: 'warning', remedy: again },
    {
      what: expect.stringContaining(
        '(poolkeeper manifests --read-logs --level observe --argocd-namespace none --only access --namespace pk-dev)',
      ),
    },
  ]);
});

test.each([
  [{ namespace: 'poolkeeper', name: 'poolkeeper' }, 'wrong'],
  [undefined, 'ok'],
])('[C-13] [S3-15] the doctor misses the right to renew a token that ends (%j)', async (renews, state) => {
  const refuses = ({ resource, subresource }: Record<string, unknown>) =>
    resource === 'serviceaccounts' && subresource === 'token';
  const client = {
    post: async (_path: string, _query: unknown, body: { spec: { resourceAttributes: Record<string, unknown> } }) => ({
      status: { allowed: !refuses(body.spec.resourceAttributes) },
    }),
  };

  const [rights] = await checkRights(aConnected(), client as never, {
    pools: ['worker'],
    argocdNamespaces: [],
    renews,
  });

  expect(rights?.state).toBe(state);
  if (state === 'wrong')
    expect(rights?.what).toContain('may not create serviceaccounts/token poolkeeper in poolkeeper');
});

const shipped: { readonly data: Readonly<Record<string, string>> } = parse(
  readFileSync(join(import.meta.dirname, '../../../docs/install/argocd-notifications-cm.yaml'), 'utf8'),
);
const config = Object.fromEntries(
  Object.entries(shipped.data).map(([key, value]) => [key, value.replace('poolkeeper.example.com', 'pk.test')]),
);
function anApplicationSeen(
  name: string,
  change: Partial<NotificationsSeen['applications'][number]> = {},
): NotificationsSeen['applications'][number] {
  const told = { isLabelled: true, isSubscribed: false, changesPools: false };
  return { name: `openshift-gitops/${name}`, owner: 'openshift-gitops/default', ...told, ...change };
}
const sound: NotificationsSeen = {
  config,
  secretKeys: ['poolkeeper-token'],
  shipped: shipped.data,
  controller: { deployments: [{ name: 'argocd-notifications-controller', wanted: 1, ready: 1 }], turnedOffIn: [] },
  applications: ['nodes', 'apps', 'db'].map((name) => anApplicationSeen(name)),
  instance: 'openshift-gitops',
  namespace: 'openshift-gitops',
  url: 'https://pk.test',
};

describe('the doctor on the notifications of Argo CD', () => {
  test('has nothing to say of what we ship', () => {
    expect(checkNotifications('hub', sound)).toEqual([ok('hub', expect.stringContaining('3 Applications'))]);
  });

  test('knows that a key that the secret lacks is sent as the letters $key', () => {
    const [finding] = checkNotifications('hub', { ...sound, secretKeys: ['another'] });

    expect(finding).toMatchObject({
      state: 'wrong',
      what: expect.stringContaining('sends the literal text $poolkeeper-token'),
    });
    expect(finding?.remedy).toContain('patch secret argocd-notifications-secret');
  });

  test.each<[string, Partial<NotificationsSeen>]>([
    ['there is no argocd-notifications-cm', { config: undefined }],
    [
      'has no trigger.on-poolkeeper-operation',
      { config: { ...config, 'trigger.on-poolkeeper-operation': undefined } as never },
    ],
    ['name this instance openshift-gitops, poolkeeper.yaml names it hub-2', { instance: 'hub-2' }],
    ['not to https://elsewhere.test/argocd', { url: 'https://elsewhere.test' }],
    ['go to poolkeeper.example.com', { config: shipped.data }],
    ['no Application is labelled', { applications: [] }],
    ['no default subscription', { config: { ...config, subscriptions: '' } }],
    [
      'the token is in the ConfigMap itself',
      { config: { ...config, 'service.webhook.poolkeeper': 'url: https://pk.test/argocd' } },
    ],
  ])('%s', (words, change) => {
    const findings = checkNotifications('hub', { ...sound, ...change });

    expect(findings.map(({ what }) => what)).toContainEqual(expect.stringContaining(words));
    for (const finding of findings) expect(finding.remedy).toBeTruthy();
  });
});

describe('[C-13] [N-29] whoever follows the doctor about notifications', () => {
  const seen: NotificationsSeen = { ...sound, instance: 'prod-eu', namespace: 'argocd', config: undefined };
  const remedyOf = (change: Partial<NotificationsSeen>) =>
    checkNotifications('hub', { ...seen, ...change }).find(({ remedy = '' }) => remedy.startsWith('poolkeeper'))
      ?.remedy ?? '';
  async function printed(remedy: string) {
    let [text, notes] = ['', ''];
    const status = await runCommand(remedy.replace('poolkeeper ', '').split(' '), {
      out: (more) => {
        text += more;
      },
      note: (more) => {
        notes += more;
      },
      environment: {},
      now: () => now,
    });
    return { status, notes, object: parse(text) };
  }

  test.each<[string, Partial<NotificationsSeen>]>([
    ['nothing is there', {}],
    ['another address', { config: { ...config, context: 'poolkeeperInstance: prod-eu' }, url: 'https://new.test' }],
    ['another name', { config }],
    ['no subscription', { config: { ...config, context: 'poolkeeperInstance: prod-eu', subscriptions: '' } }],
  ])('has done all with one command: %s', async (_, change) => {
    const { object } = await printed(remedyOf(change).replace(/, or annotate.*/, ''));

    expect(object.metadata.namespace).toBe('argocd');
    expect(checkNotifications('hub', { ...seen, ...change, config: object.data })).toMatchObject([{ state: 'ok' }]);
  });

  test('applies no address that nobody has where it is not known', async () => {
    const { status, notes, object } = await printed(remedyOf({ url: undefined }).replace(/ \(.*/, ''));

    expect(status).toBe(2);
    expect(notes).toContain('must be an https:// address');
    expect(object).toBeNull();
  });
});

test('findings stand under each other, each fault with its remedy, and are counted', () => {
  const text = findingsText([ok('settings', 'fine'), wrong('prod', 'broken', 'mend it')]);

  expect(text.split('\n')).toEqual([
    'ok        settings  fine',
    'wrong     prod      broken',
    '                    -> mend it',
    '',
    '2 checked: 1 wrong, 0 to watch.',
    '',
  ]);
});

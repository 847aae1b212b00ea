import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { listContexts, readKubeconfig } from '../../../functions/adapters/kubernetes/kubeconfig.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { startStub } from './stub-server.ts';

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly current?: string;
}

const plugin = { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };

async function fileOf({ cluster = {}, user = { token: 'token-1' }, current = 'lab' }: Parts): Promise<string> {
  return written({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: [{ name: 'lab', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [
      { name: 'lab', context: { cluster: 'lab', user: 'me' } },
      { name: 'lost', context: { cluster: 'gone', user: 'gone' } },
    ],
  });
}

async function written(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-kubeconfig-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'config');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function tlsFile(name: string): string {
  return join(import.meta.dirname, 'tls', name);
}

test('gives server, authority and token of the current context', async () => {
  const ca = await readFile(tlsFile('ca.pem'), 'utf8');
  const file = await fileOf({ cluster: { 'certificate-authority-data': Buffer.from(ca).toString('base64') } });

  const connection = await readKubeconfig([file]);

  expect(connection).toMatchObject({ context: 'lab', server: 'https://127.0.0.1:6443', ca, skipTLSVerify: false });
  expect(connection.clientCertificate).toBeUndefined();
  expect(await connection.token()).toBe('token-1');
});

test('gives a client certificate, and then no token', async () => {
  const [cert, key] = await Promise.all(
    [tlsFile('server.pem'), tlsFile('server-key.pem')].map((file) => readFile(file, 'utf8')),
  );
  const file = await fileOf({
    user: { 'client-certificate': tlsFile('server.pem'), 'client-key': tlsFile('server-key.pem') },
  });

  const connection = await readKubeconfig([file], 'lab');

  expect(connection.clientCertificate).toEqual({ cert, key });
  expect(await connection.token()).toBe('');
});

test('asks a credential plugin for the token', async () => {
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'from-plugin' },
  };
  const args = ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`];
  const exec = { ...plugin, command: process.execPath, args };

  const connection = await readKubeconfig([await fileOf({ user: { exec } })]);

  expect(await connection.token()).toBe('from-plugin');
});

test.each([
  ['./bin/get-token', 'bin/get-token'],
  ['bin/get-token', 'bin/get-token'],
  ['bin/../get-token', 'get-token'],
])(
  '[C-9] finds the plugin %s beside the kubeconfig, as kubectl does, wherever somebody stands',
  async (command, at) => {
    const file = await fileOf({ user: { exec: { ...plugin, command } } });
    const token = join(dirname(file), at);
    await mkdir(dirname(token), { recursive: true });
    await writeFile(token, `#!/bin/sh\necho '{"status":{"token":"from-beside"}}'\n`, { mode: 0o755 });

    const connection = await readKubeconfig([file]);

    expect(await connection.token()).toBe('from-beside');
  },
);

test('[C-9] finds a plugin without a path by PATH', async () => {
  const exec = { ...plugin, command: 'sh', args: ['-c', `echo '{"status":{"token":"from-path"}}'`] };

  const connection = await readKubeconfig([await fileOf({ user: { exec } })]);

  expect(await connection.token()).toBe('from-path');
});

/** What may stand in a file beside a token, each as people write it. */
const yaml = (user: string) => `
current-context: lab
clusters: [{ name: lab, cluster: { server: "https://127.0.0.1:6443/", certificate-authority: tls/ca.pem } }]
contexts: [{ name: lab, context: { cluster: lab, user: me } }]
users:
  - name: me
    user: ${user}
`;

test.each([
  ['a token', '{ token: "token-1" }'],
  ['a client certificate beside the file', '{ client-certificate: tls/cert.pem, client-key: tls/key.pem }'],
  ['a client certificate in the file', '{ client-certificate-data: Y2VydA==, client-key-data: a2V5 }'],
  [
    'a plugin that answers with a certificate, and a token beside it',
    `{ token: t, exec: ${JSON.stringify({ ...plugin, command: process.execPath, args: ['-e', `console.log('{"status":{"clientCertificateData":"c","clientKeyData":"k","token":"p"}}')`] })} }`,
  ],
  ['a file with the token', '{ auth-provider: { name: tokenFile, config: { tokenFile: FOLDER/tls/ca.pem } } }'],
])('gives what the KubeConfig of client-node gives for %s', async (_, user) => {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-kubeconfig-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'tls'));
  for (const name of ['ca', 'cert', 'key']) await writeFile(join(folder, 'tls', `${name}.pem`), `the ${name}`);
  const file = join(folder, 'config');
  await writeFile(file, yaml(user.replace('FOLDER', folder)));
  const config = new KubeConfig();
  config.loadFromFile(file);
  const expected: RequestOptions = {};
  await config.applyToHTTPSOptions(expected);

  const { token, ca, server, clientCertificate } = await readKubeconfig([file]);

  expect({ ca, server }).toEqual({ ca: String(expected.ca), server: config.getCurrentCluster()?.server });
  expect(clientCertificate).toEqual(
    expected.cert === undefined ? undefined : { cert: String(expected.cert), key: String(expected.key) },
  );
  const { Authorization: bearer = 'Bearer ' } = { ...expected.headers } as Record<string, string>;
  expect(`Bearer ${await token()}`).toBe(bearer);
});

test('is all that a connection needs', async () => {
  const stub = await startStub(() => ({ body: { gitVersion: 'v1.31.6' } }));
  const file = await fileOf({ cluster: { server: stub.url, 'insecure-skip-tls-verify': true } });

  const cluster = connectCluster({
    ...systemRuntime,
    ...(await readKubeconfig([file])),
    userAgent: 'poolkeeper/test',
    clock: () => new Date(0),
  });
  onTestFinished(() => cluster.close());

  expect(await cluster.readVersion()).toBe('v1.31.6');
  expect(stub.seen[0]?.headers.authorization).toBe('Bearer token-1');
});

test.each<[string, Parts, string | undefined, string]>([
  ['an unknown context', {}, 'prod', 'there is no context prod; the file has the contexts lab, lost'],
  ['no current context', { current: '' }, undefined, 'there is no context (none is set as current)'],
  ['a context whose cluster is missing', {}, 'lost', 'names a cluster that is not in the file'],
  [
    'a proxy',
    { cluster: { 'proxy-url': 'http://proxy:3128' } },
    undefined,
    'proxy-url of cluster lab is not supported',
  ],
  ['impersonation', { user: { token: 'x', as: 'other' } }, undefined, 'impersonates another'],
  ['a password', { user: { username: 'a', password: 'hunter2' } }, undefined, 'has a password'],
])('refuses %s', async (_, parts, context, words) => {
  const file = await fileOf(parts);

  const attempt = readKubeconfig([file], context);

  await expect(attempt).rejects.toBeInstanceOf(Misconfigured);
  await expect(attempt).rejects.toThrow(words);
  await expect(attempt).rejects.not.toThrow('hunter2');
});

test.each([
  ['that is not there', '/nonexistent/config'],
  ['that is no kubeconfig', 'text'],
])('refuses a file %s', async (_, path) => {
  const file = path === 'text' ? await written('[1, 2') : path;

  await expect(readKubeconfig([file])).rejects.toThrow(`kubeconfig ${file} cannot be read`);
});

test.each<[string, object, string]>([
  ['without credentials', {}, 'user me has no token, client certificate or plugin'],
  ['with a token file, which client-node does not read', { tokenFile: '/token' }, 'user me has no token'],
  [
    'whose plugin fails',
    { exec: { ...plugin, command: process.execPath, args: ['-e', 'console.error("log in first"); process.exit(1)'] } },
    'the credentials of context lab cannot be read: log in first',
  ],
])('refuses a user %s', async (_, user, words) => {
  const attempt = readKubeconfig([await fileOf({ user })]);

  await expect(attempt).rejects.toBeInstanceOf(Misconfigured);
  await expect(attempt).rejects.toThrow(words);
});

/** One cluster, user and context of these names. */
function one(name: string, { server = `https://${name}:6443`, token = `token-${name}`, current = '' } = {}) {
  return {
    ...(current === '' ? {} : { 'current-context': current }),
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  };
}

test('[C-9] several files are read as kubectl reads them: the first that has a name, or a current context, counts', async () => {
  const files = [
    await written(''),
    await written(one('a')),
    '/nonexistent/config',
    await written(one('b', { current: 'b' })),
    await written({ ...one('c', { current: 'c' }), ...one('a', { server: 'https://shadowed:6443', token: 'other' }) }),
  ];

  const [current, first, listed] = await Promise.all([
    readKubeconfig(files),
    readKubeconfig(files, 'a'),
    listContexts(files),
  ]);

  expect(current).toMatchObject({ context: 'b', server: 'https://b:6443' });
  expect(first).toMatchObject({ context: 'a', server: 'https://a:6443' });
  expect(await first.token()).toBe('token-a');
  expect(listed).toEqual([
    { name: 'b', server: 'https://b:6443' },
    { name: 'a', server: 'https://a:6443' },
  ]);
});

test('[C-9] a context may name a cluster and a user of other files, whose paths are relative to their own', async () => {
  const authority = { 'certificate-authority': 'ca.pem' };
  const file = await written({ clusters: [{ name: 'a', cluster: { server: 'https://a:6443', ...authority } }] });
  await writeFile(join(dirname(file), 'ca.pem'), 'the authority');
  const others = [
    await written({ users: one('b').users }),
    await written({ contexts: [{ name: 'x', context: { cluster: 'a', user: 'b' } }] }),
  ];

  const { server, ca, token } = await readKubeconfig([...others, file], 'x');

  expect({ server, ca, token: await token() }).toEqual({
    server: 'https://a:6443',
    ca: 'the authority',
    token: 'token-b',
  });
});

test('[C-9] of several files, those are named that cannot be read, or that were read where a context is missing', async () => {
  const [good, empty, bad] = [await written(one('a')), await written(''), await written('[1, 2')];

  await expect(readKubeconfig([good, bad])).rejects.toThrow(`kubeconfig ${bad} cannot be read`);
  await expect(readKubeconfig(['/nonexistent/a', '/nonexistent/b'])).rejects.toThrow(
    'kubeconfig /nonexistent/a and /nonexistent/b cannot be read: there is no such file',
  );
  await expect(readKubeconfig([good, '/nonexistent/b', empty], 'prod')).rejects.toThrow(
    `${good} and ${empty}: there is no context prod; these files have the contexts a`,
  );
});

test.each([
  ['a comment', '# of nothing\n'],
  ['a mark', '---\n'],
  ['null', 'null\n'],
])('[C-9] a file of %s has nothing', async (_, text) => {
  const { context } = await readKubeconfig([await written(text), await written(one('a', { current: 'a' }))]);

  expect(context).toBe('a');
});

test('[C-9] entries that are not finished keep nobody from the others, and are told to who uses them', async () => {
  const { clusters, contexts, ...good } = one('a', { current: 'a' });
  const file = await written({
    ...good,
    clusters: [...clusters, { name: 'half', cluster: {} }, { name: 'none' }],
    contexts: [
      ...contexts,
      { name: 'begun', context: {} },
      { name: 'to-half', context: { cluster: 'half', user: 'a' } },
    ],
  });

  const { server } = await readKubeconfig([file]);

  expect(server).toBe('https://a:6443');
  await expect(readKubeconfig([file], 'begun')).rejects.toThrow('there is no context begun');
  await expect(readKubeconfig([file], 'to-half')).rejects.toThrow('context to-half names a cluster that is not in');
});

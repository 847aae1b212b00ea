import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOwnAccount } from '../../../local/in-cluster/own-account.ts';

async function mounted(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-account-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'ca.crt'), 'PEM');
  await writeFile(join(folder, 'namespace'), 'poolkeeper\n');
  return folder;
}

test.each([
  ['172.30.0.1', 'https://172.30.0.1:443'],
  ['fd02::1', 'https://[fd02::1]:443'],
])('[C-11] a pod that is told of %s calls %s', async (host, server) => {
  const folder = await mounted();

  expect(await readOwnAccount(folder, { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '443' })).toEqual({
    server,
    ca: 'PEM',
    namespace: 'poolkeeper',
    tokenFile: join(folder, 'token'),
  });
});

test('[C-11] what is no pod, or has no token of an account, says so', async () => {
  await expect(readOwnAccount(await mounted(), {})).rejects.toThrow('KUBERNETES_SERVICE_HOST is not set');
  await expect(readOwnAccount('/nowhere', { KUBERNETES_SERVICE_HOST: '10.0.0.1' })).rejects.toThrow(
    '/nowhere/ca.crt: cannot be read',
  );
});

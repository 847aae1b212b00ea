import { X509Certificate } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { readKubeconfig } from '../../../functions/adapters/kubernetes/kubeconfig.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { selfSigned } from '../../../local/openshift/api-server/self-signed.ts';
import { startOpenShift } from '../../../local/openshift/index.ts';
import { buildReferenceWorld } from '../../../local/openshift/reference-world.ts';

/** kubectl and oc send a token over TLS only: client-go's clientcmd leaves credentials out for plain HTTP. */
async function secureCluster() {
  const openshift = await startOpenShift({ secure: true });
  buildReferenceWorld(openshift);
  const file = join(tmpdir(), `kubeconfig-secure-${process.pid}.json`);
  await openshift.writeKubeconfig(file);
  onTestFinished(async () => {
    await openshift.stop();
    await rm(file);
  });
  return { openshift, file };
}

async function poolsSeen(ca: string | undefined, file: string): Promise<number> {
  const connection = connectCluster({
    ...(await readKubeconfig([file])),
    ca,
    userAgent: 'test',
    ...systemRuntime,
  });
  try {
    return (await connection.pools.listPools()).items.length;
  } finally {
    await connection.close();
  }
}

test('[N-32] the cluster that people are given speaks TLS, with a certificate that its kubeconfig names and nobody else has', async () => {
  const { openshift, file } = await secureCluster();
  const { ca } = await readKubeconfig([file]);

  expect(openshift.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await readFile(file, 'utf8')).not.toContain('insecure');
  expect(await poolsSeen(ca, file)).toBe(2);
  await expect(poolsSeen(undefined, file)).rejects.toThrow(/certificate/);
  await expect(poolsSeen(selfSigned(new Date()).certificate, file)).rejects.toThrow(/certificate/);
});

test('[N-32] the certificate is one of today for loopback, and signs itself', () => {
  const now = new Date();

  const made = Array.from({ length: 300 }, () => new X509Certificate(selfSigned(now).certificate));

  for (const certificate of made) {
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.ca).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(now.getTime());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(now.getTime());
  }
  expect(new Set(made.map(({ serialNumber }) => serialNumber)).size).toBe(300);
});

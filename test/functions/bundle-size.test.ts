import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, keepers, receivers, senders, sequenceKeepers } from './bundle.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What the bundle exports when Node runs it. */
function exportsOf({ file }: Bundle): Promise<Readonly<Record<string, unknown>>> {
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}

describe('the bundle of a receiver', () => {
  it.each(receivers.entries)(
    '%s is no larger than a plain build was measured, and has no Kubernetes client in it',
    async (entry) => {
      const built = await bundle(entry, folder);

      expect(built.packages).toContain('@aws-sdk/client-sqs');
      expect(built.packages).not.toContain('@kubernetes/client-node');
      expect(built.packages).not.toContain('undici');
      expect((await exportsOf(built))['handler']).toBeTypeOf('function');
      expect(built.sizeKiB).toBeLessThanOrEqual(receivers.atMostKiB);
    },
    60_000,
  );
});

describe('the bundle of a function that reaches clusters', () => {
  it.each(
    [keepers, sequenceKeepers].flatMap(({ entries, atMostKiB }) => entries.map((entry) => [entry, atMostKiB] as const)),
  )(
    '%s is no larger than a plain build was measured: %i KiB',
    async (entry, atMostKiB) => {
      const built = await bundle(entry, folder);

      expect(built.packages).toContain('@kubernetes/client-node');
      expect((await exportsOf(built))['handler']).toBeTypeOf('function');
      expect(built.sizeKiB).toBeLessThanOrEqual(atMostKiB);
    },
    60_000,
  );
});

describe('the bundle of a function that sends or shows', () => {
  it.each(senders.entries)(
    '%s is within its budget, and has no Kubernetes client and no mail library in it',
    async (entry) => {
      const built = await bundle(entry, folder);

      expect(built.packages).toContain('@aws-sdk/client-dynamodb');
      expect(built.packages).not.toContain('@kubernetes/client-node');
      expect(built.packages).not.toContain('nodemailer');
      expect((await exportsOf(built))['handler']).toBeTypeOf('function');
      expect(built.sizeKiB).toBeLessThanOrEqual(senders.atMostKiB);
    },
    60_000,
  );
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundles, keepers, receivers, senders } from './bundle.ts';

const run = promisify(execFile);
let folder = '';
let exported: Readonly<Record<string, readonly string[]>> = {};
let all: ReadonlyMap<string, Bundle> = new Map();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-bundle-'));
  all = await bundles(
    [receivers, keepers, senders].flatMap(({ entries }) => entries),
    folder,
  );
  exported = await exportsOf([...all.values()].map(({ file }) => file));
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

function bundleOf(entry: string): Bundle {
  const built = all.get(entry);
  if (built === undefined) throw new Error(`${entry} was not bundled`);
  return built;
}

/** What the files export as Node runs them, without the modules that this process has: in one of their own. */
async function exportsOf(files: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const program = `const all = process.argv.slice(1).map(async (file) => {
    const exported = Object.entries(await import(file));
    return [file, exported.map(([name, value]) => name + ': ' + typeof value)];
  });
  console.log(JSON.stringify(Object.fromEntries(await Promise.all(all))));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program, ...files]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

describe('the bundle of a receiver', () => {
  it.each(receivers.entries)(
    '%s is no larger than a plain build was measured, and has no Kubernetes client in it',
    (entry) => {
      const built = bundleOf(entry);

      expect(built.packages).toContain('@aws-sdk/client-sqs');
      expect(built.packages).not.toContain('@kubernetes/client-node');
      expect(built.packages).not.toContain('undici');
      expect(exported[built.file]).toContain('handler: function');
      expect(built.sizeKiB).toBeLessThanOrEqual(receivers.atMostKiB);
    },
  );
});

describe('the bundle of a function that reaches clusters', () => {
  it.each(keepers.entries)(
    '%s is within its budget, and has the request classes of the Kubernetes client without the transport that ours replaces',
    (entry) => {
      const built = bundleOf(entry);

      expect(built.packages).toContain('@kubernetes/client-node');
      expect(built.packages).not.toContain('undici');
      expect(exported[built.file]).toContain('handler: function');
      expect(built.sizeKiB).toBeLessThanOrEqual(keepers.atMostKiB);
    },
  );
});

describe('the bundle of a function that sends or shows', () => {
  it.each(senders.entries)(
    '%s is within its budget, and has no Kubernetes client and no mail library in it',
    (entry) => {
      const built = bundleOf(entry);

      expect(built.packages).toContain('@aws-sdk/client-dynamodb');
      expect(built.packages).not.toContain('@kubernetes/client-node');
      expect(built.packages).not.toContain('nodemailer');
      expect(exported[built.file]).toContain('handler: function');
      expect(built.sizeKiB).toBeLessThanOrEqual(senders.atMostKiB);
    },
  );
});

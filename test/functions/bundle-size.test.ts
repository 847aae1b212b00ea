import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** KiB. Both were measured for a plain build of the same libraries; more is slower cold starts for nothing. */
const receiverAtMost = 533;
const keeperAtMost = 2149;
/** KiB. The budget of functions that send or show and reach no cluster. */
const senderAtMost = 900;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Bundle {
  readonly sizeKiB: number;
  /** Packages that something of is in it. */
  readonly packages: readonly string[];
  /** What the bundle exports when Node runs it. */
  readonly exports: Readonly<Record<string, unknown>>;
}

/** As infra/constructs/keeper-function.ts bundles it. */
async function bundle(entry: string): Promise<Bundle> {
  const result = await build({
    absWorkingDir: repository,
    entryPoints: [`functions/${entry}/lambda.ts`],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    keepNames: true,
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  const [output] = Object.values(result.metafile.outputs);
  const file = join(folder, `${entry}.mjs`);
  await writeFile(file, result.outputFiles[0]?.contents ?? '');
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    sizeKiB: (output?.bytes ?? 0) / 1024,
    packages: [...new Set(inputs.flatMap(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))],
    exports: await import(/* @vite-ignore */ pathToFileURL(file).href),
  };
}

describe('the bundle of a receiver', () => {
  it.each(['receive-github', 'receive-argocd', 'receive-cluster'])(
    '%s is no larger than a plain build was measured, and has no Kubernetes client in it',
    async (entry) => {
      const { sizeKiB, packages, exports } = await bundle(entry);

      expect(packages).toContain('@aws-sdk/client-sqs');
      expect(packages).not.toContain('@kubernetes/client-node');
      expect(packages).not.toContain('undici');
      expect(exports['handler']).toBeTypeOf('function');
      expect(sizeKiB).toBeLessThanOrEqual(receiverAtMost);
    },
    60_000,
  );
});

describe('the bundle of a function that reaches clusters', () => {
  it.each(['keep-pools', 'handshake'])(
    '%s is no larger than a plain build was measured',
    async (entry) => {
      const { sizeKiB, packages, exports } = await bundle(entry);

      expect(packages).toContain('@kubernetes/client-node');
      expect(exports['handler']).toBeTypeOf('function');
      expect(sizeKiB).toBeLessThanOrEqual(keeperAtMost);
    },
    60_000,
  );
});

describe('the bundle of a function that sends or shows', () => {
  it.each(['send-alerts', 'status', 'watch-ticks', 'redeliver'])(
    '%s is within its budget, and has no Kubernetes client and no mail library in it',
    async (entry) => {
      const { sizeKiB, packages, exports } = await bundle(entry);

      expect(packages).toContain('@aws-sdk/client-dynamodb');
      expect(packages).not.toContain('@kubernetes/client-node');
      expect(packages).not.toContain('nodemailer');
      expect(exports['handler']).toBeTypeOf('function');
      expect(sizeKiB).toBeLessThanOrEqual(senderAtMost);
    },
    60_000,
  );
});

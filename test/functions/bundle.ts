import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Functions and the most that each of their bundles may weigh, in KiB: more is slower cold starts for nothing. */
export interface Budget {
  readonly entries: readonly string[];
  readonly atMostKiB: number;
}

/** Measured for a plain build of the same libraries. */
export const receivers: Budget = { entries: ['receive-github', 'receive-argocd', 'receive-cluster'], atMostKiB: 533 };
/** They reach clusters. 2,149 were measured for a plain build of the same libraries; the rest is for what decides when
 *  a pool may go (windows, calendars, budgets, approvals, guards, turns of sequences). */
export const keepers: Budget = { entries: ['handshake', 'preview-changes'], atMostKiB: 2400 };
/** It keeps sequences too, whose gates may be expressions in CEL: 84 KiB of a library. */
export const sequenceKeepers: Budget = { entries: ['keep-pools'], atMostKiB: 2500 };
/** They send or show, and reach no cluster. */
export const senders: Budget = {
  entries: ['send-alerts', 'receive-slack', 'status', 'watch-ticks', 'redeliver', 'relay-pushes'],
  atMostKiB: 900,
};

export interface Bundle {
  /** Where it was written. */
  readonly file: string;
  readonly sizeKiB: number;
  /** Packages that something of is in it. */
  readonly packages: readonly string[];
}

/** Bundles one function into `folder` as infra/constructs/poolkeeper-function.ts does. */
export async function bundle(entry: string, folder: string): Promise<Bundle> {
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
    file,
    sizeKiB: (output?.bytes ?? 0) / 1024,
    packages: [...new Set(inputs.flatMap(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))],
  };
}

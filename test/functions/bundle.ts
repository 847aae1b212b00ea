import { writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
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
/** They reach clusters. 2,149 were measured for a plain build of the same libraries; beside these stands what decides
 *  when a pool may go, which node, and what is told. They weigh 2,058, 1,161 and 2,174. */
export const keepers: Budget = { entries: ['handshake', 'preview-changes', 'keep-pools'], atMostKiB: 2560 };
/** They send or show, and reach no cluster. */
export const senders: Budget = {
  entries: [
    'send-alerts',
    'receive-slack',
    'receive-callback',
    'fleet-lock',
    'status',
    'watch-ticks',
    'redeliver',
    'relay-pushes',
  ],
  atMostKiB: 944,
};

export interface Bundle {
  /** Where it was written. */
  readonly file: string;
  readonly sizeKiB: number;
  /** Packages that something of is in it. */
  readonly packages: readonly string[];
}

/** Bundles functions into `folder`, each for itself, as infra/constructs/poolkeeper-function.ts does. What several of
 *  them import is read once: fourteen bundles cost as much processor time as six. */
export async function bundles(entries: readonly string[], folder: string): Promise<ReadonlyMap<string, Bundle>> {
  const result = await build({
    absWorkingDir: repository,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry, `functions/${entry}/lambda.ts`])),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    keepNames: true,
    mainFields: ['module', 'main'],
    alias: { undici: resolve(repository, 'functions/adapters/kubernetes/without-fetch.ts') },
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  for (const { path, contents } of result.outputFiles) await writeFile(path, contents);
  return new Map(
    Object.entries(result.metafile.outputs).map(([path, { bytes, inputs }]) => {
      const file = resolve(repository, path);
      return [basename(file, '.mjs'), { file, sizeKiB: bytes / 1024, packages: packagesOf(inputs) }];
    }),
  );
}

function packagesOf(inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>): readonly string[] {
  const paths = Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
  return [...new Set(paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))];
}

/** Bundles one function into `folder`. */
export async function bundle(entry: string, folder: string): Promise<Bundle> {
  const built = (await bundles([entry], folder)).get(entry);
  if (built === undefined) throw new Error(`${entry} was not bundled`);
  return built;
}

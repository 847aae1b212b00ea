import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Builds the command line as it is packed: plain JavaScript with its packages in it, each command a file that is
 *  loaded when it runs. The folder is replaced. `dist/cli` is as deep as `local/cli`, whose files find docs/install
 *  from there. */
export async function buildCommandLine(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    entryPoints: { main: join(import.meta.dirname, 'main.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'linked',
    logLevel: 'warning',
    // Some packages are CommonJS and require modules of Node.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
}

if (import.meta.main) await buildCommandLine(join(import.meta.dirname, '../../dist/cli'));

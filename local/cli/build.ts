import { cp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

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
    target: 'node22.19',
    mainFields: ['module', 'main'],
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: [namedWithEnding],
    // Some packages are CommonJS: they require modules of Node, and files beside them.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url), __dirname = import.meta.dirname;",
    },
  });
  await copyNativeParts(folder);
}

/** dynalite requires files by names that it puts together, without their ending, which a bundler takes for names that
 *  are none. */
const namedWithEnding: Plugin = {
  name: 'named-with-ending',
  setup(building) {
    building.onLoad({ filter: /[/\\]dynalite[/\\]index\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(/(require\('\.\/\w+\/' \+ \w+)\)/g, "$1 + '.js')"),
    }));
  },
};

/** Where images run that are made from the package (docs/in-cluster.md). */
const platforms = ['linux-x64', 'linux-arm64'] as const;

/** The one package with a part that is no JavaScript, the store of `serve --data`, looks for it in `prebuilds` beside
 *  the code. */
async function copyNativeParts(folder: string): Promise<void> {
  const home = dirname(packageFile('classic-level', packageFile('level', packageFile('dynalite', import.meta.url))));
  for (const platform of platforms)
    await cp(join(home, 'prebuilds', platform), join(folder, 'prebuilds', platform), { recursive: true });
}

/** The package.json of what another file imports. */
function packageFile(name: string, from: string): string {
  return createRequire(from).resolve(`${name}/package.json`);
}

if (import.meta.main) await buildCommandLine(join(import.meta.dirname, '../../dist/cli'));

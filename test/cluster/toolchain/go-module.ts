import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Say } from './part.ts';
import { CommandFailed, runCommand } from './run-command.ts';
import { tryAgain } from './try-again.ts';

/**
 * A pinned Go module beside this file (`go.mod`, `go.sum`, `tools.go`), whose only job is to fix versions and
 * checksums: no `go mod tidy` at run time, so a build tomorrow takes the very bytes of today's.
 */
export interface GoModule {
  readonly folder: string;
}

export function goModule(name: string): GoModule {
  return { folder: join(import.meta.dirname, name) };
}

/** The pins as text, for a part's recipe. */
export function pins(module: GoModule): string {
  return ['go.mod', 'go.sum'].map((file) => readFileSync(join(module.folder, file), 'utf8')).join('\n');
}

/**
 * What every Go command here is given: no C compiler is needed, nothing of this checkout is stamped into a program, and
 * the pins are only read.
 */
const environment = { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false -trimpath', GOWORK: 'off' } as const;

/** A download is tried three times: module proxies have bad moments, and a build of minutes should not die of one. */
const attempts = { times: 3, pauseMs: 5_000 } as const;

export interface Programs {
  /** Import paths of `main` packages. */
  readonly packages: readonly string[];
  /** Package variables set at link time: import path and name -> value. */
  readonly variables: Readonly<Record<string, string>>;
  /** A folder (programs keep their names) or, for one package, a file. */
  readonly output: string;
}

/** Downloads what the programs need, then compiles them. */
export async function buildPrograms(module: GoModule, programs: Programs, say: Say): Promise<void> {
  await requireGo();
  const list = { file: 'go', args: ['list', '-deps', '-f', '{{if .Standard}}{{end}}', ...programs.packages] };
  await download(module, list, say);
  const variables = Object.entries(programs.variables).map(([name, value]) => `-X ${name}=${value}`);
  const args = ['build', '-ldflags', ['-s', '-w', ...variables].join(' '), '-o', programs.output, ...programs.packages];
  await runCommand({ file: 'go', args, folder: module.folder, env: environment });
}

/** Downloads one module, checked against the pins, and says where its files lie. */
export async function moduleFiles(module: GoModule, path: string, say: Say): Promise<string> {
  await requireGo();
  const text = await download(module, { file: 'go', args: ['mod', 'download', '-json', path] }, say);
  const { Dir } = JSON.parse(text) as { readonly Dir?: string };
  if (Dir === undefined) throw new CommandFailed(`the module ${path} has no files`);
  return Dir;
}

function download(module: GoModule, command: { file: string; args: string[] }, say: Say): Promise<string> {
  return tryAgain(() => runCommand({ ...command, folder: module.folder, env: environment }), {
    ...attempts,
    onFailure: (_, attempt) =>
      say(`download failed (attempt ${attempt} of ${attempts.times}), trying again in ${attempts.pauseMs / 1_000} s`),
  });
}

async function requireGo(): Promise<void> {
  await runCommand({ file: 'go', args: ['version'] }).catch((cause: unknown) => {
    throw new CommandFailed(
      'Go is not installed: the cluster suite builds its API server from source and needs Go 1.26 or newer',
      { cause },
    );
  });
}

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

export interface SourceFile {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  /** As it stands there. */
  readonly text: string;
  /** The code without comments and the contents of strings that are no imports. */
  readonly code: string;
  readonly imports: readonly string[];
}

/** Every source file in these folders of the repository. */
export function sourceFiles(folders: readonly string[]): readonly SourceFile[] {
  return folders.flatMap(filesBelow).map(readSource);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?ts$|\.mjs$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function readSource(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm),
  ];
  return {
    path: relative(root, file).replaceAll('\\', '/'),
    text,
    code: text
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
      .replace(/`(?:[^`\\]|\\.)*`/g, '``'),
    imports: specifiers.map((match) => resolveImport(file, match[1] ?? match[2] ?? match[3] ?? '')),
  };
}

function resolveImport(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return relative(root, join(dirname(file), specifier)).replaceAll('\\', '/');
}

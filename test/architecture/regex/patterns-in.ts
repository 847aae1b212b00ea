import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

export interface Pattern {
  /** Path below the root of the project. */
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

export interface BuiltPattern {
  readonly path: string;
  /** The expression that builds it, without line breaks. */
  readonly code: string;
}

/** The regular expressions that stand in the TypeScript below a folder: literals, and those built while running. */
export function patternsIn(
  root: string,
  folder: string,
): { readonly literals: readonly Pattern[]; readonly built: readonly BuiltPattern[] } {
  const literals: Pattern[] = [];
  const built: BuiltPattern[] = [];
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!name.endsWith('.ts')) continue;
    const path = join(folder, name);
    const code = readFileSync(join(root, path), 'utf8');
    visit(parseAst(code, { lang: 'ts' }), (node) => {
      if (node['type'] === 'Literal' && isObject(node['regex']))
        literals.push({ path, source: String(node['regex']['pattern']), flags: String(node['regex']['flags']) });
      const isCall = node['type'] === 'NewExpression' || node['type'] === 'CallExpression';
      if (isCall && isObject(node['callee']) && node['callee']['name'] === 'RegExp')
        built.push({ path, code: code.slice(Number(node['start']), Number(node['end'])).replace(/\s+/g, ' ') });
    });
  }
  return { literals, built };
}

function visit(node: unknown, look: (node: Readonly<Record<string, unknown>>) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, look);
    return;
  }
  if (!isObject(node)) return;
  look(node);
  for (const [key, value] of Object.entries(node)) if (key !== 'parent') visit(value, look);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
